// The oracle of tests/models/boundaries: what every place of a plane sees at and beyond the edge, for any boundary on either axis.
#pragma once

#include "tests/reference/grid.hpp"
#include "tests/reference/offsets.hpp"

namespace reference {

struct Boundaries {
    std::vector<std::uint32_t> value, total, count, corner, far;
    std::vector<std::uint8_t> there;
};

inline Boundaries boundaries_start(const Shape& shape) {
    Boundaries state{numbered(shape, 1), {}, {}, {}, {}, {}};
    state.total = state.count = state.corner = state.far = std::vector<std::uint32_t>(shape.count());
    state.there.resize(shape.count());
    return state;
}

// `outside` is the value beyond a fixed edge; beyond an open one a value is the member's default, 7.
inline void boundaries_step(Boundaries& state, const Shape& shape, std::uint32_t outside = 7) {
    const std::vector<std::uint32_t> before = state.value;
    static const int looked_at[8][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}, {1, 1}, {2, 0}, {0, -3}, {-1, 1}};
    for (std::int64_t y = 0; y < shape.ny; ++y)
        for (std::int64_t x = 0; x < shape.nx; ++x) {
            const auto at = [&](int dx, int dy) { return look<std::uint32_t>(before, shape, x + dx, y + dy, 0, outside, 7); };
            std::uint32_t total = 0, count = 0, there = 0;
            for (int dy = -1; dy <= 1; ++dy)
                for (int dx = -1; dx <= 1; ++dx)
                    if ((dx != 0 || dy != 0) && at(dx, dy).exists) total += at(dx, dy).value, ++count;
            for (unsigned bit = 0; bit < 8; ++bit)
                there |= static_cast<std::uint32_t>(at(looked_at[bit][0], looked_at[bit][1]).exists) << bit;
            const std::size_t i = shape.index(x, y);
            const std::uint32_t corner = at(-1, -1).value, far = at(2, 0).value + 3 * at(0, -3).value;
            state.total[i] = total, state.count[i] = count, state.corner[i] = corner, state.far[i] = far;
            state.there[i] = static_cast<std::uint8_t>(there);
            state.value[i] = before[i] * 1664525u + (total ^ corner) + far + 11 * count + 13 * there;
        }
}

} // namespace reference
