// Strips of columns, one a warp, that are wider than what they store: what pipelines and patches have in common; and rows, which blocks
// stream as well.
#pragma once

#include "host/views/fused_view.hpp"

#include <cstdint>
#include <string>

namespace tessera {

// Of a lane.
[[nodiscard]] int places_a_lane(const FusedView& view);

// In places.
struct StripGeometry {
    std::int64_t width = 0, useful = 0; // of one; what it stores of that
    std::int64_t across = 0, tiles = 0; // strips; tiles of all of them together
};
[[nodiscard]] StripGeometry strip_geometry(const Setup& setup, const CallSequence& sequence, const FusedView& view);
// Of a warp for each of these.
[[nodiscard]] Tiling tiling_of_strips(const Setup& setup, const CallSequence& sequence, const FusedView& view);

// Why steps see too far sideways for a strip; empty if they do not.
[[nodiscard]] std::string obstacle_to_strips(const Setup& setup, const CallSequence& sequence, const FusedView& view);
// Why what stands in registers, or in rows that the cache holds, cannot be streamed row by row; empty if it can.
[[nodiscard]] std::string obstacle_to_rows(const Setup& setup, const CallSequence& sequence);

} // namespace tessera
