// The first random numbers of agents that follow each other in a list, which a CPU makes together.
#pragma once

#include <tessera/kernels/agents/draws_beside.hpp>

#if !TESSERA_GPU
namespace tessera {

// How many numbers each call draws in any case: 1, or 2 for more than one; 0 where the function's text does not say so. The host says it
// (host/generate/sure_draws.hpp).
template<class Call> inline constexpr int sure_draws = 0;

// Of up to `Most` agents that follow each other: the draws of random_stream(key, ids[i], step). Nothing is made before one of them draws,
// or the owner says so. Who draws more than once is often alone among them, and then makes its own; or all do.
template<int Most> struct draws_of_agents : first_draws {
    const draw_keys* keys;
    const std::uint64_t* ids;
    std::uint32_t step;
    int count;
    int alone = -1; // who drew more than once; its block
    philox_words of_alone;
    std::uint32_t made[Most], made_later[again * Most];

    draws_of_agents(const draw_keys& keys_, std::uint32_t step_, const std::uint64_t* ids_, int count_)
        : first_draws{nullptr, nullptr, Most, make_draw, block_of}, keys(&keys_), ids(ids_), step(step_), count(count_) {}

    void make_first() {
        in_whole_vectors([&](const std::uint64_t* some, int from, int n) { some_first_draws(*keys, step, some, made + from, n); });
        first = made;
    }
    void make_later() {
        in_whole_vectors(
            [&](const std::uint64_t* some, int from, int n) { some_later_draws(*keys, step, some, made_later + from, n, Most); });
        later = made_later;
    }

private:
    // `make_some(ids, number of the first, how many)`; behind the last there are others, of whom nobody asks.
    template<class Some> void in_whole_vectors(Some&& make_some) const {
        static_assert(Most % draws_together == 0);
        const int whole = count / draws_together * draws_together;
        if (whole > 0) make_some(ids, 0, whole);
        if (whole == count) return;
        std::uint64_t padded[draws_together] = {};
        __builtin_memcpy(padded, ids + whole, sizeof(ids[0]) * static_cast<unsigned>(count - whole));
        make_some(padded, whole, draws_together);
    }

    __attribute__((noinline)) static philox_words block_of(const first_draws& together, int number, std::uint32_t at) {
        const auto& draws = static_cast<const draws_of_agents&>(together);
        return random_block(draws.keys->key, draws.ids[number], draws.step, at);
    }
    __attribute__((noinline)) static std::uint32_t make_draw(first_draws& together, int number, std::uint32_t draw) {
        auto& draws = static_cast<draws_of_agents&>(together);
        if (draw != 0 && (draws.alone < 0 || draws.alone == number)) {
            if (draws.alone < 0) draws.of_alone = block_of(together, number, 1);
            draws.alone = number;
            return word_of(draws.of_alone, draw - 1);
        }
        if (draw == 0)
            draws.make_first();
        else
            draws.make_later();
        return draws.of(number, draw);
    }
};

// One of them, where first draws were made before, and later ones if `Later`: no store of its agent's seems to change that.
template<int Most, bool Later> struct draws_at_hand : first_draws {
    draws_of_agents<Most>* all;

    explicit draws_at_hand(draws_of_agents<Most>& all_)
        : first_draws{all_.made, Later ? all_.made_later : all_.later, Most, make_draw, block_of}, all(&all_) {}

private:
    static philox_words block_of(const first_draws& one, int number, std::uint32_t at) {
        const auto& all = *static_cast<const draws_at_hand&>(one).all;
        return all.block(all, number, at);
    }
    static std::uint32_t make_draw(first_draws& one, int number, std::uint32_t draw) {
        return static_cast<draws_at_hand&>(one).all->of(number, draw);
    }
};

} // namespace tessera
#endif
