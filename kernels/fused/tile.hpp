// The view of fused steps that needs no registers for them: a block of threads with the newest planes of all stages in shared memory.
//
// A tile is Width x Height places of the planes that are streamed: planes of z on a grid of three dimensions, rows of y on one of two. Or
// nothing is streamed, and there is one plane: a line. Every version that later stages see (program.hpp) is a ring of planes; what the
// first stages see is read from the columns where it is. A tile makes as many places beside its own, and planes before and behind them, as
// its stages see: blocks never wait for each other. (Overlapped tiles, 2.5-dimensional blocking: Nguyen et al., 2010; streaming as in AN5D,
// Matsumura et al., 2020.) Tiles at the grid's edge take a masked path, in which what lies beyond the boundary is found as it is read.
#pragma once

#include <tessera/kernels/fused/program.hpp>
#include <tessera/kernels/launch/memory.hpp>
#include <tessera/kernels/places/ghosts.hpp>

namespace tessera::fused {

// What is kept of one version of a column, in bytes and planes.
struct tile_ring {
    bool kept;
    int planes, at, plane; // a plane of one element
    int end;
    int made, read; // by these stages, last
};

// What the stages of a tile make and keep. `k` is a stage.
template<class Program, int Width, int Height> struct tile_shape {
    using grid = typename Program::grid;
    static constexpr plan_type<Program> plan = plan_of<Program>;
    static constexpr int stages = stages_of<Program>, members = members_of<Program>;
    static constexpr boundary rule[3] = {grid::rule[0], stream_rule<Program>, rule_on<grid>(other_axis<Program>)}; // x, streamed, other
    static constexpr std::int64_t size[3] = {grid::size[0], grid::size[stream_axis<Program>], grid::size[other_axis<Program>]};

    // How far beyond the tile's own places the results of a stage are needed.
    static constexpr int low(int axis, int k) { return plan.low[axis][stages - 1] - plan.low[axis][k]; }
    static constexpr int high(int axis, int k) { return plan.high[axis][stages - 1] - plan.high[axis][k]; }
    static constexpr int wide(int k) { return low(0, k) + Width + high(0, k); }
    static constexpr int tall(int k) { return low(2, k) + Height + high(2, k); }

    struct layout {
        tile_ring ring[stages + 1][members];
        int bytes;
    };
    // The lowest place that no ring needs at the same time; in a stream all do, in a single plane those that some stage knows together.
    static constexpr void stack(layout& all, tile_ring& ring) {
        const int bytes = ring.end;
        for (bool free = false; !free;) {
            free = true;
            for (const auto& made : all.ring)
                for (const tile_ring& other : made) {
                    const bool together = Program::stream < grid::dims || (other.made <= ring.read && ring.made <= other.read);
                    if (&other == &ring || !other.kept || !together || ring.at + bytes <= other.at || other.end <= ring.at) continue;
                    ring.at = other.end;
                    free = false;
                }
        }
        ring.end = ring.at + bytes;
    }
    template<int... C> static constexpr layout lay_out(index_list<C...>) {
        const int scalar[] = {static_cast<int>(sizeof(column_scalar<Program, C>))...}, elements[] = {column_elements<Program, C>...};
        layout all{};
        for (int v = 1; v <= stages; ++v)
            for (int c = 0; c < members; ++c) {
                tile_ring& ring = all.ring[v][c];
                ring.made = v - 1, ring.read = last_reader(plan, size_of_plan<Program>, Program::column, v, c);
                ring.kept = plan.written[c] && plan.version[v][c].used && ring.read >= 0;
                if (!ring.kept) continue;
                ring.planes = plan.version[v][c].depth;
                ring.plane = (wide(v - 1) * tall(v - 1) * scalar[c] + 7) / 8 * 8;
                ring.end = ring.planes * elements[c] * ring.plane;
                stack(all, ring);
                all.bytes = larger(all.bytes, ring.end);
            }
        return all;
    }
    static constexpr layout all = lay_out(indices_to<members>{});
};

// Where the planes stand that stage K sees and makes, in bytes from the beginning of the tile's memory; by member, and by the distance from
// the lowest.
template<class Program, int K> struct tile_planes {
    static constexpr int most(bool low) {
        int reach = 0;
        for (const stage_use& use : plan_of<Program>.use[K]) reach = larger(reach, low ? use.low[1] : use.high[1]);
        return reach;
    }
    static constexpr int low = most(true), high = most(false);
    int seen[members_of<Program>][low + 1 + high], made[members_of<Program>];
    bool beyond[low + 1 + high]; // a fixed or open boundary
};

// A place among those of a plane that a stage makes in a tile; `stored`: this tile stores it, not a neighbouring one.
struct tile_position {
    int x, y;
    bool stored;
};

// A place of stage K.
template<class Program, int Width, int Height, int K, bool Masked>
struct tile_view : view_base<function_of<Program, K>, typename Program::grid> {
    using function = function_of<Program, K>;
    using grid = typename Program::grid;
    using shape = tile_shape<Program, Width, Height>;
    using planes = tile_planes<Program, K>;
    using base = view_base<function, grid>;
    static constexpr bool masked = Masked;
    static constexpr plan_type<Program> plan = plan_of<Program>;

