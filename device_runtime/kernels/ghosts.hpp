// Filling the ghost frame from inside the kernel that writes the places: who writes a place writes its copies.
//
// Ghosts of fixed and open boundaries hold constants that the host wrote once; torus and reflect repeat places of the grid.
#pragma once

#include <tessera/kernels/grid.hpp>

namespace tessera {

template<class Grid, int I, int Axis>
inline constexpr int copied_ghosts = axis_copies_ghosts<Grid, Axis> ? Grid::columns[I].ghost[Axis] : 0;

// Whether rows of the frame repeat row y of plane z.
template<class Grid, int I> TESSERA_FN bool row_has_copies(std::int64_t y, std::int64_t z) {
    constexpr int gy = copied_ghosts<Grid, I, 1>, gz = copied_ghosts<Grid, I, 2>;
    bool near = false;
    if constexpr (gy > 0) near |= (y < gy) | (y >= Grid::size[1] - gy);
    if constexpr (gz > 0) near |= (z < gz) | (z >= Grid::size[2] - gz);
    return near;
}

// Whether any ghost cell repeats a place of [x, x + nx) of that row.
template<class Grid, int I> TESSERA_FN bool has_copies(std::int64_t x, std::int64_t nx, std::int64_t y, std::int64_t z) {
    constexpr int gx = copied_ghosts<Grid, I, 0>;
    bool near = row_has_copies<Grid, I>(y, z);
    if constexpr (gx > 0) near |= (x < gx) | (x + nx > Grid::size[0] - gx);
    return near;
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

// Writes a place's value (scalar of one element) to all ghost cells that repeat it.
template<class Grid, int I, class Scalar>
TESSERA_FN void write_copies(Scalar* origin, Scalar value, std::int64_t x, std::int64_t y, std::int64_t z) {
    constexpr column_layout column = Grid::columns[I];
    const auto write_row = [&](std::int64_t row_y, std::int64_t row_z, bool is_copy) {
        Scalar* const row = origin + row_y * column.row + row_z * column.plane;
        if (is_copy) row[x] = value;
        for_each_copy<Grid, I, 0>(x, [&](std::int64_t copy_x) { row[copy_x] = value; });
    };
    write_row(y, z, false);
    for_each_row_copy<Grid, I>(y, z, [&](std::int64_t row_y, std::int64_t row_z) { write_row(row_y, row_z, true); });
}

} // namespace tessera
