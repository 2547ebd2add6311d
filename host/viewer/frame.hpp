// A picture of a state at the resolution of a screen: of places a byte a pixel, which the page gives its colour, and of agents another.
#pragma once

#include "host/outputs/state_view.hpp"
#include "host/viewer/look.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace tessera::viewer {

// A look that lies in the grid, whatever a page asked for: cut to its edges, and to so many pixels as one may ask for.
[[nodiscard]] Look within_grid(const CollectionSetup& places, Look look);

// Of each pixel the value at its first place, as doubles, row by row from the top; places that lie beyond the memory of the host are read
// by rows.
[[nodiscard]] std::vector<double> pixels_of(const Setup& setup, const Look& look, const StateView& state);

// 0 to 254 between low and high, 255 for what is no finite number; of a categorical map the number of the colour.
[[nodiscard]] std::string bytes_of(const std::vector<double>& values, const Range& range, bool categorical);

// Of each pixel the greatest number of a collection of which an agent stands there: k for agents[k - 1], 0 for nobody. Of `agents`,
// those are drawn that the look names.
[[nodiscard]] std::string agents_of(const Setup& setup, const Look& look, const StateView& state, const std::vector<CollectionId>& agents);

// Low and high, widened by what is finite of the values.
void widen(Range& range, const std::vector<double>& values, bool is_first);

// The head of a frame and its pixels, as a page reads them (docs/decisions/viewer.md).
[[nodiscard]] std::string framed(std::uint32_t number, std::uint64_t step, const Look& look, const Range& range, const std::string& places,
                                 const std::string& agents);

} // namespace tessera::viewer