    const arguments_of_program<Program>& program;
    unsigned char* memory;
    const planes& plane;
    int tile_x, tile_y;
    bool stored;
    std::uint64_t number; // of the step

    TESSERA_FN tile_view(const arguments_of_program<Program>& program_, unsigned char* memory_, const planes& plane_, tile_position in_tile,
                         std::uint64_t number_, place_position at)
        : base{nullptr, at.x, at.y, at.z}, program(program_), memory(memory_), plane(plane_), tile_x(in_tile.x), tile_y(in_tile.y),
          stored(in_tile.stored), number(number_) {}

    template<int I> TESSERA_FN auto own() const { return at<I, 0, 0, 0>(); }
    template<int I, int X, int Y, int Z> TESSERA_FN auto at() const {
        constexpr int c = Program::column[K][I], version = plan.version_of[K][I];
        if constexpr (plan.version[version][c].loaded) {
            constexpr column_layout column = grid::columns[c];
            const auto* const here = static_cast<const scalar_of<function, I>*>(program.in[c]) + base::x + X + (base::y + Y) * column.row +
                                     (base::z + Z) * column.plane;
            return elements<I>([&](int e) { return load<true>(here + e * column.element); });
        } else {
            if (is_beyond<X, Y, Z>())
                return elements<I>([&](int e) { return missing<X, Y, Z>() ? beyond<grid, c>::missing[e] : beyond<grid, c>::outside[e]; });
            constexpr tile_ring ring = shape::all.ring[version][c];
            constexpr int made = version - 1, across = Program::stream == 2 ? Y : Z, along = Program::stream == 2 ? Z : Y;
            const int x = beside<0, X, made>(base::x, tile_x), y = beside<2, across, made>(other(), tile_y);
            const unsigned char* const here =
                memory + plane.seen[I][along + planes::low] + (y * shape::wide(made) + x) * sizeof(scalar_of<function, I>);
            return elements<I>([&](int e) { return *reinterpret_cast<const scalar_of<function, I>*>(here + e * ring.plane); });
        }
    }
    template<int I> TESSERA_FN void store(const value_of<function, I>& value) const {
        if constexpr (same_type<scalar_of<function, I>, value_of<function, I>>)
            store_element<I>(0, value);
        else
            for (int e = 0; e < elements_of<function, I>; ++e) store_element<I>(e, value[e]);
    }
    template<int X, int Y, int Z> TESSERA_FN bool exists() const { return base::template exists_at<Masked, X, Y, Z>(); }
    TESSERA_FN std::int64_t step() const { return step_number(number); }
    template<class Value> TESSERA_FN auto global() const { return value_in_step<Value>(program.first_step, number); }
    TESSERA_FN random_stream random() const {
        return place_stream<grid>(program.random_key[K % Program::functions::count], base::x, base::y, base::z,
                                  static_cast<std::uint32_t>(number));
    }

private:
    template<int I, class Element> static TESSERA_FN auto elements(Element&& element) {
        if constexpr (same_type<scalar_of<function, I>, value_of<function, I>>)
            return static_cast<scalar_of<function, I>>(element(0));
        else {
            value_of<function, I> value;
#pragma unroll
            for (int e = 0; e < elements_of<function, I>; ++e) value[e] = element(e);
            return value;
        }
    }
    TESSERA_FN std::int64_t other() const { return Program::stream == 2 ? base::y : 0; }

