// Fused steps over tiles in a GPU's shared memory (device_runtime/kernels/tile.hpp): what fits, and how it is launched.
#pragma once

#include "host/schedule/fusion.hpp"

namespace tessera {

// Why a multiprocessor has no room for what the stages keep; empty if it has.
[[nodiscard]] std::string obstacle_to_tiles(const Setup& setup, const CallSequence& sequence, const FusedView& view);

// Bytes of shared memory of one tile, about.
[[nodiscard]] std::int64_t bytes_of_tile(const Setup& setup, const CallSequence& sequence, const FusedView& view);

// How many places are worked out for one that is stored: in the first step, and over all steps.
struct TileOverlap {
    double first = 1, mean = 1;
};
[[nodiscard]] TileOverlap overlap_of_tiles(const Setup& setup, const CallSequence& sequence, const FusedView& view);

// Of a block: each has two places of a plane, where that is not too many.
[[nodiscard]] int threads_of_tile(const FusedView& view);

[[nodiscard]] std::int64_t count_of_tiles(const CollectionSetup& collection, const FusedView& view);

} // namespace tessera
