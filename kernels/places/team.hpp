// Places with many links on a GPU: eight threads of a warp, or those of a block, make one together.
//
// All threads of a team run the function's body with the same values. Sums, counts and extremes over links they share out, and each has the
// whole result, in the order that one thread would have added in (tessera/detail/link_view.hpp); `each` goes along all links in every
// thread. One of them stores. So a block makes its places in two turns: first a thread each those with few links, then those that were set
// aside. Places that many lead to often follow each other (the first of a network that grows): the tiles of a block stand far apart, so
// that no block has more of them than others.
//
// Of functions that send along links nobody knows before the call which of the places will send. Each thread runs the body of its own, and
// what it would send along a long list is noted instead; then a team runs it once more, and sends. Such a function writes nothing of its
// own.
#pragma once

#include <tessera/kernels/places/few_links.hpp>
#include <tessera/kernels/places/numbered.hpp>

namespace tessera {

#if TESSERA_GPU
inline constexpr std::int64_t links_of_group = 4096; // beyond which the whole block goes along them
inline constexpr int threads_of_block = 128;

struct group_team {
    static constexpr int size = 8;
    static TESSERA_FN int rank() { return threadIdx.x % size; }
    static TESSERA_FN void wait() { __syncwarp(threads()); }
    // Calls `visit` with the value of each thread, in their order.
    template<class T, class Visit> static TESSERA_FN void each_value(const T& mine, Visit&& visit) {
        struct words {
            unsigned at[sizeof(T) / 4];
        };
        const auto sent = __builtin_bit_cast(words, mine);
        for (int lane = 0; lane < size; ++lane) {
            words got;
            for (int i = 0; i < static_cast<int>(sizeof(T) / 4); ++i) got.at[i] = __shfl_sync(threads(), sent.at[i], lane, size);
            visit(__builtin_bit_cast(T, got));
        }
    }

private:
    static TESSERA_FN unsigned threads() { return ((1U << size) - 1) << (threadIdx.x % 32 / size * size); } // of the warp
};

struct block_team {
    static constexpr int size = threads_of_block;
    static TESSERA_FN int rank() { return static_cast<int>(threadIdx.x); }
    static TESSERA_FN void wait() { __syncthreads(); }
    template<class T, class Visit> static TESSERA_FN void each_value(const T& mine, Visit&& visit) {
        T* const values = reinterpret_cast<T*>(memory());
        values[threadIdx.x] = mine;
        __syncthreads();
        for (int i = 0; i < size; ++i) visit(values[i]);
        __syncthreads();
    }

private:
    static TESSERA_FN unsigned char* memory() {
        __shared__ alignas(16) unsigned char bytes[size * 16];
        return bytes;
    }
};

template<class Function, class Grid, bool Masked, class Team> struct team_view : numbered_view<Function, Grid, Masked> {
    using base = numbered_view<Function, Grid, Masked>;
    using team = Team;

    template<class Link> TESSERA_FN void spawn(const Link& child, std::int64_t from, std::int64_t to) const {
        if (Team::rank() == 0) base::spawn(child, from, to);
    }
};

// Threads of a block, by their places, which were set aside for groups and for the block.
struct places_aside {
    int groups, blocks;
    unsigned char of_group[threads_of_block], of_block[threads_of_block];

    TESSERA_FN void put(std::int64_t links) {
        if (links > links_of_group)
            of_block[atomicAdd(&blocks, 1)] = static_cast<unsigned char>(threadIdx.x);
        else
            of_group[atomicAdd(&groups, 1)] = static_cast<unsigned char>(threadIdx.x);
    }
};

// That of a thread of the block.
template<class Function, class Grid, int Width>
TESSERA_FN bool find_team_cell(const arguments_of<Function>& args, unsigned thread, cell_position& cell) {
    const counter_of<Grid> blocks = gridDim.x;
    return find_cell<Function, Grid, Width>(args, thread / Width * blocks + blockIdx.x, static_cast<int>(thread % Width), cell);
}

template<class Function, class Grid, class View> TESSERA_FN void call_team_through(const View& view) {
    typename self_of<Function, Grid, View, true>::type self(view);
    Function::call(self);
    View::team::wait(); // until all have read what one of them writes
    if (View::team::rank() == 0) self.tessera_store(view);
}
template<class Function, class Grid, int Width, class Team> TESSERA_FN void call_team(const arguments_of<Function>& args, unsigned thread) {
    constexpr bool masked = has_open_axis<Grid> && !is_numbered<Grid>;
    cell_position cell;
    if (!find_team_cell<Function, Grid, Width>(args, thread, cell)) return;
    call_team_through<Function, Grid>(team_view<Function, Grid, masked, Team>{{{{&args, cell.x, cell.y, cell.z}}}});
}

// What a thread makes of its own place. Returns how many links it has that a team is to go along; 0: none.
template<class Function, class Grid, class... Lists>
TESSERA_FN std::int64_t call_own(const arguments_of<Function>& args, const cell_position& cell) {
    constexpr bool masked = has_open_axis<Grid> && !is_numbered<Grid>;
    const links_in_memory<Function> links{args.in};
    const std::int64_t number = number_in_grid<Grid>(cell.x, cell.y, cell.z);
    const link_range all[] = {links.template list<Lists>(number)...};
    std::int64_t longest = 0;
    for (const auto& list : all)
        if (list.end - list.first > longest) longest = list.end - list.first;
    if (longest > links_of_thread) return longest;
    call_numbered_on<Function, Grid, masked>(args, cell.x, cell.y, cell.z);
    return 0;
}

// As call_numbered, for a function along these lists.
template<class Function, class Grid, int Width, class... Lists> TESSERA_FN void call_numbered_in_teams(const arguments_of<Function>& args) {
#if defined(TESSERA_CHECKED) // each call has a record of its own
    call_numbered<Function, Grid, Width>(args);
#else
    __shared__ places_aside aside;
    if (threadIdx.x == 0) aside.groups = aside.blocks = 0;
    __syncthreads();
    cell_position cell;
    if (find_team_cell<Function, Grid, Width>(args, threadIdx.x, cell)) {
        const std::int64_t links = call_own<Function, Grid, Lists...>(args, cell);
        if (links > 0) aside.put(links);
    }
    __syncthreads();
    for (int i = threadIdx.x / group_team::size; i < aside.groups; i += threads_of_block / group_team::size)
        call_team<Function, Grid, Width, group_team>(args, aside.of_group[i]);
    __syncthreads();
    for (int i = 0; i < aside.blocks; ++i) call_team<Function, Grid, Width, block_team>(args, aside.of_block[i]);
#endif
}
#endif

} // namespace tessera
