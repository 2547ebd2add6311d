// The view that is fast one step at a time: a thread owns N adjacent places of a row and slides down the rows, with the neighbourhood in
// registers; loads and stores are of N values at once.
#pragma once

#include <tessera/kernels/places/store.hpp>

namespace tessera {

// The registers of member I: the rows that Function sees of N places and what lies beside them, and the N results.
template<class Function, class Grid, int N, int I, bool Used = bits_of<Function, I> != 0> struct member_window {
    TESSERA_FN void begin(const arguments_of<Function>&, std::int64_t, std::int64_t, std::int64_t) {}
    TESSERA_FN void advance() {}
    TESSERA_FN void write(const arguments_of<Function>&, std::int64_t, std::int64_t, std::int64_t) const {}
};
template<class Function, class Grid, int N, int I> struct member_window<Function, Grid, N, I, true> {
    using scalar = scalar_of<Function, I>;
    static constexpr int bits = bits_of<Function, I>, elements = elements_of<Function, I>;
    static constexpr bool is_read = (bits & access_read) != 0, is_written = (bits & access_write) != 0,
                          is_shared = (bits & access_around) != 0;
    static constexpr column_layout column = Grid::columns[I];
    static constexpr reach_of_member reach = reach_at<Function, Grid, I>;
    static constexpr int rows_y = reach.low[1] + 1 + reach.high[1], rows_z = reach.low[2] + 1 + reach.high[2];
    static constexpr int width = reach.low[0] + N + reach.high[0];

    const scalar* next; // the first of the thread's places in the row that is loaded next
    scalar seen[is_read ? elements : 1][rows_z][rows_y][width];
    mutable scalar result[is_written ? elements : 1][N];

    // Loads the rows before the last one that the places of row y see.
    TESSERA_FN void begin(const arguments_of<Function>& args, std::int64_t x, std::int64_t y, std::int64_t z) {
        if constexpr (is_read) {
            next = column_in<Function, I>(args) + x + (y - reach.low[1]) * column.row + z * column.plane;
#pragma unroll
            for (int row = 1; row < rows_y; ++row) load_rows(row);
        }
    }
    // Moves the window down by a row.
    TESSERA_FN void advance() {
        if constexpr (is_read) {
#pragma unroll
            for (int e = 0; e < elements; ++e)
#pragma unroll
                for (int dz = 0; dz < rows_z; ++dz)
#pragma unroll
                    for (int row = 0; row + 1 < rows_y; ++row)
#pragma unroll
                        for (int i = 0; i < width; ++i) seen[e][dz][row][i] = seen[e][dz][row + 1][i];
            load_rows(rows_y - 1);
        }
    }
    TESSERA_FN void write(const arguments_of<Function>& args, std::int64_t x, std::int64_t y, std::int64_t z) const {
        if constexpr (is_written) {
#pragma unroll
            for (int e = 0; e < elements; ++e)
                store_places<Grid, I, N>(column_out<Function, I>(args) + e * column.element, result[e], x, y, z);
        }
    }

private:
    TESSERA_FN void load_rows(int row) {
#pragma unroll
        for (int e = 0; e < elements; ++e)
#pragma unroll
            for (int dz = 0; dz < rows_z; ++dz) {
                const scalar* from = next + e * column.element + (dz - reach.low[2]) * column.plane;
                const vector_of<scalar, N> middle = load_vector<is_shared, scalar, N>(from);
#pragma unroll
                for (int i = 0; i < reach.low[0]; ++i) seen[e][dz][row][i] = load<is_shared>(from + i - reach.low[0]);
#pragma unroll
                for (int i = 0; i < N; ++i) seen[e][dz][row][reach.low[0] + i] = middle.values[i];
#pragma unroll
                for (int i = 0; i < reach.high[0]; ++i) seen[e][dz][row][reach.low[0] + N + i] = load<is_shared>(from + N + i);
            }
        next += column.row;
    }
};

template<class Function, class Grid, int N, class Indices> struct all_windows;
template<class Function, class Grid, int N, int... I>
struct all_windows<Function, Grid, N, index_list<I...>> : member_window<Function, Grid, N, I>... {
    template<int J> TESSERA_FN const member_window<Function, Grid, N, J>& of() const { return *this; }
    TESSERA_FN void begin(const arguments_of<Function>& args, std::int64_t x, std::int64_t y, std::int64_t z) {
        (member_window<Function, Grid, N, I>::begin(args, x, y, z), ...);
    }
    TESSERA_FN void advance() { (member_window<Function, Grid, N, I>::advance(), ...); }
    TESSERA_FN void write(const arguments_of<Function>& args, std::int64_t x, std::int64_t y, std::int64_t z) const {
        (member_window<Function, Grid, N, I>::write(args, x, y, z), ...);
    }
};
template<class Function, class Grid, int N>
using windows_of = all_windows<Function, Grid, N, indices_to<Function::row_members::member_count>>;

// Place v of the N that a thread owns.
template<class Function, class Grid, int N, bool Masked> struct window_view : view_base<Function, Grid> {
    using base = view_base<Function, Grid>;
    static constexpr bool masked = Masked;
    const windows_of<Function, Grid, N>& windows;
    std::uint64_t number; // of the step: in a register, so that what depends on it alone is computed once for all of a thread's places
    int v;

    TESSERA_FN window_view(const arguments_of<Function>& args, std::uint64_t number_, const place_position& first,
                           const windows_of<Function, Grid, N>& windows_, int v_)
        : base{&args, first.x + v_, first.y, first.z}, windows(windows_), number(number_), v(v_) {}

    template<int I> TESSERA_FN auto own() const { return at<I, 0, 0, 0>(); }

    template<int I, int X, int Y, int Z> TESSERA_FN auto at() const {
        using window = member_window<Function, Grid, N, I>;
        const window& w = windows.template of<I>();
        constexpr int dz = Z + window::reach.low[2], dy = Y + window::reach.low[1], dx = X + window::reach.low[0];
        if constexpr (same_type<scalar_of<Function, I>, value_of<Function, I>>)
            return w.seen[0][dz][dy][v + dx];
        else {
            value_of<Function, I> value;
#pragma unroll
            for (int e = 0; e < window::elements; ++e) value[e] = w.seen[e][dz][dy][v + dx];
            return value;
        }
    }
    template<int I> TESSERA_FN void store(const value_of<Function, I>& value) const {
        const auto& w = windows.template of<I>();
        if constexpr (same_type<scalar_of<Function, I>, value_of<Function, I>>)
            w.result[0][v] = value;
        else {
#pragma unroll
            for (int e = 0; e < elements_of<Function, I>; ++e) w.result[e][v] = value[e];
        }
    }
    template<int X, int Y, int Z> TESSERA_FN bool exists() const { return base::template exists_at<Masked, X, Y, Z>(); }
    TESSERA_FN std::int64_t step() const { return step_number(number); }
    TESSERA_FN random_stream random() const {
        return stream_of_several<Function, Grid, N>(base::args->random_key[0], base::x - v, v, base::y, base::z,
                                                    static_cast<std::uint32_t>(number));
    }
};

// The window's next line.
template<class Function, class Grid, int N, bool Masked>
TESSERA_FN void make_line(windows_of<Function, Grid, N>& windows, const arguments_of<Function>& args, std::uint64_t number,
                          const place_position& first) {
    windows.advance();
#pragma unroll
    for (int v = 0; v < N; ++v) {
        if (!TESSERA_GPU && Grid::size[0] % N != 0 && first.x + v >= Grid::size[0]) break; // a division by what is in hand might fail
        call_on<Function>(window_view<Function, Grid, N, Masked>(args, number, first, windows, v));
    }
    windows.write(args, first.x, first.y, first.z);
}

// Rows lines from y0 on, those before `end`. Where it is known that all are, nothing is asked between them, so that loads run ahead.
template<class Function, class Grid, int N, int Rows, bool Masked, bool Whole>
TESSERA_FN void slide_window(const arguments_of<Function>& args, std::int64_t x, std::int64_t y0, std::int64_t z, std::int64_t end) {
    const std::uint64_t number = *args.first_step + args.step_after_first;
    windows_of<Function, Grid, N> windows;
    windows.begin(args, x, y0, z);
#pragma unroll 4
    for (int j = 0; j < Rows; ++j) {
        const std::int64_t y = y0 + j;
        if (!Whole && y >= end) break;
        make_line<Function, Grid, N, Masked>(windows, args, number, {x, y, z});
    }
}
template<class Function, class Grid, int N, int Rows, bool Masked>
TESSERA_FN void slide_window(const arguments_of<Function>& args, std::int64_t x, std::int64_t y0, std::int64_t z) {
    constexpr bool ends_with_launch = Grid::in_bands && Grid::dims < 3; // else with the grid
    constexpr bool always_whole = Rows == 1 || (!ends_with_launch && Grid::size[1] % Rows == 0);
    const std::int64_t end = ends_with_launch ? args.end_row : Grid::size[1];
    if constexpr (ends_with_launch && !always_whole) { // nearly all are whole, and are made as fast as on a whole grid
        if (y0 + Rows <= end) return slide_window<Function, Grid, N, Rows, Masked, true>(args, x, y0, z, end);
    }
    slide_window<Function, Grid, N, Rows, Masked, always_whole>(args, x, y0, z, end);
}

// Tile number `tile`, row-major from the launch's first row on, of lanes of N x Rows places; lane is the thread's number in it.
template<class Function, class Grid, int N, int Rows, int Lanes>
TESSERA_FN void call_window_tile(const arguments_of<Function>& args, counter_of<Grid> tile, int lane) {
    using counter = counter_of<Grid>;
    constexpr bool planes = Grid::dims == 3;
    constexpr std::int64_t nx = Grid::size[0], ny = Grid::size[1];
    constexpr counter across = (nx + N * Lanes - 1) / (N * Lanes), down = (ny + Rows - 1) / Rows;
    const counter tiles_above = tile / across;
    const std::int64_t x = (static_cast<std::int64_t>(tile % across) * Lanes + lane) * N;
    std::int64_t y = static_cast<std::int64_t>(tiles_above % down) * Rows, z = tiles_above / down;
    if constexpr (Grid::in_bands) {
        if constexpr (planes)
            z += args.first_row;
        else
            y = args.first_row + static_cast<std::int64_t>(tiles_above) * Rows, z = 0;
        if ((planes ? z : y) >= args.end_row) return;
    }
    if (x >= nx || (!Grid::rows_are_sent && z >= Grid::size[2])) return;
    if constexpr (has_open_axis<Grid>) {
        constexpr int rx = reach_on<Function, Grid, 0>, ry = reach_on<Function, Grid, 1>, rz = reach_on<Function, Grid, 2>;
        const bool edge = (x < rx) | (x + N > nx - rx) | (y < ry) | (y + Rows > ny - ry) | (z < rz) | (z >= Grid::size[2] - rz);
        if (edge) return slide_window<Function, Grid, N, Rows, true>(args, x, y, z);
    }
    slide_window<Function, Grid, N, Rows, false>(args, x, y, z);
}

#if TESSERA_GPU
// A block is `blockDim.x / Lanes` tiles.
template<class Function, class Grid, int N, int Rows, int Lanes> TESSERA_FN void call_window(const arguments_of<Function>& args) {
    const counter_of<Grid> tiles = blockDim.x / Lanes;
    call_window_tile<Function, Grid, N, Rows, Lanes>(args, blockIdx.x * tiles + threadIdx.x / Lanes, threadIdx.x % Lanes);
}
#else
// Items are tiles.
template<class Function, class Grid, int N, int Rows, int Lanes>
inline void call_window(const void* args, std::int64_t first, std::int64_t last) {
    for (std::int64_t tile = first; tile < last; ++tile)
        for (int lane = 0; lane < Lanes; ++lane)
            call_window_tile<Function, Grid, N, Rows, Lanes>(*static_cast<const arguments_of<Function>*>(args), tile, lane);
}
#endif

} // namespace tessera
