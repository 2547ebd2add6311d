#include "host/world/first_agents.hpp"

#include "device_runtime/kernels/agent_id.hpp"
#include "device_runtime/kernels/bins.hpp"
#include "host/setup/value.hpp"
#include "host/world/agent_table.hpp"
#include "host/world/random_value.hpp"

#include <tessera/random.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>

namespace tessera {
namespace {

// A bijection of [0, n), n > 0.
class Permutation {
public:
    Permutation(std::uint64_t n, std::uint64_t key)
        : n_(n), key_(key), half_(static_cast<int>((std::bit_width(n - 1) + 1) / 2)), mask_((std::uint64_t{1} << half_) - 1) {}

    [[nodiscard]] std::uint64_t operator()(std::uint64_t i) const {
        do i = rounds(i);
        while (i >= n_);
        return i;
    }

private:
    [[nodiscard]] std::uint64_t rounds(std::uint64_t i) const {
        auto left = i >> half_, right = i & mask_;
        for (std::uint64_t round = 0; round < 4; ++round) {
            const auto next = left ^ (mix64(key_ + round * 0x9e3779b97f4a7c15 + right) & mask_);
            left = right;
            right = next;
        }
        return left << half_ | right;
    }

    std::uint64_t n_, key_;
    int half_;
    std::uint64_t mask_;
};

struct Corner {
    Extents low{0, 0, 0}, size{1, 1, 1};
};
Corner box_of(const run_file::Agents& agents, const CollectionSetup& collection) {
    Corner corner{{0, 0, 0}, collection.size};
    if (agents.box)
        for (std::size_t axis = 0; axis < (*agents.box)->low.size(); ++axis) {
            corner.low[axis] = (*agents.box)->low[axis];
            corner.size[axis] = (*agents.box)->high[axis] - (*agents.box)->low[axis];
        }
    return corner;
}

// Gives those of one place their ids, in the order in which they stand here.
void number(FirstAgents& first, const CollectionSetup& collection, const run_file::Where& where) {
    const int place_bits = bits_of_places(collection.places());
    const auto most = (std::uint64_t{1} << (id_bits_of_birth - place_bits)) - 1;
    std::uint64_t rank = 0;
    for (std::size_t i = 0; i < first.agents.size(); ++i) {
        auto& agent = first.agents[i];
        rank = i > 0 && first.agents[i - 1].place == agent.place ? rank + 1 : 1;
        if (rank > most)
            run_file::fail_at(where, fmt::format("more than {} of {} start on one place", most, collection.name),
                              fmt::format("on {} places ids have {} bits for which of those there each is", collection.places(),
                                          id_bits_of_birth - place_bits),
                              "spread them, or make the grid smaller");
        agent.id = agent_id(0, static_cast<std::uint64_t>(agent.place), rank, place_bits);
    }
}

// Makes the values of one member of an agent: its default, and the steps of its `init`, or what a file has of it.
class MemberMaker {
public:
    MemberMaker(const Setup& setup, ColumnId column)
        : seed_(*setup.run.run.seed), name_(setup.name_of(column)),
          member_(setup.row_of(setup.collections[setup.columns[column].collection]).members[setup.columns[column].member]) {
        if (const auto& file = setup.collections[setup.columns[column].collection].crowd->file)
            given_ = file->find(setup.columns[column].member);
        for (const auto& [name, steps] : setup.agents_of(setup.columns[column].collection).init)
            if (*name == member_.name) steps_ = &steps;
    }

    [[nodiscard]] int elements() const noexcept { return member_.elements; }

