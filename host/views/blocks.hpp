// Fused steps by blocks of rows in a CPU's cache (kernels/fused/row_blocks.hpp).
#pragma once

#include "host/views/fused_view.hpp"

namespace tessera {

[[nodiscard]] const FusedViewClass& blocks_class();

// Blocks of `places` places beside each other of `rows` rows.
[[nodiscard]] FusedView blocks_view(int depth, int places, int rows);

} // namespace tessera
