// Fused steps over patches in the registers of a GPU's warps (device_runtime/kernels/patch.hpp): what fits.
#pragma once

#include "host/schedule/fusion.hpp"

namespace tessera {

// Why the lanes of a warp cannot hold the patches; empty if they can.
[[nodiscard]] std::string obstacle_to_patches(const Setup& setup, const CallSequence& sequence, const FusedView& view);

// Rows of a patch, with those that are worked out and not stored; and registers that a lane needs for them.
struct PatchSize {
    std::int64_t rows = 0, registers = 0;
};
[[nodiscard]] PatchSize size_of_patch(const Setup& setup, const CallSequence& sequence, const FusedView& view);

} // namespace tessera
