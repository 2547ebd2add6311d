// SPDX-License-Identifier: Apache-2.0
// Philox 4x32 with 10 rounds (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC '11), and the keys of its
// streams.
#pragma once

#include <tessera/detail/name_hash.hpp>

namespace tessera {

struct philox_words {
    std::uint32_t w[4];
};
struct philox_key {
    std::uint32_t w[2];
};

/// The Philox bijection of the 128-bit counters that belongs to the key. Ten rounds.
TESSERA_FN constexpr philox_words philox4x32(philox_words counter, philox_key key) {
    std::uint32_t c0 = counter.w[0], c1 = counter.w[1], c2 = counter.w[2], c3 = counter.w[3];
    std::uint32_t k0 = key.w[0], k1 = key.w[1];
    for (int round = 0; round < 10; ++round) {
        const std::uint64_t p0 = std::uint64_t{0xd2511f53} * c0, p1 = std::uint64_t{0xcd9e8d57} * c2;
        c0 = static_cast<std::uint32_t>(p1 >> 32) ^ c1 ^ k0;
        c1 = static_cast<std::uint32_t>(p1);
        c2 = static_cast<std::uint32_t>(p0 >> 32) ^ c3 ^ k1;
        c3 = static_cast<std::uint32_t>(p0);
        k0 += 0x9e3779b9; // the golden ratio
        k1 += 0xbb67ae85; // sqrt(3) - 1
    }
    return {{c0, c1, c2, c3}};
}

// No indexing by a variable, which would send the block from registers to memory.
TESSERA_FN constexpr std::uint32_t word_of(const philox_words& block, std::uint32_t word) {
    return word == 0 ? block.w[0] : word == 1 ? block.w[1] : word == 2 ? block.w[2] : block.w[3];
}

/// The block of four words at a counter of random.hpp.
TESSERA_FN constexpr philox_words random_block(std::uint64_t key, std::uint64_t number, std::uint32_t step, std::uint32_t block) {
    return philox4x32({{static_cast<std::uint32_t>(number), static_cast<std::uint32_t>(number >> 32), step, block}},
                      {{static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(key >> 32)}});
}

// The first draws of several entities, which a CPU makes together when some of them draw (kernels/agents/first_draws.hpp).
struct first_draws {
    static constexpr std::uint32_t again = 4; // so many of who draws more than once

    const std::uint32_t* first = nullptr;                                             // of each, once they are made
    const std::uint32_t* later = nullptr;                                             // draws 1 to `again` likewise, each of all
    int stride;                                                                       // of all
    std::uint32_t (*make)(first_draws& together, int number, std::uint32_t draw);     // one that is not there yet
    philox_words (*block)(const first_draws& together, int number, std::uint32_t at); // of the counter's last word

    TESSERA_FN constexpr std::uint32_t of(int number, std::uint32_t draw) {
        if (draw == 0 && first != nullptr) return first[number];
        if (draw != 0 && later != nullptr) return later[static_cast<int>(draw - 1) * stride + number];
        return make(*this, number, draw);
    }
};

/// A bijection of the 64-bit words in which every bit of the result depends on every bit of x (the finaliser of splitmix64:
/// Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA '14; constants of Stafford's variant 13).
TESSERA_FN constexpr std::uint64_t mix64(std::uint64_t x) {
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

/// The key of one call: of the run's seed, of the function (name_hash of its name) and of which call of it this is in the step, from 0.
TESSERA_FN constexpr std::uint64_t stream_key(std::uint64_t seed, std::uint64_t function_hash, std::uint32_t call_in_step) {
    constexpr std::uint64_t golden = 0x9e3779b97f4a7c15;
    const std::uint64_t seeded = mix64(seed + golden);
    return mix64(mix64(seeded ^ function_hash) + golden * (std::uint64_t{call_in_step} + 1));
}

} // namespace tessera
