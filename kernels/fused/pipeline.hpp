// The view of fused steps: a warp owns a strip of columns and streams down its rows with all stages of a program in registers.
//
// Every lane has N adjacent slots (lanes.hpp: one place each, or 32) of the rows that the plan keeps (program.hpp) and sees those of its
// neighbours by shuffles. A strip is wider than what it stores by what the stages see sideways, and begins as many rows above: the warps
// work out what they share twice and never wait for each other. (The scheme of wide ghosts of Aaby, Perumalla and Seal, 2010, at its
// innermost; register streaming as in AN5D, Matsumura et al., 2020.) Strips and tiles at the grid's edge take a masked path, in which what
// lies beyond the boundary is made anew after every stage.
#pragma once

#include <tessera/kernels/fused/lanes.hpp>

namespace tessera::fused {

// Geometry of the strips: N slots a lane, Rows rows a tile; all in places.
template<class Program, int N, int Rows> struct pipeline_shape {
    using grid = typename Program::grid;
    static constexpr plan_type<Program> plan = plan_of<Program>;
    static constexpr int aside = plan.aside(), above = plan.above(), below = plan.below();
    static constexpr int lane = N * slots_of<Program>::places; // of one lane
    static constexpr int halo = (aside + lane - 1) / lane * lane, width = warp_lanes * lane, useful = width - 2 * halo;
    static constexpr int height = Rows + above + below + 1; // with the row that is fetched and not used
    static_assert(useful > 0, "a strip must be wider than what the stages see");
    static constexpr std::int64_t across = (grid::size[0] + useful - 1) / useful;
};

// One strip's tile, from its row y0 on; x0 is where the first lane stands. It ends behind Rows rows, or, masked, with the launch's.
template<class Program, int N, int Rows, bool Masked> struct pipeline {
    using shape = pipeline_shape<Program, N, Rows>;
    using grid = typename Program::grid;
    using lane_state = lane_of<Program, N>;
    using slots = slots_of<Program>;
    static constexpr plan_type<Program> plan = plan_of<Program>;
    static constexpr int stages = stages_of<Program>, members = members_of<Program>, calls = Program::functions::count;
    // A CPU leaves out places that nobody needs: with what is in hand for them a division might fail. A GPU has no faults, and is faster
    // without tests.
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
        // Rows change places in a lane's registers without being moved, where the loop is unrolled by as many. Of masked tiles a whole grid
        // has few, and unrolled they take registers of which those inside have none to spare; of a band they are more
        // (docs/decisions/registers.md).
        constexpr bool rolled = plan.deepest() > 8 || (Masked && (slots::places > 1 || !grid::in_bands));
        constexpr int most = shape::height - 1, unrolled = rolled ? 1 : plan.deepest();
        const int rows = most - (Masked ? rows_left_out<grid, Rows>(args, y0) : 0); // known beforehand for nearly all tiles
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

    template<int Version, int C> static constexpr bool is_loaded() {
        return plan.version[Version][C].used && plan.version[Version][C].loaded;
    }
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
                for (int e = 0; e < kept.planes; ++e)
#pragma unroll
                    for (int v = 0; v < N; ++v) kept.newest(e, v) = kept.next[e][v];
            });
            fetch_row<Version, C>(row + 1);
            settle<Version, C>(row);
        }
    }
    template<int Version, int C> TESSERA_FN void fetch_row(std::int64_t y) {
        // A version that lags is fetched from before the first row that is needed; where rows are sent, these may not be there.
        if (grid::rows_are_sent && plan.version[Version][C].lag > 0 && y < y0 - shape::above) y = y0 - shape::above;
        if (Masked && rule_y != boundary::torus && (y < 0 || y >= ny)) return;
        // The row after the last one is fetched too, and never used: let it be one that is there.
        const std::int64_t from_y = Masked && rows_wrap<Program> ? inside_of<grid, 1, shape::height>(y) : y;
        lanes.each_lane([&](lane_state& state, int lane) {
            slots::template fetch<C, N, Masked>(state.template of<Version, C>().next, args.in[C], x0 + lane * shape::lane, from_y);
        });
    }

    // Makes row y of stage K.
    template<int K> TESSERA_FN void make_stage(std::int64_t y) {
        if (careful && y < y0 - (shape::above - plan.low[1][K])) return; // its neighbours above are not there, and nobody needs it
        const bool there = !Masked || rule_y == boundary::torus || (y >= 0 && y < ny);
        lanes.each_lane([&](lane_state& state, int lane) {
            shift_results<K>(state, indices_to<members>{});
            if (!there) return;
#pragma unroll
            for (int v = 0; v < N; ++v) call_place<K>(state, lane, v, y);
        });
        finish_stage<K>(y, indices_to<members>{});
    }
    template<int K, int... I> static TESSERA_FN void shift_results(lane_state& state, index_list<I...>) {
        (shift_result<K, I>(state), ...);
    }
    template<int K, int I> static TESSERA_FN void shift_result(lane_state& state) {
        if constexpr (plan.use[K][I].writes) state.template of<K + 1, Program::column[K][I]>().shift();
    }
    template<int K> TESSERA_FN void call_place(lane_state& state, int lane, int v, std::int64_t y) {
        std::int64_t x = x0 + lane * shape::lane + v * slots::places;
        if constexpr (careful && slots::places == 1) {
            const int place = lane * N + v;
            if (place < plan.low[0][K] || place >= shape::width - plan.high[0][K]) return;
            if (Masked && rule_x != boundary::torus && (x < 0 || x >= nx)) return;
        }
        if constexpr (Masked) {
            if (rule_x == boundary::torus && slots::places == 1) x = inside_of<grid, 0, shape::width>(x);
            if (rows_wrap<Program>) y = inside_of<grid, 1, shape::height>(y);
        }
        call_on<function_of<Program, K>>(
            typename slots::template view<N, K, Masked>(state, x, y, v, {step0 + K / calls, args.random_key[K % calls], args.first_step}));
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
        if (y < y0 || y >= y0 + Rows || (Masked && y >= end_of_rows<grid>(args))) return;
        lanes.each_lane([&](lane_state& state, int lane) {
            const std::int64_t x = x0 + lane * shape::lane;
            if (lane < shape::halo / shape::lane || lane >= warp_lanes - shape::halo / shape::lane || (Masked && x >= nx)) return;
            slots::template store<C, N, Masked>(args.out[C], state.template of<Version, C>(), x, y);
        });
    }

    // After a version's row q became its newest: what lies beyond the boundary, and the neighbours in x.
    template<int Version, int C> TESSERA_FN void settle(std::int64_t q) {
        if constexpr (Masked && rule_y != boundary::torus && rule_y != boundary::reflect) {
            if (q < 0 || q >= ny)
                fill_beyond<Version, C, true>();
            else
                settle_sides<Version, C>();
        } else
            settle_sides<Version, C>();
        if constexpr (kept_rows<Program, N, Version, C>::beside_left > 0 || kept_rows<Program, N, Version, C>::beside_right > 0)
            see_beside<Version, C>();
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
            for (int e = 0; e < kept.planes; ++e) kept.move(e, kept.depth - 1 - from_age, kept.depth - 1 - to_age);
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
            slots::template fill_beyond<C, N, Row>(state.template of<Version, C>(), x0 + lane * shape::lane);
        });
    }
    template<int Version, int C> TESSERA_FN void mirror_sides() {
        lanes.each_lane(
            [&](lane_state& state, int lane) { slots::template mirror_sides<Version, C, N>(lanes, state, x0, x0 + lane * shape::lane); });
    }
    // Fetches from the other lanes what stands beside a lane's places, in the youngest row of which it is ever asked.
    template<int Version, int C> TESSERA_FN void see_beside() {
        constexpr int row = kept_rows<Program, N, Version, C>::depth - 1 - plan.version[Version][C].beside_age;
        lanes.each_lane([&](lane_state& state, int lane) {
            slots::template see_beside<Version, C, N>(lanes, state.template of<Version, C>(), lane, row);
        });
    }
};

