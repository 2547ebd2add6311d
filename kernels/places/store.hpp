// Storing several adjacent places of a row, and the ghost cells that repeat them.
#pragma once

#include <tessera/kernels/launch/memory.hpp>
#include <tessera/kernels/places/ghosts.hpp>

namespace tessera {

// Stores the ghosts of a row that repeat its places x to x + N - 1, of which `inside` lie in the grid; x is a multiple of N.
template<class Grid, int I, int N, class Scalar>
TESSERA_FN void store_beside(Scalar* row, const Scalar (&values)[N], std::int64_t x, int inside) {
    constexpr int g = copied_ghosts<Grid, I, 0>;
    constexpr std::int64_t n = Grid::size[0];
    constexpr bool torus = Grid::rule[0] == boundary::torus;
    if constexpr (g > 0 && g <= N &&
                  n % N == 0) { // each side is a matter of one thread, which knows of each place of its own whether it is repeated
        if (x == 0) {
#pragma unroll
            for (int v = 0; v < g; ++v) row[torus ? n + v : -1 - v] = values[v];
        }
        if (x == n - N) {
#pragma unroll
            for (int v = N - g; v < N; ++v) row[torus ? v - N : n + N - 1 - v] = values[v];
        }
    } else if constexpr (g > 0) {
        if (x < g || x + N > n - g) {
#pragma unroll
            for (int v = 0; v < N; ++v)
                if (v < inside) for_each_copy<Grid, I, 0>(x + v, [&](std::int64_t copy) { row[copy] = values[v]; });
        }
    }
}

// Stores at x the values that lie in the grid, and the ghosts of this row that repeat them. `row` is the address of the row's x = 0.
template<class Grid, int I, int N, class Scalar> TESSERA_FN void store_in_row(Scalar* row, const Scalar (&values)[N], std::int64_t x) {
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
    store_beside<Grid, I, N>(row, values, x, inside);
}

// The same, and in the rows of the frame that repeat this one. `origin` is the address of place (0, 0, 0).
template<class Grid, int I, int N, class Scalar>
TESSERA_FN void store_places(Scalar* origin, const Scalar (&values)[N], std::int64_t x, std::int64_t y, std::int64_t z) {
    constexpr column_layout column = Grid::columns[I];
    store_in_row<Grid, I, N>(origin + y * column.row + z * column.plane, values, x);
    for_each_row_copy<Grid, I>(y, z, [&](std::int64_t copy_y, std::int64_t copy_z) {
        store_in_row<Grid, I, N>(origin + copy_y * column.row + copy_z * column.plane, values, x);
    });
}

} // namespace tessera
