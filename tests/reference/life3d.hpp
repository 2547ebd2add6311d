// Life in three dimensions by Bays's rule 4555: 26 neighbours; 4 or 5 of them keep a cell alive, exactly 5 bring one to life.
#pragma once

#include "tests/reference/grid.hpp"

namespace reference {

inline std::vector<std::uint8_t> life3d_step(const std::vector<std::uint8_t>& cells, const Shape& shape, std::uint8_t outside = 0) {
    std::vector<std::uint8_t> next(cells.size());
    for (std::int64_t z = 0; z < shape.nz; ++z)
        for (std::int64_t y = 0; y < shape.ny; ++y)
            for (std::int64_t x = 0; x < shape.nx; ++x) {
                int neighbours = 0;
                for (int dz = -1; dz <= 1; ++dz)
                    for (int dy = -1; dy <= 1; ++dy)
                        for (int dx = -1; dx <= 1; ++dx)
                            if (dx != 0 || dy != 0 || dz != 0)
                                neighbours += look<std::uint8_t>(cells, shape, x + dx, y + dy, z + dz, outside, 0).value;
                const bool alive = cells[shape.index(x, y, z)] != 0;
                next[shape.index(x, y, z)] = neighbours == 5 || (alive && neighbours == 4) ? 1 : 0;
            }
    return next;
}

inline std::vector<std::uint8_t> life3d(std::vector<std::uint8_t> cells, const Shape& shape, int steps, std::uint8_t outside = 0) {
    for (int step = 0; step < steps; ++step) cells = life3d_step(cells, shape, outside);
    return cells;
}

} // namespace reference