// Which tiles take the masked path: the first and last so many strips, and rows of tiles.
template<class Program, int N, int Rows> struct pipeline_edges {
    using shape = pipeline_shape<Program, N, Rows>;
    using grid = typename Program::grid;
    static constexpr std::int64_t nx = grid::size[0], ny = grid::size[1], across = shape::across;

    static constexpr int ghost(int axis) { // of which there are copies: those of a column may be wider than what this program sees
        int most = 0;
        for (const column_layout& column : grid::columns) most = larger(most, column.ghost[axis]);
        return (axis == 0 ? axis_copies_ghosts<grid, 0> : axis_copies_ghosts<grid, 1>) ? most : 0;
    }
    static constexpr bool left(std::int64_t strip) {
        const std::int64_t x0 = strip * shape::useful - shape::halo;
        return x0 < shape::aside || x0 + shape::halo < ghost(0);
    }
    static constexpr bool right(std::int64_t strip) {
        const std::int64_t end = strip * shape::useful - shape::halo + shape::width;
        return end > nx - shape::aside || end - shape::halo > nx - ghost(0);
    }
    static constexpr std::int64_t count(std::int64_t most, bool (*is)(std::int64_t), std::int64_t first, std::int64_t by) {
        std::int64_t n = 0;
        while (n < most && is(first + n * by)) ++n;
        return n;
    }
    static constexpr std::int64_t lefts = count(across, left, 0, 1), rights = count(across - lefts, right, across - 1, -1);

    // A tile whose first row is above this one, or whose last one is not above that one.
    static constexpr std::int64_t top = larger(2 * shape::above + shape::below, ghost(1)),
                                  bottom = ny - larger(2 * shape::below + 1, ghost(1));
};

