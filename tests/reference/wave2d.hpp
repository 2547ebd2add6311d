// Waves on an nx x ny membrane with its edge places at 0, by z(t+1) = 2 z(t) - z(t-1) + k (W + E + N + S - 4 z(t)).
//
// Two versions: in float with the model's arithmetic, to be compared bit for bit, and the rule as MASS states it, in double with three
// buffers, to be compared within rounding.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace reference {

struct Wave2d {
    std::int64_t nx, ny;
    float k = 0.0025f;
    std::vector<float> now, before; // z(t) and z(t-1), row-major, x fastest
};

namespace detail {

// W + E + N + S - 4 z at a place that is not on the edge.
template<class T> T pull(const std::vector<T>& z, std::int64_t nx, std::int64_t x, std::int64_t y) {
    const auto at = [&](std::int64_t px, std::int64_t py) { return z[static_cast<std::size_t>(py * nx + px)]; };
    return at(x - 1, y) + at(x + 1, y) + at(x, y - 1) + at(x, y + 1) - T(4) * at(x, y);
}

template<class Visit> void for_interior(std::int64_t nx, std::int64_t ny, Visit visit) {
    for (std::int64_t y = 1; y + 1 < ny; ++y)
        for (std::int64_t x = 1; x + 1 < nx; ++x) visit(x, y, static_cast<std::size_t>(y * nx + x));
}

} // namespace detail

// z(0): 20 strictly between 40 w and 60 w on both axes, w a hundredth of the extent (integer division), else 0.
template<class T> std::vector<T> wave2d_lifted(std::int64_t nx, std::int64_t ny) {
    std::vector<T> z(static_cast<std::size_t>(nx * ny));
    const std::int64_t wx = nx / 100, wy = ny / 100;
    for (std::int64_t y = 40 * wy + 1; y < 60 * wy; ++y)
        for (std::int64_t x = 40 * wx + 1; x < 60 * wx; ++x) z[static_cast<std::size_t>(y * nx + x)] = T(20);
    return z;
}

// State 0 from z(0) at rest: z(-1) = z(0) + k/2 (W + E + N + S - 4 z(0)), 0 on the edge.
inline Wave2d wave2d_at_rest(std::vector<float> now, std::int64_t nx, std::int64_t ny, float k) {
    Wave2d wave{nx, ny, k, std::move(now), std::vector<float>(static_cast<std::size_t>(nx * ny))};
    detail::for_interior(nx, ny, [&](std::int64_t x, std::int64_t y, std::size_t i) {
        wave.before[i] = wave.now[i] + k / 2 * detail::pull(wave.now, nx, x, y);
    });
    return wave;
}

inline void wave2d_step(Wave2d& wave) {
    std::vector<float> next(wave.now.size());
    detail::for_interior(wave.nx, wave.ny, [&](std::int64_t x, std::int64_t y, std::size_t i) {
        next[i] = 2.0f * wave.now[i] - wave.before[i] + wave.k * detail::pull(wave.now, wave.nx, x, y);
    });
    wave.before = std::move(wave.now);
    wave.now = std::move(next);
}

inline Wave2d wave2d(Wave2d wave, int steps) {
    for (int step = 0; step < steps; ++step) wave2d_step(wave);
    return wave;
}

// z(t) by the rule of MASS, from z(0) as given: z(1) = z(0) + k/2 (...), then the three-buffer rule from t = 2 on.
inline std::vector<double> mass_wave2d(const std::vector<double>& z0, std::int64_t nx, std::int64_t ny, int t, double k = 0.0025) {
    if (t == 0) return z0;
    std::vector<double> two_before = z0, before(z0.size()), z(z0.size());
    detail::for_interior(nx, ny,
                         [&](std::int64_t x, std::int64_t y, std::size_t i) { before[i] = z0[i] + k / 2 * detail::pull(z0, nx, x, y); });
    for (int at = 2; at <= t; ++at) {
        detail::for_interior(nx, ny, [&](std::int64_t x, std::int64_t y, std::size_t i) {
            z[i] = 2.0 * before[i] - two_before[i] + k * detail::pull(before, nx, x, y);
        });
        two_before.swap(before);
        before.swap(z);
    }
    return before;
}

} // namespace reference
