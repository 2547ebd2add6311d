// Philox 4x32-10 and the keys, streams and distributions of random numbers, written from the paper (Salmon and others, SC '11) and from
// what sdk/include/tessera/random.hpp documents, to compare that with.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <string>

namespace tessera::test {

using Words = std::array<std::uint32_t, 4>;

inline Words philox(Words c, std::uint64_t key) {
    auto k0 = static_cast<std::uint32_t>(key), k1 = static_cast<std::uint32_t>(key >> 32);
    for (int round = 0; round < 10; ++round, k0 += 0x9E3779B9u, k1 += 0xBB67AE85u) {
        const std::uint64_t a = 0xD2511F53ull * c[0], b = 0xCD9E8D57ull * c[2];
        c = {static_cast<std::uint32_t>(b >> 32) ^ c[1] ^ k0, static_cast<std::uint32_t>(b),
             static_cast<std::uint32_t>(a >> 32) ^ c[3] ^ k1, static_cast<std::uint32_t>(a)};
    }
    return c;
}

inline std::uint64_t mixed(std::uint64_t x) {
    x ^= x >> 30, x *= 0xBF58476D1CE4E5B9ull;
    x ^= x >> 27, x *= 0x94D049BB133111EBull;
    return x ^ (x >> 31);
}

// Of a call of a function (its collection and name, with a dot between): the one with index `call` in its step.
inline std::uint64_t key_of(std::uint64_t seed, const std::string& function, std::uint64_t call) {
    std::uint64_t name = 14695981039346656037ull; // FNV-1a
    for (const char c : function) name = (name ^ static_cast<unsigned char>(c)) * 1099511628211ull;
    constexpr std::uint64_t golden = 0x9E3779B97F4A7C15ull;
    return mixed(mixed(mixed(seed + golden) ^ name) + golden * (call + 1));
}

// The number of place x of a row, counted over all planes, where rows are nx long: as if they were a multiple of four.
inline std::uint64_t number_of(std::int64_t x, std::int64_t row, std::int64_t nx) {
    while (nx % 4 != 0) ++nx;
    return static_cast<std::uint64_t>(row * nx + x);
}
// The same of place i, counted row by row.
inline std::uint64_t number_of(std::size_t i, std::int64_t nx) {
    return number_of(static_cast<std::int64_t>(i) % nx, static_cast<std::int64_t>(i) / nx, nx);
}

// Who comes first in a manageAll, the one with index `nth` in its step: the agent whose id this makes the least of, drawn anew each time.
inline auto drawn_priority(std::uint64_t seed, const std::string& collection, std::uint64_t nth, std::uint64_t step) {
    const auto key = mixed(key_of(seed, "manageAll " + collection, nth) + step);
    return [key](std::uint64_t id) { return mixed(id ^ key); };
}

// What something with a number draws in one call: the first from a block that four share, the others from blocks of its own.
class Stream {
public:
    Stream(std::uint64_t key, std::uint64_t number, std::uint64_t step)
        : key_(key), number_(number), step_(static_cast<std::uint32_t>(step)) {}
    std::uint32_t word() {
        const auto draw = drawn_++;
        if (draw == 0) return block(number_ / 4, 0)[number_ % 4];
        return block(number_, 1 + (draw - 1) / 4)[(draw - 1) % 4];
    }
    float uniform() { return static_cast<float>(word() / 256) / 16777216.0f; }
    std::uint32_t below(std::uint64_t n) { return static_cast<std::uint32_t>(word() * n / 4294967296ull); }
    double normal() {
        const double u = (word() + 1.0) / 4294967296.0, v = word() / 4294967296.0;
        return std::sqrt(-2 * std::log(u)) * std::cos(2 * 3.14159265358979323846 * v);
    }

private:
    [[nodiscard]] Words block(std::uint64_t n, std::uint32_t number) const {
        return philox({static_cast<std::uint32_t>(n), static_cast<std::uint32_t>(n >> 32), step_, number}, key_);
    }

    std::uint64_t key_, number_;
    std::uint32_t step_, drawn_ = 0;
};

} // namespace tessera::test
