// The geometry of one collection of places, as constants, and what kernels of functions are given at a launch.
//
// The host generates one Grid type a collection (host/generate/kernel_source.cpp):
//     static constexpr int dims;                       1 to 3
//     static constexpr std::int64_t size[3];           extents; 1 on the axes beyond dims
//     static constexpr boundary rule[3];
//     static constexpr bool in_bands;                  whether a launch makes some of the rows; else it makes all, which is faster to know
//     static constexpr bool rows_are_sent;             whether rows beyond a launch's are others', who send them; a launch may make such
//     static constexpr column_layout columns[];        one a column: first of the members
//     static constexpr std::int64_t count;             of places that have numbers and no positions alone: the last row may have fewer
// or, for code that is compiled before its run is known, one that has them at run time (geometry.hpp).
// A column stands in memory as rows of x with a frame of ghost cells around them, so that reading a neighbour never branches.
#pragma once

#include <tessera/kernels/launch/arguments.hpp>
#include <tessera/kernels/launch/draws.hpp>
#include <tessera/kernels/launch/geometry.hpp>
#include <tessera/kernels/launch/step_values.hpp>
#include <tessera/kernels/launch/trial_view.hpp>
#include <tessera/self.hpp>

namespace tessera {

// Where an index of an axis stands, or comes from, less than Overlap beyond a torus' or mirror's edge. With no division where the grid is
// larger.
template<class Grid, int Axis, int Overlap> TESSERA_FN std::int64_t inside_of(std::int64_t i) {
    constexpr std::int64_t n = Grid::size[Axis];
    if constexpr (n < Overlap)
        return source_of(i, n, Grid::rule[Axis]);
    else if constexpr (Grid::rule[Axis] == boundary::torus)
        return i < 0 ? i + n : i >= n ? i - n : i;
    else
        return i < 0 ? -1 - i : i >= n ? 2 * n - 1 - i : i;
}

template<class Grid, int Axis> TESSERA_FN constexpr bool does_axis_copy_ghosts() {
    if constexpr (Axis >= Grid::dims)
        return false;
    else
        return (rule_on<Grid, Axis>() == boundary::torus || rule_on<Grid, Axis>() == boundary::reflect) && !are_rows_sent_on<Grid, Axis>();
}
template<class Grid, int Axis> inline constexpr bool axis_copies_ghosts = does_axis_copy_ghosts<Grid, Axis>();

template<class Grid> constexpr bool may_have_open_axis() {
    if constexpr (runtime_grid<Grid>)
        return Grid::may_be_open;
    else
        return Grid::rule[0] == boundary::open || (Grid::dims > 1 && Grid::rule[1] == boundary::open) ||
               (Grid::dims > 2 && Grid::rule[2] == boundary::open);
}
template<class Grid> inline constexpr bool has_open_axis = may_have_open_axis<Grid>();

// The type to count in: 32 bits where they are enough, for 64-bit divisions are slow on a GPU.
template<bool Fits> struct counter_type { using type = std::uint32_t; };
template<> struct counter_type<false> { using type = std::uint64_t; };
template<class Grid> constexpr bool are_places_few() {
    if constexpr (runtime_grid<Grid>)
        return false; // nobody knows
    else
        return Grid::size[0] * Grid::size[1] * Grid::size[2] < (std::int64_t(1) << 31);
}
template<class Grid> using counter_of = typename counter_type<are_places_few<Grid>()>::type;

// How far a function looks on an axis, over all its members.
template<class Function, class Grid, int Axis, int... I> constexpr int function_reach(index_list<I...>) {
    int reach = 0;
    const reach_of_member all[] = {Function::access::template reach<Function::row_members::template pointer_to<I>(), Grid::dims>()...};
    for (const reach_of_member& one : all) {
        if (one.low[Axis] > reach) reach = one.low[Axis];
        if (one.high[Axis] > reach) reach = one.high[Axis];
    }
    return reach;
}
template<class Function, class Grid, int Axis>
inline constexpr int reach_on = function_reach<Function, Grid, Axis>(indices_to<Function::row_members::member_count>{});

template<class Function, int I>
using scalar_of = typename member_type<typename pointed_to<decltype(Function::row_members::template pointer_to<I>())>::type>::scalar;
template<class Function, int I>
using value_of = typename member_type<typename pointed_to<decltype(Function::row_members::template pointer_to<I>())>::type>::value;
template<class Function, int I>
inline constexpr int elements_of =
    member_type<typename pointed_to<decltype(Function::row_members::template pointer_to<I>())>::type>::elements;
template<class Function, int I>
inline constexpr int bits_of = Function::access::template bits<Function::row_members::template pointer_to<I>()>;
template<class Function, class Grid, int I>
inline constexpr reach_of_member reach_at = Function::access::template reach<Function::row_members::template pointer_to<I>(), Grid::dims>();

// Whether a function sees a place that is so much further on an axis, of some member.
template<class Function, class Grid, int Axis, int... I> constexpr bool does_reach(int by, index_list<I...>) {
    const reach_of_member all[] = {Function::access::template reach<Function::row_members::template pointer_to<I>(), Grid::dims>()...};
    for (const reach_of_member& one : all)
        if (by >= -one.low[Axis] && by <= one.high[Axis]) return true;
    return false;
}
template<class Function, class Grid, int Axis, int By>
inline constexpr bool reaches_on = does_reach<Function, Grid, Axis>(By, indices_to<Function::row_members::member_count>{});

// Where each member's column stands among the arguments; those that the function does not name have none.
template<int Members> struct argument_table {
    int of[Members] = {}, count = 0;
};
template<class Function, int... I> constexpr argument_table<sizeof...(I)> place_arguments(index_list<I...>) {
    argument_table<sizeof...(I)> slots;
    const bool named[] = {(bits_of<Function, I> != 0)...};
    for (int i = 0; i < static_cast<int>(sizeof...(I)); ++i) slots.of[i] = named[i] ? slots.count++ : -1;
    return slots;
}
template<class Function>
inline constexpr argument_table<Function::row_members::member_count>
    argument_places = place_arguments<Function>(indices_to<Function::row_members::member_count>{});

// Whether places have numbers and no shape: their last row is short.
template<class Grid> inline constexpr bool is_numbered = requires { Grid::count; };

// Behind them, of a function that goes along links, what it needs for these (kernels/places/numbered.hpp).
template<class Function> constexpr int count_arguments() {
    if constexpr (requires { Function::tessera_arguments; })
        return Function::tessera_arguments; // of what the engine does for one
    else {
        int count = argument_places<Function>.count;
        if constexpr (requires { Function::tessera_link_arguments; }) count += Function::tessera_link_arguments;
        return count > 0 ? count : 1;
    }
}
template<class Function> using arguments_of = arguments<count_arguments<Function>(), 1>;

// Member I's column, as it is read and as it is written.
template<class Function, int I> TESSERA_FN const scalar_of<Function, I>* column_in(const arguments_of<Function>& args) {
    return static_cast<const scalar_of<Function, I>*>(args.in[argument_places<Function>.of[I]]);
}
template<class Function, int I> TESSERA_FN scalar_of<Function, I>* column_out(const arguments_of<Function>& args) {
    return static_cast<scalar_of<Function, I>*>(args.out[argument_places<Function>.of[I]]);
}

// A run has fewer than 2^32 steps (host/run_file); a compiler that knows it sees through conversions of the number. (An assumption would
// keep the number alive in every place that never asks for it.)
TESSERA_FN std::int64_t step_number(std::uint64_t number) { return static_cast<std::uint32_t>(number); }

// What all views of places share: where the place is, and what it can ask beyond its members.
template<class Function, class Grid> struct view_base {
    static constexpr int dims = Grid::dims;
    const arguments_of<Function>* args;
    std::int64_t x, y, z; // in memory: see home_row

    TESSERA_FN place_position position() const { return {x, home_row<Grid, 1>(y), home_row<Grid, 2>(z)}; }
    static TESSERA_FN place_position size() { return {extent_of<Grid, 0>(), extent_of<Grid, 1>(), extent_of<Grid, 2>()}; }
    TESSERA_FN std::int64_t step() const { return step_number(*args->first_step + args->step_after_first); }
    TESSERA_FN random_stream random() const { return place_stream<Grid>(args->random_key[0], x, y, z, static_cast<std::uint32_t>(step())); }
    template<class Value> TESSERA_FN auto global() const { return step_value<Value>(*args); }

    // Whether there is a place at the offset. Where the path is not masked, all offsets within Function's reach exist; to the other side
    // it may reach less far.
    template<bool Masked, int X, int Y, int Z> TESSERA_FN bool exists_at() const {
        constexpr bool within_reach =
            reaches_on<Function, Grid, 0, X> && reaches_on<Function, Grid, 1, Y> && reaches_on<Function, Grid, 2, Z>;
        if constexpr (within_reach && !Masked)
            return true;
        else
            return inside_open_axes<X, Y, Z>();
    }

private:
    template<int X, int Y, int Z> TESSERA_FN bool inside_open_axes() const {
        return is_inside<0, X>(x) & is_inside<1, Y>(y) & is_inside<2, Z>(z);
    }
    template<int Axis, int Offset> static TESSERA_FN bool is_inside(std::int64_t i) {
        if constexpr (Offset == 0 || Axis >= dims)
            return true;
        else
            return rule_on<Grid, Axis>() != boundary::open || ((i + Offset >= 0) & (i + Offset < extent_of<Grid, Axis>()));
    }
};

// One call of Function through a view: load, call, store.
template<class Function, class View> TESSERA_FN void call_through(const View& view) {
    place<Function, View> self(view);
    Function::call(self);
    self.tessera_store(view);
}
template<class Function, class View> TESSERA_FN void call_on(const View& view) {
#if defined(TESSERA_CHECKED)
    const noted_call call(view.x, view.y, view.z, 0, number_within(View::size(), view.x, view.y, view.z));
    call_checked<Function>(checked_view<typename Function::row_members, View, false>(view),
                           [](const auto& through) { call_through<Function>(through); });
#else
    call_through<Function>(view);
#endif
}

} // namespace tessera
