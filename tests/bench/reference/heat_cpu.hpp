// Heat2D by hand on a processor: float, rows [first, last) of a torus, in the layout and with the ghosts of README.md.
//
// A step calls it for all rows, on any number of threads. Compile it with the options that the engine compiles a model with.
#pragma once

#include <cstdint>
#include <cstring>

namespace by_hand {

// Out of line and without `__restrict`: where clang 14 can tell the rows apart, it carries loads over from one cell to the next and then
// cannot vectorise. The pragma says all that is needed.
[[gnu::noinline]] inline void heat_row(const float* up, const float* own, const float* down, float* to, std::int64_t nx, float r) {
#pragma omp simd
    for (std::int64_t x = 0; x < nx; ++x) to[x] = own[x] + r * (own[x - 1] + own[x + 1] + up[x] + down[x] - 4.0f * own[x]);
}

inline void heat(const float* in, float* out, std::int64_t nx, std::int64_t ny, std::int64_t pitch, float r, std::int64_t first,
                 std::int64_t last) {
    for (std::int64_t y = first; y < last; ++y) {
        const float* own = in + y * pitch;
        float* to = out + y * pitch;
        heat_row(own - pitch, own, own + pitch, to, nx, r);
        to[-1] = to[nx - 1];
        to[nx] = to[0];
        const std::size_t bytes = static_cast<std::size_t>(nx) * sizeof(float);
        if (y == 0) std::memcpy(to + ny * pitch, to, bytes);
        if (y == ny - 1) std::memcpy(to - ny * pitch, to, bytes);
    }
}

} // namespace by_hand
