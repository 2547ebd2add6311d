// What a lane of a streaming warp has in hand: rows of slots. A slot is one place (plain_slots), or 32 places bit by bit (bit_lanes.hpp).
//
// Both kinds of slots provide
//     places                                  of one slot
//     stored<C>, planes<C>                    a slot of column C is so many values of this type: the elements of an array, or the bits of a
//     number beside<N>(reach), see_beside            what a lane has of a row besides its own N slots, so that it sees `reach` places aside
//     view<N, K, Masked>                      slot v of a lane's N, in stage K
//     fetch<C, N, Masked>, store<...>         between N slots and memory, from place (x, y) on
//     fill_beyond<C, N, Row>, mirror_sides    what is beyond the boundary
#pragma once

#include <tessera/kernels/fused/coordinate.hpp>
#include <tessera/kernels/fused/program.hpp>
#include <tessera/kernels/fused/warp.hpp>
#include <tessera/kernels/places/store.hpp>

namespace tessera::fused {

template<class Program> struct plain_slots;
template<class Program> struct bit_slots;
template<class Program, bool Bits> struct slots_type { using type = plain_slots<Program>; };
template<class Program> struct slots_type<Program, true> { using type = bit_slots<Program>; };
template<class Program> using slots_of = typename slots_type<Program, (Program::bits > 0)>::type;

// The rows that a lane keeps of one version of a column. Age 0 is the newest.
template<class Program, int N, int Version, int C, bool Used = plan_of<Program>.version[Version][C].used> struct kept_rows {};
template<class Program, int N, int Version, int C> struct kept_rows<Program, N, Version, C, true> {
    using slots = slots_of<Program>;
    using scalar = typename slots::template stored<C>;
    static constexpr version_plan plan = plan_of<Program>.version[Version][C];
    static constexpr int planes = slots::template planes<C>, depth = plan.depth; // a plane: an element of an array, or a bit of 32 places
    static constexpr int beside_left = slots::template beside<N>(plan.left), beside_right = slots::template beside<N>(plan.right);
    scalar rows[planes][depth][N];
    scalar left[planes][depth][larger(beside_left, 1)], right[planes][depth][larger(beside_right, 1)];
    scalar next[planes][N]; // on its way from memory

    TESSERA_FN void shift() {
#pragma unroll
        for (int e = 0; e < planes; ++e)
#pragma unroll
            for (int r = 0; r + 1 < depth; ++r) move(e, r + 1, r);
    }
    TESSERA_FN void move(int e, int from, int to) { // rows by index: depth - 1 is the newest
#pragma unroll
        for (int v = 0; v < N; ++v) rows[e][to][v] = rows[e][from][v];
#pragma unroll
        for (int i = 0; i < beside_left; ++i) left[e][to][i] = left[e][from][i];
#pragma unroll
        for (int i = 0; i < beside_right; ++i) right[e][to][i] = right[e][from][i];
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
template<class Program, int N, int K, bool Masked> struct plain_view : view_base<function_of<Program, K>, typename Program::grid> {
    using function = function_of<Program, K>;
    using grid = typename Program::grid;
    using base = view_base<function, grid>;
    static constexpr bool masked = Masked;
    static constexpr plan_type<Program> plan = plan_of<Program>;
    lane_of<Program, N>& lane;
    int v;
    std::uint64_t number, key; // of the step, of the random numbers
    const std::uint64_t* step_words;

    TESSERA_FN plain_view(lane_of<Program, N>& lane_, std::int64_t x, std::int64_t y, int v_, const stage_of_step& stage)
        : base{nullptr, x, y, 0}, lane(lane_), v(v_), number(stage.number), key(stage.key), step_words(stage.step_words) {}

    template<int I> TESSERA_FN auto own() const { return at<I, 0, 0, 0>(); }
    template<int I, int X, int Y, int Z> TESSERA_FN auto at() const {
        constexpr int c = Program::column[K][I], version = plan.version_of[K][I], age = plan.lag[K] - Y - plan.version[version][c].lag;
        const auto& kept = lane.template of<version, c>();
        if constexpr (same_type<scalar_of<function, I>, value_of<function, I>>)
            return slot(kept, 0, age, v + X);
        else {
            value_of<function, I> value;
#pragma unroll
            for (int e = 0; e < elements_of<function, I>; ++e) value[e] = slot(kept, e, age, v + X);
            return value;
        }
    }
    template<int I> TESSERA_FN void store(const value_of<function, I>& value) const {
        auto& kept = lane.template of<K + 1, Program::column[K][I]>();
        if constexpr (same_type<scalar_of<function, I>, value_of<function, I>>)
            kept.newest(0, v) = value;
        else {
#pragma unroll
            for (int e = 0; e < elements_of<function, I>; ++e) kept.newest(e, v) = value[e];
        }
    }
    template<int X, int Y, int Z> TESSERA_FN bool exists() const { return base::template exists_at<Masked, X, Y, Z>(); }
    TESSERA_FN auto position() const {
        constexpr int aside = plan.aside();
        if constexpr (Masked || grid::dims < 2 || !Program::bounded)
            return base::position();
        else
            return inner_position<coordinate<aside, grid::size[0] - 1 - aside>, coordinate<plan.above(), grid::size[1] - 1 - plan.below()>>{
                {base::x}, {base::y}, 0};
    }
    TESSERA_FN std::int64_t step() const { return step_number(number); }
    template<class Value> TESSERA_FN auto global() const { return value_in_step<Value>(step_words, number); }
    TESSERA_FN random_stream random() const {
        if constexpr (Masked) // which may have wrapped, each place by itself
            return place_stream<grid>(key, base::x, base::y, 0, static_cast<std::uint32_t>(number));
        else
            return stream_of_several<function, grid, N>(key, base::x - v, v, base::y, 0, static_cast<std::uint32_t>(number));
    }

private:
    template<class Kept> static TESSERA_FN auto slot(const Kept& kept, int e, int age, int number) { // counted from the lane's first
        const int r = Kept::depth - 1 - age;
        return number < 0    ? kept.left[e][r][larger(Kept::beside_left, 1) + number]
               : number >= N ? kept.right[e][r][number - N]
                             : kept.rows[e][r][number];
    }
};

template<class Program> struct plain_slots {
    using grid = typename Program::grid;
    static constexpr boundary rule_x = grid::rule[0], rule_y = grid::dims > 1 ? grid::rule[1] : boundary::torus;
    static constexpr std::int64_t nx = grid::size[0];
    static constexpr int places = 1;
    template<int C> using stored = column_scalar<Program, C>;
    template<int C> static constexpr int planes = column_elements<Program, C>;
    template<int N> static constexpr int beside(int reach) { return reach; }
    template<int N, int K, bool Masked> using view = plain_view<Program, N, K, Masked>;

    template<int C, int N, bool Masked, class Scalar>
    static TESSERA_FN void fetch(Scalar (&values)[planes<C>][N], const void* in, std::int64_t x, std::int64_t y) {
        const Scalar* const row = static_cast<const Scalar*>(in) + y * grid::columns[C].row;
#pragma unroll
        for (int e = 0; e < planes<C>; ++e) fetch_places<Masked>(values[e], row + e * grid::columns[C].element, x);
    }
    template<int C, int N, bool Masked, class Kept> static TESSERA_FN void store(void* out, Kept& kept, std::int64_t x, std::int64_t y) {
        constexpr column_layout column = grid::columns[C];
        auto* const origin = static_cast<column_scalar<Program, C>*>(out);
#pragma unroll
        for (int e = 0; e < planes<C>; ++e) {
            if constexpr (Masked)
                store_places<grid, C, N>(origin + e * column.element, kept.newest_row(e), x, y, 0);
            else {
                vector_of<column_scalar<Program, C>, N> all;
#pragma unroll
                for (int v = 0; v < N; ++v) all.values[v] = kept.newest(e, v);
                store_vector<column_scalar<Program, C>, N>(origin + e * column.element + y * column.row + x, all);
            }
        }
    }
    template<int C, int N, bool Row, class Kept> static TESSERA_FN void fill_beyond(Kept& kept, std::int64_t x) {
#pragma unroll
        for (int v = 0; v < N; ++v) {
            const bool beside_grid = x + v < 0 || x + v >= nx;
            if (!Row && !beside_grid) continue;
            const bool missing = (Row && rule_y == boundary::open) || (beside_grid && rule_x == boundary::open);
#pragma unroll
            for (int e = 0; e < planes<C>; ++e) kept.newest(e, v) = missing ? beyond<grid, C>::missing[e] : beyond<grid, C>::outside[e];
        }
    }
    template<int Version, int C, int N, class Warp, class Kept>
    static TESSERA_FN void see_beside(Warp& lanes, Kept& kept, int lane, int row) {
#pragma unroll
        for (int e = 0; e < planes<C>; ++e) {
#pragma unroll
            for (int i = 1; i <= Kept::beside_left; ++i) {
                const int away = (i + N - 1) / N;
                kept.left[e][row][Kept::beside_left - i] =
                    lanes.in_lane(lane - away, [&](auto& other) { return other.template of<Version, C>().rows[e][row][away * N - i]; });
            }
#pragma unroll
            for (int i = 0; i < Kept::beside_right; ++i) {
                const int away = i / N + 1;
                kept.right[e][row][i] =
                    lanes.in_lane(lane + away, [&](auto& other) { return other.template of<Version, C>().rows[e][row][i % N]; });
            }
        }
    }
    // x0 is where the warp's first lane stands, `first` where this one does: multiples of N.
    template<int Version, int C, int N, class Warp, class Lane>
    static TESSERA_FN void mirror_sides(Warp& lanes, Lane& state, std::int64_t x0, std::int64_t first) {
        constexpr std::int64_t turn = 2 * nx - 1;
        auto& kept = state.template of<Version, C>();
#pragma unroll
        for (int e = 0; e < planes<C>; ++e)
#pragma unroll
            for (int v = 0; v < N; ++v) {
                const int slot = static_cast<int>((turn - v) % N >= 0 ? (turn - v) % N : (turn - v) % N + N);
                const std::int64_t x = first + v, from_left = -1 - x, from_right = turn - x;
                const auto left = lanes.in_lane(static_cast<int>((from_left - (N - 1 - v) - x0) / N),
                                                [&](auto& other) { return other.template of<Version, C>().newest(e, N - 1 - v); });
                const auto right = lanes.in_lane(static_cast<int>((from_right - slot - x0) / N),
                                                 [&](auto& other) { return other.template of<Version, C>().newest(e, slot); });
                if (x < 0)
                    kept.newest(e, v) = left;
                else if (x >= nx)
                    kept.newest(e, v) = right;
            }
    }

private:
    template<bool Masked, int N, class Scalar> static TESSERA_FN void fetch_places(Scalar (&values)[N], const Scalar* row, std::int64_t x) {
        constexpr bool whole = nx % N == 0, torus = Masked && rule_x == boundary::torus;
        if (torus && whole) x = inside_of<grid, 0, warp_lanes * N>(x);
        if (Masked && !torus && (x < 0 || x >= nx)) x = 0; // what is beyond is filled in later
        if (!torus || whole || (x >= 0 && x + N <= nx)) {  // beyond the last place a row is readable for another N
            const vector_of<Scalar, N> loaded = load_vector<true, Scalar, N>(row + x);
#pragma unroll
            for (int v = 0; v < N; ++v) values[v] = loaded.values[v];
        } else {
#pragma unroll
            for (int v = 0; v < N; ++v) values[v] = load<true>(row + inside_of<grid, 0, warp_lanes * N>(x + v));
        }
    }
};

} // namespace tessera::fused
