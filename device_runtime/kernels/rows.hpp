// The CPU's view of places: rows of x, with a pointer for each row that the function sees, in a loop that compilers vectorise.
//
// What makes them do so (measured, docs/performance.md): the view is passed by value, its row pointers are hoisted out of the x loop,
// the loop is marked for it, and the masked path near open boundaries is a second instantiation.
#pragma once

#include <tessera/kernels/ghosts.hpp>

namespace tessera {

// Pointers to x = 0 of the rows of member I that Function sees, element 0.
template<class Function, class Grid, int I, bool Used = bits_of<Function, I> != 0> struct member_rows {
    TESSERA_FN member_rows(const arguments_of<Function>&, std::int64_t, std::int64_t) {}
};
template<class Function, class Grid, int I> struct member_rows<Function, Grid, I, true> {
    using scalar = scalar_of<Function, I>;
    static constexpr reach_of_member reach = reach_at<Function, Grid, I>;
    static constexpr int rows_y = reach.low[1] + 1 + reach.high[1], rows_z = reach.low[2] + 1 + reach.high[2];
    const scalar* in[rows_y * rows_z];
    scalar* out;

    TESSERA_FN member_rows(const arguments_of<Function>& args, std::int64_t y, std::int64_t z) {
        constexpr column_layout column = Grid::columns[I];
        const std::int64_t here = y * column.row + z * column.plane;
        for (int dz = 0; dz < rows_z; ++dz)
            for (int dy = 0; dy < rows_y; ++dy)
                in[dz * rows_y + dy] = static_cast<const scalar*>(args.in[I]) + here + (dy - reach.low[1]) * column.row +
                                       (dz - reach.low[2]) * column.plane;
        out = static_cast<scalar*>(args.out[I]) + here;
        if constexpr ((bits_of<Function, I> & access_around) == 0) in[0] = out; // it is the same buffer: now the compiler knows it
    }
    template<int Y, int Z> TESSERA_FN const scalar* row() const { return in[(Z + reach.low[2]) * rows_y + Y + reach.low[1]]; }
};

template<class Function, class Grid, class Indices> struct all_rows;
template<class Function, class Grid, int... I> struct all_rows<Function, Grid, index_list<I...>> : member_rows<Function, Grid, I>... {
    TESSERA_FN all_rows(const arguments_of<Function>& args, std::int64_t y, std::int64_t z) : member_rows<Function, Grid, I>(args, y, z)... {}
};

template<class Function, class Grid, bool Masked> struct row_view : view_base<Function, Grid> {
    using base = view_base<Function, Grid>;
    static constexpr bool masked = Masked;
    all_rows<Function, Grid, indices_to<Function::row_members::member_count>> rows;

    TESSERA_FN row_view(const arguments_of<Function>& args, std::int64_t y, std::int64_t z) : base{&args, 0, y, z}, rows(args, y, z) {}

    template<int I> TESSERA_FN auto own() const { return at<I, 0, 0, 0>(); }
    template<int I, int X, int Y, int Z> TESSERA_FN auto at() const {
        const auto* row = static_cast<const member_rows<Function, Grid, I>&>(rows).template row<Y, Z>();
        if constexpr (elements_of<Function, I> == 1 && same_type<scalar_of<Function, I>, value_of<Function, I>>) return row[base::x + X];
        else {
            value_of<Function, I> value;
            for (int e = 0; e < elements_of<Function, I>; ++e) value[e] = row[base::x + X + e * Grid::columns[I].element];
            return value;
        }
    }
    template<int I> TESSERA_FN void store(const value_of<Function, I>& value) const {
        auto* row = static_cast<const member_rows<Function, Grid, I>&>(rows).out;
        if constexpr (same_type<scalar_of<Function, I>, value_of<Function, I>>) row[base::x] = value;
        else
            for (int e = 0; e < elements_of<Function, I>; ++e) row[base::x + e * Grid::columns[I].element] = value[e];
    }
    template<int X, int Y, int Z> TESSERA_FN bool exists() const { return base::template exists_at<Masked, X, Y, Z>(); }
};

template<class Function, class View> TESSERA_FN void call_at(View view, std::int64_t x) {
    view.x = x;
    call_on<Function>(view);
}
// `omp simd` is for g++ alone, which gives every place its own copy of an array that a body declares; clang 14 lets them share it, and vectorises
// as well when it has to find out for itself that the rows are apart. Where it cannot, that is no news for the author.
#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wpass-failed"
#endif
template<class Function, class View> TESSERA_FN void call_span(const View view, std::int64_t from, std::int64_t until) {
#if defined(__clang__)
#pragma clang loop vectorize(enable)
#else
#pragma omp simd
#endif
    for (std::int64_t x = from; x < until; ++x) call_at<Function>(view, x);
}
#if defined(__clang__)
#pragma clang diagnostic pop
#endif

// Copies places [from, until) of the row (y, z) into the ghost cells that repeat them.
template<class Function, class Grid, int I>
inline void copy_row_to_ghosts(const arguments_of<Function>& args, std::int64_t y, std::int64_t z, std::int64_t from, std::int64_t until) {
    constexpr column_layout column = Grid::columns[I];
    constexpr int gx = copied_ghosts<Grid, I, 0>;
    if (!has_copies<Grid, I>(from, until - from, y, z)) return;
    for (int e = 0; e < elements_of<Function, I>; ++e) {
        auto* const origin = static_cast<scalar_of<Function, I>*>(args.out[I]) + e * column.element;
        const auto* const source = origin + y * column.row + z * column.plane;
        const auto fill = [&](std::int64_t row_y, std::int64_t row_z) {
            auto* const target = origin + row_y * column.row + row_z * column.plane;
            if (target != source)
                for (std::int64_t x = from; x < until; ++x) target[x] = source[x];
            for (int k = 1; k <= gx; ++k)
                for (int side = 0; side < 2; ++side) {
                    const std::int64_t ghost = side == 0 ? -k : Grid::size[0] - 1 + k;
                    const std::int64_t x = source_of(ghost, Grid::size[0], Grid::rule[0]);
                    if (x >= from && x < until) target[ghost] = source[x];
                }
        };
        fill(y, z);
        for_each_row_copy<Grid, I>(y, z, fill);
    }
}
template<class Function, class Grid, int I> TESSERA_FN void copy_written_to_ghosts(const arguments_of<Function>& args, std::int64_t y,
                                                                                  std::int64_t z, std::int64_t from, std::int64_t until) {
    if constexpr ((bits_of<Function, I> & access_write) != 0) copy_row_to_ghosts<Function, Grid, I>(args, y, z, from, until);
}
template<class Function, class Grid, int... I> TESSERA_FN void copy_all_to_ghosts(const arguments_of<Function>& args, std::int64_t y, std::int64_t z,
                                                                             std::int64_t from, std::int64_t until, index_list<I...>) {
    (copy_written_to_ghosts<Function, Grid, I>(args, y, z, from, until), ...);
}

// Calls Function for places [from, until) of a row.
template<class Function, class Grid>
inline void call_row_part(const arguments_of<Function>& args, std::int64_t y, std::int64_t z, std::int64_t from, std::int64_t until) {
    if constexpr (!has_open_axis<Grid>) call_span<Function>(row_view<Function, Grid, false>(args, y, z), from, until);
    else {
        constexpr int rx = reach_on<Function, Grid, 0>, ry = reach_on<Function, Grid, 1>, rz = reach_on<Function, Grid, 2>;
        const row_view<Function, Grid, true> masked(args, y, z);
        const bool edge_row = y < ry || y >= Grid::size[1] - ry || z < rz || z >= Grid::size[2] - rz;
        const std::int64_t left = from < rx ? (until < rx ? until : rx) : from;
        const std::int64_t right = until > Grid::size[0] - rx ? (left > Grid::size[0] - rx ? left : Grid::size[0] - rx) : until;
        if (edge_row) call_span<Function>(masked, from, until);
        else {
            call_span<Function>(masked, from, left);
            call_span<Function>(row_view<Function, Grid, false>(args, y, z), left, right);
            call_span<Function>(masked, right, until);
        }
    }
    copy_all_to_ghosts<Function, Grid>(args, y, z, from, until, indices_to<Function::row_members::member_count>{});
}

// Items are the pieces of rows that Grid::pieces cuts each row into; [first, last) of them are this thread's.
template<class Function, class Grid> inline void call_rows(const void* argument, std::int64_t first, std::int64_t last) {
    const auto& args = *static_cast<const arguments_of<Function>*>(argument);
    constexpr std::int64_t nx = Grid::size[0], ny = Grid::size[1], pieces = Grid::pieces;
    for (std::int64_t item = first; item < last; ++item) {
        const std::int64_t row = item / pieces, piece = item % pieces;
        call_row_part<Function, Grid>(args, row % ny, row / ny, nx * piece / pieces, nx * (piece + 1) / pieces);
    }
}

} // namespace tessera
