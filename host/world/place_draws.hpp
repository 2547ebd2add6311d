// The first random numbers of places that follow each other, made together: as many as vectors of the processor have lanes at a time.
#pragma once

#include <tessera/random.hpp>

#include <cstdint>

namespace tessera {

// Those of random_stream(key, first_place + n, 0), for n below `count`; it is `with` of the streams. Nothing is made before one of them
// draws.
struct PlaceDraws : first_draws {
    static constexpr int count = 124; // with up to three before them, which stand in a block of the first draws with them, 128

    PlaceDraws(std::uint64_t key, std::uint64_t first_place);
    // The streams have its address.
    PlaceDraws(const PlaceDraws&) = delete;
    PlaceDraws& operator=(const PlaceDraws&) = delete;

private:
    static constexpr int lanes = 128;

    static std::uint32_t make_draw(first_draws& together, int number, std::uint32_t draw);
    static philox_words block_of(const first_draws& together, int number, std::uint32_t at);

    std::uint64_t key_, first_place_;
    std::uint32_t made_[lanes], made_later_[again * lanes];
};

} // namespace tessera
