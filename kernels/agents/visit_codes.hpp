// Visits agents, and their requests. A block gathers the agents of some thousand places, in any order, and gives one to each thread.
// (Measured: docs/decisions/agents-in-slots.md. One place a thread leaves most threads of a warp with nothing to do.)
#pragma once

#include <tessera/kernels/agents/code_blocks.hpp>
#include <tessera/kernels/agents/collection.hpp>
#include <tessera/kernels/agents/faults.hpp>
#include <tessera/kernels/agents/find_codes.hpp>
#include <tessera/kernels/launch/memory.hpp>

namespace tessera {

// A column of codes, a plane of places for each slot: 0 where there is nothing. The cells of a launch's rows in a plane follow each
// other. The gaps between rows are among them, and are 0.
template<class Grid, int Column, class Code, int Planes> struct code_planes {
    using grid = Grid;
    using code = Code;
    static constexpr int number = Column, planes = Planes;
    static constexpr column_layout column = Grid::columns[Column];
    static constexpr std::int64_t a_row = Grid::dims == 3 ? column.plane : column.row; // of the grid's last axis
    static constexpr int a_thread = cells_a_thread(Grid::size[0] * Grid::size[1] * Grid::size[2]), a_block = agent_threads * a_thread;

    TESSERA_FN static std::int64_t first(const launch_arguments& args) { return Grid::in_bands ? args.first_row * a_row : 0; }
    TESSERA_FN static std::int64_t count(const launch_arguments& args) {
        constexpr std::int64_t rows = Grid::size[Grid::dims == 3 ? 2 : 1];
        return (Grid::in_bands ? args.end_row - args.first_row : rows) * a_row;
    }
};
template<class Agents> using slots_of = code_planes<typename Agents::grid, code_column<Agents>, typename Agents::code, Agents::capacity>;

// How many agents died, moved, and were refused a move.
struct slot_counts {
    std::uint32_t died = 0, moved = 0, refused = 0;
};

// By one thread.
TESSERA_FN void add_to(std::uint64_t* total, std::uint64_t number) {
#if TESSERA_GPU
    atomicAdd(reinterpret_cast<unsigned long long*>(total), static_cast<unsigned long long>(number));
#else
    __atomic_fetch_add(total, number, __ATOMIC_RELAXED);
#endif
}
TESSERA_FN void add_one(std::uint64_t* total) { add_to(total, 1); }

#if TESSERA_GPU
// Blocks of a launch that go over a plane.
template<class Cells> TESSERA_FN std::int64_t blocks_of(const launch_arguments& args) {
    return (Cells::count(args) + Cells::a_block - 1) / Cells::a_block;
}

// How for_each_code loads codes: those of a thread's cells, from number `mine` of a plane on.
template<class Cells> TESSERA_FN auto plain_codes(const launch_arguments& args, const void* codes) {
    using code = typename Cells::code;
    const code* const first = static_cast<const code*>(codes) + Cells::first(args);
    return [first](int plane, std::int64_t mine) {
        return load_vector<false, code, Cells::a_thread>(first + plane * Cells::column.element + mine);
    };
}

// A bit for each of four codes of a byte that is at least `least`.
TESSERA_FN std::uint32_t bits_from(std::uint32_t four, std::uint32_t least) {
    return (__vcmpgeu4(four, least * 0x01010101u) & 0x08040201u) * 0x01010101u >> 24;
}
template<int Least, class Code, int N> TESSERA_FN std::uint32_t bits_from(const vector_of<Code, N>& codes) {
    std::uint32_t found = 0;
    if constexpr (sizeof(Code) == 1 && N % 4 == 0) {
        struct words {
            std::uint32_t values[N / 4];
        };
        const auto four = __builtin_bit_cast(words, codes);
#pragma unroll
        for (int i = 0; i < N / 4; ++i) found |= bits_from(four.values[i], Least) << 4 * i;
    } else {
#pragma unroll
        for (int i = 0; i < N; ++i) found |= static_cast<std::uint32_t>(codes.values[i] >= Least) << i;
    }
    return found;
}

// The tiles of a launch, which a block takes one after the other. The cells of a tile are a piece for each warp, from all over a plane, so
// that blocks have about as much to do wherever agents crowd.
template<class Cells> struct code_tiles {
    using grid = typename Cells::grid;
    using counter = typename counter_type<(Cells::column.element < (std::int64_t{1} << 31))>::type; // of cells, with the gaps between rows
    static constexpr int a_warp = 32 * Cells::a_thread;
    const launch_arguments& args;
    counter blocks;
    std::uint32_t count;

    TESSERA_FN explicit code_tiles(const launch_arguments& args_)
        : args(args_), blocks(static_cast<counter>(blocks_of<Cells>(args_))), count(static_cast<std::uint32_t>(blocks) * Cells::planes) {}

    TESSERA_FN int plane_of(std::uint32_t tile) const {
        return Cells::planes == 1 ? 0 : static_cast<int>(tile / static_cast<std::uint32_t>(blocks));
    }
    // The number of a tile's cell among those of the launch in a plane.
    TESSERA_FN counter cell_of(std::uint32_t tile, int number) const {
        const counter piece = Cells::planes == 1 ? tile : tile % static_cast<std::uint32_t>(blocks);
        return (static_cast<counter>(number / a_warp) * blocks + piece) * a_warp + static_cast<counter>(number % a_warp);
    }
    // A bit for each of this thread's cells that has a code of at least that much.
    template<int Least, class Load> TESSERA_FN std::uint32_t find(std::uint32_t tile, Load&& load) const {
        const auto mine = static_cast<std::int64_t>(cell_of(tile, static_cast<int>(threadIdx.x) * Cells::a_thread));
        return mine < Cells::count(args) ? bits_from<Least>(load(plane_of(tile), mine)) : 0;
    }
    template<class Visit> TESSERA_FN void visit_cell(std::uint32_t tile, int number, Visit&& visit) const {
        const counter cell = cell_of(tile, number), line = cell / static_cast<counter>(Cells::column.row);
        const auto x = static_cast<int>(cell % static_cast<counter>(Cells::column.row));
        const auto first_row = static_cast<int>(grid::in_bands ? args.first_row : 0); // which may be below 0
        if constexpr (grid::dims == 3) {
            constexpr counter ny = grid::size[1];
            visit(x, static_cast<int>(line % ny), first_row + static_cast<int>(line / ny), plane_of(tile));
        } else
            visit(x, first_row + static_cast<int>(line), 0, plane_of(tile));
    }
};

// Makes room for `count` entries of each thread in a list of the block; returns where the thread's entries begin.
TESSERA_FN std::uint32_t room_in_list(std::uint32_t& listed, std::uint32_t count) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    std::uint32_t before = count;
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
        const std::uint32_t below = __shfl_up_sync(~0u, before, d);
        if (lane >= d) before += below;
    }
    std::uint32_t at = 0;
    if (lane == 31) at = atomicAdd(&listed, before);
    return __shfl_sync(~0u, at, 31) + before - count;
}

