// A span of x in a row of places, which the CPU's views share: a loop that compilers vectorise, with a pointer for each row that the
// function sees.
//
// Compilers vectorise it (measured, docs/performance.md) because the view is passed by value, its row pointers are hoisted out of the x
// loop, the loop is marked, and the masked path near open boundaries is a second instantiation.
#pragma once

#include <tessera/kernels/places/ghosts.hpp>

namespace tessera {

// Pointers to x = 0 of the rows of member I that Function sees, element 0. The caller fills them in.
template<class Function, class Grid, int I, bool Used = bits_of<Function, I> != 0> struct member_rows {};
template<class Function, class Grid, int I> struct member_rows<Function, Grid, I, true> {
    using scalar = scalar_of<Function, I>;
    static constexpr reach_of_member reach = reach_at<Function, Grid, I>;
    static constexpr int rows_y = reach.low[1] + 1 + reach.high[1], rows_z = reach.low[2] + 1 + reach.high[2];
    const scalar* in[rows_y * rows_z];
    scalar* out;

    template<int Y, int Z> TESSERA_FN const scalar* row() const { return in[(Z + reach.low[2]) * rows_y + Y + reach.low[1]]; }
};

template<class Function, class Grid, class Indices> struct rows_of_members;
template<class Function, class Grid, int... I>
struct rows_of_members<Function, Grid, index_list<I...>> : member_rows<Function, Grid, I>... {
    template<int J> TESSERA_FN member_rows<Function, Grid, J>& of() { return *this; }
    template<int J> TESSERA_FN const member_rows<Function, Grid, J>& of() const { return *this; }
};
template<class Function, class Grid> using all_rows = rows_of_members<Function, Grid, indices_to<Function::row_members::member_count>>;

// The elements of an array member stand as far apart as in columns, unless the rows are elsewhere.
template<class Grid> struct elements_in_columns {
    template<int I> static TESSERA_FN constexpr std::int64_t in() { return layout_of<Grid, I>().element; }
    template<int I> static TESSERA_FN constexpr std::int64_t out() { return layout_of<Grid, I>().element; }
};

// The places of a row; Elements says how far the elements of arrays are apart.
template<class Function, class Grid, bool Masked, class Elements> struct row_view : view_base<Function, Grid> {
    using base = view_base<Function, Grid>;
    static constexpr bool masked = Masked;
    all_rows<Function, Grid> rows;
    std::uint64_t number, key;        // of the step, of the random numbers
    const std::uint32_t* first_draws; // that of place x at [x], as far as call_span has made them
    const std::uint64_t* step_words;  // where values of the step stand

    TESSERA_FN row_view(const all_rows<Function, Grid>& rows_, std::int64_t y, std::int64_t z, std::uint64_t number_, std::uint64_t key_,
                        const std::uint64_t* step_words_)
        : base{nullptr, 0, y, z}, rows(rows_), number(number_), key(key_), first_draws(nullptr), step_words(step_words_) {}

    template<int I> TESSERA_FN auto own() const { return at<I, 0, 0, 0>(); }
    template<int I, int X, int Y, int Z> TESSERA_FN auto at() const {
        const auto* row = rows.template of<I>().template row<Y, Z>();
        if constexpr (elements_of<Function, I> == 1 && same_type<scalar_of<Function, I>, value_of<Function, I>>)
            return row[base::x + X];
        else {
            value_of<Function, I> value;
            for (int e = 0; e < elements_of<Function, I>; ++e) value[e] = row[base::x + X + e * Elements::template in<I>()];
            return value;
        }
    }
    template<int I> TESSERA_FN void store(const value_of<Function, I>& value) const {
        auto* row = rows.template of<I>().out;
        if constexpr (same_type<scalar_of<Function, I>, value_of<Function, I>>)
            row[base::x] = value;
        else
            for (int e = 0; e < elements_of<Function, I>; ++e) row[base::x + e * Elements::template out<I>()] = value[e];
    }
    template<int X, int Y, int Z> TESSERA_FN bool exists() const { return base::template exists_at<Masked, X, Y, Z>(); }
    TESSERA_FN std::int64_t step() const { return step_number(number); }
    template<class Value> TESSERA_FN auto global() const { return value_in_step<Value>(step_words, number); }
    TESSERA_FN std::uint64_t group_at(std::int64_t at) const { return random_group<Grid>(at, base::y, base::z); }
    TESSERA_FN random_stream random() const {
        const auto step = static_cast<std::uint32_t>(number);
        if constexpr (!draws_numbers<Function>) return place_stream<Grid>(key, base::x, base::y, base::z, step);
        const std::uint64_t group = random_group<Grid>(base::x, base::y, base::z);
        return random_stream(key, group, static_cast<std::uint32_t>(base::x & 3), step, first_draws[base::x]);
    }
};

template<class Function, class View> TESSERA_FN void call_at(View view, std::int64_t x) {
    view.x = x;
    call_on<Function>(view);
}
// `omp simd` is for g++ alone; clang vectorises as well when it has to find out for itself that the rows are apart. Where it cannot, that
// is no news for the author. g++ lets places share the arrays of a body, so that texts with arrays are compiled otherwise (jit/arrays.hpp).
#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wpass-failed"
#endif
template<class Function, class View> TESSERA_FN void call_known_span(const View view, std::int64_t from, std::int64_t until) {
#if defined(__clang__)
#pragma clang loop vectorize(enable)
#else
#pragma omp simd
#endif
    for (std::int64_t x = from; x < until; ++x) call_at<Function>(view, x);
}
// The first draws of `groups` groups of four.
TESSERA_FN void make_first_draws(std::uint32_t* draws, std::uint64_t key, std::uint64_t group, std::int64_t groups, std::uint32_t step) {
#if defined(__clang__)
#pragma clang loop vectorize(enable)
#else
#pragma omp simd
#endif
    for (std::int64_t g = 0; g < groups; ++g) {
        const philox_words block = random_block(key, group + static_cast<std::uint64_t>(g), step, 0);
        for (int w = 0; w < 4; ++w) draws[4 * g + w] = block.w[w];
    }
}
#if defined(__clang__)
#pragma clang diagnostic pop
#endif
// A span, piece by piece: the first draws of a piece, then its calls.
template<class Function, class View> TESSERA_FN void call_span(View view, std::int64_t from, std::int64_t until) {
    if constexpr (!draws_numbers<Function>) {
        call_known_span<Function>(view, from, until);
    } else {
        constexpr std::int64_t most = 256;
        std::uint32_t draws[most], *const drawn = draws; // a check of indices would take the place before the row for one of the array
        for (std::int64_t x = from, end; x < until; x = end) {
            const std::int64_t first = x & ~std::int64_t{3};
            end = until - first < most ? until : first + most;
            make_first_draws(drawn, view.key, view.group_at(first), (end - first + 3) / 4, static_cast<std::uint32_t>(view.number));
            view.first_draws = drawn - first;
            call_known_span<Function>(view, x, end);
        }
    }
}

// Calls Function for a part of a row. Places take the masked path if an offset leads beyond an open boundary.
template<class Function, class Grid, class Elements>
TESSERA_FN void call_places(const all_rows<Function, Grid>& rows, const row_part& part, std::uint64_t number, std::uint64_t key,
                            const std::uint64_t* step_words) {
    const auto [y, z, from, until] = part;
    const row_view<Function, Grid, false, Elements> view(rows, y, z, number, key, step_words);
    if constexpr (!has_open_axis<Grid>)
        call_span<Function>(view, from, until);
    else {
        constexpr int rx = reach_on<Function, Grid, 0>, ry = reach_on<Function, Grid, 1>, rz = reach_on<Function, Grid, 2>;
        const row_view<Function, Grid, true, Elements> masked(rows, y, z, number, key, step_words);
        const std::int64_t nx = extent_of<Grid, 0>();
        const bool edge_row = y < ry || y >= extent_of<Grid, 1>() - ry || z < rz || z >= extent_of<Grid, 2>() - rz;
        const std::int64_t left = from < rx ? (until < rx ? until : rx) : from;
        const std::int64_t right = until > nx - rx ? (left > nx - rx ? left : nx - rx) : until;
        if (edge_row)
            call_span<Function>(masked, from, until);
        else {
            call_span<Function>(masked, from, left);
            call_span<Function>(view, left, right);
            call_span<Function>(masked, right, until);
        }
    }
}

// Copies places [from, until) of row (y, z) of column I into the ghost cells that repeat them. `first` is the address of place (0, 0, 0).
template<class Grid, int I, class Scalar>
inline void copy_row_to_ghosts(Scalar* first, int elements, std::int64_t y, std::int64_t z, std::int64_t from, std::int64_t until) {
    if (!has_copies<Grid, I>(from, until - from, y, z)) return;
    if constexpr (runtime_grid<Grid>) {
        const auto& column = Grid::runtime().columns[I];
        for (int e = 0; e < elements; ++e)
            write_runtime_copies(Grid::runtime(), column, Grid::dims, first + e * column.element, {y, z, from, until});
    } else {
        constexpr column_layout column = Grid::columns[I];
        constexpr int gx = copied_ghosts<Grid, I, 0>;
        for (int e = 0; e < elements; ++e) {
            auto* const origin = first + e * column.element;
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
}

} // namespace tessera
