// The random numbers of places: four neighbours in x share a block (tessera/random.hpp), which is made once where one thread has them.
#pragma once

#include <tessera/kernels/launch/geometry.hpp>
#include <tessera/random.hpp>

namespace tessera {

// The row of the grid that a launch makes where it makes rows beyond a torus' edge, as partitions with memory of their own do.
template<class Grid, int Axis> TESSERA_FN std::int64_t home_row(std::int64_t i) {
    const std::int64_t n = extent_of<Grid, Axis>();
    if (are_rows_sent_on<Grid, Axis>() && rule_on<Grid, Axis>() == boundary::torus)
        return i >= 0 && i < n ? i : source_of(i, n, boundary::torus);
    return i;
}

// The group of four that a place is in; x of it is a multiple of four, and no group has places of two rows.
template<class Grid> TESSERA_FN std::uint64_t random_group(std::int64_t x, std::int64_t y, std::int64_t z) {
    const std::int64_t groups_across = (extent_of<Grid, 0>() + 3) / 4;
    const std::int64_t line = home_row<Grid, 2>(z) * extent_of<Grid, 1>() + home_row<Grid, 1>(y);
    return static_cast<std::uint64_t>(line * groups_across + (x >> 2));
}

// Of a place by itself: nothing is made before it is asked for.
template<class Grid>
TESSERA_FN random_stream place_stream(std::uint64_t key, std::int64_t x, std::int64_t y, std::int64_t z, std::uint32_t step) {
    return random_stream(key, 4 * random_group<Grid>(x, y, z) + static_cast<std::uint64_t>(x & 3), step);
}

// Whether to make first draws for several places at once. The host says false of functions whose text draws nothing, so that no compiler
// has to find that out; the numbers are the same in any case.
template<class Function> inline constexpr bool draws_numbers = true;

// Of place v of N that one thread has, the first of which is at x, a multiple of N. The first draw is made at once: it is the same block
// for each v, which the compiler sees, and makes once.
template<class Function, class Grid, int N>
TESSERA_FN random_stream stream_of_several(std::uint64_t key, std::int64_t x, int v, std::int64_t y, std::int64_t z, std::uint32_t step) {
    if constexpr (draws_numbers<Function> && (N == 2 || N % 4 == 0)) {
        const std::uint64_t group = random_group<Grid>(x, y, z) + static_cast<std::uint64_t>(v / 4);
        const std::uint32_t word = (N == 2 ? static_cast<std::uint32_t>(x & 3) : 0) + static_cast<std::uint32_t>(v % 4);
        return random_stream(key, group, word, step, word_of(random_block(key, group, step, 0), word));
    } else
        return place_stream<Grid>(key, x + v, y, z, step);
}

} // namespace tessera
