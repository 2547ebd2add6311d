// Fused steps over patches of a plane in the registers of a GPU's warps (kernels/fused/patch.hpp).
#pragma once

#include "host/views/fused_view.hpp"

namespace tessera {

[[nodiscard]] const FusedViewClass& patch_class();

// `cells` adjacent places of a lane; patches of `rows` rows.
[[nodiscard]] FusedView patch_view(int depth, int cells, int rows);

} // namespace tessera