// Rows of tiles that make the rows [first, end): all, and how many of them stand at the grid's first rows; and how many at its last, or do
// not end before `end`.
struct tile_rows {
    std::uint32_t down, tops, bottoms;
};
template<class Program, int N, int Rows> TESSERA_FN constexpr tile_rows tile_rows_of(std::int64_t first, std::int64_t end) {
    using edges = pipeline_edges<Program, N, Rows>;
    const std::int64_t down = (end - first + Rows - 1) / Rows;
    const std::int64_t near_top = first < edges::top ? (edges::top - first + Rows - 1) / Rows : 0, tops = near_top < down ? near_top : down;
    const std::int64_t inside = end < edges::bottom ? end : edges::bottom, whole = first < inside ? (inside - first) / Rows : 0;
    const std::int64_t bottoms = down - (whole > tops ? whole : tops);
    return {static_cast<std::uint32_t>(down), static_cast<std::uint32_t>(tops), static_cast<std::uint32_t>(bottoms)};
}

// Tile number `number` of those that make the rows from `first` on. Those at the edge take longer and come first, so that none of them is
// left over at the end: whole rows of tiles, then the ends of the others, then the inside.
template<class Program, int N, int Rows>
TESSERA_FN void run_numbered_tile(const arguments_of_program<Program>& args, std::uint32_t number, std::int64_t first,
                                  const tile_rows rows) {
    using shape = pipeline_shape<Program, N, Rows>;
    using edges = pipeline_edges<Program, N, Rows>;
    constexpr std::uint32_t across = shape::across, lefts = edges::lefts, edge_strips = lefts + edges::rights, inner = across - edge_strips;
    const std::uint32_t edge_rows = rows.tops + rows.bottoms;
    std::uint32_t strip, tile;
    if (number < edge_rows * across) {
        strip = number % across, tile = number / across;
        if (tile >= rows.tops) tile += rows.down - edge_rows;
    } else if (number -= edge_rows * across; number < (rows.down - edge_rows) * edge_strips) {
        strip = number % larger(edge_strips, 1), tile = rows.tops + number / larger(edge_strips, 1);
        if (strip >= lefts) strip += inner;
    } else {
        number -= (rows.down - edge_rows) * edge_strips;
        strip = lefts + number % larger(inner, 1), tile = rows.tops + number / larger(inner, 1);
        if (inner == 0 || tile >= rows.down - rows.bottoms) return;
        return pipeline<Program, N, Rows, false>(args, static_cast<std::int64_t>(strip) * shape::useful - shape::halo,
                                                 first + static_cast<std::int64_t>(tile) * Rows)
            .run();
    }
    pipeline<Program, N, Rows, true>(args, static_cast<std::int64_t>(strip) * shape::useful - shape::halo,
                                     first + static_cast<std::int64_t>(tile) * Rows)
        .run();
}
template<class Program, int N, int Rows>
TESSERA_FN void run_pipeline_tile(const arguments_of_program<Program>& args, std::uint32_t number) {
    using grid = typename Program::grid;
    if constexpr (grid::in_bands)
        run_numbered_tile<Program, N, Rows>(args, number, args.first_row, tile_rows_of<Program, N, Rows>(args.first_row, args.end_row));
    else {
        constexpr tile_rows rows = tile_rows_of<Program, N, Rows>(0, grid::size[1]);
        run_numbered_tile<Program, N, Rows>(args, number, 0, rows);
    }
}

#if TESSERA_GPU
template<class Program, int N, int Rows> TESSERA_FN void call_pipeline(const arguments_of_program<Program>& args) {
    run_pipeline_tile<Program, N, Rows>(args, blockIdx.x * (blockDim.x / warp_lanes) + threadIdx.x / warp_lanes);
}
#else
template<class Program, int N, int Rows> inline void call_pipeline(const void* args, std::int64_t first, std::int64_t last) {
    for (std::int64_t tile = first; tile < last; ++tile)
        run_pipeline_tile<Program, N, Rows>(*static_cast<const arguments_of_program<Program>*>(args), static_cast<std::uint32_t>(tile));
}
#endif

} // namespace tessera::fused
