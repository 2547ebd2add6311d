// Game of Life by hand on a processor: one byte a cell, rows [first, last) of a torus, in the layout and with the ghosts of README.md.
//
// A step calls it for all rows, on any number of threads. Compile it with the options that the engine compiles a model with.
#pragma once

#include <cstdint>
#include <cstring>

namespace by_hand {

// Out of line and without `__restrict`: where clang 14 can tell the rows apart, it carries loads over from one cell to the next and then
// cannot vectorise. The pragma says all that is needed.
[[gnu::noinline]] inline void life_row(const std::uint8_t* up, const std::uint8_t* own, const std::uint8_t* down, std::uint8_t* to,
                                       std::int64_t nx) {
#pragma omp simd
    for (std::int64_t x = 0; x < nx; ++x) {
        const int n = up[x - 1] + up[x] + up[x + 1] + own[x - 1] + own[x + 1] + down[x - 1] + down[x] + down[x + 1];
        to[x] = static_cast<std::uint8_t>((n == 3) | ((n == 2) & own[x]));
    }
}

inline void life(const std::uint8_t* in, std::uint8_t* out, std::int64_t nx, std::int64_t ny, std::int64_t pitch, std::int64_t first,
                 std::int64_t last) {
    for (std::int64_t y = first; y < last; ++y) {
        const std::uint8_t* own = in + y * pitch;
        std::uint8_t* to = out + y * pitch;
        life_row(own - pitch, own, own + pitch, to, nx);
        to[-1] = to[nx - 1];
        to[nx] = to[0];
        if (y == 0) std::memcpy(to + ny * pitch - 1, to - 1, static_cast<std::size_t>(nx + 2));
        if (y == ny - 1) std::memcpy(to - ny * pitch - 1, to - 1, static_cast<std::size_t>(nx + 2));
    }
}

} // namespace by_hand
