// The elementary cellular automaton rule 110 on a line, from its table.
#pragma once

#include "tests/reference/grid.hpp"

namespace reference {

inline std::vector<std::uint8_t> rule110_step(const std::vector<std::uint8_t>& cells, const Shape& shape, std::uint8_t outside = 0) {
    //                                   000 001 010 011 100 101 110 111
    static const std::uint8_t table[] = {0, 1, 1, 1, 0, 1, 1, 0};
    std::vector<std::uint8_t> next(cells.size());
    for (std::int64_t x = 0; x < shape.nx; ++x) {
        const int left = look<std::uint8_t>(cells, shape, x - 1, 0, 0, outside, 0).value;
        const int right = look<std::uint8_t>(cells, shape, x + 1, 0, 0, outside, 0).value;
        next[shape.index(x)] = table[left * 4 + cells[shape.index(x)] * 2 + right];
    }
    return next;
}

inline std::vector<std::uint8_t> rule110(std::vector<std::uint8_t> cells, const Shape& shape, int steps, std::uint8_t outside = 0) {
    for (int step = 0; step < steps; ++step) cells = rule110_step(cells, shape, outside);
    return cells;
}

} // namespace reference
