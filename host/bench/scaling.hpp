// What several devices make of a model beside one: strong scaling (the same grid) and weak (as many places a device).
#pragma once

#include "host/bench/plot.hpp"
#include "host/bench/report.hpp"

#include <optional>
#include <string>
#include <vector>

namespace tessera::bench {

// The fastest view of a kind on some devices, beside the fastest of its kind on one.
struct Scaling {
    bool weak = false;  // the grid is as many times as long along its last axis as there are devices
    bool fused = false; // several steps at a time
    Size size;          // on one device
    int devices = 1;
    double seconds = 0; // a step
    double one_seconds = 0;
    double gain = 0; // how many times as many places a second

    [[nodiscard]] double efficiency() const { return gain / devices; } // of what as many devices could be
};

// Strong before weak, single steps before fused ones. Nothing where one device alone was measured.
[[nodiscard]] std::vector<Scaling> scaling_of(const Report& report);

// The extents of a grid for so many devices with as many places a device: longer along the last axis.
[[nodiscard]] Size weak_size(Size size, int devices);

// With aligned columns; empty if there is nothing to say.
[[nodiscard]] std::string scaling_table(const std::vector<Scaling>& scaling);

// Gain by the number of devices, a line for each size and kind, and the line that is ideal.
[[nodiscard]] std::optional<Plot> scaling_plot(const Report& report, const std::vector<Scaling>& scaling);

} // namespace tessera::bench
