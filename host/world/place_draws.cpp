#include "host/world/place_draws.hpp"

#include <tessera/detail/at_once.hpp>

// Where a processor has wider vectors than any has to have, the function is compiled for these as well, and the fastest one is taken.
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(TESSERA_SANITIZED)
#define TESSERA_FOR_ALL_VECTORS __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define TESSERA_FOR_ALL_VECTORS
#endif

namespace tessera {
namespace {

// Philox of `Lanes` counters of a key (tessera/detail/philox.hpp), `w[i]` having word i of each: the counter, and then the block.
template<int Lanes> struct Blocks { std::uint32_t w[4][Lanes]; };
template<int Lanes> __attribute__((always_inline)) inline void make_blocks(Blocks<Lanes>& blocks, std::uint64_t key) {
    auto* const __restrict w0 = blocks.w[0];
    auto* const __restrict w1 = blocks.w[1];
    auto* const __restrict w2 = blocks.w[2];
    auto* const __restrict w3 = blocks.w[3];
    auto k0 = static_cast<std::uint32_t>(key), k1 = static_cast<std::uint32_t>(key >> 32);
    for (int round = 0; round < 10; ++round) {
        TESSERA_AT_ONCE
        for (int i = 0; i < Lanes; ++i) {
            const std::uint64_t p0 = std::uint64_t{0xd2511f53} * w0[i], p1 = std::uint64_t{0xcd9e8d57} * w2[i];
            w0[i] = static_cast<std::uint32_t>(p1 >> 32) ^ w1[i] ^ k0;
            w1[i] = static_cast<std::uint32_t>(p1);
            w2[i] = static_cast<std::uint32_t>(p0 >> 32) ^ w3[i] ^ k1;
            w3[i] = static_cast<std::uint32_t>(p0);
        }
        k0 += 0x9e3779b9, k1 += 0xbb67ae85;
    }
}
// Of the numbers from `first` on.
template<int Lanes> __attribute__((always_inline)) inline void count_from(Blocks<Lanes>& blocks, std::uint64_t first, std::uint32_t block) {
    TESSERA_AT_ONCE
    for (int i = 0; i < Lanes; ++i) {
        const auto number = first + static_cast<std::uint64_t>(i);
        blocks.w[0][i] = static_cast<std::uint32_t>(number), blocks.w[1][i] = static_cast<std::uint32_t>(number >> 32);
        blocks.w[2][i] = 0, blocks.w[3][i] = block;
    }
}

constexpr int lanes_at_once = 128, groups = lanes_at_once / 4;

TESSERA_FOR_ALL_VECTORS void make_first(std::uint64_t key, std::uint64_t group, std::uint32_t* into) {
    Blocks<groups> blocks;
    count_from(blocks, group, 0);
    make_blocks(blocks, key);
    TESSERA_AT_ONCE
    for (int i = 0; i < groups; ++i)
        for (int word = 0; word < 4; ++word) into[4 * i + word] = blocks.w[word][i];
}
TESSERA_FOR_ALL_VECTORS void make_later(std::uint64_t key, std::uint64_t number, std::uint32_t* into) {
    Blocks<lanes_at_once> blocks;
    count_from(blocks, number, 1);
    make_blocks(blocks, key);
    for (int word = 0; word < 4; ++word)
        for (int i = 0; i < lanes_at_once; ++i) into[word * lanes_at_once + i] = blocks.w[word][i];
}

} // namespace

PlaceDraws::PlaceDraws(std::uint64_t key, std::uint64_t first_place)
    : first_draws{nullptr, nullptr, lanes, make_draw, block_of}, key_(key), first_place_(first_place) {
    static_assert(lanes == lanes_at_once && count + 3 <= lanes_at_once);
}

std::uint32_t PlaceDraws::make_draw(first_draws& together, int number, std::uint32_t draw) {
    auto& draws = static_cast<PlaceDraws&>(together);
    if (draw == 0) {
        make_first(draws.key_, draws.first_place_ / 4, draws.made_);
        draws.first = draws.made_ + draws.first_place_ % 4;
    } else {
        make_later(draws.key_, draws.first_place_, draws.made_later_);
        draws.later = draws.made_later_;
    }
    return draws.of(number, draw);
}

philox_words PlaceDraws::block_of(const first_draws& together, int number, std::uint32_t at) {
    const auto& draws = static_cast<const PlaceDraws&>(together);
    return random_block(draws.key_, draws.first_place_ + static_cast<std::uint64_t>(number), 0, at);
}

} // namespace tessera
