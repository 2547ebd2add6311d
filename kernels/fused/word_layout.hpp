// Words of 32 places in memory (bit_lanes.hpp): plane by plane, one a bit; ghosts only where rows are sent (Grid::rows_are_sent). On a line
// and on a grid of two dimensions rows have whole lines. On one of three, whose rows are short, they follow each other without a gap. For
// kernels and host alike.
#pragma once

#include <tessera/detail/base.hpp>

namespace tessera {

using bit_word = std::uint32_t;
inline constexpr std::int64_t places_a_word = 32, words_a_line = 128 / sizeof(bit_word);

constexpr std::int64_t words_across(std::int64_t nx) { return (nx + places_a_word - 1) / places_a_word; }
constexpr std::int64_t row_words(std::int64_t nx) { return (words_across(nx) + words_a_line - 1) / words_a_line * words_a_line; }
constexpr std::int64_t rows_of_words(std::int64_t rows, std::int64_t ghost_rows) { return rows + 2 * ghost_rows; } // of a plane of bits

// How a block's threads stand that march through words of three dimensions (word_march.hpp): beside each other, each with some words of a
// row, and in rows of threads, each with some rows. No more of them than a warp has stand beside each other.
inline constexpr int word_march_threads = 128;
struct word_march_block {
    int lanes, tall;           // threads beside each other; rows of them
    std::int64_t across, down; // blocks of a plane
};
constexpr word_march_block word_march_block_of(std::int64_t nx, std::int64_t ny, int words, int rows) {
    constexpr int most = 32;
    const std::int64_t threads = (words_across(nx) + words - 1) / words, across = (threads + most - 1) / most;
    const auto lanes = static_cast<int>((threads + across - 1) / across), tall = word_march_threads / lanes;
    return {lanes, tall, across, (ny + rows * tall - 1) / (rows * tall)};
}

// Whether warps have whole rows, and all of their threads go on together, so that these can ask each other for the words beside their own.
constexpr bool have_warps_whole_rows(std::int64_t nx, std::int64_t ny, int words, int rows) {
    constexpr int warp = 32;
    const word_march_block block = word_march_block_of(nx, ny, words, rows);
    return warp % block.lanes == 0 && block.lanes * words == words_across(nx) && ny % (rows * (warp / block.lanes)) == 0;
}

} // namespace tessera
