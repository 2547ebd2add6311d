// Fills the ghost frame from inside the kernel that writes the places: the thread that writes a place writes its copies.
//
// Ghosts of fixed and open boundaries hold constants that the host wrote once; torus and reflect repeat places of the grid.
#pragma once

#include <tessera/kernels/launch/grid.hpp>

namespace tessera {

// How many ghosts of a column repeat places beyond an end of an axis, and whether any may.
template<class Grid, int I, int Axis> TESSERA_FN constexpr int ghosts_that_repeat() {
    return does_axis_copy_ghosts<Grid, Axis>() ? layout_of<Grid, I>().ghost[Axis] : 0;
}
template<class Grid, int I, int Axis> constexpr bool may_have_ghosts_that_repeat() {
    if constexpr (runtime_grid<Grid>)
        return Axis < Grid::dims;
    else
        return ghosts_that_repeat<Grid, I, Axis>() > 0;
}
template<class Grid, int I, int Axis> inline constexpr bool may_repeat = may_have_ghosts_that_repeat<Grid, I, Axis>();
template<class Grid, int I, int Axis> inline constexpr int copied_ghosts = ghosts_that_repeat<Grid, I, Axis>(); // not of a runtime grid

// Whether places [p, p + places) of an axis are among those that ghosts repeat.
template<class Grid, int I, int Axis> TESSERA_FN bool is_near_an_end(std::int64_t p, std::int64_t places) {
    if constexpr (!may_repeat<Grid, I, Axis>)
        return false;
    else {
        const int g = ghosts_that_repeat<Grid, I, Axis>();
        return (p < g) | (p + places > extent_of<Grid, Axis>() - g);
    }
}

// Whether rows of the frame repeat row y of plane z.
template<class Grid, int I> TESSERA_FN bool row_has_copies(std::int64_t y, std::int64_t z) {
    return is_near_an_end<Grid, I, 1>(y, 1) | is_near_an_end<Grid, I, 2>(z, 1);
}

// Whether any ghost cell repeats a place of [x, x + nx) of that row.
template<class Grid, int I> TESSERA_FN bool has_copies(std::int64_t x, std::int64_t nx, std::int64_t y, std::int64_t z) {
    return row_has_copies<Grid, I>(y, z) | is_near_an_end<Grid, I, 0>(x, nx);
}

// The positions on an axis that repeat coordinate p of the grid: `visit(position)` for each ghost; p itself is not visited.
// With at least as many places as ghosts there are two candidates, one a side, found without a division.
template<class Grid, int I, int Axis, class Visit> TESSERA_FN void for_each_copy(std::int64_t p, Visit&& visit) {
    constexpr int g = copied_ghosts<Grid, I, Axis>;
    constexpr std::int64_t n = Grid::size[Axis];
    constexpr bool torus = Grid::rule[Axis] == boundary::torus;
    if constexpr (g > 0 && n >= g) {
        if (p < g) visit(torus ? p + n : -1 - p);
        if (p >= n - g) visit(torus ? p - n : 2 * n - 1 - p);
    } else if constexpr (g > 0) {
#pragma unroll 1
        for (int k = 1; k <= g; ++k) {
            if (source_of(-k, n, Grid::rule[Axis]) == p) visit(std::int64_t(-k));
            if (source_of(n - 1 + k, n, Grid::rule[Axis]) == p) visit(n - 1 + k);
        }
    }
}

// `visit(y, z)` for each row of the frame that repeats row y of plane z, and not for that row itself.
template<class Grid, int I, class Visit> TESSERA_FN void for_each_row_copy(std::int64_t y, std::int64_t z, Visit&& visit) {
    for_each_copy<Grid, I, 1>(y, [&](std::int64_t copy_y) { visit(copy_y, z); });
    for_each_copy<Grid, I, 2>(z, [&](std::int64_t copy_z) {
        visit(y, copy_z);
        for_each_copy<Grid, I, 1>(y, [&](std::int64_t copy_y) { visit(copy_y, copy_z); });
    });
}

// How many ghosts at each end of an axis repeat places, in a grid whose geometry is data.
TESSERA_FN std::int64_t runtime_ghosts_that_repeat(const geometry_header& grid, const column_layout& column, int dims, int axis) {
    const bool are_sent = grid.rows_are_sent != 0 && axis > 0 && axis == dims - 1;
    const bool repeats = grid.rule[axis] == boundary::torus || grid.rule[axis] == boundary::reflect;
    return axis < dims && repeats && !are_sent ? column.ghost[static_cast<std::size_t>(axis)] : 0;
}
// `visit(position)` for row p itself, or plane p, and for each ghost that repeats it.
template<class Visit>
TESSERA_FN void for_each_runtime_copy(const geometry_header& grid, const column_layout& column, int dims, int axis, std::int64_t p,
                                      Visit&& visit) {
    visit(p);
    const std::int64_t n = grid.size[axis], g = runtime_ghosts_that_repeat(grid, column, dims, axis);
    if (p >= g && p < n - g) return;
#pragma unroll 1
    for (std::int64_t k = -g; k < g; ++k) {
        const std::int64_t ghost = k < 0 ? k : n + k;
        if (source_of(ghost, n, grid.rule[axis]) == p) visit(ghost);
    }
}
// Places [from, until) of row (y, z).
struct row_part {
    std::int64_t y, z, from, until;
};

// Copies a part of a row into the ghost cells that repeat it; on a GPU the part is one place. The geometry of the grid is data. One
// function for all columns of a type: it is long, and on a GPU called at the edges alone.
template<class Scalar>
__attribute__((noinline)) TESSERA_FN void write_runtime_copies(const geometry_header& grid, const column_layout& column, int dims,
                                                               Scalar* origin, row_part part) {
    const Scalar* const source = origin + part.y * column.row + part.z * column.plane;
    const std::int64_t nx = grid.size[0], gx = runtime_ghosts_that_repeat(grid, column, dims, 0);
    for_each_runtime_copy(grid, column, dims, 2, part.z, [&](std::int64_t copy_z) {
        for_each_runtime_copy(grid, column, dims, 1, part.y, [&](std::int64_t copy_y) {
            Scalar* const row = origin + copy_y * column.row + copy_z * column.plane;
            if (row != source)
                for (std::int64_t x = part.from; x < part.until; ++x) row[x] = source[x];
#pragma unroll 1
            for (std::int64_t k = -gx; k < gx; ++k) {
                const std::int64_t ghost = k < 0 ? k : nx + k, x = source_of(ghost, nx, grid.rule[0]);
                if (x >= part.from && x < part.until) row[ghost] = source[x];
            }
        });
    });
}

// Writes a place's value (scalar of one element) to all ghost cells that repeat it.
template<class Grid, int I, class Scalar>
TESSERA_FN void write_copies(Scalar* origin, Scalar value, std::int64_t x, std::int64_t y, std::int64_t z) {
    if constexpr (runtime_grid<Grid>) {
        return write_runtime_copies(Grid::runtime(), Grid::runtime().columns[I], Grid::dims, origin, {y, z, x, x + 1});
    } else {
        constexpr column_layout column = Grid::columns[I];
        const auto write_row = [&](std::int64_t row_y, std::int64_t row_z, bool is_copy) {
            Scalar* const row = origin + row_y * column.row + row_z * column.plane;
            if (is_copy) row[x] = value;
            for_each_copy<Grid, I, 0>(x, [&](std::int64_t copy_x) { row[copy_x] = value; });
        };
        write_row(y, z, false);
        for_each_row_copy<Grid, I>(y, z, [&](std::int64_t row_y, std::int64_t row_z) { write_row(row_y, row_z, true); });
    }
}

} // namespace tessera
