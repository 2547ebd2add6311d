// A picture of a state at the resolution of a screen, as a page has it: of places a byte a pixel, which the page gives its colour, and of
// agents another.
#pragma once

#include "host/execute/frame_maker.hpp"
#include "host/setup/setup.hpp"
#include "host/viewer/look.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tessera::viewer {

// A look that lies in the grid, whatever a page asked for: cut to its edges, and to so many pixels as one may ask for.
[[nodiscard]] Look within_grid(const CollectionSetup& places, Look look);

// The part of the grid that it shows.
[[nodiscard]] FrameView view_of(const CollectionSetup& places, const Look& look);
// How many places it has to look at: about what it costs.
[[nodiscard]] double places_in(const FrameView& view) noexcept;

// Of the agents that a run has, those that the look names and that stand on its places.
[[nodiscard]] std::vector<std::optional<CollectionId>> agents_in(const Setup& setup, const Look& look);

// What a frame says of itself.
struct FrameHead {
    std::uint32_t number = 0;
    std::uint64_t step = 0;
    Range range;
    frame_reduction by = frame_reduction::nearest; // how it was made
    bool is_given = false;                         // the range: somebody said what it is
    bool is_coarse = false;                        // one by the look's own reduction comes when there is time
};
// What it shows, as far as it shows that: places, and agents in pixels or one by one.
struct FramePixels {
    std::string places;
    AgentPixels agents;
    std::optional<FramePoints> points;
};
// The head of a frame and its pixels, as a page reads them (docs/decisions/viewer.md).
[[nodiscard]] std::string framed(const FrameHead& head, const Look& look, const FramePixels& pixels);

} // namespace tessera::viewer
