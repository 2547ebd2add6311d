// What a page looks at.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tessera::viewer {

// Pixels of `across` x `across` places each, from place (x, y) of a plane on.
struct Look {
    std::string places;                 // whose places
    std::string member;                 // which of their members is shown; empty: none, agents alone
    int element = 0;                    // of an array member
    std::int64_t plane = 0;             // z
    std::int64_t x = 0, y = 0;          // below the size of the grid
    std::int64_t across = 1;            // at least 1
    std::int64_t width = 0, height = 0; // in pixels
    std::vector<std::string> agents;    // the collections that are drawn over it
};

// The values at the two ends of the colours.
struct Range {
    double low = 0, high = 1;
};

} // namespace tessera::viewer
