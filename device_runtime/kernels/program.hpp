// Several steps of several functions as one kernel: which row of places each call works on, and what it has to have in hand for it.
//
// A program is a list of stages, one a call: those of a step in order, then those of the next step. A kernel that runs it streams down the
// rows; in one iteration every stage makes one row, `lag` rows behind the row that was loaded last, because it needs neighbours below from
// the stages before it. What a stage writes of a column is a new version of it. A version's newest rows are kept as long as later stages
// read them. A kernel may stream planes of z instead (Program::stream), and what is said of rows here holds for planes; or stream along an
// axis that the grid does not have, and then there is one plane alone.
//
// The host generates one Program type (host/generate/kernel_source.cpp):
//     using grid, members;                             the geometry, and the row type's members
//     using functions = function_list<...>;            the calls of one step, in order
//     static constexpr int steps;                      how many steps
//     static constexpr int bits;                       0; or, where 32 places stand in a word (bit_slots.hpp), the bits of a std::uint8_t
//     static constexpr bool words;                     whether these words are in memory too, and not bytes
//     static constexpr int stream;                     the axis that is streamed along: 1 or 2
//     static constexpr bool bounded;                   whether positions away from the edge are of a type that knows it (coordinate.hpp)
//     static constexpr int column[stages][members];    the column that stands for each member when a stage runs: phases `rotate` change it
#pragma once

#include <tessera/kernels/grid.hpp>

