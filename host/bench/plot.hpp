// A report as a picture: how many places a second, by the size of the grid.
#pragma once

#include "host/bench/report.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tessera::bench {

// Both axes are logarithmic; all values are above 0.
struct Plot {
    struct Series {
        std::string name;
        std::vector<std::pair<double, double>> points; // x ascending
    };
    struct Tick {
        double at;
        std::string label;
    };
    struct Level {
        std::string name;
        double y;
    };
    std::string title, x_label, y_label;
    std::vector<Tick> x_ticks; // ascending
    std::vector<Series> series;
    std::optional<Level> level; // a line from side to side
};

// A line for each kind of view, of its fastest at each size, and one for the first kernel by hand of one step a launch, and of several;
// what the copy's bandwidth would allow as the level. Nothing if no row was measured.
[[nodiscard]] std::optional<Plot> plot_of(const Report& report);

// The plot as an SVG document.
[[nodiscard]] std::string svg(const Plot& plot);

} // namespace tessera::bench
