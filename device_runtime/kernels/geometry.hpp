// Boundaries, and how columns stand in memory: what the host tells the kernels of a grid, as constants of their text
// (host/generate/kernel_source.cpp). For both alike.
#pragma once

#include <tessera/detail/base.hpp>

namespace tessera {

// What is beyond the edge of an axis: the other side, constants, this side again, nothing.
enum class boundary { torus, fixed, reflect, open };

// Of the ghost cells on each side of an axis, in places.
struct ghost_widths {
    int of[3];

    TESSERA_FN constexpr int operator[](std::size_t axis) const { return of[axis]; }
    TESSERA_FN constexpr int& operator[](std::size_t axis) { return of[axis]; }
    friend constexpr bool operator==(const ghost_widths&, const ghost_widths&) = default;
};

// Whether what is beyond the ends of an axis are rows that others make and send, by numbers that go on beyond the grid's edge
// (Grid::rows_are_sent): the last axis of a grid that has rows.
template<class Grid, int Axis> inline constexpr bool rows_sent_on = Grid::rows_are_sent&& Axis > 0 && Axis == Grid::dims - 1;

// Strides in elements. Element e of place (x, y, z) stands at x + y * row + z * plane + e * element from the address of place (0, 0, 0).
struct column_layout {
    std::int64_t row, plane, element;
    ghost_widths ghost;
};

// What is beyond fixed and open boundaries; the host specialises it for such grids.
//     static constexpr <scalar> outside[elements], missing[elements];
template<class Grid, int C> struct beyond;

// The place inside the grid that a position on a torus, or before a mirror, repeats. Both go on as often as needed.
TESSERA_FN constexpr std::int64_t source_of(std::int64_t i, std::int64_t n, boundary rule) {
    if (rule == boundary::torus) {
        const std::int64_t r = i % n;
        return r < 0 ? r + n : r;
    }
    const std::int64_t period = 2 * n, r = i % period, inside = r < 0 ? r + period : r;
    return inside < n ? inside : period - 1 - inside;
}

} // namespace tessera
