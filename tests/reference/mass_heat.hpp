// Heat2D as MASS CUDA states it, in double on an nx x ny grid, in place and in its order.
#pragma once

#include <cstdint>
#include <vector>

namespace reference {

// One step (number `step`, the first being 0) of `heat`, row-major with x fastest; nx and ny are at least 3.
inline void mass_heat_step(std::vector<double>& heat, std::int64_t nx, std::int64_t ny, int step, int heat_time, double r = 0.25) {
    const auto at = [&](std::int64_t x, std::int64_t y) -> double& { return heat[static_cast<std::size_t>(y * nx + x)]; };
    for (std::int64_t y = 0; y < ny; ++y) {
        at(0, y) = at(1, y);
        at(nx - 1, y) = at(nx - 2, y);
    }
    for (std::int64_t x = 0; x < nx; ++x) {
        at(x, 0) = at(x, 1);
        at(x, ny - 1) = at(x, ny - 2);
    }
    if (step < heat_time)
        for (std::int64_t x = nx / 3; x < nx / 3 * 2; ++x) at(x, 0) = 19.0;
    const std::vector<double> before = heat;
    const auto old = [&](std::int64_t x, std::int64_t y) { return before[static_cast<std::size_t>(y * nx + x)]; };
    for (std::int64_t y = 1; y + 1 < ny; ++y)
        for (std::int64_t x = 1; x + 1 < nx; ++x)
            at(x, y) =
                old(x, y) + r * (old(x + 1, y) - 2 * old(x, y) + old(x - 1, y)) + r * (old(x, y - 1) - 2 * old(x, y) + old(x, y + 1));
}

inline std::vector<double> mass_heat(std::int64_t nx, std::int64_t ny, int steps, int heat_time = 2700, double r = 0.25) {
    std::vector<double> heat(static_cast<std::size_t>(nx * ny));
    for (int step = 0; step < steps; ++step) mass_heat_step(heat, nx, ny, step, heat_time, r);
    return heat;
}

} // namespace reference
