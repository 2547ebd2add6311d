// What is to be measured, as the command line says it: sizes of the grid, and views.
#pragma once

#include "device_runtime/device.hpp"
#include "host/generate/kernel_source.hpp"
#include "host/views/fused_view.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace tessera::bench {

// "1000", the same along every axis, or "200x100": extents x, y, z.
using Size = std::vector<std::int64_t>;

// "500,200x100". Throws Failure::usage.
[[nodiscard]] std::vector<Size> parse_sizes(const std::string& text);
// For grids of 1, 2 or 3 dimensions where nothing is said.
[[nodiscard]] std::vector<Size> usual_sizes(int dimensions);
// With all extents. Throws Failure::usage if they are not as many as the collection has.
[[nodiscard]] Extents extents_of(const Size& size, const std::string& collection, std::size_t dimensions);
[[nodiscard]] inline Extents extents_of(const Size& size, const CollectionSetup& collection) {
    return extents_of(size, collection.name, static_cast<std::size_t>(collection.dimensions));
}
[[nodiscard]] std::string to_string(const Size& size); // "200 x 100"

// Views that are wanted. Some are known only where the size is: what the engine chooses, and what it would try.
struct Views {
    bool chosen = false;            // by the engine, one step at a time
    bool direct = false;            // where it is made for the device: on a GPU
    bool windows = false;           // likewise, of many shapes
    bool candidates = false;        // several steps at a time, as the tuner would try them
    std::vector<ViewChoice> single; // of a shape that was named
    std::vector<FusedView> fused;
};

// A list of: all, single (chosen and direct), fused (the candidates), chosen, rows, direct, window, window:CxR, and what views of fused
// steps are called, with their numbers. Throws Failure::usage.
[[nodiscard]] Views parse_views(const std::string& text);
[[nodiscard]] std::string known_views(); // all of that, for a help: "all, single, ..., pipeline:DxCxR, ..."

// What several devices are measured at: the grid that one has, or grids that are longer by as much as there are more of them.
struct ScalingWanted {
    bool strong = false, weak = false;
};
// "strong,weak", or one of them. Throws Failure::usage.
[[nodiscard]] ScalingWanted parse_scaling(const std::string& text);

// "1,2,4": how many of the devices are measured, ascending; empty: each number from one to all. Throws Failure::usage.
[[nodiscard]] std::vector<int> parse_counts(const std::string& text, std::size_t devices);

// The views of one step at a time, but for the chosen one: each has one for each of Setup::kernels.
[[nodiscard]] std::vector<std::vector<ViewChoice>> single_views(const Views& wanted, const Setup& setup, bool cuda);

} // namespace tessera::bench
