#include "host/world/state_hash.hpp"

#include "device_runtime/thread_pool.hpp"
#include "host/world/agent_table.hpp"
#include "host/world/link_lists.hpp"
#include "host/world/under_way.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <vector>

namespace tessera {
namespace {

constexpr std::int64_t block_values = std::int64_t{1} << 20;

// What is hashed, as bytes: numbers little-endian in 64 bits, texts behind their length.
class Summary {
public:
    void add(std::uint64_t value) {
        char bytes[sizeof(value)];
        std::memcpy(bytes, &value, sizeof(value));
        bytes_.append(bytes, sizeof(value));
    }
    void add(const std::string& text) {
        add(static_cast<std::uint64_t>(text.size()));
        bytes_ += text;
    }
    [[nodiscard]] std::uint64_t hash() const { return XXH3_64bits(bytes_.data(), bytes_.size()); }

private:
    std::string bytes_;
};

template<class T> void canonicalise(T* values, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i)
        if (std::isnan(values[i])) values[i] = std::numeric_limits<T>::quiet_NaN();
}

// Values [first, end) of a column, in the order of an Array: of one element behind the other.
void read_values(const StateReader& read, ColumnId column, std::int64_t places, std::int64_t first, std::int64_t end, std::size_t bytes,
                 std::byte* into) {
    while (first < end) {
        const auto element = first / places, before = element * places;
        const auto last = std::min(end, before + places);
        read(column, static_cast<int>(element), {first - before, last - before}, into);
        into += static_cast<std::size_t>(last - first) * bytes;
        first = last;
    }
}

std::uint64_t hash_of(std::byte* values, std::int64_t count, Scalar type) {
    if (type == Scalar::f32) canonicalise(reinterpret_cast<float*>(values), count);
    if (type == Scalar::f64) canonicalise(reinterpret_cast<double*>(values), count);
    return XXH3_64bits(values, static_cast<std::size_t>(count) * size_of(type));
}

// Adds the hash of each block of so many places.
void add_blocks(Summary& summary, const Setup& setup, ColumnId column, std::int64_t places, const StateReader& read, ThreadPool& pool) {
    const auto& layout = setup[column].layout;
    const auto count = places * layout.elements;
    const auto bytes = size_of(layout.type);
    const auto blocks = std::max<std::int64_t>(static_cast<std::int64_t>(setup.bytes_at_a_time / bytes) / block_values, 1);
    const std::unique_ptr<std::byte[]> values(new std::byte[static_cast<std::size_t>(std::min(count, blocks * block_values)) * bytes]);
    std::vector<std::uint64_t> hashes;
    for (std::int64_t first = 0; first < count; first += blocks * block_values) {
        const auto end = std::min(count, first + blocks * block_values);
        read_values(read, column, places, first, end, bytes, values.get());
        hashes.resize(static_cast<std::size_t>((end - first + block_values - 1) / block_values));
        pool.run(static_cast<std::int64_t>(hashes.size()), [&](std::int64_t from, std::int64_t to) {
            for (auto b = from; b < to; ++b)
                hashes[static_cast<std::size_t>(b)] = hash_of(values.get() + static_cast<std::size_t>(b * block_values) * bytes,
                                                              std::min(block_values, end - first - b * block_values), layout.type);
        });
        for (const auto hash : hashes) summary.add(hash);
    }
}

void add_block(Summary& summary, std::vector<std::byte> values, Scalar type) {
    summary.add(hash_of(values.data(), static_cast<std::int64_t>(values.size() / size_of(type)), type));
}

template<class T> void add_numbers(Summary& summary, const std::vector<T>& numbers) {
    summary.add(XXH3_64bits(numbers.data(), numbers.size() * sizeof(T)));
}

// Agents in the order of their ids: who they are, where they stand, what they want and what they know.
void add_agents(Summary& summary, const Setup& setup, CollectionId agents, const StateReader& read, const ThreadPool& pool) {
    const auto table = find_agents(setup, agents, read, pool.threads());
    summary.add(static_cast<std::uint64_t>(table.size()));
    add_numbers(summary, table.ids);
    add_numbers(summary, table.places);
    const auto codes = setup.codes_of(agents);
    add_block(summary, agent_values(setup, codes, 0, table, read), setup[codes].layout.type);
    if (const auto refused = setup.find_column(agents, Role::refused_births))
        add_block(summary, agent_values(setup, *refused, 0, table, read), setup[*refused].layout.type);
    if (const auto& space = setup.collections[agents].agents->space)
        for (int axis = 0; axis < setup.collections[agents].dimensions; ++axis)
            add_block(summary, agent_values(setup, setup.positions_of(agents), axis, table, read), space->number);
    const auto& members = setup.row_of(setup.collections[agents]).members;
    for (std::size_t m = 0; m < members.size(); ++m) {
        summary.add(members[m].name);
        summary.add(std::string(name_of(members[m].type)));
        summary.add(static_cast<std::uint64_t>(members[m].elements));
        for (int e = 0; e < members[m].elements; ++e)
            add_block(summary, agent_values(setup, setup.column_of(agents, m), e, table, read), members[m].type);
    }
}

// What is under way to members of places, rounded as it would be there, by steps left; no matter for how many steps there is room.
void add_under_way(Summary& summary, const Setup& setup, CollectionId places, const StateReader& read) {
    const auto& collection = setup.collections[places];
    for (const auto& sent : collection.sent)
        for (int left = 0; sent.as == model::SentAs::sum && left < collection.columns[sent.column].planes; ++left)
            for (std::int64_t first = 0; first < collection.places(); first += block_values) {
                const PlaceRange range{first, std::min(first + block_values, collection.places())};
                auto values = arriving(setup, places, sent, left, range, read);
                if (values.empty()) continue;
                summary.add("under way to " + setup.row_of(collection).members[sent.member].name);
                summary.add(static_cast<std::uint64_t>(left));
                summary.add(static_cast<std::uint64_t>(first));
                add_block(summary, std::move(values), collection.columns[sent.member].layout.type);
            }
}

} // namespace

std::uint64_t state_hash(const State& state, ThreadPool& pool) {
    const auto& setup = state.setup();
    const auto& read = state.reader();
    Summary summary;
    for (const auto c : setup.collections.ids()) {
        const auto& collection = setup.collections[c];
        summary.add(collection.name);
        summary.add(static_cast<std::uint64_t>(collection.seen_dimensions()));
        const auto places = collection.links ? links_there(setup, c, read) : collection.places();
        for (const auto extent : collection.links ? Extents{places, 1, 1} : collection.seen_size())
            summary.add(static_cast<std::uint64_t>(extent));
        if (collection.agents) {
            add_agents(summary, setup, c, read, pool);
            continue;
        }
        if (collection.links) // where each comes from, and leads to
            for (std::size_t m = 0; m < collection.columns.size(); ++m)
                if (collection.columns[m].role == Role::link_end) add_blocks(summary, setup, setup.column_of(c, m), places, read, pool);
        const auto& members = setup.row_of(collection).members;
        for (std::size_t m = 0; m < members.size(); ++m) {
            summary.add(members[m].name);
            summary.add(std::string(name_of(members[m].type)));
            summary.add(static_cast<std::uint64_t>(members[m].elements));
            add_blocks(summary, setup, setup.column_of(c, m), places, read, pool);
        }
        add_under_way(summary, setup, c, read);
    }
    return summary.hash();
}

std::string hash_text(std::uint64_t hash) { return fmt::format("{:016x}", hash); }

} // namespace tessera
