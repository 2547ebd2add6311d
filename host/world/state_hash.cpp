#include "host/world/state_hash.hpp"

#include "device_runtime/thread_pool.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <cmath>
#include <cstring>
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

std::vector<std::uint64_t> block_hashes(Array& values, ThreadPool& pool) {
    const auto bytes = size_of(values.type);
    std::vector<std::uint64_t> hashes(static_cast<std::size_t>((values.count() + block_values - 1) / block_values));
    pool.run(static_cast<std::int64_t>(hashes.size()), [&](std::int64_t first, std::int64_t last) {
        for (auto b = first; b < last; ++b) {
            const auto count = std::min(block_values, values.count() - b * block_values);
            auto* const from = values.bytes.data() + static_cast<std::size_t>(b * block_values) * bytes;
            if (values.type == Scalar::f32) canonicalise(reinterpret_cast<float*>(from), count);
            if (values.type == Scalar::f64) canonicalise(reinterpret_cast<double*>(from), count);
            hashes[static_cast<std::size_t>(b)] = XXH3_64bits(from, static_cast<std::size_t>(count) * bytes);
        }
    });
    return hashes;
}

} // namespace

std::uint64_t state_hash(const Setup& setup, const std::function<Array(ColumnId)>& read, ThreadPool& pool) {
    Summary summary;
    for (const auto c : setup.collections.ids()) {
        const auto& collection = setup.collections[c];
        summary.add(collection.name);
        summary.add(static_cast<std::uint64_t>(collection.dimensions));
        for (const auto extent : collection.size) summary.add(static_cast<std::uint64_t>(extent));
        const auto& members = setup.row_of(collection).members;
        for (std::size_t m = 0; m < members.size(); ++m) {
            summary.add(members[m].name);
            summary.add(std::string(name_of(members[m].type)));
            summary.add(static_cast<std::uint64_t>(members[m].elements));
            Array values = read(setup.column_of(c, m));
            for (const auto hash : block_hashes(values, pool)) summary.add(hash);
        }
    }
    return summary.hash();
}

std::string hash_text(std::uint64_t hash) { return fmt::format("{:016x}", hash); }

} // namespace tessera
