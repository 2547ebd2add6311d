// Filling the ghost frame from inside the kernel that writes the places: who writes a place writes its copies.
//
// Ghosts of fixed and open boundaries hold constants that the host wrote once; torus and reflect repeat places of the grid.
#pragma once

#include <tessera/kernels/grid.hpp>

namespace tessera {

template<class Grid, int I, int Axis> inline constexpr int copied_ghosts = axis_copies_ghosts<Grid, Axis> ? Grid::columns[I].ghost[Axis] : 0;

// Whether any ghost cell repeats a place of the box [x, x + nx) at row y of plane z.
template<class Grid, int I> TESSERA_FN bool has_copies(std::int64_t x, std::int64_t nx, std::int64_t y, std::int64_t z) {
    constexpr int gx = copied_ghosts<Grid, I, 0>, gy = copied_ghosts<Grid, I, 1>, gz = copied_ghosts<Grid, I, 2>;
    bool near = false;
    if constexpr (gx > 0) near |= (x < gx) | (x + nx > Grid::size[0] - gx);
    if constexpr (gy > 0) near |= (y < gy) | (y >= Grid::size[1] - gy);
    if constexpr (gz > 0) near |= (z < gz) | (z >= Grid::size[2] - gz);
    return near;
}

// Position k of an axis: 0 is the place itself, -k is the ghost -k before the grid, +k the ghost k after it.
template<class Grid, int Axis> TESSERA_FN std::int64_t copy_position(int k, std::int64_t here) {
    return k < 0 ? k : k > 0 ? Grid::size[Axis] - 1 + k : here;
}
template<class Grid, int Axis> TESSERA_FN bool is_copy(int k, std::int64_t position, std::int64_t here) {
    return k == 0 || source_of(position, Grid::size[Axis], Grid::rule[Axis]) == here;
}

// Writes a place's value (scalar of one element) to all ghost cells that repeat it.
template<class Grid, int I, class Scalar>
TESSERA_FN void write_copies(Scalar* origin, Scalar value, std::int64_t x, std::int64_t y, std::int64_t z) {
    constexpr int gx = copied_ghosts<Grid, I, 0>, gy = copied_ghosts<Grid, I, 1>, gz = copied_ghosts<Grid, I, 2>;
    constexpr column_layout column = Grid::columns[I];
#pragma unroll 1
    for (int kz = -gz; kz <= gz; ++kz) {
        const std::int64_t pz = copy_position<Grid, 2>(kz, z);
        if (!is_copy<Grid, 2>(kz, pz, z)) continue;
#pragma unroll 1
        for (int ky = -gy; ky <= gy; ++ky) {
            const std::int64_t py = copy_position<Grid, 1>(ky, y);
            if (!is_copy<Grid, 1>(ky, py, y)) continue;
#pragma unroll 1
            for (int kx = -gx; kx <= gx; ++kx) {
                const std::int64_t px = copy_position<Grid, 0>(kx, x);
                if ((kx | ky | kz) != 0 && is_copy<Grid, 0>(kx, px, x)) origin[px + py * column.row + pz * column.plane] = value;
            }
        }
    }
}

} // namespace tessera
