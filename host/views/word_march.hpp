// One step at a time over words in memory, on grids of three dimensions (kernels/fused/word_march.hpp): nothing is fused but that steps
// hand on words, and not bytes.
#pragma once

#include "host/views/fused_view.hpp"

namespace tessera {

[[nodiscard]] const FusedViewClass& word_march_class();

// Words of 32 places beside each other, rows and planes of a thread; so many bits of a place.
[[nodiscard]] FusedView word_march_view(int words, int rows, int planes, int bits = 1);

} // namespace tessera
