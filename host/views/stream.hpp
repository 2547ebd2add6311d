// Fused steps of volumes that go through the planes in the registers of a block (kernels/fused/stream.hpp).
#pragma once

#include "host/views/fused_view.hpp"

namespace tessera {

[[nodiscard]] const FusedViewClass& stream_class();

// `places` of a lane, `height` rows of a block, with those that it does not store, and `length` planes.
[[nodiscard]] FusedView stream_view(int depth, int places, int height, int length);

} // namespace tessera
