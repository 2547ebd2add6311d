// What a page looks at.
#pragma once

#include "kernels/launch/frame_arguments.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tessera::viewer {

// A member by whose value agents of a collection are coloured.
struct ShadeLook {
    std::string collection, member, colours; // the name of a colour map
    int element = 0;
};

// Pixels of `across` x `across` places each, from a place of a plane on.
struct Look {
    std::uint32_t number = 0;                   // by which the page knows the frames of this look
    std::string places;                         // whose places
    std::string member;                         // which of their members is shown; empty: none, agents alone
    int element = 0;                            // of an array member
    frame_reduction by = frame_reduction::mean; // what a pixel shows of several places
    std::size_t axis = 2;                       // which the plane lies across
    std::int64_t plane = 0;                     // where on that axis
    bool is_through = false;                    // all planes at once: the mean, largest or smallest along the axis
    std::int64_t x = 0, y = 0;                  // along the other two axes, below the size of the grid
    std::int64_t across = 1;                    // at least 1
    std::int64_t width = 0, height = 0;         // in pixels
    std::int64_t fine = 1;                      // agents have so many pixels along one of these
    std::vector<std::string> agents;            // the collections that are drawn over it
    std::vector<ShadeLook> shades;              // of those that are not all of one colour
    bool is_volume = false;                     // the whole grid, one by one: agents, and places above the lower end of the colours
};

// The values at the two ends of the colours.
struct Range {
    double low = 0, high = 1;
};

} // namespace tessera::viewer