    // Index within what stage Made made of a plane, of the place that is By further on an axis (x: 0, other: 2), or that a mirror shows
    // there.
    template<int Axis, int By, int Made> TESSERA_FN int beside(std::int64_t position, int index) const {
        constexpr int further = shape::low(Axis, Made) - shape::low(Axis, K);
        if constexpr (Masked && shape::rule[Axis] == boundary::reflect && By != 0)
            return index + further +
                   static_cast<int>(inside_of < grid, Axis == 0 ? 0 : other_axis<Program>, magnitude(By) + 1 > (position + By) - position);
        else
            return index + further + By;
    }

    template<int Axis> static TESSERA_FN bool is_outside(std::int64_t position) { return position < 0 || position >= shape::size[Axis]; }
    template<boundary Rule, int X, int Y, int Z> TESSERA_FN bool is_outside_of() const {
        constexpr int across = Program::stream == 2 ? Y : Z, along = Program::stream == 2 ? Z : Y;
        bool is = false;
        if constexpr (X != 0 && shape::rule[0] == Rule) is |= is_outside<0>(base::x + X);
        if constexpr (across != 0 && shape::rule[2] == Rule) is |= is_outside<2>(other() + across);
        if constexpr (along != 0 && shape::rule[1] == Rule) is |= plane.beyond[along + planes::low];
        return is;
    }
    template<int X, int Y, int Z> TESSERA_FN bool missing() const { return is_outside_of<boundary::open, X, Y, Z>(); }
    template<int X, int Y, int Z> TESSERA_FN bool is_beyond() const {
        if constexpr (!Masked)
            return false;
        else
            return missing<X, Y, Z>() || is_outside_of<boundary::fixed, X, Y, Z>();
    }

