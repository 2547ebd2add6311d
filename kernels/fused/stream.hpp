// The view of fused steps for volumes: a block of warps owns a column of places and goes through its planes with all stages of a program in
// registers.
//
// A warp is a row of threads: each has N adjacent places of rows_of_thread rows, of the planes that the plan keeps (program.hpp), and sees
// those of the lanes beside it by shuffles. What the warps above and below it see of a plane goes through shared memory: once a plane all
// versions' planes are written there, and then every stage makes a plane. So a function may look into other rows in its own plane alone,
// which who looks along the axes does, and into a plane that is finished before a stage begins (age_across). Blocks make what their stages
// see around their own places, and never wait for each other. (3.5-dimensional blocking: Nguyen et al., 2010; streaming as in AN5D,
// Matsumura et al., 2020.) Blocks at the grid's edge take a masked path, in which what lies beyond fixed and open boundaries is put in
// after every stage.
#pragma once

#include <tessera/kernels/fused/block.hpp>
#include <tessera/kernels/fused/lanes.hpp>

namespace tessera::fused {

// Geometry of the columns: N places a lane, Height rows and Planes planes of a block. It stores `useful` places of `rows` rows.
template<class Program, int N, int Height, int Planes> struct stream_shape {
    using grid = typename Program::grid;
    static_assert(grid::dims == 3 && Program::stream == 2 && Height % rows_of_thread == 0);
    static constexpr plan_type<Program> plan = plan_of<Program>;
    static constexpr int last = stages_of<Program> - 1, threads = Height / rows_of_thread * warp_lanes;
    static constexpr int halo = (plan.aside() + N - 1) / N * N, width = warp_lanes * N, useful = width - 2 * halo;
    static constexpr int low_rows = plan.low[2][last], rows = Height - low_rows - plan.high[2][last];
    static constexpr int above = plan.above(), below = plan.below(), height = Planes + above + below; // in planes
    static_assert(useful > 0 && rows > 0, "a column must be wider than what the stages see");
    static constexpr std::int64_t across = (grid::size[0] + useful - 1) / useful, down = (grid::size[1] + rows - 1) / rows;
};

// What a thread keeps of one version of a column. Age 0 is the newest plane.
template<class Program, int N, int Version, int C, bool Used = plan_of<Program>.version[Version][C].used> struct kept_planes {};
template<class Program, int N, int Version, int C> struct kept_planes<Program, N, Version, C, true> {
    using scalar = column_scalar<Program, C>;
    static constexpr int elements = column_elements<Program, C>, depth = plan_of<Program>.version[Version][C].depth;
    scalar planes[elements][depth][rows_of_thread][N];
    scalar next[elements][rows_of_thread][N]; // on its way from memory

    template<class Visit> static TESSERA_FN void each(Visit&& visit) {
#pragma unroll
        for (int e = 0; e < elements; ++e)
#pragma unroll
            for (int r = 0; r < rows_of_thread; ++r)
#pragma unroll
                for (int v = 0; v < N; ++v) visit(e, r, v);
    }
    TESSERA_FN void shift() {
        each([&](int e, int r, int v) {
#pragma unroll
            for (int plane = 0; plane + 1 < depth; ++plane) planes[e][plane][r][v] = planes[e][plane + 1][r][v];
        });
    }
    TESSERA_FN scalar& newest(int e, int r, int v) { return planes[e][depth - 1][r][v]; }
};
template<class Program, int N, class Indices> struct stream_thread;
template<class Program, int N, int... I>
struct stream_thread<Program, N, index_list<I...>> : kept_planes<Program, N, I / members_of<Program>, I % members_of<Program>>... {
    template<int Version, int C> TESSERA_FN kept_planes<Program, N, Version, C>& of() { return *this; }
    template<int Version, int C> TESSERA_FN const kept_planes<Program, N, Version, C>& of() const { return *this; }
};
template<class Program, int N>
using stream_thread_of = stream_thread<Program, N, indices_to<(stages_of<Program> + 1) * members_of<Program>>>;

// What stage K sees as member I beside a thread's places, in their own plane.
template<class Program, int N, int K, int I, bool Reads = plan_of<Program>.use[K][I].reads> struct seen_beside {};
template<class Program, int N, int K, int I> struct seen_beside<Program, N, K, I, true> {
    using scalar = scalar_of<function_of<Program, K>, I>;
    static constexpr stage_use use = plan_of<Program>.use[K][I];
    static constexpr int elements = elements_of<function_of<Program, K>, I>;
    scalar left[elements][rows_of_thread][larger(use.low[0], 1)], right[elements][rows_of_thread][larger(use.high[0], 1)];
    scalar before[elements][larger(use.low[2], 1)][N], behind[elements][larger(use.high[2], 1)][N]; // rows
};
template<class Program, int N, int K, class Indices> struct all_seen_beside;
template<class Program, int N, int K, int... I> struct all_seen_beside<Program, N, K, index_list<I...>> : seen_beside<Program, N, K, I>... {
    template<int J> TESSERA_FN seen_beside<Program, N, K, J>& of() { return *this; }
    template<int J> TESSERA_FN const seen_beside<Program, N, K, J>& of() const { return *this; }
};
template<class Program, int N, int K> using seen_in_stage = all_seen_beside<Program, N, K, indices_to<members_of<Program>>>;

// Place v of row r of a thread, in stage K.
template<class Program, int N, int K, bool Masked> struct stream_view : view_base<function_of<Program, K>, typename Program::grid> {
    using function = function_of<Program, K>;
    using grid = typename Program::grid;
    using base = view_base<function, grid>;
    static constexpr bool masked = Masked;
    static constexpr plan_type<Program> plan = plan_of<Program>;
    stream_thread_of<Program, N>& thread;
    const seen_in_stage<Program, N, K>& beside;
    int r, v;
    stage_of_step stage;

    TESSERA_FN stream_view(stream_thread_of<Program, N>& thread_, const seen_in_stage<Program, N, K>& beside_, int r_, int v_,
                           const place_position& at, const stage_of_step& stage_)
        : base{nullptr, at.x, at.y, at.z}, thread(thread_), beside(beside_), r(r_), v(v_), stage(stage_) {}

    template<int I> TESSERA_FN auto own() const { return at<I, 0, 0, 0>(); }
    template<int I, int X, int Y, int Z> TESSERA_FN auto at() const {
        if constexpr (same_type<scalar_of<function, I>, value_of<function, I>>)
            return element_at<I, X, Y, Z>(0);
        else {
            value_of<function, I> value;
#pragma unroll
            for (int e = 0; e < elements_of<function, I>; ++e) value[e] = element_at<I, X, Y, Z>(e);
            return value;
        }
    }
    template<int I> TESSERA_FN void store(const value_of<function, I>& value) const {
        auto& kept = thread.template of<K + 1, Program::column[K][I]>();
        if constexpr (same_type<scalar_of<function, I>, value_of<function, I>>)
            kept.newest(0, r, v) = value;
        else {
#pragma unroll
            for (int e = 0; e < elements_of<function, I>; ++e) kept.newest(e, r, v) = value[e];
        }
    }
    template<int X, int Y, int Z> TESSERA_FN bool exists() const { return base::template exists_at<Masked, X, Y, Z>(); }
    TESSERA_FN std::int64_t step() const { return step_number(stage.number); }
    template<class Value> TESSERA_FN auto global() const { return value_in_step<Value>(stage.step_words, stage.number); }
    TESSERA_FN random_stream random() const {
        const auto number = static_cast<std::uint32_t>(stage.number);
        if constexpr (Masked) // which may have wrapped, each place by itself
            return place_stream<grid>(stage.key, base::x, base::y, base::z, number);
        else
            return stream_of_several<function, grid, N>(stage.key, base::x - v, v, base::y, base::z, number);
    }

private:
    template<int I, int X, int Y, int Z> TESSERA_FN scalar_of<function, I> element_at(int e) const {
        static_assert((X != 0) + (Y != 0) + (Z != 0) <= 1, "streams are for functions that look along the axes");
        constexpr int c = Program::column[K][I], version = plan.version_of[K][I], age = plan.lag[K] - Z - plan.version[version][c].lag;
        const auto& kept = thread.template of<version, c>();
        const auto& seen = beside.template of<I>();
        const int row = r + Y, place = v + X;
        if (row < 0) return seen.before[e][larger(seen.use.low[2], 1) + row][v];
        if (row >= rows_of_thread) return seen.behind[e][row - rows_of_thread][v];
        if (place < 0) return seen.left[e][r][larger(seen.use.low[0], 1) + place];
        if (place >= N) return seen.right[e][r][place - N];
        return kept.planes[e][kept.depth - 1 - age][row][place];
    }
};

// Where the planes stand in shared memory that are seen from other rows, in bytes; -1: not there.
template<class Program, int N, int Height> struct stream_layout {
    int at[stages_of<Program> + 1][members_of<Program>];
    int bytes;

    template<int... C> constexpr void lay_out(index_list<C...>) {
        const int plane[] = {static_cast<int>(sizeof(column_scalar<Program, C>)) * column_elements<Program, C> * Height * warp_lanes *
                             N...};
        for (int version = 0; version <= stages_of<Program>; ++version)
            for (int c = 0; c < members_of<Program>; ++c) {
                const bool is_seen =
                    age_across(plan_of<Program>, size_of_plan<Program>, Program::column, version, c) != seen_across_by_none;
                at[version][c] = is_seen ? bytes : -1;
                bytes += is_seen ? plane[c] : 0;
            }
    }
    constexpr stream_layout() : at{}, bytes(0) { lay_out(indices_to<members_of<Program>>{}); }
};
template<class Program, int N, int Height> inline constexpr stream_layout<Program, N, Height> stream_memory{};
// Planes of two iterations by turns, where there is room, so that a block waits once a plane.
template<class Program, int N, int Height>
inline constexpr int stream_turns = 2 * stream_memory<Program, N, Height>.bytes <= most_shared_bytes ? 2 : 1;
template<class Program, int N, int Height>
inline constexpr int stream_bytes = larger(stream_turns<Program, N, Height>* stream_memory<Program, N, Height>.bytes, 16);

// One block's column, from its plane p0 on; (x0, y0) is where the first thread's first place stands. It ends behind Planes planes, or,
// masked, with the launch's.
template<class Program, int N, int Height, int Planes, bool Masked> struct stream {
    using shape = stream_shape<Program, N, Height, Planes>;
    using grid = typename Program::grid;
    using state_type = stream_thread_of<Program, N>;
    static constexpr plan_type<Program> plan = plan_of<Program>;
    static constexpr int stages = stages_of<Program>, members = members_of<Program>, calls = Program::functions::count;
    // As in a pipeline: a CPU leaves out places that nobody needs, with which a division might fail.
    static constexpr bool careful = !TESSERA_GPU;
    static constexpr boundary rule[3] = {grid::rule[0], grid::rule[1], grid::rule[2]};
    static constexpr std::int64_t nx = grid::size[0], ny = grid::size[1], nz = grid::size[2];
    static constexpr bool wraps(int axis) { return rule[axis] == boundary::torus; }

    const arguments_of_program<Program>& args;
    unsigned char* const memory;
    const std::int64_t x0, y0, p0;
    const std::uint64_t step0;
    block<state_type, shape::threads> threads;

    TESSERA_FN stream(const arguments_of_program<Program>& args_, unsigned char* memory_, const place_position& first)
        : args(args_), memory(memory_), x0(first.x), y0(first.y), p0(first.z), step0(*args_.first_step + args_.step_after_first) {}

    TESSERA_FN void run() {
        const std::int64_t first = p0 - shape::above;
        begin(first, indices_to<(stages + 1) * members>{});
        // Planes change places in registers without being moved, where the loop is unrolled by as many.
        constexpr int unrolled = plan.deepest() > 4 ? 1 : plan.deepest();
        const int planes = planes_made();
#pragma unroll unrolled
        for (int j = 0; j < planes; ++j) make_plane(first + j, j, indices_to<(stages + 1) * members>{}, indices_to<stages>{});
    }

private:
    TESSERA_FN int planes_made() const { return shape::height - (Masked ? rows_left_out<grid, Planes>(args, p0) : 0); }

    template<int... I> TESSERA_FN void begin(std::int64_t first, index_list<I...>) {
        threads.each_thread([](state_type& state, int) { state = state_type{}; }); // what nobody needs is worked out too, of something
        (begin_one<I / members, I % members>(first), ...);
    }
    template<int... I, int... K> TESSERA_FN void make_plane(std::int64_t p, int j, index_list<I...>, index_list<K...>) {
        unsigned char* const to = memory + (stream_turns<Program, N, Height> == 2 ? j % 2 * stream_memory<Program, N, Height>.bytes : 0);
        (take_plane<I / members, I % members>(p), ...);
        (publish<I / members, I % members>(to), ...);
        threads.wait();
        (make_stage<K>(p - plan.lag[K], to), ...);
        if (stream_turns<Program, N, Height> == 1) threads.wait();
    }

    // ---- what is loaded

    template<int Version, int C> static constexpr bool is_loaded() {
        return plan.version[Version][C].used && plan.version[Version][C].loaded;
    }
    template<int Version, int C> TESSERA_FN void begin_one(std::int64_t first) {
        if constexpr (is_loaded<Version, C>()) fetch_plane<Version, C>(first - plan.version[Version][C].lag);
    }
    // The plane that was fetched before becomes the newest, and the next one is fetched.
    template<int Version, int C> TESSERA_FN void take_plane(std::int64_t p) {
        if constexpr (is_loaded<Version, C>()) {
            const std::int64_t plane = p - plan.version[Version][C].lag;
            threads.each_thread([&](state_type& state, int) {
                auto& kept = state.template of<Version, C>();
                kept.shift();
                kept.each([&](int e, int r, int v) { kept.newest(e, r, v) = kept.next[e][r][v]; });
            });
            fetch_plane<Version, C>(plane + 1);
            settle<Version, C>(plane);
        }
    }
    template<int Version, int C> TESSERA_FN void fetch_plane(std::int64_t p) {
        // A version that lags is fetched from before the first plane that is needed, and behind the last one another is fetched that nobody
        // needs: let both be some that are there. (Behind an unmasked block there is one, unless others send it.)
        const std::int64_t least = p0 - shape::above, most = least + planes_made() - 1;
        if (p < least) p = least;
        if ((Masked || grid::rows_are_sent) && p > most) p = most;
        if (Masked && !wraps(2) && (p < 0 || p >= nz)) return;
        const std::int64_t from_p = Masked && rows_wrap<Program> ? inside_of<grid, 2, shape::height>(p) : p;
        threads.each_thread([&](state_type& state, int thread) {
            auto& kept = state.template of<Version, C>();
            constexpr column_layout column = grid::columns[C];
            using scalar = column_scalar<Program, C>;
#pragma unroll
            for (int r = 0; r < rows_of_thread; ++r) {
                const auto* const in = static_cast<const scalar*>(args.in[C]) + from_p * column.plane;
                scalar row[column_elements<Program, C>][N];
                plain_slots<Program>::template fetch<C, N, Masked>(row, in, first_x(thread), row_read(row_of(thread) + r));
                for (int e = 0; e < kept.elements; ++e)
#pragma unroll
                    for (int v = 0; v < N; ++v) kept.next[e][r][v] = row[e][v];
            }
        });
    }
    TESSERA_FN std::int64_t first_x(int thread) const { return x0 + thread % warp_lanes * N; }
    static TESSERA_FN int row_of(int thread) { return thread / warp_lanes * rows_of_thread; }
    // Of row `row` of the block; beyond a boundary some row, for what is there is filled in later.
    TESSERA_FN std::int64_t row_read(int row) const {
        const std::int64_t y = y0 + row;
        if constexpr (!Masked)
            return y;
        else if constexpr (wraps(1))
            return inside_of<grid, 1, Height>(y);
        else
            return y < 0 ? 0 : y >= ny ? ny - 1 : y;
    }

    // ---- what other rows see

    // Of a made version the newest plane is that of the iteration before.
    template<int Version, int C> TESSERA_FN void publish(unsigned char* to) {
        constexpr int at = stream_memory<Program, N, Height>.at[Version][C];
        if constexpr (at >= 0) {
            constexpr int across = age_across(plan, size_of_plan<Program>, Program::column, Version, C);
            constexpr int age = across - (is_loaded<Version, C>() ? 0 : 1);
            static_assert(age >= 0, "what is seen from other rows is finished before a stage begins");
            threads.each_thread([&](state_type& state, int thread) {
                auto& kept = state.template of<Version, C>();
#pragma unroll
                for (int e = 0; e < kept.elements; ++e)
#pragma unroll
                    for (int r = 0; r < rows_of_thread; ++r) {
                        vector_of<column_scalar<Program, C>, N> row;
#pragma unroll
                        for (int v = 0; v < N; ++v) row.values[v] = kept.planes[e][kept.depth - 1 - age][r][v];
                        store_vector<column_scalar<Program, C>, N>(shared_row<C>(to + at, e, row_of(thread) + r, thread), row);
                    }
            });
        }
    }
    template<int C> static TESSERA_FN column_scalar<Program, C>* shared_row(unsigned char* from, int e, int row, int thread) {
        return reinterpret_cast<column_scalar<Program, C>*>(from) + (e * Height + row) * shape::width + thread % warp_lanes * N;
    }
    // Stage K's member I beside a thread's places. Of the block's outermost rows nobody needs what they see further out.
    template<int K, int I> TESSERA_FN void see(seen_in_stage<Program, N, K>& all, unsigned char* from, int thread) {
        constexpr stage_use use = plan.use[K][I];
        if constexpr (use.reads) {
            constexpr int c = Program::column[K][I], version = plan.version_of[K][I], at = stream_memory<Program, N, Height>.at[version][c];
            auto& seen = all.template of<I>();
            const auto read = [&](column_scalar<Program, c>(&values)[N], int e, int row) {
                const auto loaded = load_vector<false, column_scalar<Program, c>, N>(shared_row<c>(from + at, e,
                                                                                                   row < 0         ? 0
                                                                                                   : row >= Height ? Height - 1
                                                                                                                   : row,
                                                                                                   thread));
#pragma unroll
                for (int v = 0; v < N; ++v) values[v] = loaded.values[v];
            };
#pragma unroll
            for (int e = 0; e < seen.elements; ++e) {
                if constexpr (use.low[2] > 0)
#pragma unroll
                    for (int i = 0; i < use.low[2]; ++i) read(seen.before[e][i], e, row_of(thread) - use.low[2] + i);
                if constexpr (use.high[2] > 0)
#pragma unroll
                    for (int i = 0; i < use.high[2]; ++i) read(seen.behind[e][i], e, row_of(thread) + rows_of_thread + i);
                see_sides<K, I>(seen, e, thread);
            }
        }
    }
    template<int K, int I, class Seen> TESSERA_FN void see_sides(Seen& seen, int e, int thread) {
        constexpr stage_use use = plan.use[K][I];
        constexpr int c = Program::column[K][I], version = plan.version_of[K][I];
        constexpr int plane = plan.version[version][c].depth - 1 - (plan.lag[K] - plan.version[version][c].lag);
        const auto in_lane = [&](int r, int place) { // counted from the thread's first
            const int lanes = place < 0 ? -((N - 1 - place) / N) : place / N;
            return threads.in_lane(thread, lanes, [&](const state_type& other) {
                return other.template of<version, c>().planes[e][plane][r][place - lanes * N];
            });
        };
#pragma unroll
        for (int r = 0; r < rows_of_thread; ++r) {
#pragma unroll
            for (int i = 0; i < use.low[0]; ++i) seen.left[e][r][i] = in_lane(r, i - use.low[0]);
#pragma unroll
            for (int i = 0; i < use.high[0]; ++i) seen.right[e][r][i] = in_lane(r, N + i);
        }
    }

    // ---- stages

    // Makes plane p of stage K.
    template<int K> TESSERA_FN void make_stage(std::int64_t p, unsigned char* from) {
        if (careful && p < p0 - (shape::above - plan.low[1][K])) return; // the planes before it are not there, and nobody needs it
        const bool there = !Masked || wraps(2) || (p >= 0 && p < nz);
        threads.each_thread([&](state_type& state, int thread) {
            shift_results<K>(state, indices_to<members>{});
            if (there) make_places<K>(state, thread, p, from, indices_to<members>{});
        });
        finish_stage<K>(p, indices_to<members>{});
    }
    template<int K, int... I> static TESSERA_FN void shift_results(state_type& state, index_list<I...>) {
        (shift_result<K, I>(state), ...);
    }
    template<int K, int I> static TESSERA_FN void shift_result(state_type& state) {
        if constexpr (plan.use[K][I].writes) state.template of<K + 1, Program::column[K][I]>().shift();
    }
    template<int K, int... I>
    TESSERA_FN void make_places(state_type& state, int thread, std::int64_t p, unsigned char* from, index_list<I...>) {
        seen_in_stage<Program, N, K> seen;
        (see<K, I>(seen, from, thread), ...);
        if (Masked && rows_wrap<Program>) p = inside_of<grid, 2, shape::height>(p);
#pragma unroll
        for (int r = 0; r < rows_of_thread; ++r)
#pragma unroll
            for (int v = 0; v < N; ++v) call_place<K>(state, seen, thread, r, v, p);
    }
    template<int K>
    TESSERA_FN void call_place(state_type& state, const seen_in_stage<Program, N, K>& seen, int thread, int r, int v, std::int64_t p) {
        const int row = row_of(thread) + r;
        std::int64_t x = first_x(thread) + v, y = y0 + row;
        if constexpr (careful) {
            const int place = thread % warp_lanes * N + v;
            if (place < plan.low[0][K] || place >= shape::width - plan.high[0][K]) return;
            if (row < plan.low[2][K] || row >= Height - plan.high[2][K]) return;
            if (Masked && ((!wraps(0) && (x < 0 || x >= nx)) || (!wraps(1) && (y < 0 || y >= ny)))) return;
        }
        if constexpr (Masked) {
            if constexpr (wraps(0)) x = inside_of<grid, 0, shape::width>(x);
            y = row_read(row);
        }
        call_on<function_of<Program, K>>(stream_view<Program, N, K, Masked>(
            state, seen, r, v, {x, y, p}, {step0 + K / calls, args.random_key[K % calls], args.first_step}));
    }
    template<int K, int... I> TESSERA_FN void finish_stage(std::int64_t p, index_list<I...>) { (finish_result<K, I>(p), ...); }
    template<int K, int I> TESSERA_FN void finish_result(std::int64_t p) {
        if constexpr (plan.use[K][I].writes) {
            constexpr int c = Program::column[K][I];
            settle<K + 1, c>(p);
            if constexpr (plan.version[K + 1][c].last) store_plane<K + 1, c>(p);
        }
    }

    // After plane p became a version's newest: what lies beyond fixed and open boundaries.
    template<int Version, int C> TESSERA_FN void settle(std::int64_t p) {
        if constexpr (Masked && !(wraps(0) && wraps(1) && wraps(2)))
            threads.each_thread([&](state_type& state, int thread) {
                auto& kept = state.template of<Version, C>();
                kept.each([&](int e, int r, int v) {
                    const bool is_beyond[3] = {is_outside<0>(first_x(thread) + v), is_outside<1>(y0 + row_of(thread) + r),
                                               is_outside<2>(p)};
                    bool any = false, missing = false;
                    for (int axis = 0; axis < 3; ++axis) any |= is_beyond[axis], missing |= is_beyond[axis] && rule[axis] == boundary::open;
                    if (any) kept.newest(e, r, v) = missing ? beyond<grid, C>::missing[e] : beyond<grid, C>::outside[e];
                });
            });
    }
    template<int Axis> static TESSERA_FN bool is_outside(std::int64_t i) { return !wraps(Axis) && (i < 0 || i >= grid::size[Axis]); }

    template<int Version, int C> TESSERA_FN void store_plane(std::int64_t p) {
        if (p < p0 || p >= p0 + Planes || (Masked && p >= end_of_rows<grid>(args))) return;
        threads.each_thread([&](state_type& state, int thread) {
            const int place = thread % warp_lanes * N;
            if (place < shape::halo || place >= shape::width - shape::halo || (Masked && first_x(thread) >= nx)) return;
            auto& kept = state.template of<Version, C>();
#pragma unroll
            for (int r = 0; r < rows_of_thread; ++r) {
                const int row = row_of(thread) + r;
                if (row < shape::low_rows || row >= shape::low_rows + shape::rows || (Masked && y0 + row >= ny)) continue;
#pragma unroll
                for (int e = 0; e < kept.elements; ++e) store_row<C>(kept.planes[e][kept.depth - 1][r], e, {first_x(thread), y0 + row, p});
            }
        });
    }
    template<int C> TESSERA_FN void store_row(const column_scalar<Program, C> (&values)[N], int e, const place_position& first) {
        constexpr column_layout column = grid::columns[C];
        auto* const origin = static_cast<column_scalar<Program, C>*>(args.out[C]) + e * column.element;
        if constexpr (Masked)
            store_places<grid, C, N>(origin, values, first.x, first.y, first.z);
        else {
            vector_of<column_scalar<Program, C>, N> all;
#pragma unroll
            for (int v = 0; v < N; ++v) all.values[v] = values[v];
            store_vector<column_scalar<Program, C>, N>(origin + first.z * column.plane + first.y * column.row + first.x, all);
        }
    }
};

// Whether all that is made from `first` to `end` on an axis is in the grid, with `more` beyond it, and of none of what is stored there are
// copies: those are repeated no further from the edge than the widest ghosts.
template<class Grid, int Axis> TESSERA_FN bool is_inside_of_axis(std::int64_t first, std::int64_t end) {
    int ghost = 0;
    for (const column_layout& column : Grid::columns) ghost = larger(ghost, axis_copies_ghosts<Grid, Axis> ? column.ghost[Axis] : 0);
    return first >= ghost && end <= Grid::size[Axis] - ghost;
}

// Column number `number`, x first, then y, from the launch's first plane on.
template<class Program, int N, int Height, int Planes>
TESSERA_FN void run_stream(const arguments_of_program<Program>& args, unsigned char* memory, std::int64_t number) {
    using shape = stream_shape<Program, N, Height, Planes>;
    using grid = typename Program::grid;
    const std::int64_t x0 = number % shape::across * shape::useful - shape::halo,
                       y0 = number / shape::across % shape::down * shape::rows - shape::low_rows,
                       p0 = first_of_rows<grid>(args) + number / shape::across / shape::down * Planes;
    if (p0 >= end_of_rows<grid>(args)) return;
    constexpr bool large = grid::size[0] >= shape::width && grid::size[1] >= Height && grid::size[2] >= shape::height;
    if constexpr (large) // else none is inside, and need not be compiled
        if (rows_left_out<grid, Planes>(args, p0) == 0 && is_inside_of_axis<grid, 0>(x0, x0 + shape::width) &&
            is_inside_of_axis<grid, 1>(y0, y0 + Height) &&
            is_inside_of_axis<grid, 2>(p0 - shape::above, p0 - shape::above + shape::height + 1))
            return stream<Program, N, Height, Planes, false>(args, memory, {x0, y0, p0}).run();
    stream<Program, N, Height, Planes, true>(args, memory, {x0, y0, p0}).run();
}

#if TESSERA_GPU
template<class Program, int N, int Height, int Planes> TESSERA_FN void call_streams(const arguments_of_program<Program>& args) {
    __shared__ alignas(16) unsigned char memory[stream_bytes<Program, N, Height>];
    run_stream<Program, N, Height, Planes>(args, memory, blockIdx.x);
}
#else
template<class Program, int N, int Height, int Planes> inline void call_streams(const void* args, std::int64_t first, std::int64_t last) {
    alignas(16) unsigned char memory[stream_bytes<Program, N, Height>];
    for (std::int64_t number = first; number < last; ++number)
        run_stream<Program, N, Height, Planes>(*static_cast<const arguments_of_program<Program>*>(args), memory, number);
}
#endif

} // namespace tessera::fused
