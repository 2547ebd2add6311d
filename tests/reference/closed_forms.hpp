// Exact solutions of the heat and wave equations and of their difference schemes: products of one mode an axis, each a sine (or cosine) of
// the place's number times an angle. The difference schemes multiply such a state by a number each step; so does the continuous equation.
//
//     heat: h(x, y, t) = mode_x(x) mode_y(y) factor^t
//     wave: z(x, y, t) = mode_x(x) mode_y(y) cos(frequency t), released at rest
//
// Mode m = 1, 2, ... of n places, by boundary: `torus`; `fixed` with outside 0 (the zeros lie at -1 and n); `reflect` (zero flux halfway
// between the last place and its mirror image); `clamped`, as Wave2D has it (the first and last place are the zeros).
#pragma once

#include <cmath>
#include <cstdint>

namespace reference {

struct Mode {
    double angle, shift; // the value at place i is sin(angle * i + shift)
    [[nodiscard]] double operator()(std::int64_t i) const { return std::sin(angle * static_cast<double>(i) + shift); }
};

inline constexpr double pi = 3.14159265358979323846;

inline Mode torus_mode(int m, std::int64_t n) { return {2 * pi * m / static_cast<double>(n), 0}; }
inline Mode fixed_mode(int m, std::int64_t n) {
    const double angle = pi * m / static_cast<double>(n + 1);
    return {angle, angle};
}
inline Mode reflect_mode(int m, std::int64_t n) {
    const double angle = pi * m / static_cast<double>(n);
    return {angle, angle / 2 + pi / 2};
}
inline Mode clamped_mode(int m, std::int64_t n) { return {pi * m / static_cast<double>(n - 1), 0}; }

namespace detail {

inline double square(double value) { return value * value; }
inline double half_angles(const Mode& x, const Mode& y) { return square(std::sin(x.angle / 2)) + square(std::sin(y.angle / 2)); }

} // namespace detail

// What one step of the Euler scheme multiplies the state by; r = a dt / dd^2.
inline double heat_factor(double r, const Mode& x, const Mode& y) { return 1 - 4 * r * detail::half_angles(x, y); }

// The same of the continuous equation.
inline double heat_factor_continuous(double r, const Mode& x, const Mode& y) {
    return std::exp(-r * (detail::square(x.angle) + detail::square(y.angle)));
}

// Radians a step of the two-step scheme; k = (c dt / dd)^2, stable for k <= 1/2.
inline double wave_frequency(double k, const Mode& x, const Mode& y) { return 2 * std::asin(std::sqrt(k * detail::half_angles(x, y))); }

// The same of the continuous equation.
inline double wave_frequency_continuous(double k, const Mode& x, const Mode& y) {
    return std::sqrt(k * (detail::square(x.angle) + detail::square(y.angle)));
}

} // namespace reference
