// The oracle of tests/models/offsets: sums over wide and lopsided neighbourhoods, in wrapping 32-bit arithmetic, torus only.
#pragma once

#include "tests/reference/grid.hpp"

#include <cstdlib>

namespace reference {

inline std::vector<std::uint32_t> numbered(const Shape& shape, std::uint32_t plus = 0) {
    std::vector<std::uint32_t> value(shape.count());
    for (std::size_t i = 0; i < value.size(); ++i) value[i] = static_cast<std::uint32_t>(i) * 2654435761u + plus;
    return value;
}

struct Offsets {
    std::vector<std::uint32_t> value, square, diamond, upwind;
};

inline Offsets offsets_start(const Shape& shape) {
    Offsets state{numbered(shape), {}, {}, {}};
    state.square = state.diamond = state.upwind = std::vector<std::uint32_t>(shape.count());
    return state;
}

inline void offsets_step(Offsets& state, const Shape& shape) {
    const std::vector<std::uint32_t> before = state.value;
    for (std::int64_t y = 0; y < shape.ny; ++y)
        for (std::int64_t x = 0; x < shape.nx; ++x) {
            const auto at = [&](std::int64_t dx, std::int64_t dy) {
                return look<std::uint32_t>(before, shape, x + dx, y + dy, 0, 0, 0).value;
            };
            std::uint32_t square = 0, diamond = 0, upwind = 0;
            for (int dy = -3; dy <= 3; ++dy)
                for (int dx = -3; dx <= 3; ++dx) {
                    if (dx == 0 && dy == 0) continue;
                    if (std::abs(dx) <= 2 && std::abs(dy) <= 2) square += at(dx, dy);
                    if (std::abs(dx) + std::abs(dy) <= 3) diamond = 3 * diamond + at(dx, dy);
                }
            for (const std::uint32_t seen : {at(-3, 0), at(0, -2), at(1, -1), at(-1, 0)}) upwind = 5 * upwind + seen;
            const std::size_t i = shape.index(x, y);
            state.square[i] = square, state.diamond[i] = diamond, state.upwind[i] = upwind;
            state.value[i] = before[i] * 1664525u + (square ^ (diamond >> 3)) + 7 * upwind;
        }
}

} // namespace reference