    template<int I> TESSERA_FN void store_element(int e, scalar_of<function, I> value) const {
        using scalar = scalar_of<function, I>;
        constexpr int c = Program::column[K][I];
        constexpr tile_ring ring = shape::all.ring[K + 1][c];
        if constexpr (ring.kept)
            *reinterpret_cast<scalar*>(memory + plane.made[I] + e * ring.plane + (tile_y * shape::wide(K) + tile_x) * sizeof(scalar)) =
                value;
        if constexpr (plan.version[K + 1][c].last) {
            if (!stored) return;
            constexpr column_layout column = grid::columns[c];
            scalar* const origin = static_cast<scalar*>(program.out[c]) + e * column.element;
            origin[base::x + base::y * column.row + base::z * column.plane] = value;
            if (Masked && has_copies<grid, c>(base::x, 1, base::y, base::z))
                write_copies<grid, c>(origin, value, base::x, base::y, base::z);
        }
    }
};

// Threads that make the same tile, one after the other on a CPU.
#if TESSERA_GPU
template<int Count, class Body> TESSERA_FN void each_in_block(Body&& body) {
#pragma unroll 2
    for (int i = static_cast<int>(threadIdx.x); i < Count; i += static_cast<int>(blockDim.x)) body(i);
    __syncthreads();
}
#else
template<int Count, class Body> TESSERA_FN void each_in_block(Body&& body) {
    for (int i = 0; i < Count; ++i) body(i);
}
#endif

// The tile that begins at (x0, y0) of the planes from p0 on: of Planes of them, or as many as the launch makes.
template<class Program, int Width, int Height, int Planes, bool Masked> struct tile {
    using shape = tile_shape<Program, Width, Height>;
    using grid = typename Program::grid;
    static constexpr plan_type<Program> plan = plan_of<Program>;
    static constexpr int stages = stages_of<Program>, members = members_of<Program>, calls = Program::functions::count;
    static constexpr std::int64_t nx = shape::size[0], planes = shape::size[1], ny = shape::size[2];

    const arguments_of_program<Program>& args;
    unsigned char* const memory;
    const std::int64_t x0, y0, p0;
    const std::uint64_t step0 = *args.first_step + args.step_after_first;

    TESSERA_FN void run() {
        const std::int64_t end = end_of_planes();
        for (std::int64_t p = p0 - shape::low(1, 0) + plan.lag[0]; p < end + plan.below(); ++p) make_planes(p, indices_to<stages>{});
    }

private:
    TESSERA_FN std::int64_t end_of_planes() const { return p0 + Planes - (Masked ? rows_left_out<grid, Planes>(args, p0) : 0); }
    template<int... K> TESSERA_FN void make_planes(std::int64_t p, index_list<K...>) { (make_plane_if_needed<K>(p - plan.lag[K]), ...); }
    template<int K> TESSERA_FN void make_plane_if_needed(std::int64_t p) {
        if (Masked && shape::rule[1] != boundary::torus && (p < 0 || p >= planes)) return;
        if (p >= p0 - shape::low(1, K) && p < end_of_planes() + shape::high(1, K)) make_plane<K>(p, indices_to<members>{});
    }
    template<int K, int... I> TESSERA_FN void make_plane(std::int64_t p, index_list<I...>) {
        tile_planes<Program, K> plane;
        (point<K, I>(plane, p), ...);
        constexpr int wide = shape::wide(K), low_x = shape::low(0, K), low_y = shape::low(2, K);
        const bool own_plane = p >= p0 && p < end_of_planes() && (!Masked || grid::in_bands || p < planes);
        each_in_block<wide * shape::tall(K)>([&](int i) {
            const int tile_x = i % wide, tile_y = i / wide;
            std::int64_t x = x0 - low_x + tile_x, y = y0 - low_y + tile_y, z = p;
            bool own = own_plane && (low_x == 0 || tile_x >= low_x) && (shape::high(0, K) == 0 || tile_x < low_x + Width) &&
                       (low_y == 0 || tile_y >= low_y) && (shape::high(2, K) == 0 || tile_y < low_y + Height);
            if constexpr (Masked) {
                own = own && x < nx && y < ny;
                if (!bring_inside<0>(x) || !bring_inside<2>(y)) return;
                if (rows_wrap<Program>) z = inside_of<grid, stream_axis<Program>, Planes + plan.above() + plan.below() + 1>(z);
            }
            const place_position at = Program::stream == 2 ? place_position{x, y, z} : place_position{x, z, 0};
            call_on<function_of<Program, K>>(
                tile_view<Program, Width, Height, K, Masked>(args, memory, plane, {tile_x, tile_y, own}, step0 + K / calls, at));
        });
    }
    // Brings a position beyond the edge of a torus inside; false for a position that is not on the grid.
    template<int Axis> static TESSERA_FN bool bring_inside(std::int64_t& position) {
        constexpr int overlap = (Axis == 0 ? shape::wide(0) : shape::tall(0)) + 1;
        if constexpr (Axis == 2 && other_axis<Program> >= grid::dims)
            return true;
        else if constexpr (shape::rule[Axis] == boundary::torus)
            position = inside_of < grid, Axis == 0 ? 0 : other_axis<Program>, overlap > (position);
        return position >= 0 && position < shape::size[Axis];
    }

    template<int K, int I> TESSERA_FN void point(tile_planes<Program, K>& plane, std::int64_t p) const {
        constexpr int c = Program::column[K][I], version = plan.version_of[K][I], low = tile_planes<Program, K>::low;
        constexpr stage_use use = plan.use[K][I];
        if constexpr (use.reads && !plan.version[version][c].loaded) {
#pragma unroll
            for (int d = -use.low[1]; d <= use.high[1]; ++d) {
                std::int64_t seen = p + d;
                plane.beyond[d + low] = Masked && (seen < 0 || seen >= planes);
                if (Masked && shape::rule[1] == boundary::reflect)
                    seen = inside_of<grid, stream_axis<Program>, larger(use.low[1], use.high[1]) + 1>(seen);
                plane.seen[I][d + low] = at_in_ring<version, c>(seen);
            }
        }
        if constexpr (use.writes) plane.made[I] = at_in_ring<K + 1, c>(p);
    }
    template<int Version, int C> TESSERA_FN int at_in_ring(std::int64_t p) const {
        constexpr tile_ring ring = shape::all.ring[Version][C];
        if constexpr (!ring.kept)
            return 0;
        else if constexpr (ring.planes == 1)
            return ring.at;
        else {
            const auto from_first = static_cast<std::uint32_t>(p - (p0 - shape::low(1, 0)));
            return ring.at +
                   static_cast<int>(from_first % static_cast<std::uint32_t>(ring.planes)) * (column_elements<Program, C> * ring.plane);
        }
    }
};

// Tile number `number`, x first, then the other axis of a plane, from the launch's first plane on.
template<class Program, int Width, int Height, int Planes>
TESSERA_FN void run_tile(const arguments_of_program<Program>& args, unsigned char* memory, std::int64_t number) {
    using shape = tile_shape<Program, Width, Height>;
    using grid = typename Program::grid;
    constexpr std::int64_t across = (shape::size[0] + Width - 1) / Width, down = (shape::size[2] + Height - 1) / Height;
    const std::int64_t x0 = number % across * Width, y0 = number / across % down * Height,
                       p0 = first_of_rows<grid>(args) + number / across / down * Planes;
    // All that it makes is in the grid and of none of it are there copies: those are repeated no further from the edge than the widest
    // ghosts.
    const auto is_inside = [](int axis, std::int64_t first, std::int64_t end) {
        const int in_grid = axis == 0 ? 0 : axis == 1 ? stream_axis<Program> : other_axis<Program>;
        const bool copies[] = {axis_copies_ghosts<grid, 0>, axis_copies_ghosts<grid, 1>, axis_copies_ghosts<grid, 2>};
        int ghost = 0;
        for (const column_layout& column : grid::columns) ghost = larger(ghost, copies[in_grid] ? column.ghost[in_grid] : 0);
        const int from = larger(shape::low(axis, 0) + shape::plan.low[axis][0], ghost),
                  to = larger(shape::high(axis, 0) + shape::plan.high[axis][0], ghost);
        return in_grid >= grid::dims || (first - from >= 0 && end + to <= shape::size[axis]);
    };
    constexpr bool large = shape::size[0] >= Width; // else none is inside, and need not be compiled
    if constexpr (large)
        if (rows_left_out<grid, Planes>(args, p0) == 0 && is_inside(0, x0, x0 + Width) && is_inside(1, p0, p0 + Planes) &&
            is_inside(2, y0, y0 + Height))
            return tile<Program, Width, Height, Planes, false>{args, memory, x0, y0, p0}.run();
    tile<Program, Width, Height, Planes, true>{args, memory, x0, y0, p0}.run();
}

// An axis that the grid does not have is one place long.
template<class Program, int Axis> constexpr int along(int places) { return Axis < Program::grid::dims ? places : 1; }

#if TESSERA_GPU
template<class Program, int Width, int Height, int Planes> TESSERA_FN void call_tiles(const arguments_of_program<Program>& args) {
    constexpr int height = along<Program, other_axis<Program>>(Height), planes = along<Program, stream_axis<Program>>(Planes);
    __shared__ alignas(16) unsigned char memory[tile_shape<Program, Width, height>::all.bytes + 8];
    run_tile<Program, Width, height, planes>(args, memory, blockIdx.x);
}
#else
template<class Program, int Width, int Height, int Planes> inline void call_tiles(const void* args, std::int64_t first, std::int64_t last) {
    constexpr int height = along<Program, other_axis<Program>>(Height), planes = along<Program, stream_axis<Program>>(Planes);
    alignas(16) unsigned char memory[tile_shape<Program, Width, height>::all.bytes + 8];
    for (std::int64_t number = first; number < last; ++number)
        run_tile<Program, Width, height, planes>(*static_cast<const arguments_of_program<Program>*>(args), memory, number);
}
#endif

} // namespace tessera::fused
