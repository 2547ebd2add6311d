// Storing several adjacent places of a row, and the ghost cells that repeat them.
#pragma once

#include <tessera/kernels/ghosts.hpp>
#include <tessera/kernels/memory.hpp>

namespace tessera {

// Stores at x the values that lie in the grid, and the ghosts of this row that repeat them. `row` is the address of the row's x = 0.
template<class Grid, int I, int N, class Scalar> TESSERA_FN void store_in_row(Scalar* row, const Scalar (&values)[N], std::int64_t x) {
    constexpr int gx = copied_ghosts<Grid, I, 0>;
    const int inside = Grid::size[0] - x < N ? static_cast<int>(Grid::size[0] - x) : N;
    if (Grid::size[0] % N == 0 || inside == N) {
        vector_of<Scalar, N> all;
#pragma unroll
        for (int v = 0; v < N; ++v) all.values[v] = values[v];
        store_vector<Scalar, N>(row + x, all);
    } else {
#pragma unroll
        for (int v = 0; v < N; ++v)
            if (v < inside) row[x + v] = values[v];
    }
    if (gx > 0 && (x < gx || x + N > Grid::size[0] - gx)) {
#pragma unroll
        for (int v = 0; v < N; ++v)
            if (v < inside) for_each_copy<Grid, I, 0>(x + v, [&](std::int64_t copy) { row[copy] = values[v]; });
    }
}

// The same, and in the rows of the frame that repeat this one. `origin` is the address of place (0, 0, 0).
template<class Grid, int I, int N, class Scalar>
TESSERA_FN void store_places(Scalar* origin, const Scalar (&values)[N], std::int64_t x, std::int64_t y, std::int64_t z) {
    constexpr column_layout column = Grid::columns[I];
    store_in_row<Grid, I, N>(origin + y * column.row + z * column.plane, values, x);
    if (row_has_copies<Grid, I>(y, z))
        for_each_row_copy<Grid, I>(y, z, [&](std::int64_t copy_y, std::int64_t copy_z) {
            store_in_row<Grid, I, N>(origin + copy_y * column.row + copy_z * column.plane, values, x);
        });
}

} // namespace tessera