namespace tessera {

template<int I, class T> struct indexed_type {};
template<class Indices, class... T> struct indexed_types;
template<int... I, class... T> struct indexed_types<index_list<I...>, T...> : indexed_type<I, T>... {};
template<int I, class T> same_as_given<T> type_at(const indexed_type<I, T>&);
template<class... T> struct function_list {
    static constexpr int count = sizeof...(T);
    template<int I> using at = typename decltype(type_at<I>(indexed_types<indices_to<count>, T...>{}))::type;
};

// How far rows are seen up and down by what is kept in registers or cached rows.
inline constexpr int most_reach_fused = 3;

// Reaches are given along x, along the axis that is streamed, and along the other one (of y and z).
template<class Program> inline constexpr int stream_axis = Program::stream;
template<class Program> inline constexpr int other_axis = 3 - Program::stream;
template<class Grid> constexpr boundary rule_on(int axis) { return axis < Grid::dims ? Grid::rule[axis] : boundary::torus; }
template<class Program> inline constexpr boundary stream_rule = rule_on<typename Program::grid>(Program::stream);

// How one stage uses one member.
struct stage_use {
    bool reads, writes;
    int low[3], high[3];
    int left[2 * most_reach_fused + 1], right[2 * most_reach_fused + 1]; // in x, for each row it sees: [dy + most_reach_fused]
};

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

// One version of a column: who makes it, and how much of it is kept.
struct version_plan {
    bool used, loaded; // loaded: from memory; else the stage's result
    bool last;         // what the column is at the end
    int lag;           // its newest row is so many rows behind the one that is loaded first
    int depth;         // rows kept
    int left, right;   // neighbours in x beside a thread's own places
    int beside_age;    // the rows that have them: this age (0: the newest) and older
};

template<int Stages, int Members> struct program_plan {
    stage_use use[Stages][Members];
    int lag[Stages];
    int low[3][Stages], high[3][Stages];       // reach summed over this stage and those before it; high[1] is the lag
    int version_of[Stages][Members];           // which version of its column a stage reads as a member: the stage that made it, + 1
    version_plan version[Stages + 1][Members]; // [made by stage - 1][column]
    bool written[Members];                     // columns
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

constexpr int larger(int a, int b) { return a > b ? a : b; }

// A mirror repeats what is on the one side on the other: what a stage sees to the left, it may need of the right.
template<class Program> constexpr void make_symmetric(stage_use& use) {
    const int axes[] = {0, stream_axis<Program>, other_axis<Program>};
    for (int i = 0; i < 3; ++i)
        if (rule_on<typename Program::grid>(axes[i]) == boundary::reflect) use.low[i] = use.high[i] = larger(use.low[i], use.high[i]);
}

template<class Program> constexpr void find_lags(plan_type<Program>& plan) {
    int low[3] = {}, high[3] = {};
    for (int k = 0; k < stages_of<Program>; ++k) {
        for (int axis = 0; axis < 3; ++axis) {
            int most_low = 0, most_high = 0;
            for (const stage_use& use : plan.use[k])
                most_low = larger(most_low, use.low[axis]), most_high = larger(most_high, use.high[axis]);
            plan.low[axis][k] = low[axis] += most_low;
            plan.high[axis][k] = high[axis] += most_high;
        }
        plan.lag[k] = high[1];
    }
}

template<class Program> constexpr void find_versions(plan_type<Program>& plan) {
    constexpr int members = members_of<Program>, stages = stages_of<Program>;
    for (int k = 0; k < stages; ++k)
        for (int i = 0; i < members; ++i)
            if (plan.use[k][i].writes) plan.written[Program::column[k][i]] = true;
    int newest[members] = {};
    for (int k = 0; k < stages; ++k) {
        for (int i = 0; i < members; ++i) {
            const int c = Program::column[k][i];
            // A column that nothing writes is loaded again by each stage that reads it: registers are dearer than the cache.
            const int v = plan.version_of[k][i] = plan.written[c] ? newest[c] : k + 1;
            version_plan& version = plan.version[v][c];
            if (!plan.use[k][i].reads) continue;
            const int lag = plan.lag[k] - plan.use[k][i].high[1];
            if (version.loaded || !version.used) version.lag = version.used && version.lag < lag ? version.lag : lag;
            if (v == 0 || !plan.written[c]) version.loaded = true;
            version.used = true;
        }
        for (int i = 0; i < members; ++i)
            if (plan.use[k][i].writes) {
                const int c = Program::column[k][i];
                newest[c] = k + 1;
                plan.version[k + 1][c] = {true, false, false, plan.lag[k], 1, 0, 0, 0};
            }
    }
    for (int c = 0; c < members; ++c)
        if (plan.written[c]) plan.version[newest[c]][c].last = true;
}

template<class Program> constexpr void find_depths(plan_type<Program>& plan) {
    constexpr int most = most_reach_fused;
    for (auto& made : plan.version)
        for (version_plan& v : made) v.beside_age = 1 << 20;
    for (int k = 0; k < stages_of<Program>; ++k)
        for (int i = 0; i < members_of<Program>; ++i) {
            const stage_use& use = plan.use[k][i];
            if (!use.reads) continue;
            version_plan& v = plan.version[plan.version_of[k][i]][Program::column[k][i]];
            v.depth = larger(v.depth, plan.lag[k] + use.low[1] - v.lag + 1);
            for (int dy = -most; dy <= most; ++dy) {
                const int left = use.left[dy + most], right = use.right[dy + most], age = plan.lag[k] - dy - v.lag;
                v.left = larger(v.left, left), v.right = larger(v.right, right);
                if ((left > 0 || right > 0) && age < v.beside_age) v.beside_age = age;
            }
        }
    if (stream_rule<Program> == boundary::reflect)
        for (auto& made : plan.version)
            for (version_plan& v : made) v.beside_age = 0; // what a row beyond the edge repeats has its neighbours at once
}

template<class Program, int... P> constexpr plan_type<Program> make_plan(index_list<P...>) {
    plan_type<Program> plan{};
    constexpr int calls = Program::functions::count;
    (add_uses<Program, P>(plan.use[P], indices_to<members_of<Program>>{}), ...);
    for (int k = calls; k < stages_of<Program>; ++k)
        for (int i = 0; i < members_of<Program>; ++i) plan.use[k][i] = plan.use[k - calls][i];
    for (auto& stage : plan.use)
        for (stage_use& use : stage) make_symmetric<Program>(use);
    find_lags<Program>(plan);
    find_versions<Program>(plan);
    find_depths<Program>(plan);
    return plan;
}
template<class Program> inline constexpr plan_type<Program> plan_of = make_plan<Program>(indices_to<Program::functions::count>{});

template<class Program, int K> using function_of = typename Program::functions::template at<K % Program::functions::count>;

// Column C's type: functions of one row type agree on it.
template<class Program, int C> using column_scalar = scalar_of<typename Program::functions::template at<0>, C>;
template<class Program, int C> using column_value = value_of<typename Program::functions::template at<0>, C>;
template<class Program, int C> inline constexpr int column_elements = elements_of<typename Program::functions::template at<0>, C>;

// What is beyond fixed and open boundaries; the host specialises it for such grids.
//     static constexpr <scalar> outside[elements], missing[elements];
template<class Grid, int C> struct beyond;

// What a kernel that runs a program gets; the host fills it in (host/schedule/step_plan.cpp), 8 bytes a field.
template<int Members, int Calls> struct program_arguments {
    const void* in[Members];
    void* out[Members];
    const std::uint64_t* first_step; // on the device
    std::uint64_t step_after_first;
    std::uint64_t random_key[Calls];
};
template<class Program> using arguments_of_program = program_arguments<members_of<Program>, Program::functions::count>;

} // namespace tessera
