// By how many cells of a plane of codes at a time kernels go over slots and notes (planes.hpp). For kernels, and for the host, which
// launches them.
#pragma once

#include <tessera/detail/base.hpp>

namespace tessera {

constexpr int crowd_threads = 256; // a block

// Who is found in a thread's cells is served by the block together, in turns: many of them pay off where there are blocks enough for a GPU.
// Of a small grid there would be too few, and it would wait most of the time.
constexpr int cells_a_thread(std::int64_t places) {
    constexpr std::int64_t enough_blocks = 1000;
    return places >= enough_blocks * crowd_threads * 16 ? 16 : places >= enough_blocks * crowd_threads * 8 ? 8 : 4;
}

} // namespace tessera
