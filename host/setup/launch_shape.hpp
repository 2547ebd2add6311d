// What a launch of a kernel needs besides its arguments.
#pragma once

#include <array>
#include <cstdint>

namespace tessera {

struct LaunchShape {
    std::array<unsigned, 3> grid{1, 1, 1}, block{1, 1, 1}; // on a GPU
    std::int64_t items = 1;                                // on a CPU
};

} // namespace tessera
