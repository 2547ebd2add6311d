// The first random numbers of agents that follow each other in a list, which a CPU makes together.
#pragma once

#include <tessera/kernels/agents/draws_beside.hpp>

#if !TESSERA_GPU
namespace tessera {

// Of up to `draws_together` agents that follow each other: the draws of random_stream(key, ids[i], step). Nothing is made before one of
// them draws. Who draws more than once is often alone among them, and then makes its own; or all do.
struct draws_of_agents : first_draws {
    std::uint64_t key;
    const std::uint64_t* ids;
    std::uint32_t step;
    int count;
    int alone = -1; // who drew more than once; its block
    philox_words of_alone;
    std::uint32_t made[draws_together], made_later[again * draws_together];

    draws_of_agents(std::uint64_t key_, std::uint32_t step_, const std::uint64_t* ids_, int count_)
        : first_draws{nullptr, nullptr, draws_together, make_draw, block_of}, key(key_), ids(ids_), step(step_), count(count_) {}

private:
    __attribute__((noinline)) static philox_words block_of(const first_draws& together, int number, std::uint32_t at) {
        const auto& draws = static_cast<const draws_of_agents&>(together);
        return random_block(draws.key, draws.ids[number], draws.step, at);
    }
    __attribute__((noinline)) static std::uint32_t make_draw(first_draws& together, int number, std::uint32_t draw) {
        auto& draws = static_cast<draws_of_agents&>(together);
        if (draw != 0 && (draws.alone < 0 || draws.alone == number)) {
            if (draws.alone < 0) draws.of_alone = block_of(together, number, 1);
            draws.alone = number;
            return word_of(draws.of_alone, draw - 1);
        }
        const std::uint64_t* ids = draws.ids;
        std::uint64_t padded[draws_together] = {};
        if (draws.count < draws_together) {
            __builtin_memcpy(padded, ids, sizeof(ids[0]) * static_cast<unsigned>(draws.count));
            ids = padded;
        }
        if (draw == 0) {
            some_first_draws(draws.key, draws.step, ids, draws.made);
            draws.first = draws.made;
        } else {
            some_later_draws(draws.key, draws.step, ids, draws.made_later);
            draws.later = draws.made_later;
        }
        return draws.of(number, draw);
    }
};

} // namespace tessera
#endif
