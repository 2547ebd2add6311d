// What the stages of a program of fused steps (program.hpp) need of each other: how far each is behind the rows that are loaded first,
// which version of a column it reads, and how many rows of that are kept.
//
// One plan for who compiles the kernels, in arrays, and for the host, which tells what fits before anything is compiled, in vectors
// (host/views/program_plan.cpp). Plain C++ without an include, for both.
//
// A plan has, with as many stages and members as there are:
//     use[stage][member]            stage_use; is filled in before
//     low[axis][stage], high        reach summed over this stage and those before it; high[1] is the lag
//     lag[stage]
//     version_of[stage][member]     which version of its column a stage reads as a member: the stage that made it, + 1
//     version[stage + 1][column]    version_plan: [made by stage - 1]
//     written[column]
// Reaches are given along x, along the axis that is streamed, and along the other one (of y and z).
#pragma once

namespace tessera {

// How far rows are seen up and down by what is kept in registers or cached rows.
inline constexpr int most_reach_fused = 3;

// Of shared memory, that a kernel has without asking for more.
inline constexpr int most_shared_bytes = 48 << 10;
// Of a plane, one under the other, that a thread of a stream has (stream.hpp).
inline constexpr int rows_of_thread = 2;

// How one stage uses one member.
struct stage_use {
    bool reads, writes;
    int low[3], high[3];
    int left[2 * most_reach_fused + 1], right[2 * most_reach_fused + 1]; // in x, for each row it sees: [dy + most_reach_fused]
};

// One version of a column: who makes it, and how much of it is kept.
struct version_plan {
    bool used, loaded; // loaded: from memory; else the stage's result
    bool last;         // what the column is at the end
    int lag;           // its newest row is so many rows behind the one that is loaded first
    int depth;         // rows kept
    int left, right;   // neighbours in x beside a thread's own places
    int beside_age;    // the rows that have them: this age (0: the newest) and older
};

struct plan_size {
    int stages, members;
};

constexpr int larger(int a, int b) { return a > b ? a : b; }

// A mirror repeats what is on the one side on the other: what a stage sees to the left, it may need of the right.
constexpr void make_symmetric(stage_use& use, const bool (&mirrored)[3]) {
    for (int axis = 0; axis < 3; ++axis)
        if (mirrored[axis]) use.low[axis] = use.high[axis] = larger(use.low[axis], use.high[axis]);
}

template<class Plan> constexpr void find_lags(Plan& plan, plan_size size) {
    int low[3] = {}, high[3] = {};
    for (int k = 0; k < size.stages; ++k) {
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

// `column[stage][member]`: the column that stands for a member when a stage runs. `newest[column]` is all 0.
template<class Plan, class Columns, class Newest>
constexpr void find_versions(Plan& plan, plan_size size, const Columns& column, Newest& newest) {
    for (int k = 0; k < size.stages; ++k)
        for (int i = 0; i < size.members; ++i)
            if (plan.use[k][i].writes) plan.written[column[k][i]] = true;
    for (int k = 0; k < size.stages; ++k) {
        for (int i = 0; i < size.members; ++i) {
            const auto c = column[k][i];
            // A column that nothing writes is loaded again by each stage that reads it: registers are dearer than the cache.
            const int v = plan.version_of[k][i] = plan.written[c] ? newest[c] : k + 1;
            version_plan& version = plan.version[v][c];
            if (!plan.use[k][i].reads) continue;
            const int lag = plan.lag[k] - plan.use[k][i].high[1];
            if (version.loaded || !version.used) version.lag = version.used && version.lag < lag ? version.lag : lag;
            if (v == 0 || !plan.written[c]) version.loaded = true;
            version.used = true;
        }
        for (int i = 0; i < size.members; ++i)
            if (plan.use[k][i].writes) {
                const auto c = column[k][i];
                newest[c] = k + 1;
                plan.version[k + 1][c] = {true, false, false, plan.lag[k], 1, 0, 0, 0};
            }
    }
    for (int c = 0; c < size.members; ++c)
        if (plan.written[c]) plan.version[newest[c]][c].last = true;
}

template<class Plan, class Columns> constexpr void find_depths(Plan& plan, plan_size size, const Columns& column, bool stream_mirrored) {
    constexpr int most = most_reach_fused;
    for (auto& made : plan.version)
        for (version_plan& v : made) v.beside_age = 1 << 20;
    for (int k = 0; k < size.stages; ++k)
        for (int i = 0; i < size.members; ++i) {
            const stage_use& use = plan.use[k][i];
            if (!use.reads) continue;
            version_plan& v = plan.version[plan.version_of[k][i]][column[k][i]];
            v.depth = larger(v.depth, plan.lag[k] + use.low[1] - v.lag + 1);
            for (int dy = -most; dy <= most; ++dy) {
                const int left = use.left[dy + most], right = use.right[dy + most], age = plan.lag[k] - dy - v.lag;
                v.left = larger(v.left, left), v.right = larger(v.right, right);
                if ((left > 0 || right > 0) && age < v.beside_age) v.beside_age = age;
            }
        }
    if (stream_mirrored)
        for (auto& made : plan.version)
            for (version_plan& v : made) v.beside_age = 0; // what a row beyond the edge repeats has its neighbours at once
}

// Fills in all but the uses, which become symmetric where the grid is mirrored.
template<class Plan, class Columns, class Newest>
constexpr void complete_plan(Plan& plan, plan_size size, const Columns& column, Newest& newest, const bool (&mirrored)[3]) {
    for (auto& stage : plan.use)
        for (stage_use& use : stage) make_symmetric(use, mirrored);
    find_lags(plan, size);
    find_versions(plan, size, column, newest);
    find_depths(plan, size, column, mirrored[1]);
}

// The last stage that reads a version of a column; -1 if none does.
template<class Plan, class Columns> constexpr int last_reader(const Plan& plan, plan_size size, const Columns& column, int version, int c) {
    int last = -1;
    for (int k = 0; k < size.stages; ++k)
        for (int i = 0; i < size.members; ++i)
            if (plan.use[k][i].reads && static_cast<int>(column[k][i]) == c && plan.version_of[k][i] == version) last = k;
    return last;
}

// How old the plane is, counted from the newest, in which stages see other rows of a version of a column than their own.
inline constexpr int seen_across_by_none = -1, seen_across_in_several = -2;
template<class Plan, class Columns> constexpr int age_across(const Plan& plan, plan_size size, const Columns& column, int version, int c) {
    int age = seen_across_by_none;
    for (int k = 0; k < size.stages; ++k)
        for (int i = 0; i < size.members; ++i) {
            const stage_use& use = plan.use[k][i];
            if (!use.reads || use.low[2] + use.high[2] == 0 || static_cast<int>(column[k][i]) != c || plan.version_of[k][i] != version)
                continue;
            const int mine = plan.lag[k] - plan.version[version][c].lag;
            age = age == seen_across_by_none || age == mine ? mine : seen_across_in_several;
        }
    return age;
}

} // namespace tessera
