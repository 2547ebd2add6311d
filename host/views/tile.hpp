// Fused steps over tiles in a GPU's shared memory (kernels/fused/tile.hpp).
#pragma once

#include "host/views/fused_view.hpp"

namespace tessera {

[[nodiscard]] const FusedViewClass& tile_class();

// Tiles of `width` places along x; `length` rows, or planes on a grid of three dimensions, where they are `height` rows tall.
[[nodiscard]] FusedView tile_view(int depth, int width, int length, int height = 1);

} // namespace tessera
