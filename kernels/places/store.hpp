// Storing several adjacent places of a row, and the ghost cells that repeat them.
#pragma once

#include <tessera/kernels/launch/memory.hpp>
#include <tessera/kernels/places/ghosts.hpp>

namespace tessera {

// A GPU's memory has sectors of 32 bytes. To store a part of one it is fetched first. So the ghosts beside a row of a volume, whose rows
// are short, are stored with the rest of their sector, where the gap between two rows, which is nobody's, has room for two sectors.
inline constexpr int sector_bytes = 32;
// (Of bytes, which are made one by one, that costs more than it saves; those that stand in words gain.)
template<class Grid, int I, class Scalar> constexpr bool are_sectors_beside() {
    constexpr int bytes = sizeof(Scalar);
    return Grid::dims == 3 && Grid::size[0] * bytes % sector_bytes == 0 && copied_ghosts<Grid, I, 0> * bytes <= sector_bytes &&
           (Grid::columns[I].row - Grid::size[0]) * bytes >= 2 * sector_bytes;
}
template<class Scalar, int Count> TESSERA_FN void store_sector(Scalar* to, const Scalar (&values)[Count]) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
        vector_of<Scalar, Count / 2> part;
#pragma unroll
        for (int i = 0; i < Count / 2; ++i) part.values[i] = values[half * (Count / 2) + i];
        store_vector<Scalar, Count / 2>(to + half * (Count / 2), part);
    }
}
// As store_beside, where each side is a matter of one thread.
template<class Grid, int I, int N, class Scalar>
TESSERA_FN void store_sectors_beside(Scalar* row, const Scalar (&values)[N], std::int64_t x) {
    constexpr int g = copied_ghosts<Grid, I, 0>, count = sector_bytes / static_cast<int>(sizeof(Scalar));
    constexpr std::int64_t n = Grid::size[0];
    constexpr bool torus = Grid::rule[0] == boundary::torus;
    if (x == 0) {
        Scalar sector[count] = {};
#pragma unroll
        for (int v = 0; v < g; ++v) sector[torus ? v : count - 1 - v] = values[v];
        store_sector(torus ? row + n : row - count, sector);
    }
    if (x == n - N) {
        Scalar sector[count] = {};
#pragma unroll
        for (int v = N - g; v < N; ++v) sector[torus ? count + v - N : N - 1 - v] = values[v];
        store_sector(torus ? row - count : row + n, sector);
    }
}

// Stores the ghosts of a row that repeat its places x to x + N - 1, of which `inside` lie in the grid; x is a multiple of N.
template<class Grid, int I, int N, class Scalar>
TESSERA_FN void store_beside(Scalar* row, const Scalar (&values)[N], std::int64_t x, int inside) {
    constexpr int g = copied_ghosts<Grid, I, 0>;
    constexpr std::int64_t n = Grid::size[0];
    constexpr bool torus = Grid::rule[0] == boundary::torus;
    if constexpr (g > 0 && g <= N &&
                  n % N == 0) { // each side is a matter of one thread, which knows of each place of its own whether it is repeated
        if constexpr (sizeof(Scalar) >= 4 && are_sectors_beside<Grid, I, Scalar>()) return store_sectors_beside<Grid, I, N>(row, values, x);
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

// Stores bytes that stand in words at x, as far as they lie in the grid.
template<class Grid, int Words, class Scalar>
TESSERA_FN void store_words_in_row(Scalar* row, const vector_of<std::uint32_t, Words>& words, std::int64_t x) {
    constexpr int N = 4 * Words;
    if (Grid::size[0] % N == 0 || x + N <= Grid::size[0])
        store_vector<std::uint32_t, Words>(reinterpret_cast<std::uint32_t*>(row + x), words);
    else {
        const auto bytes = __builtin_bit_cast(vector_of<Scalar, N>, words);
#pragma unroll
        for (int v = 0; v < N; ++v)
            if (x + v < Grid::size[0]) row[x + v] = bytes.values[v];
    }
}
// Stores the ghosts of their row that repeat them.
template<class Grid, int I, int Words, class Scalar>
TESSERA_FN void store_words_beside(Scalar* row, const vector_of<std::uint32_t, Words>& words, std::int64_t x) {
    constexpr int N = 4 * Words, g = copied_ghosts<Grid, I, 0>, in_sector = sector_bytes / 4;
    constexpr std::int64_t n = Grid::size[0];
    constexpr bool torus = Grid::rule[0] == boundary::torus;
    if constexpr (g == 1 && n % N == 0 && are_sectors_beside<Grid, I, Scalar>()) {
        auto *const left = reinterpret_cast<std::uint32_t*>(row - sector_bytes), *const right = reinterpret_cast<std::uint32_t*>(row + n);
        const auto store = [&](bool to_the_right, std::uint32_t byte) {
            std::uint32_t sector[in_sector] = {};
            sector[to_the_right ? 0 : in_sector - 1] = to_the_right ? byte : byte << 24;
            store_sector(to_the_right ? right : left, sector);
        };
        if (x == 0) store(torus, words.values[0] & 0xff);
        if (x == n - N) store(!torus, words.values[Words - 1] >> 24);
    } else {
        const auto bytes = __builtin_bit_cast(vector_of<Scalar, N>, words);
        store_beside<Grid, I, N>(row, bytes.values, x, n - x < N ? static_cast<int>(n - x) : N);
    }
}
// The same, and in all ghosts that repeat them; where there are none, that is all that is asked.
template<class Grid, int I, int Words, class Scalar>
TESSERA_FN void store_words(Scalar* origin, const vector_of<std::uint32_t, Words>& words, std::int64_t x, std::int64_t y, std::int64_t z) {
    constexpr column_layout column = Grid::columns[I];
    constexpr int N = 4 * Words;
    store_words_in_row<Grid>(origin + y * column.row + z * column.plane, words, x);
    if (!has_copies<Grid, I>(x, N, y, z)) return;
    store_words_beside<Grid, I>(origin + y * column.row + z * column.plane, words, x);
    for_each_row_copy<Grid, I>(y, z, [&](std::int64_t copy_y, std::int64_t copy_z) {
        Scalar* const row = origin + copy_y * column.row + copy_z * column.plane;
        store_words_in_row<Grid>(row, words, x);
        store_words_beside<Grid, I>(row, words, x);
    });
}

} // namespace tessera
