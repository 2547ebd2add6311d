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

// Strides in elements. Element e of place (x, y, z) stands at x + y * row + z * plane + e * element from the address of place (0, 0, 0).
struct column_layout {
    std::int64_t row, plane, element;
    ghost_widths ghost;
};

// What an image that is compiled before its run is known gets when it is loaded, instead of constants. Behind it stand the layouts of all
// columns.
struct geometry_header {
    std::int64_t size[3], pieces; // as in a Grid (grid.hpp)
    boundary rule[3];
    std::int32_t rows_are_sent;
};
template<int Columns> struct geometry_of : geometry_header { column_layout columns[Columns]; };
static_assert(sizeof(geometry_of<3>) == sizeof(geometry_header) + 3 * sizeof(column_layout), "nothing stands between them");

// How kernels ask for the geometry of a Grid, which may be known at run time alone: such a Grid has runtime(), a geometry_of, and only dims
// and may_be_open as constants. Of any other Grid all is constant. Kernels of other views know grids of constants alone.
template<class Grid>
concept runtime_grid = requires {
    Grid::runtime();
};

template<class Grid, int Axis> TESSERA_FN constexpr std::int64_t extent_of() {
    if constexpr (runtime_grid<Grid>)
        return Grid::runtime().size[Axis];
    else
        return Grid::size[Axis];
}
template<class Grid, int Axis> TESSERA_FN constexpr boundary rule_on() {
    if constexpr (runtime_grid<Grid>)
        return Grid::runtime().rule[Axis];
    else
        return Grid::rule[Axis];
}
template<class Grid, int I> TESSERA_FN constexpr column_layout layout_of() {
    if constexpr (runtime_grid<Grid>)
        return Grid::runtime().columns[I];
    else
        return Grid::columns[I];
}
template<class Grid> TESSERA_FN constexpr std::int64_t pieces_of() {
    if constexpr (runtime_grid<Grid>)
        return Grid::runtime().pieces;
    else
        return Grid::pieces;
}
// Whether what is beyond the ends of an axis are rows that others make and send, by numbers that go on beyond the grid's edge
// (Grid::rows_are_sent): the last axis of a grid that has rows.
template<class Grid, int Axis> TESSERA_FN constexpr bool are_rows_sent_on() {
    if constexpr (Axis == 0 || Axis != Grid::dims - 1)
        return false;
    else if constexpr (runtime_grid<Grid>)
        return Grid::runtime().rows_are_sent != 0;
    else
        return Grid::rows_are_sent;
}
template<class Grid, int Axis> inline constexpr bool rows_sent_on = are_rows_sent_on<Grid, Axis>();

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
