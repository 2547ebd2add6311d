// Functions that send along many links on a GPU: what a place sends is shared out among the threads of its block.
//
// Nobody knows before the call which places will send. So each thread runs the body for its own place, and what it would send along a long
// list is noted instead. Then warps run the body once more, each for a piece of such a list, and send. A function that sends writes
// nothing of its own, and sums of what is sent are exact: neither the second call nor the order is seen.
//
// Where places are few, several blocks look at the same ones, and each sends some of the pieces: what a place sends along thousands of
// links is more than one multiprocessor should do.
#pragma once

#include <tessera/kernels/places/few_links.hpp>
#include <tessera/kernels/places/numbered.hpp>

namespace tessera {

#if TESSERA_GPU
inline constexpr std::int64_t links_of_piece = 128;

// Of the first call: how long the longest list is along which it would send. One of the blocks that look at a place does all else.
template<class Function, class Grid, bool Masked> struct noting_view : numbered_view<Function, Grid, Masked> {
    using base = numbered_view<Function, Grid, Masked>;
    std::int64_t* longest;
    bool is_first;

    template<class N, class Give> TESSERA_FN void send_along(Give&& give) const {
        const auto along = base::template list<N>();
        const std::int64_t links = along.end - along.first;
        if (links > links_of_thread) {
            if (links > *longest) *longest = links;
        } else if (is_first)
            for (std::int64_t at = along.first; at < along.end; ++at) give(at);
    }
    template<class Link> TESSERA_FN void spawn(const Link& child, std::int64_t from, std::int64_t to) const {
        if (is_first) base::spawn(child, from, to);
    }
};

// Of the second: a piece of each long list. A thread reads what it needs of four links before it sends anything, for each read waits for
// the memory.
template<class Function, class Grid, bool Masked> struct piece_view : numbered_view<Function, Grid, Masked> {
    using base = numbered_view<Function, Grid, Masked>;
    std::int64_t piece;

    template<class N, class Give> TESSERA_FN void send_along(Give&& give) const {
        const auto along = base::template list<N>();
        if (along.end - along.first <= links_of_thread) return;
        std::int64_t at = along.first + piece * links_of_piece + threadIdx.x % 32;
        const std::int64_t last = along.first + (piece + 1) * links_of_piece, end = last < along.end ? last : along.end;
        if (at + 96 < end)
            give(at, at + 32, at + 64, at + 96);
        else
            for (; at < end; at += 32) give(at);
    }
    template<class Link> TESSERA_FN void spawn(const Link&, std::int64_t, std::int64_t) const {} // the first call has asked
};

// Who sends of a block's places, and how many pieces of theirs the block sends before: block `mine` of `blocks` every so many-th.
template<int Threads> struct noted_senders {
    unsigned long long counted; // senders, and, in the lower half, pieces
    unsigned first[Threads];
    unsigned short thread[Threads];

    TESSERA_FN void note(std::int64_t links, unsigned mine, unsigned blocks) {
        const auto all = static_cast<unsigned>((links + links_of_piece - 1) / links_of_piece);
        if (all <= mine) return;
        const auto before = atomicAdd(&counted, 1ULL << 32 | ((all - mine + blocks - 1) / blocks));
        first[before >> 32] = static_cast<unsigned>(before);
        thread[before >> 32] = static_cast<unsigned short>(threadIdx.x);
    }
    TESSERA_FN unsigned pieces() const { return static_cast<unsigned>(counted); }
    TESSERA_FN int sender_of(unsigned piece) const {
        int low = 0, end = static_cast<int>(counted >> 32);
        while (end - low > 1) {
            const int middle = (low + end) / 2;
            (first[middle] <= piece ? low : end) = middle;
        }
        return low;
    }
};

template<class Function, class Grid, class View> TESSERA_FN void call_sender_through(const View& view) {
    typename self_of<Function, Grid, View, true>::type self(view);
    Function::call(self);
}

// As call_numbered, by blocks of so many threads, of which some each look at the same places.
template<class Function, class Grid, int Width, int Threads, unsigned Blocks>
TESSERA_FN void call_senders(const arguments_of<Function>& args) {
#if defined(TESSERA_CHECKED) // each call has a record of its own
    if (blockIdx.x % Blocks != 0) return;
    call_numbered_tile<Function, Grid, Width>(args, blockIdx.x / Blocks * (Threads / Width) + threadIdx.x / Width, threadIdx.x % Width);
#else
    constexpr bool masked = has_open_axis<Grid> && !is_numbered<Grid>;
    __shared__ noted_senders<Threads> noted;
    if (threadIdx.x == 0) noted.counted = 0;
    __syncthreads();
    const unsigned mine = blockIdx.x % Blocks;
    const counter_of<Grid> tile = blockIdx.x / Blocks * (Threads / Width);
    cell_position cell;
    if (find_cell<Function, Grid, Width>(args, tile + threadIdx.x / Width, threadIdx.x % Width, cell)) {
        std::int64_t longest = 0;
        call_sender_through<Function, Grid>(noting_view<Function, Grid, masked>{{{{&args, cell.x, cell.y, cell.z}}}, &longest, mine == 0});
        if (longest > 0) noted.note(longest, mine, Blocks);
    }
    __syncthreads();
    for (unsigned at = threadIdx.x / 32; at < noted.pieces(); at += Threads / 32) {
        const int sender = noted.sender_of(at);
        const unsigned thread = noted.thread[sender];
        if (!find_cell<Function, Grid, Width>(args, tile + thread / Width, static_cast<int>(thread % Width), cell)) continue;
        const std::int64_t piece = mine + static_cast<std::int64_t>(at - noted.first[sender]) * Blocks;
        call_sender_through<Function, Grid>(piece_view<Function, Grid, masked>{{{{&args, cell.x, cell.y, cell.z}}}, piece});
    }
#endif
}
#endif

} // namespace tessera
