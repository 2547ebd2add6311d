// Several steps of several functions as one kernel: which row of places each call works on, and what it has to have in hand for it.
//
// A program is a list of stages, one a call: those of a step in order, then those of the next step. A kernel that runs it streams down the
// rows; in one iteration every stage makes one row, `lag` rows behind the row that was loaded last, because it needs neighbours below from
// the stages before it. What a stage writes of a column is a new version of it. A version's newest rows are kept as long as later stages
// read them. A kernel may stream planes of z instead (Program::stream), and what is said of rows here holds for planes; or stream along an
// axis that the grid does not have, and then there is one plane alone.
//
// The host generates one Program type (host/views/program_source.cpp):
//     using grid, members;                             the geometry, and the row type's members
//     using functions = function_list<...>;            the calls of one step, in order
//     static constexpr int steps;                      how many steps
//     static constexpr int bits;                       0; or, where 32 places stand in a word (bit_lanes.hpp), the bits of a std::uint8_t
//     static constexpr bool words;                     whether these words are in memory too, and not bytes
//     static constexpr int stream;                     the axis that is streamed along: 1 or 2
//     static constexpr bool bounded;                   whether positions away from the edge are of a type that knows it (coordinate.hpp)
//     static constexpr int column[stages][members];    the column that stands for each member when a stage runs: phases `rotate` change it
#pragma once

#include <tessera/kernels/fused/stage_plan.hpp>
#include <tessera/kernels/launch/function_list.hpp>
#include <tessera/kernels/launch/grid.hpp>

namespace tessera::fused {

template<class Program> inline constexpr int stream_axis = Program::stream;
template<class Program> inline constexpr int other_axis = 3 - Program::stream;
template<class Grid> constexpr boundary rule_on(int axis) { return axis < Grid::dims ? Grid::rule[axis] : boundary::torus; }
template<class Program> inline constexpr boundary stream_rule = rule_on<typename Program::grid>(Program::stream);
// Whether what is beyond the first and last row is read at the other side; else it has rows of its own in memory, or is nowhere.
template<class Program>
inline constexpr bool rows_wrap = stream_rule<Program> == boundary::torus && !rows_sent_on<typename Program::grid, Program::stream>;

template<class Program, class Function, int I> constexpr stage_use use_in_stage() {
    constexpr int Dims = Program::grid::dims;
    constexpr auto member = Function::row_members::template pointer_to<I>();
    constexpr int bits = Function::access::template bits<member>;
    stage_use use{(bits & access_read) != 0, (bits & access_write) != 0, {}, {}, {}, {}};
    const reach_of_member reach = Function::access::template reach<member, Dims>();
    const int axes[] = {0, stream_axis<Program>, other_axis<Program>};
    for (int i = 0; i < 3; ++i) use.low[i] = reach.low[axes[i]], use.high[i] = reach.high[axes[i]];
    for (int dy = -most_reach_fused; dy <= most_reach_fused; ++dy) {
        const reach_of_member row = Function::access::template reach_in_row<member, Dims>(dy);
        use.left[dy + most_reach_fused] = row.low[0];
        use.right[dy + most_reach_fused] = row.high[0];
    }
    return use;
}

// As stage_plan.hpp says.
template<int Stages, int Members> struct program_plan {
    stage_use use[Stages][Members];
    int lag[Stages];
    int low[3][Stages], high[3][Stages];
    int version_of[Stages][Members];
    version_plan version[Stages + 1][Members];
    bool written[Members];
    constexpr int aside() const { return low[0][Stages - 1] > high[0][Stages - 1] ? low[0][Stages - 1] : high[0][Stages - 1]; }
    constexpr int above() const { return low[1][Stages - 1]; }
    constexpr int below() const { return lag[Stages - 1]; }
    constexpr int deepest() const {
        int depth = 1;
        for (const auto& made : version)
            for (const version_plan& v : made) depth = v.used && v.depth > depth ? v.depth : depth;
        return depth;
    }
};

template<class Program, int P, int... I> constexpr void add_uses(stage_use (&uses)[sizeof...(I)], index_list<I...>) {
    ((uses[I] = use_in_stage<Program, typename Program::functions::template at<P>, I>()), ...);
}
template<class Program> inline constexpr int stages_of = Program::functions::count* Program::steps;
template<class Program> inline constexpr int members_of = Program::members::member_count;
template<class Program> using plan_type = program_plan<stages_of<Program>, members_of<Program>>;
template<class Program> inline constexpr plan_size size_of_plan{stages_of<Program>, members_of<Program>};
template<class Program> constexpr bool mirrors(int axis) { return rule_on<typename Program::grid>(axis) == boundary::reflect; }

template<class Program, int... P> constexpr plan_type<Program> make_plan(index_list<P...>) {
    plan_type<Program> plan{};
    constexpr int calls = Program::functions::count;
    (add_uses<Program, P>(plan.use[P], indices_to<members_of<Program>>{}), ...);
    for (int k = calls; k < stages_of<Program>; ++k)
        for (int i = 0; i < members_of<Program>; ++i) plan.use[k][i] = plan.use[k - calls][i];
    const bool mirrored[] = {mirrors<Program>(0), mirrors<Program>(stream_axis<Program>), mirrors<Program>(other_axis<Program>)};
    int newest[members_of<Program>] = {};
    complete_plan(plan, size_of_plan<Program>, Program::column, newest, mirrored);
    return plan;
}
template<class Program> inline constexpr plan_type<Program> plan_of = make_plan<Program>(indices_to<Program::functions::count>{});

template<class Program, int K> using function_of = typename Program::functions::template at<K % Program::functions::count>;

// Column C's type: functions of one row type agree on it.
template<class Program, int C> using column_scalar = scalar_of<typename Program::functions::template at<0>, C>;
template<class Program, int C> using column_value = value_of<typename Program::functions::template at<0>, C>;
template<class Program, int C> inline constexpr int column_elements = elements_of<typename Program::functions::template at<0>, C>;

// What a kernel that runs a program gets.
// What the calls of a stage have in common: the number of its step, the key of its random numbers, and where values of steps stand.
struct stage_of_step {
    std::uint64_t number, key;
    const std::uint64_t* step_words;
};

template<class Program> using arguments_of_program = arguments<members_of<Program>, Program::functions::count>;

// The rows that a launch makes: all of them, unless it is known to make some.
template<class Grid, class Arguments> TESSERA_FN std::int64_t first_of_rows(const Arguments& args) {
    if constexpr (Grid::in_bands)
        return args.first_row;
    else
        return 0;
}
template<class Grid, class Arguments> TESSERA_FN std::int64_t end_of_rows(const Arguments& args) {
    if constexpr (Grid::in_bands)
        return args.end_row;
    else
        return Grid::dims == 3 ? Grid::size[2] : Grid::size[1];
}
// Of a tile's Rows rows from `first` on, those behind the launch's last one; what is behind the grid's is looked after by who needs it.
template<class Grid, int Rows, class Arguments> TESSERA_FN int rows_left_out(const Arguments& args, std::int64_t first) {
    if constexpr (Grid::in_bands)
        return first + Rows > args.end_row ? static_cast<int>(first + Rows - args.end_row) : 0;
    else
        return 0;
}

} // namespace tessera::fused
