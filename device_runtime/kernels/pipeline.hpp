// The view of fused steps: a warp owns a strip of columns and streams down its rows with all stages of a program in registers.
//
// Every lane has N adjacent places of the rows that the plan keeps (program.hpp) and sees those of its neighbours by shuffles. A strip is wider
// than what it stores by what the stages see sideways, and begins as many rows above: the warps work out what they share twice and never wait for
// each other. (The scheme of wide ghosts of Aaby, Perumalla and Seal, 2010, at its innermost; register streaming as in AN5D, Matsumura et al., 2020.)
// Strips and tiles at the grid's edge take a masked path, in which what lies beyond the boundary is made anew after every stage.
#pragma once

#include <tessera/kernels/program.hpp>
#include <tessera/kernels/store.hpp>
#include <tessera/kernels/warp.hpp>

namespace tessera {

// The rows that a lane keeps of one version of a column. Age 0 is the newest.
template<class Program, int N, int Version, int C, bool Used = plan_of<Program>.version[Version][C].used> struct kept_rows {};
template<class Program, int N, int Version, int C> struct kept_rows<Program, N, Version, C, true> {
    using scalar = column_scalar<Program, C>;
    static constexpr version_plan plan = plan_of<Program>.version[Version][C];
    static constexpr int elements = column_elements<Program, C>, depth = plan.depth;
    scalar rows[elements][depth][N];
    scalar left[elements][depth][plan.left > 0 ? plan.left : 1], right[elements][depth][plan.right > 0 ? plan.right : 1];
    scalar next[elements][plan.loaded ? N : 1]; // on its way from memory

    TESSERA_FN void shift() {
#pragma unroll
        for (int e = 0; e < elements; ++e)
#pragma unroll
            for (int r = 0; r + 1 < depth; ++r) move(e, r + 1, r);
    }
    TESSERA_FN void move(int e, int from, int to) { // rows by index: depth - 1 is the newest
#pragma unroll
        for (int v = 0; v < N; ++v) rows[e][to][v] = rows[e][from][v];
#pragma unroll
        for (int i = 0; i < plan.left; ++i) left[e][to][i] = left[e][from][i];
#pragma unroll
        for (int i = 0; i < plan.right; ++i) right[e][to][i] = right[e][from][i];
    }
    TESSERA_FN scalar at(int e, int age, int place) const { // counted from the lane's first
        const int r = depth - 1 - age;
        return place < 0 ? left[e][r][(plan.left > 0 ? plan.left : 1) + place] : place >= N ? right[e][r][place - N] : rows[e][r][place];
    }
    TESSERA_FN scalar& newest(int e, int v) { return rows[e][depth - 1][v]; }
    TESSERA_FN const scalar (&newest_row(int e) const)[N] { return rows[e][depth - 1]; }
};

template<class Program, int N, class Indices> struct pipeline_lane;
template<class Program, int N, int... I>
struct pipeline_lane<Program, N, index_list<I...>> : kept_rows<Program, N, I / members_of<Program>, I % members_of<Program>>... {
    template<int Version, int C> TESSERA_FN kept_rows<Program, N, Version, C>& of() { return *this; }
    template<int Version, int C> TESSERA_FN const kept_rows<Program, N, Version, C>& of() const { return *this; }
};
template<class Program, int N> using lane_of = pipeline_lane<Program, N, indices_to<(stages_of<Program> + 1) * members_of<Program>>>;

// Place v of a lane's N, in stage K.
template<class Program, int N, int K, bool Masked> struct pipeline_view : view_base<function_of<Program, K>, typename Program::grid> {
    using function = function_of<Program, K>;
    using grid = typename Program::grid;
    using base = view_base<function, grid>;
    static constexpr bool masked = Masked;
    static constexpr plan_type<Program> plan = plan_of<Program>;
    lane_of<Program, N>& lane;
    int v;
    std::uint64_t number, key; // of the step, of the random numbers

    TESSERA_FN pipeline_view(lane_of<Program, N>& lane_, std::int64_t x, std::int64_t y, int v_, std::uint64_t number_, std::uint64_t key_)
        : base{nullptr, x, y, 0}, lane(lane_), v(v_), number(number_), key(key_) {}

    template<int I> TESSERA_FN auto own() const { return at<I, 0, 0, 0>(); }
    template<int I, int X, int Y, int Z> TESSERA_FN auto at() const {
        constexpr int c = Program::column[K][I], version = plan.version_of[K][I], age = plan.lag[K] - Y - plan.version[version][c].lag;
        const auto& kept = lane.template of<version, c>();
        if constexpr (same_type<scalar_of<function, I>, value_of<function, I>>) return kept.at(0, age, v + X);
        else {
            value_of<function, I> value;
#pragma unroll
            for (int e = 0; e < elements_of<function, I>; ++e) value[e] = kept.at(e, age, v + X);
            return value;
        }
    }
    template<int I> TESSERA_FN void store(const value_of<function, I>& value) const {
        auto& kept = lane.template of<K + 1, Program::column[K][I]>();
        if constexpr (same_type<scalar_of<function, I>, value_of<function, I>>) kept.newest(0, v) = value;
        else {
#pragma unroll
            for (int e = 0; e < elements_of<function, I>; ++e) kept.newest(e, v) = value[e];
        }
    }
    template<int X, int Y, int Z> TESSERA_FN bool exists() const { return base::template exists_at<Masked, X, Y, Z>(); }
    TESSERA_FN std::uint64_t step() const { return step_number(number); }
    TESSERA_FN random_stream random() const {
        return random_stream(key, static_cast<std::uint64_t>(base::y * grid::size[0] + base::x), static_cast<std::uint32_t>(number));
    }
};

// Where an index of an axis stands, or comes from beyond a torus' or mirror's edge. With no division where the grid is larger than any overlap.
template<class Grid, int Axis> TESSERA_FN std::int64_t inside_of(std::int64_t i) {
    constexpr std::int64_t n = Grid::size[Axis];
    if constexpr (n < 1024) return source_of(i, n, Grid::rule[Axis]);
    else if constexpr (Grid::rule[Axis] == boundary::torus) return i < 0 ? i + n : i >= n ? i - n : i;
    else return i < 0 ? -1 - i : i >= n ? 2 * n - 1 - i : i;
}

// Geometry of the strips: N places a lane, Rows rows a tile.
template<class Program, int N, int Rows> struct pipeline_shape {
    using grid = typename Program::grid;
    static constexpr plan_type<Program> plan = plan_of<Program>;
    static constexpr int aside = plan.reach(0), above = plan.above(), below = plan.below();
    static constexpr int halo = (aside + N - 1) / N * N, width = warp_lanes * N, useful = width - 2 * halo;
    static_assert(useful > 0, "a strip must be wider than what the stages see");
    static constexpr std::int64_t across = (grid::size[0] + useful - 1) / useful, down = (grid::size[1] + Rows - 1) / Rows;
};

// One strip's tile, from its row y0 on; x0 is where the first lane stands.
template<class Program, int N, int Rows, bool Masked> struct pipeline {
    using shape = pipeline_shape<Program, N, Rows>;
    using grid = typename Program::grid;
    using lane_state = lane_of<Program, N>;
    static constexpr plan_type<Program> plan = plan_of<Program>;
    static constexpr int stages = stages_of<Program>, members = members_of<Program>, calls = Program::functions::count;
    // A CPU leaves out places that nobody needs: with what is in hand for them a division might fail. A GPU has no faults, and is faster without tests.
    static constexpr bool careful = !TESSERA_GPU;
    static constexpr boundary rule_x = grid::rule[0], rule_y = grid::dims > 1 ? grid::rule[1] : boundary::torus;
    static constexpr std::int64_t nx = grid::size[0], ny = grid::size[1];

    const arguments_of_program<Program>& args;
    const std::int64_t x0, y0;
    const std::uint64_t step0;
    warp<lane_state> lanes;

    TESSERA_FN pipeline(const arguments_of_program<Program>& args_, std::int64_t x0_, std::int64_t y0_)
        : args(args_), x0(x0_), y0(y0_), step0(*args_.first_step + args_.step_after_first) {}

    TESSERA_FN void run() {
        const std::int64_t first = y0 - shape::above;
        begin(first, indices_to<(stages + 1) * members>{});
        constexpr int rows = Rows + shape::above + shape::below, unrolled = Masked || plan.deepest() > 8 ? 1 : plan.deepest();
#pragma unroll unrolled
        for (int j = 0; j < rows; ++j) make_row(first + j, indices_to<(stages + 1) * members>{}, indices_to<stages>{});
    }

private:
    template<int... I, int... K> TESSERA_FN void make_row(std::int64_t y, index_list<I...>, index_list<K...>) {
        (take_row<I / members, I % members>(y), ...);
        (make_stage<K>(y - plan.lag[K]), ...);
    }
    template<int... I> TESSERA_FN void begin(std::int64_t first, index_list<I...>) {
        lanes.each_lane([](lane_state& state, int) { state = lane_state{}; }); // what nobody needs is worked out too, of something
        (begin_one<I / members, I % members>(first), ...);
    }

    template<int Version, int C> static constexpr bool is_loaded() { return plan.version[Version][C].used && plan.version[Version][C].loaded; }
    template<int Version, int C> TESSERA_FN void begin_one(std::int64_t first) {
        if constexpr (is_loaded<Version, C>()) fetch_row<Version, C>(first - plan.version[Version][C].lag);
    }

    // The row that was fetched before becomes the newest, and the next one is fetched.
    template<int Version, int C> TESSERA_FN void take_row(std::int64_t y) {
        if constexpr (is_loaded<Version, C>()) {
            const std::int64_t row = y - plan.version[Version][C].lag;
            lanes.each_lane([&](lane_state& state, int) {
                auto& kept = state.template of<Version, C>();
                kept.shift();
#pragma unroll
                for (int e = 0; e < kept.elements; ++e)
#pragma unroll
                    for (int v = 0; v < N; ++v) kept.newest(e, v) = kept.next[e][v];
            });
            fetch_row<Version, C>(row + 1);
            settle<Version, C>(row);
        }
    }
    template<int Version, int C> TESSERA_FN void fetch_row(std::int64_t y) {
        using scalar = column_scalar<Program, C>;
        constexpr column_layout column = grid::columns[C];
        if (Masked && rule_y != boundary::torus && (y < 0 || y >= ny)) return;
        // The row after the last one is fetched too, and never used: let it be one that is there.
        const std::int64_t from_y = Masked && rule_y == boundary::torus ? inside_of<grid, 1>(y) : y;
        const scalar* const row = static_cast<const scalar*>(args.in[C]) + from_y * column.row;
        lanes.each_lane([&](lane_state& state, int lane) {
            auto& kept = state.template of<Version, C>();
#pragma unroll
            for (int e = 0; e < kept.elements; ++e) fetch_places(kept.next[e], row + e * column.element, x0 + lane * N);
        });
    }
    template<class Scalar> static TESSERA_FN void fetch_places(Scalar (&values)[N], const Scalar* row, std::int64_t x) {
        if (!Masked || (x >= 0 && (rule_x == boundary::torus ? x + N <= nx : x < nx))) { // beyond the last place a row is readable for another N
            const vector_of<Scalar, N> loaded = load_vector<true, Scalar, N>(row + x);
#pragma unroll
            for (int v = 0; v < N; ++v) values[v] = loaded.values[v];
        } else if constexpr (rule_x == boundary::torus) {
#pragma unroll
            for (int v = 0; v < N; ++v) values[v] = load<true>(row + inside_of<grid, 0>(x + v));
        }
    }

    // Makes row y of stage K.
    template<int K> TESSERA_FN void make_stage(std::int64_t y) {
        if (careful && y < y0 - (shape::above - plan.low_y[K])) return; // its neighbours above are not there, and nobody needs it
        const bool there = !Masked || rule_y == boundary::torus || (y >= 0 && y < ny);
        lanes.each_lane([&](lane_state& state, int lane) {
            shift_results<K>(state, indices_to<members>{});
            if (!there) return;
#pragma unroll
            for (int v = 0; v < N; ++v) call_place<K>(state, lane, v, y);
        });
        finish_stage<K>(y, indices_to<members>{});
    }
    template<int K, int... I> static TESSERA_FN void shift_results(lane_state& state, index_list<I...>) { (shift_result<K, I>(state), ...); }
    template<int K, int I> static TESSERA_FN void shift_result(lane_state& state) {
        if constexpr (plan.use[K][I].writes) state.template of<K + 1, Program::column[K][I]>().shift();
    }
    template<int K> TESSERA_FN void call_place(lane_state& state, int lane, int v, std::int64_t y) {
        std::int64_t x = x0 + lane * N + v;
        if constexpr (careful) {
            const int place = lane * N + v;
            if (place < plan.low_x[K] || place >= shape::width - plan.high_x[K]) return;
            if (Masked && rule_x != boundary::torus && (x < 0 || x >= nx)) return;
        }
        if constexpr (Masked) {
            if (rule_x == boundary::torus) x = inside_of<grid, 0>(x);
            if (rule_y == boundary::torus) y = inside_of<grid, 1>(y);
        } else {
#if TESSERA_GPU
            // So that tests for the grid's edge fold away.
            __builtin_assume(x >= shape::aside && x < nx - shape::aside && y >= shape::above && y < ny - shape::below);
#endif
        }
        call_on<function_of<Program, K>>(
            pipeline_view<Program, N, K, Masked>(state, x, y, v, step0 + K / calls, args.random_key[K % calls]));
    }
    template<int K, int... I> TESSERA_FN void finish_stage(std::int64_t y, index_list<I...>) { (finish_result<K, I>(y), ...); }
    template<int K, int I> TESSERA_FN void finish_result(std::int64_t y) {
        if constexpr (plan.use[K][I].writes) {
            constexpr int c = Program::column[K][I];
            settle<K + 1, c>(y);
            if constexpr (plan.version[K + 1][c].last) store_row<K + 1, c>(y);
        }
    }

    template<int Version, int C> TESSERA_FN void store_row(std::int64_t y) {
        using scalar = column_scalar<Program, C>;
        constexpr column_layout column = grid::columns[C];
        if (y < y0 || y >= y0 + Rows || (Masked && y >= ny)) return;
        lanes.each_lane([&](lane_state& state, int lane) {
            const std::int64_t x = x0 + lane * N;
            if (lane < shape::halo / N || lane >= warp_lanes - shape::halo / N || (Masked && x >= nx)) return;
            auto& kept = state.template of<Version, C>();
#pragma unroll
            for (int e = 0; e < kept.elements; ++e) {
                scalar* const origin = static_cast<scalar*>(args.out[C]) + e * column.element;
                if constexpr (Masked) store_places<grid, C, N>(origin, kept.newest_row(e), x, y, 0);
                else {
                    vector_of<scalar, N> all;
#pragma unroll
                    for (int v = 0; v < N; ++v) all.values[v] = kept.newest(e, v);
                    store_vector<scalar, N>(origin + y * column.row + x, all);
                }
            }
        });
    }

    // After a version's row q became its newest: what lies beyond the boundary, and the neighbours in x.
    template<int Version, int C> TESSERA_FN void settle(std::int64_t q) {
        if constexpr (Masked && rule_y != boundary::torus && rule_y != boundary::reflect) {
            if (q < 0 || q >= ny) fill_beyond<Version, C, true>();
            else settle_sides<Version, C>();
        } else settle_sides<Version, C>();
        if constexpr (plan.version[Version][C].left > 0 || plan.version[Version][C].right > 0) see_beside<Version, C>();
        if constexpr (Masked && rule_y == boundary::reflect) {
            constexpr int depth = plan.version[Version][C].depth;
#pragma unroll
            for (int age = 1; age < depth; age += 2) {
                if (q - ny == age / 2) copy_row<Version, C>(age, 0);
                if (q == age / 2) copy_row<Version, C>(0, age);
            }
        }
    }
    template<int Version, int C> TESSERA_FN void copy_row(int from_age, int to_age) {
        lanes.each_lane([&](lane_state& state, int) {
            auto& kept = state.template of<Version, C>();
#pragma unroll
            for (int e = 0; e < kept.elements; ++e) kept.move(e, kept.depth - 1 - from_age, kept.depth - 1 - to_age);
        });
    }
    template<int Version, int C> TESSERA_FN void settle_sides() {
        if constexpr (Masked && (rule_x == boundary::fixed || rule_x == boundary::open)) fill_beyond<Version, C, false>();
        if constexpr (Masked && rule_x == boundary::reflect)
            for (std::int64_t done = 0; done < shape::halo; done += nx) mirror_sides<Version, C>(); // a narrow grid repeats itself
    }
    // Puts the boundary's constants into the newest row: in all of it, or in what is beyond the sides.
    template<int Version, int C, bool Row> TESSERA_FN void fill_beyond() {
        lanes.each_lane([&](lane_state& state, int lane) {
            auto& kept = state.template of<Version, C>();
#pragma unroll
            for (int v = 0; v < N; ++v) {
                const std::int64_t x = x0 + lane * N + v;
                const bool beside = x < 0 || x >= nx;
                if (!Row && !beside) continue;
                const bool missing = (Row && rule_y == boundary::open) || (beside && rule_x == boundary::open);
#pragma unroll
                for (int e = 0; e < kept.elements; ++e) kept.newest(e, v) = missing ? beyond<grid, C>::missing[e] : beyond<grid, C>::outside[e];
            }
        });
    }
    template<int Version, int C> TESSERA_FN void mirror_sides() {
        lanes.each_lane([&](lane_state& state, int lane) {
            auto& kept = state.template of<Version, C>();
            const std::int64_t first = x0 + lane * N; // a multiple of N, as x0 is
#pragma unroll
            for (int e = 0; e < kept.elements; ++e)
#pragma unroll
                for (int v = 0; v < N; ++v) {
                    constexpr std::int64_t turn = 2 * nx - 1;
                    const int slot = static_cast<int>((turn - v) % N >= 0 ? (turn - v) % N : (turn - v) % N + N);
                    const std::int64_t x = first + v, from_left = -1 - x, from_right = turn - x;
                    const auto left = lanes.in_lane(static_cast<int>((from_left - (N - 1 - v) - x0) / N), [&](auto& other) {
                        return other.template of<Version, C>().newest(e, N - 1 - v);
                    });
                    const auto right = lanes.in_lane(static_cast<int>((from_right - slot - x0) / N), [&](auto& other) {
                        return other.template of<Version, C>().newest(e, slot);
                    });
                    if (x < 0) kept.newest(e, v) = left;
                    else if (x >= nx) kept.newest(e, v) = right;
                }
        });
    }
    // Fetches from the other lanes what stands beside a lane's places, in the youngest row of which it is ever asked.
    template<int Version, int C> TESSERA_FN void see_beside() {
        constexpr version_plan v = plan.version[Version][C];
        constexpr int row = v.depth - 1 - v.beside_age;
        lanes.each_lane([&](lane_state& state, int lane) {
            auto& kept = state.template of<Version, C>();
#pragma unroll
            for (int e = 0; e < kept.elements; ++e) {
#pragma unroll
                for (int i = 1; i <= v.left; ++i) {
                    const int away = (i + N - 1) / N;
                    kept.left[e][row][v.left - i] =
                        lanes.in_lane(lane - away, [&](auto& other) { return other.template of<Version, C>().rows[e][row][away * N - i]; });
                }
#pragma unroll
                for (int i = 0; i < v.right; ++i) {
                    const int away = i / N + 1;
                    kept.right[e][row][i] = lanes.in_lane(lane + away, [&](auto& other) { return other.template of<Version, C>().rows[e][row][i % N]; });
                }
            }
        });
    }
};

// Which tiles take the masked path: the first and last so many strips, and rows of tiles.
template<class Program, int N, int Rows> struct pipeline_edges {
    using shape = pipeline_shape<Program, N, Rows>;
    using grid = typename Program::grid;
    static constexpr std::int64_t nx = grid::size[0], ny = grid::size[1], across = shape::across, down = shape::down;

    static constexpr int ghost(int axis) { // those of a column may be wider than what this program sees
        int most = 0;
        for (const column_layout& column : grid::columns) most = larger(most, column.ghost[axis]);
        return most;
    }
    static constexpr bool left(std::int64_t strip) {
        const std::int64_t x0 = strip * shape::useful - shape::halo;
        return x0 < shape::aside || x0 + shape::halo < ghost(0);
    }
    static constexpr bool right(std::int64_t strip) {
        const std::int64_t end = strip * shape::useful - shape::halo + shape::width;
        return end > nx - shape::aside || end - shape::halo > nx - ghost(0);
    }
    static constexpr bool top(std::int64_t tile) { return tile * Rows < 2 * shape::above + shape::below || tile * Rows < ghost(1); }
    static constexpr bool bottom(std::int64_t tile) {
        return (tile + 1) * Rows + 2 * shape::below >= ny || (tile + 1) * Rows > ny - ghost(1);
    }
    static constexpr std::int64_t count(std::int64_t most, bool (*is)(std::int64_t), std::int64_t first, std::int64_t by) {
        std::int64_t n = 0;
        while (n < most && is(first + n * by)) ++n;
        return n;
    }
    static constexpr std::int64_t lefts = count(across, left, 0, 1), rights = count(across - lefts, right, across - 1, -1);
    static constexpr std::int64_t tops = count(down, top, 0, 1), bottoms = count(down - tops, bottom, down - 1, -1);
};

// Tile number `number`. Those at the edge take longer and come first, so that none of them is left over at the end: whole rows of tiles, then
// the ends of the others, then the inside.
template<class Program, int N, int Rows> TESSERA_FN void run_pipeline_tile(const arguments_of_program<Program>& args, std::uint32_t number) {
    using shape = pipeline_shape<Program, N, Rows>;
    using edges = pipeline_edges<Program, N, Rows>;
    constexpr std::uint32_t across = shape::across, down = shape::down, lefts = edges::lefts, tops = edges::tops;
    constexpr std::uint32_t edge_rows = tops + edges::bottoms, edge_strips = lefts + edges::rights, inner = across - edge_strips;
    std::uint32_t strip, tile;
    if (number < edge_rows * across) {
        strip = number % across, tile = number / across;
        if (tile >= tops) tile += down - edge_rows;
    } else if (number -= edge_rows * across; number < (down - edge_rows) * edge_strips) {
        strip = number % larger(edge_strips, 1), tile = tops + number / larger(edge_strips, 1);
        if (strip >= lefts) strip += inner;
    } else {
        number -= (down - edge_rows) * edge_strips;
        strip = lefts + number % larger(inner, 1), tile = tops + number / larger(inner, 1);
        if (inner == 0 || tile >= down - edges::bottoms) return;
        return pipeline<Program, N, Rows, false>(args, static_cast<std::int64_t>(strip) * shape::useful - shape::halo, static_cast<std::int64_t>(tile) * Rows).run();
    }
    pipeline<Program, N, Rows, true>(args, static_cast<std::int64_t>(strip) * shape::useful - shape::halo, static_cast<std::int64_t>(tile) * Rows).run();
}

#if TESSERA_GPU
template<class Program, int N, int Rows> TESSERA_FN void call_pipeline(const arguments_of_program<Program>& args) {
    run_pipeline_tile<Program, N, Rows>(args, (blockIdx.x * blockDim.x + threadIdx.x) / warp_lanes);
}
#else
template<class Program, int N, int Rows> inline void call_pipeline(const void* args, std::int64_t first, std::int64_t last) {
    for (std::int64_t tile = first; tile < last; ++tile)
        run_pipeline_tile<Program, N, Rows>(*static_cast<const arguments_of_program<Program>*>(args), static_cast<std::uint32_t>(tile));
}
#endif

} // namespace tessera
