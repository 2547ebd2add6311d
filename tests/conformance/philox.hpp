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

// Of the how-manieth call of a function (its collection and name, with a dot between) in a step.
inline std::uint64_t key_of(std::uint64_t seed, const std::string& function, std::uint64_t call) {
    std::uint64_t name = 14695981039346656037ull; // FNV-1a
    for (const char c : function) name = (name ^ static_cast<unsigned char>(c)) * 1099511628211ull;
    constexpr std::uint64_t golden = 0x9E3779B97F4A7C15ull;
    return mixed(mixed(mixed(seed + golden) ^ name) + golden * (call + 1));
}

// The numbers that a place draws in one call.
class Stream {
public:
    Stream(std::uint64_t key, std::uint64_t place, std::uint64_t step)
        : key_(key), place_(place), step_(static_cast<std::uint32_t>(step)) {}
    std::uint32_t word() {
        const auto number = drawn_++;
        return philox({static_cast<std::uint32_t>(place_), static_cast<std::uint32_t>(place_ >> 32), step_, number / 4}, key_)[number % 4];
    }
    float uniform() { return static_cast<float>(word() / 256) / 16777216.0f; }
    std::uint32_t below(std::uint64_t n) { return static_cast<std::uint32_t>(word() * n / 4294967296ull); }
    double normal() {
        const double u = (word() + 1.0) / 4294967296.0, v = word() / 4294967296.0;
        return std::sqrt(-2 * std::log(u)) * std::cos(2 * 3.14159265358979323846 * v);
    }

private:
    std::uint64_t key_, place_;
    std::uint32_t step_, drawn_ = 0;
};

} // namespace tessera::test
