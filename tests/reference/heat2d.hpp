// Heat over a plate, explicit Euler in float: h + r * (west + east + north + south - 4 * h), added from left to right.
#pragma once

#include "tests/reference/grid.hpp"

namespace reference {

struct Heat2d {
    float r = 0.25f;
    int heat_time = 0;    // while step < heat_time the heater's places end the step at its temperature:
    float heater = 19.0f; // row 0, x from nx / 3 up to, and not including, nx / 3 * 2
    float outside = 0;    // beyond a fixed edge; beyond an open one a place reads 0
};

// The state after step number `step`, the first being 0.
inline std::vector<float> heat2d_step(const std::vector<float>& heat, const Shape& shape, const Heat2d& rule, int step) {
    std::vector<float> next(heat.size());
    for (std::int64_t y = 0; y < shape.ny; ++y)
        for (std::int64_t x = 0; x < shape.nx; ++x) {
            const auto at = [&](std::int64_t px, std::int64_t py) { return look<float>(heat, shape, px, py, 0, rule.outside, 0).value; };
            const float own = heat[shape.index(x, y)];
            const float around = at(x - 1, y) + at(x + 1, y) + at(x, y - 1) + at(x, y + 1);
            float result = own + rule.r * (around - 4.0f * own);
            if (step < rule.heat_time && y == 0 && x >= shape.nx / 3 && x < shape.nx / 3 * 2) result = rule.heater;
            next[shape.index(x, y)] = result;
        }
    return next;
}

inline std::vector<float> heat2d(std::vector<float> heat, const Shape& shape, const Heat2d& rule, int steps) {
    for (int step = 0; step < steps; ++step) heat = heat2d_step(heat, shape, rule, step);
    return heat;
}

} // namespace reference