    // The elements, one behind the other.
    void put(const FirstAgents::Agent& agent, std::byte* into) const {
        const auto bytes = member_.initial.size();
        std::memcpy(into, given_ == nullptr ? member_.initial.data() : given_->values.data() + agent.row * bytes, bytes);
        if (steps_ == nullptr) return;
        std::uint32_t number = 0;
        for (const auto& step : *steps_) {
            if (const auto* constant = std::get_if<run_file::Constant>(&step->source)) {
                const auto values = constant_bytes(*constant, member_.type, member_.elements, step.where, name_);
                std::memcpy(into, values.data(), bytes);
            } else {
                random_stream stream(stream_key(seed_, name_hash(("init " + name_).c_str()), number), agent.id, 0);
                for (int e = 0; e < member_.elements; ++e)
                    put_random(*step, member_.type, stream, into + static_cast<std::size_t>(e) * size_of(member_.type));
            }
            ++number;
        }
    }

private:
    std::uint64_t seed_;
    std::string name_;
    const model::Member& member_;
    const std::vector<run_file::Located<run_file::InitStep>>* steps_ = nullptr;
    const AgentsFile::Column* given_ = nullptr;
};

// A source that puts the values of those who stand on the places asked for, or in the cells of a list, and zeros elsewhere; `put(agent,
// bytes of its elements)`.
template<class Put> ArraySource source_of(const FirstAgents& first, std::size_t bytes, int elements, int capacity, bool in_list, Put put) {
    auto shared = std::make_shared<const std::vector<FirstAgents::Agent>>(first.agents);
    const int slots = in_list ? 1 : capacity;
    return [shared, bytes, elements, slots, in_list, put = std::move(put)](const PlaceRange& cells, std::byte* into) {
        const auto count = static_cast<std::size_t>(cells.count());
        std::memset(into, 0, count * bytes * static_cast<std::size_t>(elements * slots));
        std::vector<std::byte> values(bytes * static_cast<std::size_t>(elements));
        const auto cell_of = [in_list](const FirstAgents::Agent& agent) { return in_list ? std::int64_t{agent.slot} : agent.place; };
        const auto from = std::lower_bound(shared->begin(), shared->end(), cells.first,
                                           [&](const FirstAgents::Agent& agent, std::int64_t cell) { return cell_of(agent) < cell; });
        for (auto agent = from; agent != shared->end() && cell_of(*agent) < cells.end; ++agent) {
            put(*agent, values.data());
            const auto at = static_cast<std::size_t>(cell_of(*agent) - cells.first);
            const int plane = in_list ? 0 : agent->slot * elements;
            for (int e = 0; e < elements; ++e)
                std::memcpy(into + (static_cast<std::size_t>(plane + e) * count + at) * bytes,
                            values.data() + static_cast<std::size_t>(e) * bytes, bytes);
        }
    };
}

// Of a list: on which place each agent stands, or where the agents of each place begin.
ArraySource list_source(const FirstAgents& first, bool starts) {
    auto shared = std::make_shared<const std::vector<FirstAgents::Agent>>(first.agents);
    return [shared, starts](const PlaceRange& cells, std::byte* into) {
        const auto size = static_cast<std::int64_t>(shared->size());
        for (auto cell = cells.first; cell < cells.end; ++cell) {
            std::int32_t value = 0;
            if (starts)
                value = static_cast<std::int32_t>(
                    std::lower_bound(shared->begin(), shared->end(), cell,
                                     [](const FirstAgents::Agent& agent, std::int64_t place) { return agent.place < place; }) -
                    shared->begin());
            else if (cell < size)
                value = static_cast<std::int32_t>((*shared)[static_cast<std::size_t>(cell)].place);
            std::memcpy(into + static_cast<std::size_t>(cell - cells.first) * sizeof(value), &value, sizeof(value));
        }
    };
}

// At the centre of its place, or anywhere in the box.
void put_in_space(FirstAgents::Agent& agent, const CollectionSetup& collection, const Corner& box, bool each, std::uint64_t key,
                  std::uint64_t number) {
    const auto& space = *collection.crowd->space;
    const auto here = place_of(collection, agent.place);
    random_stream random(key, number, 0);
    Extents place{0, 0, 0};
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(collection.dimensions); ++axis) {
        const double width = space.extent[axis] / static_cast<double>(collection.size[axis]);
        const double at = each ? static_cast<double>(here[axis]) + 0.5
                               : static_cast<double>(box.low[axis]) + random.uniform64() * static_cast<double>(box.size[axis]);
        double& position = agent.position[axis];
        position = at * width;
        if (space.number == Scalar::f32) position = static_cast<double>(static_cast<float>(position));
        if (position >= space.extent[axis]) // by rounding
            position = space.number == Scalar::f32 ? static_cast<double>(std::nextafter(static_cast<float>(space.extent[axis]), 0.0f))
                                                   : std::nextafter(space.extent[axis], 0.0);
        place[axis] = bin_of(position, width, collection.size[axis]);
    }
    agent.place = (place[2] * collection.size[1] + place[1]) * collection.size[0] + place[0];
    agent.slot = static_cast<int>(number); // those of a place stand in this order
}

// On places of the grid or of the box, in any order.
std::vector<FirstAgents::Agent> placed_agents(const Setup& setup, CollectionId id) {
    const auto& collection = setup.collections[id];
    const auto& given = setup.agents_of(id);
    const auto corner = box_of(given, collection);
    const auto places = static_cast<std::uint64_t>(corner.size[0] * corner.size[1] * corner.size[2]);
    const bool each = *given.place == run_file::StartingPlaces::each;
    const auto count = first_count(setup, id);
    const bool in_list = collection.crowd->in_list;
    const auto key = stream_key(*setup.run.run.seed, name_hash(("place " + collection.name).c_str()), 0);
    const auto slots = in_list ? 1 : static_cast<std::uint64_t>(collection.crowd->capacity);
    const Permutation permutation(std::max<std::uint64_t>(places * slots, 1), key);
    std::vector<FirstAgents::Agent> agents(count);
    for (std::uint64_t i = 0; i < count; ++i) {
        const auto slot = each ? i : in_list ? random_stream(key, i, 0).below(static_cast<std::uint32_t>(places)) : permutation(i);
        const auto at = static_cast<std::int64_t>(slot % places);
        const auto x = corner.low[0] + at % corner.size[0], y = corner.low[1] + at / corner.size[0] % corner.size[1],
                   z = corner.low[2] + at / (corner.size[0] * corner.size[1]);
        agents[i] = {(z * collection.size[1] + y) * collection.size[0] + x, static_cast<int>(slot / places), 0, {}, 0};
        if (collection.crowd->space) put_in_space(agents[i], collection, corner, each, key, i);
    }
    return agents;
}

// As a file has them. Slots are those of nobody yet, but the order of those who share a place.
std::vector<FirstAgents::Agent> listed_agents(const AgentsFile& file) {
    std::vector<FirstAgents::Agent> agents(file.size());
    for (std::size_t row = 0; row < agents.size(); ++row)
        agents[row] = {file.places[row], static_cast<int>(row), 0, file.positions.empty() ? std::array<double, 3>{} : file.positions[row],
                       row};
    return agents;
}

// Those of one place stand in its first slots.
void fill_slots(std::vector<FirstAgents::Agent>& agents) {
    for (std::size_t i = 0; i < agents.size(); ++i)
        agents[i].slot = i > 0 && agents[i - 1].place == agents[i].place ? agents[i - 1].slot + 1 : 0;
}

ArraySource position_source(const FirstAgents& first, const CollectionSetup& collection) {
    const bool is_float = collection.crowd->space->number == Scalar::f32;
    return source_of(first, is_float ? sizeof(float) : sizeof(double), collection.dimensions, 1, true,
                     [is_float, dimensions = collection.dimensions](const FirstAgents::Agent& agent, std::byte* into) {
                         for (std::size_t axis = 0; axis < static_cast<std::size_t>(dimensions); ++axis)
                             if (const auto value = static_cast<float>(agent.position[axis]); is_float)
                                 std::memcpy(into + axis * sizeof(value), &value, sizeof(value));
                             else
                                 std::memcpy(into + axis * sizeof(double), &agent.position[axis], sizeof(double));
                     });
}

} // namespace