// `visit(x, y, z, plane)` for each code of at least that much. A block gathers the agents of a tile, on large grids of several, and serves
// them as soon as each of its threads has one.
template<class Cells, int Least, class Load, class Visit>
TESSERA_FN void for_each_code(const launch_arguments& args, Load&& load, Visit&& visit) {
    const code_tiles<Cells> tiles(args);
    const int t = static_cast<int>(threadIdx.x);
#if defined(TESSERA_CHECKED) // a thread that finds a mistake ends: the agents that it leaves out have greater numbers
    for (std::uint32_t tile = blockIdx.x; tile < tiles.count; tile += gridDim.x)
        for (std::uint32_t found = tiles.template find<Least>(tile, load); found != 0; found &= found - 1)
            tiles.visit_cell(tile, t * Cells::a_thread + __ffs(found) - 1, visit);
#else
    static_assert(most_tiles_a_block * Cells::a_block <= 1 << 16, "numbers of cells among a block's tiles fit into 16 bits");
    __shared__ std::uint16_t list[Cells::a_block + agent_threads];
    __shared__ std::uint32_t listed;
    if (t == 0) listed = 0;
    __syncthreads();
    std::uint32_t turn = 0;
    for (std::uint32_t tile = blockIdx.x; tile < tiles.count; tile += gridDim.x, ++turn) {
        std::uint32_t found = tiles.template find<Least>(tile, load);
        std::uint32_t at = room_in_list(listed, __popc(found));
        for (; found != 0; found &= found - 1)
            list[at++] = static_cast<std::uint16_t>(turn * Cells::a_block + t * Cells::a_thread + __ffs(found) - 1);
        __syncthreads();
        const bool last = tile + gridDim.x >= tiles.count;
        const std::uint32_t known = listed, served = last ? known : known / agent_threads * agent_threads;
        for (std::uint32_t i = t; i < served; i += agent_threads)
            tiles.visit_cell(blockIdx.x + list[i] / Cells::a_block * gridDim.x, static_cast<int>(list[i] % Cells::a_block), visit);
        if (last) break;
        __syncthreads();
        if (served > 0 && t < known - served) list[t] = list[served + t];
        if (t == 0) listed = known - served;
        __syncthreads();
    }
#endif
}
#else
// `visit(y, z, item / lines)` for each row of x of the items [first, last), which are the rows of a launch for each plane.
template<class Grid, class Visit>
inline void for_each_row_of(const launch_arguments& args, std::int64_t first, std::int64_t last, Visit&& visit) {
    using grid = Grid;
    constexpr std::int64_t ny = grid::size[1];
    const std::int64_t first_row = grid::in_bands ? args.first_row : 0,
                       rows = grid::in_bands ? args.end_row - args.first_row : grid::size[grid::dims == 3 ? 2 : 1];
    const std::int64_t lines = grid::dims == 3 ? rows * ny : rows;
    for (std::int64_t item = first; item < last; ++item) {
        const std::int64_t line = item % lines;
        const auto y = static_cast<int>(grid::dims == 3 ? line % ny : first_row + line);
        const auto z = static_cast<int>(grid::dims == 3 ? first_row + line / ny : 0);
        visit(y, z, static_cast<int>(item / lines));
    }
}
// `visit(x, y, z, item / lines)` for each place of these rows.
template<class Grid, class Visit>
inline void for_each_place_of(const launch_arguments& args, std::int64_t first, std::int64_t last, Visit&& visit) {
    for_each_row_of<Grid>(args, first, last, [&](int y, int z, int plane) {
        for (int x = 0; x < static_cast<int>(Grid::size[0]); ++x) visit(x, y, z, plane);
    });
}
// How for_each_code loads codes: those of a row.
template<class Cells> inline auto plain_codes(const launch_arguments&, const void* codes) {
    using code = typename Cells::code;
    return [codes](int y, int z, int plane) {
        return static_cast<const code*>(codes) + cell_of<typename Cells::grid, Cells::number>(0, y, z) + plane * Cells::column.element;
    };
}
// `visit(x, y, z, plane)` for each code of at least that much; items are rows of x, plane by plane. Of places with one slot many are taken.
template<class Cells, int Least, class Load, class Visit>
inline void for_each_code(const launch_arguments& args, Load&& load, std::int64_t first, std::int64_t last, Visit&& visit) {
    using grid = typename Cells::grid;
    constexpr int nx = static_cast<int>(grid::size[0]), most = nx < 512 ? nx : 512;
    for_each_row_of<grid>(args, first, last, [&](int y, int z, int plane) {
        const auto* const row = load(y, z, plane);
        int found[most];
        for (int from = 0; from < nx; from += most) {
            const int count = find_codes<Least, (Cells::planes > 1)>(row, from, nx - from < most ? nx : from + most, found);
            for (int i = 0; i < count; ++i) visit(found[i], y, z, plane);
        }
    });
}
#endif

} // namespace tessera
