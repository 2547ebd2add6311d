// The first random numbers of agents that follow each other in a list, which a CPU makes together.
#pragma once

#include <tessera/random.hpp>

#if !TESSERA_GPU
namespace tessera {

// Philox of several agents at once, in lanes of 64 bits of which the lower halves count: a multiplication takes these, the upper half of a
// product is one shift away, and nobody looks at what is left above.
#if defined(__AVX512F__)
inline constexpr int draw_lanes = 8, draw_vectors = 4;
#elif defined(__AVX2__)
inline constexpr int draw_lanes = 4, draw_vectors = 4;
#else
inline constexpr int draw_lanes = 2, draw_vectors = 2;
#endif
inline constexpr int draws_together = draw_lanes * draw_vectors;

using draw_vector __attribute__((vector_size(8 * draw_lanes))) = std::uint64_t;

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

// Of `draws_together` agents.
inline void some_first_draws(std::uint64_t key, std::uint32_t step, const std::uint64_t* ids, std::uint32_t* into) {
    draw_vector id[draw_vectors], c0[draw_vectors], c1[draw_vectors], c2[draw_vectors], c3[draw_vectors];
#pragma GCC unroll 4
    for (int v = 0; v < draw_vectors; ++v) {
        __builtin_memcpy(&id[v], ids + v * draw_lanes, sizeof(draw_vector));
        c0[v] = id[v] >> 2, c1[v] = id[v] >> 34, c2[v] = draw_vector{} + std::uint64_t{step}, c3[v] = draw_vector{};
    }
    auto k0 = static_cast<std::uint32_t>(key), k1 = static_cast<std::uint32_t>(key >> 32);
#pragma GCC unroll 10
    for (int round = 0; round < 10; ++round) {
#pragma GCC unroll 4
        for (int v = 0; v < draw_vectors; ++v) {
            const draw_vector p0 = lower_products(c0[v], 0xd2511f53), p1 = lower_products(c2[v], 0xcd9e8d57);
            c0[v] = (p1 >> 32) ^ c1[v] ^ std::uint64_t{k0}, c1[v] = p1;
            c2[v] = (p0 >> 32) ^ c3[v] ^ std::uint64_t{k1}, c3[v] = p0;
        }
        k0 += 0x9e3779b9, k1 += 0xbb67ae85;
    }
#pragma GCC unroll 4
    for (int v = 0; v < draw_vectors; ++v) {
        const draw_vector odd = -(id[v] & 1), upper = -(id[v] >> 1 & 1);
        const draw_vector lower_pair = (c0[v] & ~odd) | (c1[v] & odd), upper_pair = (c2[v] & ~odd) | (c3[v] & odd);
        const draw_vector word = (lower_pair & ~upper) | (upper_pair & upper);
        for (int l = 0; l < draw_lanes; ++l) into[v * draw_lanes + l] = static_cast<std::uint32_t>(word[l]);
    }
}

// Of up to `draws_together` agents that follow each other: what random_stream(key, ids[i], step).bits() is at first. Nothing is made before
// one of them draws, and no call has in registers what only those need that draw.
struct draws_of_agents : first_draws {
    int count;
    std::uint32_t made[draws_together];

    draws_of_agents(std::uint64_t key_, std::uint32_t step_, const std::uint64_t* ids_, int count_)
        : first_draws{first_of, key_, ids_, step_}, count(count_) {}

private:
    static std::uint32_t first_of(first_draws& together, int number);
    __attribute__((noinline)) static void make_all(first_draws& together);
};

inline void draws_of_agents::make_all(first_draws& together) {
    auto& draws = static_cast<draws_of_agents&>(together);
    draws.words = draws.made;
    if (draws.count == draws_together) return some_first_draws(draws.key, draws.step, draws.ids, draws.made);
    std::uint64_t ids[draws_together] = {};
    __builtin_memcpy(ids, draws.ids, sizeof(ids[0]) * static_cast<unsigned>(draws.count));
    some_first_draws(draws.key, draws.step, ids, draws.made);
}

inline std::uint32_t draws_of_agents::first_of(first_draws& together, int number) {
    if (together.words == nullptr) make_all(together);
    return together.words[number];
}

} // namespace tessera
#endif