FirstAgents first_agents(const Setup& setup, CollectionId id) {
    const auto& collection = setup.collections[id];
    FirstAgents first;
    first.agents = collection.crowd->file ? listed_agents(*collection.crowd->file) : placed_agents(setup, id);
    std::sort(first.agents.begin(), first.agents.end(),
              [](const auto& a, const auto& b) { return a.place != b.place ? a.place < b.place : a.slot < b.slot; });
    number(first, collection, setup.agents_of(id).place.where);
    if (collection.crowd->file) fill_slots(first.agents);
    if (collection.crowd->in_list)
        for (std::size_t i = 0; i < first.agents.size(); ++i) first.agents[i].slot = static_cast<int>(i);
    return first;
}

std::optional<ArraySource> first_values(const Setup& setup, ColumnId column, const FirstAgents& first) {
    const auto id = setup.columns[column].collection;
    const auto& collection = setup.collections[id];
    const auto type = setup[column].layout.type;
    const auto bytes = size_of(type);
    const auto capacity = collection.crowd->capacity;
    if (collection.crowd->in_list && (column == setup.places_of(id) || column == setup.starts_of(id)))
        return list_source(first, column == setup.starts_of(id));
    if (collection.crowd->space && column == setup.positions_of(id) && !first.agents.empty()) return position_source(first, collection);
    if (first.agents.empty() || column == setup.marks_of(id) || setup.is_of_notes(column)) return std::nullopt;
    const bool in_list = collection.crowd->in_list;
    if (column == setup.codes_of(id))
        return source_of(first, bytes, 1, capacity, in_list, [bytes](const FirstAgents::Agent&, std::byte* into) {
            std::memset(into, 0, bytes);
            into[0] = std::byte{1}; // there, and nothing wanted (kernels/crowd.hpp); little-endian
        });
    if (column == setup.ids_of(id))
        return source_of(first, bytes, 1, capacity, in_list,
                         [](const FirstAgents::Agent& agent, std::byte* into) { std::memcpy(into, &agent.id, sizeof(agent.id)); });
    const auto maker = std::make_shared<const MemberMaker>(setup, column);
    return source_of(first, bytes, maker->elements(), capacity, in_list,
                     [maker](const FirstAgents::Agent& agent, std::byte* into) { maker->put(agent, into); });
}

} // namespace tessera
