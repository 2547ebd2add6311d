// The window for grids of three dimensions: a thread owns N adjacent places of some rows and marches along z, with the planes that the
// function sees in registers. A plane is loaded once for all planes that see it. What neighbouring rows share comes from the cache: the
// threads of a block stand in rows, one under the other.
#pragma once

#include <tessera/kernels/places/store.hpp>

namespace tessera {

// A grid as the planes that are marched through, along its last axis. On a grid of two dimensions a plane is a row of the grid.
template<class Grid> struct as_planes {
    static_assert(Grid::dims >= 2);
    static constexpr bool flat = Grid::dims == 2;
    static constexpr int axis = Grid::dims - 1;
    static constexpr std::int64_t rows = flat ? 1 : Grid::size[1], planes = Grid::size[axis];

    static constexpr std::int64_t row_stride(const column_layout& column) { return flat ? 0 : column.row; }
    static constexpr std::int64_t plane_stride(const column_layout& column) { return flat ? column.row : column.plane; }
    // How far a function sees in its own plane, along y.
    static constexpr int in_plane(const int (&reach)[3]) { return flat ? 0 : reach[1]; }
    static TESSERA_FN place_position position(std::int64_t x, std::int64_t row, std::int64_t plane) {
        return flat ? place_position{x, plane, 0} : place_position{x, row, plane};
    }
};

// How a kernel marches: adjacent places, rows and planes of a thread; threads of a block beside each other, and rows of threads.
template<int N, int Rows, int Planes, int Lanes, int Tall> struct march_shape {
    static constexpr int places = N, rows = Rows, planes = Planes, lanes = Lanes, tall = Tall;
    static constexpr int wide = N * Lanes, high = Rows * Tall; // places of a block
    static constexpr int unrolled = Planes * Rows * N <= 16 ? Planes : Rows * N >= 16 ? 1 : 16 / (Rows * N);
};

// How far from where they stand in the row the places beside a thread's are read, so that what is beyond the edge of a torus is read at the
// other side of the row: its ghosts, which stand in lines of their own, are written for others and not read. (Of bytes one by one that
// costs more than it saves.)
template<class Grid, int N, int Reach, bool Gains> struct row_round {
    static constexpr bool is_needed = Gains && Grid::rule[0] == boundary::torus && Grid::size[0] % N == 0 && Reach <= N && Reach > 0 &&
                                      Grid::size[0] < (std::int64_t(1) << 30);
    int left, right;

    TESSERA_FN void begin(std::int64_t x) {
        left = is_needed && x == 0 ? static_cast<int>(Grid::size[0]) : 0;
        right = is_needed && x + N == Grid::size[0] ? -static_cast<int>(Grid::size[0]) : 0;
    }
};

// The registers of member I: the planes that Function sees of a thread's places and of what lies beside them, and the results of a plane.
template<class Function, class Grid, class Shape, int I, bool Used = bits_of<Function, I> != 0> struct member_planes {
    TESSERA_FN void begin(const arguments_of<Function>&, const place_position&) {}
    TESSERA_FN void advance() {}
    TESSERA_FN void write(const arguments_of<Function>&, const place_position&) const {}
};
template<class Function, class Grid, class Shape, int I> struct member_planes<Function, Grid, Shape, I, true> {
    using scalar = scalar_of<Function, I>;
    static constexpr int bits = bits_of<Function, I>, elements = elements_of<Function, I>, N = Shape::places;
    static constexpr bool is_read = (bits & access_read) != 0, is_written = (bits & access_write) != 0,
                          is_shared = (bits & access_around) != 0;
    static constexpr column_layout column = Grid::columns[I];
    static constexpr reach_of_member reach = reach_at<Function, Grid, I>;
    static constexpr int rows_y = reach.low[1] + Shape::rows + reach.high[1], rows_z = reach.low[2] + 1 + reach.high[2];
    static constexpr int width = reach.low[0] + N + reach.high[0];
    static constexpr bool has_all_rows = Grid::size[1] % Shape::rows == 0; // whichever thread it is

    const scalar* next;    // the first of the thread's places, in the plane that is loaded next
    std::int64_t last_row; // the last one that there is to be seen, from the thread's first on
    row_round<Grid, N, (reach.low[0] > reach.high[0] ? reach.low[0] : reach.high[0]), (sizeof(scalar) >= 4)> round;
    scalar seen[is_read ? elements : 1][rows_z][rows_y][width];
    mutable scalar result[is_written ? elements : 1][Shape::rows][N];

    // Loads the planes before the last one that the places of a plane see.
    TESSERA_FN void begin(const arguments_of<Function>& args, const place_position& first) {
        if constexpr (is_read) {
            next = column_in<Function, I>(args) + first.x + first.y * column.row + (first.z - reach.low[2]) * column.plane;
            if (!has_all_rows) last_row = Grid::size[1] - 1 - first.y + reach.high[1];
            round.begin(first.x);
#pragma unroll
            for (int plane = 1; plane < rows_z; ++plane) load_plane(plane);
        }
    }
    // Goes on by a plane.
    TESSERA_FN void advance() {
        if constexpr (is_read) {
#pragma unroll
            for (int e = 0; e < elements; ++e)
#pragma unroll
                for (int plane = 0; plane + 1 < rows_z; ++plane)
#pragma unroll
                    for (int row = 0; row < rows_y; ++row)
#pragma unroll
                        for (int i = 0; i < width; ++i) seen[e][plane][row][i] = seen[e][plane + 1][row][i];
            load_plane(rows_z - 1);
        }
    }
    TESSERA_FN void write(const arguments_of<Function>& args, const place_position& first) const {
        if constexpr (is_written) {
#pragma unroll
            for (int row = 0; row < Shape::rows; ++row) {
                if (!has_all_rows && first.y + row >= Grid::size[1]) break;
#pragma unroll
                for (int e = 0; e < elements; ++e)
                    store_places<Grid, I, N>(column_out<Function, I>(args) + e * column.element, result[e][row], first.x, first.y + row,
                                             first.z);
            }
        }
    }

private:
    TESSERA_FN void load_plane(int plane) {
#pragma unroll
        for (int e = 0; e < elements; ++e)
#pragma unroll
            for (int r = 0; r < rows_y; ++r) {
                const int row = r - reach.low[1];
                load_row(seen[e][plane][r], next + e * column.element + (has_all_rows || row <= last_row ? row : last_row) * column.row);
            }
        next += column.plane;
    }
    TESSERA_FN void load_row(scalar (&row)[width], const scalar* from) const {
        const vector_of<scalar, N> middle = load_vector<is_shared, scalar, N>(from);
#pragma unroll
        for (int i = 0; i < reach.low[0]; ++i) row[i] = load<is_shared>(from + i - reach.low[0] + round.left);
#pragma unroll
        for (int i = 0; i < N; ++i) row[reach.low[0] + i] = middle.values[i];
#pragma unroll
        for (int i = 0; i < reach.high[0]; ++i) row[reach.low[0] + N + i] = load<is_shared>(from + N + i + round.right);
    }
};

template<class Function, class Grid, class Shape, class Indices> struct all_member_planes;
template<class Function, class Grid, class Shape, int... I>
struct all_member_planes<Function, Grid, Shape, index_list<I...>> : member_planes<Function, Grid, Shape, I>... {
    template<int J> TESSERA_FN const member_planes<Function, Grid, Shape, J>& of() const { return *this; }
    TESSERA_FN void begin(const arguments_of<Function>& args, const place_position& first) {
        (member_planes<Function, Grid, Shape, I>::begin(args, first), ...);
    }
    TESSERA_FN void advance() { (member_planes<Function, Grid, Shape, I>::advance(), ...); }
    TESSERA_FN void write(const arguments_of<Function>& args, const place_position& first) const {
        (member_planes<Function, Grid, Shape, I>::write(args, first), ...);
    }
};
template<class Function, class Grid, class Shape>
using planes_of = all_member_planes<Function, Grid, Shape, indices_to<Function::row_members::member_count>>;

// Place v of row `row` of those that a thread owns in a plane.
template<class Function, class Grid, class Shape, bool Masked> struct march_view : view_base<Function, Grid> {
    using base = view_base<Function, Grid>;
    static constexpr bool masked = Masked;
    const planes_of<Function, Grid, Shape>& planes;
    std::uint64_t number; // of the step
    int row, v;

    TESSERA_FN march_view(const arguments_of<Function>& args, std::uint64_t number_, const place_position& first,
                          const planes_of<Function, Grid, Shape>& planes_, int row_, int v_)
        : base{&args, first.x + v_, first.y + row_, first.z}, planes(planes_), number(number_), row(row_), v(v_) {}

    template<int I> TESSERA_FN auto own() const { return at<I, 0, 0, 0>(); }

    template<int I, int X, int Y, int Z> TESSERA_FN auto at() const {
        using member = member_planes<Function, Grid, Shape, I>;
        const member& of = planes.template of<I>();
        constexpr int dz = Z + member::reach.low[2], dy = Y + member::reach.low[1], dx = X + member::reach.low[0];
        if constexpr (same_type<scalar_of<Function, I>, value_of<Function, I>>)
            return of.seen[0][dz][row + dy][v + dx];
        else {
            value_of<Function, I> value;
#pragma unroll
            for (int e = 0; e < member::elements; ++e) value[e] = of.seen[e][dz][row + dy][v + dx];
            return value;
        }
    }
    template<int I> TESSERA_FN void store(const value_of<Function, I>& value) const {
        const auto& of = planes.template of<I>();
        if constexpr (same_type<scalar_of<Function, I>, value_of<Function, I>>)
            of.result[0][row][v] = value;
        else {
#pragma unroll
            for (int e = 0; e < elements_of<Function, I>; ++e) of.result[e][row][v] = value[e];
        }
    }
    template<int X, int Y, int Z> TESSERA_FN bool exists() const { return base::template exists_at<Masked, X, Y, Z>(); }
    TESSERA_FN std::int64_t step() const { return step_number(number); }
    TESSERA_FN random_stream random() const {
        return stream_of_several<Function, Grid, Shape::places>(base::args->random_key[0], base::x - v, v, base::y, base::z,
                                                                static_cast<std::uint32_t>(number));
    }
};

// The places of the next plane.
template<class Function, class Grid, class Shape, bool Masked>
TESSERA_FN void make_plane(planes_of<Function, Grid, Shape>& planes, const arguments_of<Function>& args, std::uint64_t number,
                           const place_position& first) {
    planes.advance();
#pragma unroll
    for (int row = 0; row < Shape::rows; ++row)
#pragma unroll
        for (int v = 0; v < Shape::places; ++v) {
            // A division by what is in hand for a place beyond the grid might fail.
            if (!TESSERA_GPU && (first.x + v >= Grid::size[0] || first.y + row >= Grid::size[1])) break;
            call_on<Function>(march_view<Function, Grid, Shape, Masked>(args, number, first, planes, row, v));
        }
    planes.write(args, first);
}

// Shape::planes planes from the first place on, those before `end`. Where it is known that all are, nothing is asked between them, so that
// loads run ahead.
template<class Function, class Grid, class Shape, bool Masked, bool Whole>
TESSERA_FN void march(const arguments_of<Function>& args, const place_position& first, std::int64_t end) {
    const std::uint64_t number = *args.first_step + args.step_after_first;
    planes_of<Function, Grid, Shape> planes;
    planes.begin(args, first);
#pragma unroll Shape::unrolled
    for (int k = 0; k < Shape::planes; ++k) {
        const std::int64_t z = first.z + k;
        if (!Whole && z >= end) break;
        make_plane<Function, Grid, Shape, Masked>(planes, args, number, {first.x, first.y, z});
    }
}
template<class Function, class Grid, class Shape, bool Masked>
TESSERA_FN void march(const arguments_of<Function>& args, const place_position& first, std::int64_t end) {
    constexpr bool always_whole = Shape::planes == 1 || (!Grid::in_bands && Grid::size[2] % Shape::planes == 0);
    if constexpr (!always_whole && Grid::in_bands) { // nearly all are whole, and are made as fast as on a whole grid
        if (first.z + Shape::planes <= end) return march<Function, Grid, Shape, Masked, true>(args, first, end);
    }
    march<Function, Grid, Shape, Masked, always_whole>(args, first, end);
}

// Calls `visit(first, end)` with the first of a thread's places, if it has any, and the end of the launch's planes. Blocks are numbered
// along x, then y, then z, from the launch's first plane on. A block's rows of threads lie one under the other in a plane; where a plane is
// a row, each has planes of its own.
template<class Grid, class Shape, class Visit>
TESSERA_FN void visit_march(const launch_arguments& args, counter_of<Grid> block, int thread, Visit&& visit) {
    using counter = counter_of<Grid>;
    using grid = as_planes<Grid>;
    constexpr std::int64_t nx = Grid::size[0], ny = grid::rows;
    constexpr counter across = (nx + Shape::wide - 1) / Shape::wide, down = (ny + Shape::high - 1) / Shape::high;
    const counter blocks_before = block / across;
    const int row_of_threads = thread / Shape::lanes;
    const std::int64_t x = static_cast<std::int64_t>(block % across) * Shape::wide + thread % Shape::lanes * Shape::places;
    const std::int64_t y = grid::flat ? 0 : static_cast<std::int64_t>(blocks_before % down) * Shape::high + row_of_threads * Shape::rows;
    const std::int64_t before = grid::flat ? static_cast<std::int64_t>(blocks_before) * Shape::tall + row_of_threads : blocks_before / down;
    const std::int64_t z = (Grid::in_bands ? args.first_row : 0) + before * Shape::planes;
    const std::int64_t end = Grid::in_bands ? args.end_row : grid::planes;
    if (x < nx && y < ny && z < end) visit(place_position{x, y, z}, end);
}

template<class Function, class Grid, class Shape>
TESSERA_FN void call_march_thread(const arguments_of<Function>& args, counter_of<Grid> block, int thread) {
    static_assert(Grid::dims == 3, "a window slides down the rows of other grids");
    visit_march<Grid, Shape>(args, block, thread, [&](const place_position& first, std::int64_t end) {
        if constexpr (has_open_axis<Grid>) {
            constexpr int rx = reach_on<Function, Grid, 0>, ry = reach_on<Function, Grid, 1>, rz = reach_on<Function, Grid, 2>;
            const auto [x, y, z] = first;
            const bool edge = (x < rx) | (x + Shape::places > Grid::size[0] - rx) | (y < ry) | (y + Shape::rows > Grid::size[1] - ry) |
                              (z < rz) | (z + Shape::planes > Grid::size[2] - rz);
            if (edge) return march<Function, Grid, Shape, true>(args, first, end);
        }
        march<Function, Grid, Shape, false>(args, first, end);
    });
}

#if TESSERA_GPU
template<class Function, class Grid, class Shape> TESSERA_FN void call_march(const arguments_of<Function>& args) {
    call_march_thread<Function, Grid, Shape>(args, blockIdx.x, static_cast<int>(threadIdx.x));
}
#else
// Items are blocks.
template<class Function, class Grid, class Shape> inline void call_march(const void* args, std::int64_t first, std::int64_t last) {
    for (std::int64_t block = first; block < last; ++block)
        for (int thread = 0; thread < Shape::lanes * Shape::tall; ++thread)
            call_march_thread<Function, Grid, Shape>(*static_cast<const arguments_of<Function>*>(args),
                                                     static_cast<counter_of<Grid>>(block), thread);
}
#endif

} // namespace tessera
