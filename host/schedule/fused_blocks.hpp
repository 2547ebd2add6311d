// Fused steps by blocks of rows in a CPU's cache (device_runtime/kernels/row_blocks.hpp): what they can carry out, and how many there are.
#pragma once

#include "host/schedule/fusion.hpp"

#include <string>

namespace tessera {

// Why they cannot carry out a sequence; empty if they can.
[[nodiscard]] std::string obstacle_to_blocks(const Setup& setup, const CallSequence& sequence, const FusedView& view);

[[nodiscard]] LaunchShape shape_of_blocks(const CollectionSetup& collection, const FusedView& view);

} // namespace tessera
