// How many rows, places and children of links are summed up, or sorted, at a time (changing_links.hpp). For kernels, and for the host,
// which launches them.
#pragma once

#include <tessera/detail/base.hpp>

namespace tessera {

inline constexpr std::uint32_t links_a_word = 32;   // rows of which a word says who stays
inline constexpr std::int64_t links_a_block = 1024; // words, places that want links, and children
inline constexpr std::int64_t links_a_run = 256;    // children that a block of threads sorts by itself
inline constexpr int links_merged = 4;              // sorted runs of children that become one

// What a manageAll keeps of its numbers; but `filled`, which is kept from one to the next: so many rows and one may have values in the
// buffers that are not the current ones, 0: all.
enum link_total : int { rows_before, rows_staying, children_wanted, children_born, list_rows_before, filled, worst_wish, link_totals };

// One more than are full, for what stands behind the last row.
constexpr std::int64_t words_of_links(std::int64_t rows) { return rows / std::int64_t{links_a_word} + 1; }
constexpr std::int64_t blocks_of_links(std::int64_t count) { return (count + links_a_block - 1) / links_a_block; }
constexpr std::int64_t runs_of_links(std::int64_t children) { return (children + links_a_run - 1) / links_a_run; }

// How often runs are merged until so many children are sorted.
constexpr int merges_of_links(std::int64_t children) {
    int merges = 0;
    for (std::int64_t width = links_a_run; width < children; width *= links_merged) ++merges;
    return merges;
}

} // namespace tessera
