// Conway's Game of Life on a plane: one byte a cell, 1 alive, 0 dead.
#pragma once

#include "tests/reference/grid.hpp"

namespace reference {

// The generation after `cells`. `outside` is what lies beyond a fixed edge; beyond an open one nothing does.
inline std::vector<std::uint8_t> life_step(const std::vector<std::uint8_t>& cells, const Shape& shape, std::uint8_t outside = 0) {
    std::vector<std::uint8_t> next(cells.size());
    for (std::int64_t y = 0; y < shape.ny; ++y)
        for (std::int64_t x = 0; x < shape.nx; ++x) {
            int neighbours = 0;
            for (int dy = -1; dy <= 1; ++dy)
                for (int dx = -1; dx <= 1; ++dx)
                    if (dx != 0 || dy != 0) neighbours += look<std::uint8_t>(cells, shape, x + dx, y + dy, 0, outside, 0).value;
            const bool alive = cells[shape.index(x, y)] != 0;
            next[shape.index(x, y)] = neighbours == 3 || (alive && neighbours == 2) ? 1 : 0;
        }
    return next;
}

inline std::vector<std::uint8_t> life(std::vector<std::uint8_t> cells, const Shape& shape, int steps, std::uint8_t outside = 0) {
    for (int step = 0; step < steps; ++step) cells = life_step(cells, shape, outside);
    return cells;
}

} // namespace reference
