// By how many cells of a plane of codes at a time kernels go over slots and birth requests (visit_codes.hpp). For kernels, and for the
// host, which launches them.
#pragma once

#include <tessera/detail/base.hpp>

namespace tessera {

constexpr int agent_threads = 256; // a block

// Who is found in a thread's cells is served by the block together, in turns: many of them pay off where there are blocks enough for a GPU.
// Of a small grid there would be too few, and it would wait most of the time.
constexpr int cells_a_thread(std::int64_t places) {
    constexpr std::int64_t enough_blocks = 1000;
    const std::int64_t enough = places / (enough_blocks * agent_threads);
    if (enough >= 8) return enough >= 16 ? 16 : 8;
    return enough >= 2 ? 4 : 2;
}

// How many such tiles a block takes one after the other: where there are more blocks than a GPU needs, agents of several tiles are served
// together, for few on many places would leave most threads of each block with nothing to do.
constexpr int most_tiles_a_block = 8;
constexpr std::int64_t tiles_a_block(std::int64_t tiles) {
    constexpr std::int64_t enough_blocks = 4000;
    return tiles < 2 * enough_blocks ? 1 : tiles < most_tiles_a_block * enough_blocks ? tiles / enough_blocks : most_tiles_a_block;
}

} // namespace tessera
