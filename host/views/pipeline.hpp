// Fused steps that stream through the registers of a GPU's warps (kernels/fused/pipeline.hpp), also 32 places to a word.
#pragma once

#include "host/views/fused_view.hpp"

namespace tessera {

[[nodiscard]] const FusedViewClass& pipeline_class();

// `cells` adjacent places of a lane, which are words where there are bits; strips of `rows` rows.
[[nodiscard]] FusedView pipeline_view(int depth, int cells, int rows, int bits = 0, bool words = false);

} // namespace tessera
