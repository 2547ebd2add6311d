// How a launch is covered by tiles: of a fused view, or of the words that go between its columns and their bits.
#pragma once

#include "host/generate/kernel_source.hpp"
#include "host/setup/layout.hpp"

#include <cstdint>

namespace tessera {

// Tiles stand side by side, and in rows of tiles from a launch's first row on. On a CPU each is an item.
struct Tiling {
    std::int64_t across = 1, rows = 1; // tiles beside each other; rows that each makes
    int tile_threads = 1;              // on a GPU, of one tile
    int threads = 1;                   // of a block, which may have several
};

[[nodiscard]] LaunchShape launch_shape(const Tiling& tiling, const RowRange& rows);

} // namespace tessera
