#include "host/views/strips.hpp"

#include "host/views/program_plan.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tessera {
namespace {

constexpr int warp = 32;

int halo_of(const Setup& setup, const CallSequence& sequence, const FusedView& view) {
    const auto step = plan_of(setup, sequence, view);
    const int aside = std::max(step.low_of_all(0), step.high_of_all(0)) * view.depth, lane = places_a_lane(view);
    return (aside + lane - 1) / lane * lane;
}

} // namespace

int places_a_lane(const FusedView& view) { return view.piece.width * (view.bits > 0 ? 32 : 1); }

std::string obstacle_to_strips(const Setup& setup, const CallSequence& sequence, const FusedView& view) {
    const int halo = halo_of(setup, sequence, view);
    if (2 * halo > warp * places_a_lane(view) / 2)
        return fmt::format("{} steps see {} places sideways, too many for a strip of {}", view.depth, halo, warp * places_a_lane(view));
    return {};
}

std::string obstacle_to_rows(const Setup& setup, const CallSequence& sequence) {
    const auto& collection = setup.collections[sequence.collection];
    if (collection.dimensions == 3) return "a grid of three dimensions is not streamed by rows";
    const auto dims = static_cast<std::size_t>(collection.dimensions - 1);
    for (const auto phase : sequence.phases)
        for (const auto& use : uses_of(setup, phase))
            for (std::size_t axis = 0; axis < 2; ++axis)
                if (use.low[dims][axis] > most_reach_fused || use.high[dims][axis] > most_reach_fused)
                    return fmt::format("{} sees further than {} places", setup.phases[phase].name, most_reach_fused);
    return {};
}

StripGeometry strip_geometry(const Setup& setup, const CallSequence& sequence, const FusedView& view) {
    const auto& size = setup.collections[sequence.collection].size;
    StripGeometry strips;
    strips.width = warp * places_a_lane(view);
    strips.useful = strips.width - 2 * halo_of(setup, sequence, view);
    strips.across = (size[0] + strips.useful - 1) / strips.useful;
    strips.tiles = strips.across * ((size[1] + view.piece.length - 1) / view.piece.length);
    return strips;
}

Tiling tiling_of_strips(const Setup& setup, const CallSequence& sequence, const FusedView& view) {
    return {strip_geometry(setup, sequence, view).across, view.piece.length, warp, block_threads};
}

} // namespace tessera
