// Words of 32 places in memory (bit_lanes.hpp): plane by plane, one a bit, rows of whole lines; ghosts only where rows
// are sent (Grid::rows_are_sent). For kernels and host alike.
#pragma once

#include <tessera/detail/base.hpp>

namespace tessera {

using bit_word = std::uint32_t;
inline constexpr std::int64_t places_a_word = 32, words_a_line = 128 / sizeof(bit_word);

constexpr std::int64_t words_across(std::int64_t nx) { return (nx + places_a_word - 1) / places_a_word; }
constexpr std::int64_t row_words(std::int64_t nx) { return (words_across(nx) + words_a_line - 1) / words_a_line * words_a_line; }
constexpr std::int64_t rows_of_words(std::int64_t ny, std::int64_t ghost_rows) { return ny + 2 * ghost_rows; } // of a plane

} // namespace tessera
