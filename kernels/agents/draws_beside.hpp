// Philox of several agents at once. It takes a compiler as long as a model's function, and is the same for all models: where TESSERA_BESIDE
// is defined, it is in an object of its own, which is compiled once.
#pragma once

#include <tessera/random.hpp>

#if !TESSERA_GPU
namespace tessera {

// Philox of several agents at once, in lanes of 64 bits of which the lower halves count: a multiplication takes these, the upper half of a
// product is one shift away, and nobody looks at what is left above.
#if defined(__AVX512F__)
inline constexpr int draw_lanes = 8, draw_vectors = 4, draws_together = 32;
#elif defined(__AVX2__)
inline constexpr int draw_lanes = 4, draw_vectors = 2, draws_together = 16; // two vectors at once are what 16 registers have room for
#else
inline constexpr int draw_lanes = 2, draw_vectors = 2, draws_together = 4;
#endif

using draw_vector __attribute__((vector_size(8 * draw_lanes))) = std::uint64_t;

// The keys of the rounds, each in all lanes.
struct draw_keys {
    draw_vector of[20];
    std::uint64_t key;

    explicit draw_keys(std::uint64_t key);
};

#if defined(TESSERA_BESIDE)

void some_first_draws(const draw_keys& keys, std::uint32_t step, const std::uint64_t* ids, std::uint32_t* into, int count);
void some_later_draws(const draw_keys& keys, std::uint32_t step, const std::uint64_t* ids, std::uint32_t* into, int count, int stride);

#else
#if !defined(TESSERA_MAKES_BESIDE)
#define TESSERA_MAKES_BESIDE inline
#endif

// In vectors by name: a loop over the lanes that stores two running values is what the vectoriser of g++ 11 to 13 gets wrong
// (docs/decisions/vectors-by-gcc.md).
TESSERA_MAKES_BESIDE draw_keys::draw_keys(std::uint64_t key_) : key(key_) {
    auto k0 = static_cast<std::uint32_t>(key), k1 = static_cast<std::uint32_t>(key >> 32);
    for (int round = 0; round < 10; ++round, k0 += 0x9e3779b9, k1 += 0xbb67ae85)
        of[2 * round] = draw_vector{} + std::uint64_t{k0}, of[2 * round + 1] = draw_vector{} + std::uint64_t{k1};
}

// The products of the lanes' lower halves with a number.
inline draw_vector lower_products(draw_vector a, std::uint32_t by) {
#if defined(__AVX512F__) && !defined(__clang__) // which do not see that one instruction does it
    using halves __attribute__((vector_size(64))) = int;
    const draw_vector all = draw_vector{} + std::uint64_t{by};
    return (draw_vector)__builtin_ia32_pmuludq512_mask((halves)a, (halves)all, (long long __attribute__((vector_size(64)))){}, 0xff);
#elif defined(__AVX2__) && !defined(__clang__)
    using halves __attribute__((vector_size(32))) = int;
    const draw_vector all = draw_vector{} + std::uint64_t{by};
    return (draw_vector)__builtin_ia32_pmuludq256((halves)a, (halves)all);
#else
    return (a & 0xffffffff) * std::uint64_t{by};
#endif
}

// The blocks of some counters, whose words are in lanes.
inline constexpr int draws_at_once = draw_lanes * draw_vectors;
struct draw_block {
    draw_vector w[4][draw_vectors];
};
__attribute__((always_inline)) inline void make_blocks(draw_block& block, const draw_keys& keys) {
#pragma GCC unroll 10
    for (int round = 0; round < 10; ++round) {
        const draw_vector k0 = keys.of[2 * round], k1 = keys.of[2 * round + 1];
#pragma GCC unroll 4
        for (int v = 0; v < draw_vectors; ++v) {
            const draw_vector p0 = lower_products(block.w[0][v], 0xd2511f53), p1 = lower_products(block.w[2][v], 0xcd9e8d57);
            block.w[0][v] = (p1 >> 32) ^ block.w[1][v] ^ k0, block.w[1][v] = p1;
            block.w[2][v] = (p0 >> 32) ^ block.w[3][v] ^ k1, block.w[3][v] = p0;
        }
    }
}
__attribute__((always_inline)) inline void store_draws(const draw_vector& word, std::uint32_t* into) {
    for (int l = 0; l < draw_lanes; ++l) into[l] = static_cast<std::uint32_t>(word[l]);
}

// Of `count` agents, a multiple of `draws_together`.
TESSERA_MAKES_BESIDE void some_first_draws(const draw_keys& keys, std::uint32_t step, const std::uint64_t* ids, std::uint32_t* into,
                                           int count) {
    for (int from = 0; from < count; from += draws_at_once) {
        draw_vector id[draw_vectors];
        draw_block block;
#pragma GCC unroll 4
        for (int v = 0; v < draw_vectors; ++v) {
            __builtin_memcpy(&id[v], ids + from + v * draw_lanes, sizeof(draw_vector));
            block.w[0][v] = id[v] >> 2, block.w[1][v] = id[v] >> 34;
            block.w[2][v] = draw_vector{} + std::uint64_t{step}, block.w[3][v] = draw_vector{};
        }
        make_blocks(block, keys);
#pragma GCC unroll 4
        for (int v = 0; v < draw_vectors; ++v) {
            const draw_vector odd = -(id[v] & 1), upper = -(id[v] >> 1 & 1);
            const draw_vector lower_pair = (block.w[0][v] & ~odd) | (block.w[1][v] & odd);
            const draw_vector upper_pair = (block.w[2][v] & ~odd) | (block.w[3][v] & odd);
            store_draws((lower_pair & ~upper) | (upper_pair & upper), into + from + v * draw_lanes);
        }
    }
}
// Draws 1 to 4 of them, the next draw of all `stride` behind.
TESSERA_MAKES_BESIDE void some_later_draws(const draw_keys& keys, std::uint32_t step, const std::uint64_t* ids, std::uint32_t* into,
                                           int count, int stride) {
    for (int from = 0; from < count; from += draws_at_once) {
        draw_block block;
#pragma GCC unroll 4
        for (int v = 0; v < draw_vectors; ++v) {
            __builtin_memcpy(&block.w[0][v], ids + from + v * draw_lanes, sizeof(draw_vector));
            block.w[1][v] = block.w[0][v] >> 32;
            block.w[2][v] = draw_vector{} + std::uint64_t{step}, block.w[3][v] = draw_vector{} + std::uint64_t{1};
        }
        make_blocks(block, keys);
#pragma GCC unroll 4
        for (int w = 0; w < 4; ++w)
#pragma GCC unroll 4
            for (int v = 0; v < draw_vectors; ++v) store_draws(block.w[w][v], into + w * stride + from + v * draw_lanes);
    }
}

// For whoever loads this code, and knows what has to come out (host/execute/known_draws.hpp): draw 0 of 32 agents, then draws 1 to 4.
extern "C" __attribute__((used, visibility("default"))) TESSERA_MAKES_BESIDE void
tessera_known_draws(std::uint64_t key, std::uint32_t step, const std::uint64_t* ids, std::uint32_t* words) {
    constexpr int many = 32;
    static_assert(many % draws_together == 0);
    const draw_keys keys(key);
    some_first_draws(keys, step, ids, words, many);
    some_later_draws(keys, step, ids, words + many, many, many);
}

#endif
} // namespace tessera
#endif
