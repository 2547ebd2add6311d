// The view of fused steps for small planes: a warp has a patch of the plane in its registers and makes all the steps of it there.
//
// In a pipeline every stage waits for the one before it, and every row for its load. Where many warps share a multiprocessor that costs
// nothing; a small plane has too few of them. Here all rows are loaded at once, and the rows of a step do not wait for each other. The
// price is rows above and below that are worked out in every step and needed in none but the first ones. Steps are a loop: what rotations
// do to the columns repeats, and the loop's body is one period of it. All patches take one path, that of the edge.
#pragma once

#include <tessera/kernels/fused/lanes.hpp>

namespace tessera::fused {

// Steps after which the same columns stand for the same members again.
template<class Program> constexpr int rotation_period() {
    constexpr int calls = Program::functions::count;
    for (int period = 1; period < Program::steps; ++period) {
        bool same = true;
        for (int k = period * calls; k < stages_of<Program>; ++k)
            for (int i = 0; i < members_of<Program>; ++i) same = same && Program::column[k][i] == Program::column[k - period * calls][i];
        if (same) return period;
    }
    return Program::steps;
}

// Geometry of the patches: N places a lane, Rows rows that are stored.
template<class Program, int N, int Rows> struct patch_shape {
    using grid = typename Program::grid;
    static constexpr plan_type<Program> plan = plan_of<Program>;
    static constexpr int above = plan.low[1][stages_of<Program> - 1], below = plan.high[1][stages_of<Program> - 1],
                         height = above + Rows + below;
    static constexpr int halo = (plan.aside() + N - 1) / N * N, width = warp_lanes * N, useful = width - 2 * halo;
    static_assert(useful > 0, "a patch must be wider than what the steps see");
    static constexpr std::int64_t across = (grid::size[0] + useful - 1) / useful;
};

// How the stages use a column.
struct column_use {
    bool read, written;
    int left, right;
};
template<class Program> constexpr column_use use_of_column(int c) {
    constexpr plan_type<Program> plan = plan_of<Program>;
    column_use all{};
    for (int k = 0; k < stages_of<Program>; ++k)
        for (int i = 0; i < members_of<Program>; ++i) {
            if (Program::column[k][i] != c) continue;
            const stage_use& use = plan.use[k][i];
            all.read |= use.reads, all.written |= use.writes;
            for (int row = 0; row <= 2 * most_reach_fused; ++row)
                if (use.reads) all.left = larger(all.left, use.left[row]), all.right = larger(all.right, use.right[row]);
        }
    return all;
}

// A lane's part of a column: what stands there, what a stage makes of it, and what its neighbours have beside it.
template<class Program, int N, int Height, int C, bool Used = use_of_column<Program>(C).read || use_of_column<Program>(C).written>
struct patch_column {};
template<class Program, int N, int Height, int C> struct patch_column<Program, N, Height, C, true> {
    using scalar = column_scalar<Program, C>;
    static constexpr column_use use = use_of_column<Program>(C);
    static constexpr int elements = column_elements<Program, C>, beside_left = use.left, beside_right = use.right;
    scalar rows[Height][elements][N], made[Height][elements][N];
    scalar left[Height][elements][larger(beside_left, 1)], right[Height][elements][larger(beside_right, 1)];
};
template<class Program, int N, int Height, class Columns> struct patch_lane;
template<class Program, int N, int Height, int... C>
struct patch_lane<Program, N, Height, index_list<C...>> : patch_column<Program, N, Height, C>... {
    template<int Column> TESSERA_FN patch_column<Program, N, Height, Column>& of() { return *this; }
    template<int Column> TESSERA_FN const patch_column<Program, N, Height, Column>& of() const { return *this; }
};
template<class Program, int N, int Height> using patch_lane_of = patch_lane<Program, N, Height, indices_to<members_of<Program>>>;

// Place v of a lane's N in a row of the patch, in stage K.
template<class Program, int N, int Height, int K> struct patch_view : view_base<function_of<Program, K>, typename Program::grid> {
    using function = function_of<Program, K>;
    using grid = typename Program::grid;
    using base = view_base<function, grid>;
    static constexpr bool masked = true;
    patch_lane_of<Program, N, Height>& lane;
    int row, v;
    std::uint64_t number, key; // of the step, of the random numbers
    const std::uint64_t* step_words;

    TESSERA_FN patch_view(patch_lane_of<Program, N, Height>& lane_, std::int64_t x, std::int64_t y, int row_, int v_,
                          const stage_of_step& stage)
        : base{nullptr, x, y, 0}, lane(lane_), row(row_), v(v_), number(stage.number), key(stage.key), step_words(stage.step_words) {}

    template<int I> TESSERA_FN auto own() const { return at<I, 0, 0, 0>(); }
    template<int I, int X, int Y, int Z> TESSERA_FN auto at() const {
        const auto& kept = lane.template of<Program::column[K][I]>();
        if constexpr (same_type<scalar_of<function, I>, value_of<function, I>>)
            return slot(kept, row + Y, 0, v + X);
        else {
            value_of<function, I> value;
#pragma unroll
            for (int e = 0; e < elements_of<function, I>; ++e) value[e] = slot(kept, row + Y, e, v + X);
            return value;
        }
    }
    template<int I> TESSERA_FN void store(const value_of<function, I>& value) const {
        auto& made = lane.template of<Program::column[K][I]>().made;
        if constexpr (same_type<scalar_of<function, I>, value_of<function, I>>)
            made[row][0][v] = value;
        else {
#pragma unroll
            for (int e = 0; e < elements_of<function, I>; ++e) made[row][e][v] = value[e];
        }
    }
    template<int X, int Y, int Z> TESSERA_FN bool exists() const { return base::template exists_at<true, X, Y, Z>(); }
    TESSERA_FN std::int64_t step() const { return step_number(number); }
    template<class Value> TESSERA_FN auto global() const { return value_in_step<Value>(step_words, number); }
    TESSERA_FN random_stream random() const {
        if constexpr (grid::rule[0] == boundary::torus && grid::size[0] % N != 0) // places wrap, each by itself
            return place_stream<grid>(key, base::x, base::y, 0, static_cast<std::uint32_t>(number));
        else
            return stream_of_several<function, grid, N>(key, base::x - v, v, base::y, 0, static_cast<std::uint32_t>(number));
    }

private:
    template<class Kept> static TESSERA_FN auto slot(const Kept& kept, int row, int e, int number) { // counted from the lane's first
        return number < 0    ? kept.left[row][e][larger(Kept::beside_left, 1) + number]
               : number >= N ? kept.right[row][e][number - N]
                             : kept.rows[row][e][number];
    }
};

// The patch whose first stored row is y0; x0 is where the first lane stands.
template<class Program, int N, int Rows> struct patch {
    using shape = patch_shape<Program, N, Rows>;
    using grid = typename Program::grid;
    static constexpr plan_type<Program> plan = plan_of<Program>;
    static constexpr int members = members_of<Program>, calls = Program::functions::count, period = rotation_period<Program>(),
                         height = shape::height;
    using lane_state = patch_lane_of<Program, N, height>;
    static constexpr bool careful = !TESSERA_GPU; // as in a pipeline: a CPU leaves out what nobody needs, with which a division might fail
    static constexpr boundary rule_x = grid::rule[0], rule_y = grid::rule[1];
    static constexpr bool has_beyond = rule_x != boundary::torus || rule_y != boundary::torus;
    static constexpr std::int64_t nx = grid::size[0], ny = grid::size[1];

    const arguments_of_program<Program>& args;
    const std::int64_t x0, y0;
    const std::uint64_t step0;
    warp<lane_state> lanes;

    TESSERA_FN patch(const arguments_of_program<Program>& args_, std::int64_t x0_, std::int64_t y0_)
        : args(args_), x0(x0_), y0(y0_), step0(*args_.first_step + args_.step_after_first) {}

    TESSERA_FN void run() { run_columns(indices_to<members>{}); }

private:
    template<int... C> TESSERA_FN void run_columns(index_list<C...>) {
        lanes.each_lane([](lane_state& state, int) { state = lane_state{}; }); // what nobody needs is worked out too, of something
        (load<C>(), ...);
#pragma unroll 1
        for (int step = 0; step < Program::steps; step += period) make_steps(step, indices_to<period>{});
        (store<C>(), ...);
    }
    template<int... P> TESSERA_FN void make_steps(int step, index_list<P...>) { (make_step<P>(step + P, indices_to<calls>{}), ...); }
    template<int P, int... Call> TESSERA_FN void make_step(int step, index_list<Call...>) {
        if (Program::steps % period == 0 || step < Program::steps) (make_stage<P * calls + Call>(step), ...);
    }

    static constexpr int most(int k, bool low) {
        int reach = 0;
        for (const stage_use& use : plan.use[k]) reach = larger(reach, low ? use.low[1] : use.high[1]);
        return reach;
    }
    template<int K> TESSERA_FN void make_stage(int step) {
        constexpr int first = most(K, true), end = height - most(K, false);
#pragma unroll
        for (int row = first; row < end; ++row) make_row<K>(step, row, row == first, indices_to<members>{});
        commit<K>(indices_to<members>{}, first, end);
    }
    template<int K, int... I> TESSERA_FN void make_row(int step, int row, bool is_first, index_list<I...>) {
        (see_beside<K, I>(row, is_first), ...);
        const std::int64_t y = y0 - shape::above + row;
        if (careful && !is_needed(step * calls + K % calls, row, y)) return;
        lanes.each_lane([&](lane_state& state, int lane) {
#pragma unroll
            for (int v = 0; v < N; ++v) call_place<K>(state, step, row, lane, v, y);
        });
    }
    TESSERA_FN bool is_needed(int stage, int row, std::int64_t y) const {
        const int rows = height - rows_left_out<grid, Rows>(args, y0);
        return row >= plan.low[1][stage] && row < rows - plan.high[1][stage] && (rule_y == boundary::torus || (y >= 0 && y < ny));
    }
    template<int K> TESSERA_FN void call_place(lane_state& state, int step, int row, int lane, int v, std::int64_t y) {
        std::int64_t x = x0 + lane * N + v;
        if constexpr (careful) {
            const int place = lane * N + v, stage = step * calls + K % calls;
            if (place < plan.low[0][stage] || place >= shape::width - plan.high[0][stage]) return;
            if (rule_x != boundary::torus && (x < 0 || x >= nx)) return;
        }
        if constexpr (rule_x == boundary::torus && nx % N == 0)
            x = inside_of<grid, 0, shape::width>(x - v) + v; // so that the compiler sees that they wrap together
        else if constexpr (rule_x == boundary::torus)
            x = inside_of<grid, 0, shape::width>(x);
        if constexpr (rows_wrap<Program>)
            y = inside_of<grid, 1, height>(y);
        else if constexpr (!careful && rule_y != boundary::torus)
            y = y < 0 ? 0 : y >= ny ? ny - 1 : y; // fill_beyond replaces what comes of it
        call_on<function_of<Program, K>>(patch_view<Program, N, height, K>(
            state, x, y, row, v, {step0 + static_cast<std::uint64_t>(step), args.random_key[K % calls], args.first_step}));
    }

    // The outermost row, up (-1) or down (1), in which a stage sees a member beside a place; if there is none, the lowest is above the
    // highest.
    static constexpr int row_seen_aside(const stage_use& use, int towards) {
        constexpr int most = most_reach_fused;
        for (int dy = most * towards; dy != (most + 1) * -towards; dy -= towards)
            if (use.reads && (use.left[dy + most] > 0 || use.right[dy + most] > 0)) return dy;
        return most * -towards;
    }
    // Fetches from the other lanes what stands beside a lane's places in the rows that the stage sees from `row` on and has not seen
    // before.
    template<int K, int I> TESSERA_FN void see_beside(int row, bool is_first) {
        constexpr int lowest = row_seen_aside(plan.use[K][I], -1), highest = row_seen_aside(plan.use[K][I], 1);
        if constexpr (lowest <= highest) {
            if (is_first)
#pragma unroll
                for (int dy = lowest; dy < highest; ++dy) fetch_beside<Program::column[K][I]>(row + dy);
            fetch_beside<Program::column[K][I]>(row + highest);
        }
    }
    template<int C> TESSERA_FN void fetch_beside(int row) {
        lanes.each_lane([&](lane_state& state, int lane) {
            auto& kept = state.template of<C>();
#pragma unroll
            for (int e = 0; e < kept.elements; ++e) {
#pragma unroll
                for (int i = 1; i <= kept.beside_left; ++i) {
                    const int away = (i + N - 1) / N;
                    kept.left[row][e][kept.beside_left - i] =
                        lanes.in_lane(lane - away, [&](auto& other) { return other.template of<C>().rows[row][e][away * N - i]; });
                }
#pragma unroll
                for (int i = 0; i < kept.beside_right; ++i)
                    kept.right[row][e][i] =
                        lanes.in_lane(lane + i / N + 1, [&](auto& other) { return other.template of<C>().rows[row][e][i % N]; });
            }
        });
    }

    template<int K, int... I> TESSERA_FN void commit(index_list<I...>, int first, int end) { (commit_one<K, I>(first, end), ...); }
    template<int K, int I> TESSERA_FN void commit_one(int first, int end) {
        if constexpr (plan.use[K][I].writes) {
            constexpr int c = Program::column[K][I];
            lanes.each_lane([&](lane_state& state, int) {
                auto& kept = state.template of<c>();
#pragma unroll
                for (int row = first; row < end; ++row)
#pragma unroll
                    for (int e = 0; e < kept.elements; ++e)
#pragma unroll
                        for (int v = 0; v < N; ++v) kept.rows[row][e][v] = kept.made[row][e][v];
            });
            fill_beyond<c>();
        }
    }
    // What lies beyond fixed and open boundaries.
    template<int C> TESSERA_FN void fill_beyond() {
        if constexpr (has_beyond)
            lanes.each_lane([&](lane_state& state, int lane) {
                auto& kept = state.template of<C>();
#pragma unroll
                for (int row = 0; row < height; ++row) {
                    const std::int64_t y = y0 - shape::above + row;
                    const bool above_or_below = rule_y != boundary::torus && (y < 0 || y >= ny);
#pragma unroll
                    for (int v = 0; v < N; ++v) {
                        const std::int64_t x = x0 + lane * N + v;
                        const bool aside = rule_x != boundary::torus && (x < 0 || x >= nx);
                        const bool missing = (rule_y == boundary::open && above_or_below) || (rule_x == boundary::open && aside);
#pragma unroll
                        for (int e = 0; e < kept.elements; ++e)
                            if (above_or_below || aside)
                                kept.rows[row][e][v] = missing ? beyond<grid, C>::missing[e] : beyond<grid, C>::outside[e];
                    }
                }
            });
    }

    template<int C> TESSERA_FN void load() {
        if constexpr (use_of_column<Program>(C).read) {
#pragma unroll
            for (int row = 0; row < height; ++row) {
                const std::int64_t y = y0 - shape::above + row;
                if (rule_y != boundary::torus && (y < 0 || y >= ny)) continue;
                if (grid::rows_are_sent && row >= height - rows_left_out<grid, Rows>(args, y0)) continue; // such rows may not be there
                const std::int64_t from_y = rows_wrap<Program> ? inside_of<grid, 1, height>(y) : y;
                lanes.each_lane([&](lane_state& state, int lane) {
                    plain_slots<Program>::template fetch<C, N, true>(state.template of<C>().rows[row], args.in[C], x0 + lane * N, from_y);
                });
            }
            fill_beyond<C>();
        }
    }
    template<int C> TESSERA_FN void store() {
        if constexpr (use_of_column<Program>(C).written) {
            constexpr column_layout column = grid::columns[C];
            auto* const origin = static_cast<column_scalar<Program, C>*>(args.out[C]);
            lanes.each_lane([&](lane_state& state, int lane) {
                const std::int64_t x = x0 + lane * N;
                if (lane < shape::halo / N || lane >= warp_lanes - shape::halo / N || x >= nx) return;
                auto& kept = state.template of<C>();
#pragma unroll
                for (int row = 0; row < Rows; ++row)
                    if (y0 + row < end_of_rows<grid>(args))
#pragma unroll
                        for (int e = 0; e < kept.elements; ++e)
                            store_places<grid, C, N>(origin + e * column.element, kept.rows[shape::above + row][e], x, y0 + row, 0);
            });
        }
    }
};

template<class Program, int N, int Rows> TESSERA_FN void run_patch(const arguments_of_program<Program>& args, std::uint32_t number) {
    using shape = patch_shape<Program, N, Rows>;
    using grid = typename Program::grid;
    constexpr std::uint32_t across = shape::across;
    const std::int64_t strip = number % across, y0 = first_of_rows<grid>(args) + static_cast<std::int64_t>(number / across) * Rows;
    if (y0 >= end_of_rows<grid>(args)) return;
    patch<Program, N, Rows>(args, strip * shape::useful - shape::halo, y0).run();
}

#if TESSERA_GPU
template<class Program, int N, int Rows> TESSERA_FN void call_patches(const arguments_of_program<Program>& args) {
    run_patch<Program, N, Rows>(args, blockIdx.x * (blockDim.x / warp_lanes) + threadIdx.x / warp_lanes);
}
#else
template<class Program, int N, int Rows> inline void call_patches(const void* args, std::int64_t first, std::int64_t last) {
    for (std::int64_t number = first; number < last; ++number)
        run_patch<Program, N, Rows>(*static_cast<const arguments_of_program<Program>*>(args), static_cast<std::uint32_t>(number));
}
#endif

} // namespace tessera::fused
