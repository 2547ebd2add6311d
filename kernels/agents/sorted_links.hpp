// Sorts numbers of 64 bits, each with a reference, on any device: equal ones stay in their order, or take one that references have. Runs of
// a block's size are sorted by a block of threads; then several that follow each other become one, in which each number finds its place by
// halving the others. There are fewer than 2^30, so that 32 bits count them.
#pragma once

#include <tessera/kernels/agents/link_blocks.hpp>

namespace tessera {

// The first of [first, end) that is behind, where all that follow it are too; `end`: none is. A GPU asks three at once, which takes it half
// as many waits for memory.
template<class Behind> TESSERA_FN std::int32_t first_behind(std::int32_t first, std::int32_t end, Behind&& is_behind) {
#if TESSERA_GPU
    while (end - first > 3) {
        const std::int32_t quarter = (end - first) / 4;
        const bool one = is_behind(first + quarter), two = is_behind(first + 2 * quarter), three = is_behind(first + 3 * quarter);
        const std::int32_t begin = first;
        if (!one) first = begin + (three ? (two ? quarter : 2 * quarter) : 3 * quarter) + 1;
        if (three) end = begin + (one ? quarter : two ? 2 * quarter : 3 * quarter);
    }
    while (first < end && !is_behind(first)) ++first;
#else
    while (first < end) {
        const std::int32_t middle = first + (end - first) / 2;
        if (is_behind(middle))
            end = middle;
        else
            first = middle + 1;
    }
#endif
    return first;
}

// Of two equal numbers, whether the first comes first: those that stay in their order.
struct as_they_are {
    TESSERA_FN bool operator()(const std::int32_t*, std::uint32_t one, std::uint32_t other) const { return one < other; }
};

// Where number i of `count` goes when runs of 2^bits become one out of so many. The others are halved side by side, so that their numbers
// are waited for at once.
template<int Ways, class Ties>
TESSERA_FN std::uint32_t merged_place(const std::uint64_t* keys, const std::int32_t* refs, std::uint32_t count, std::uint32_t i, int bits,
                                      const Ties& comes_first) {
    const std::uint32_t run = i >> bits, first = run / Ways * Ways, width = 1u << bits;
    const std::uint64_t key = keys[i];
    std::uint32_t ahead[Ways] = {}; // of it, in each of the runs
    for (std::uint32_t step = width; step > 0; step /= 2) {
#pragma unroll
        for (std::uint32_t way = 0; way < Ways; ++way) {
            const std::uint32_t other = first + way, last = (other << bits) + ahead[way] + step - 1;
            if (other == run || ahead[way] + step > width || last >= count) continue;
            if (keys[last] < key || (keys[last] == key && comes_first(refs, last, i))) ahead[way] += step;
        }
    }
    std::uint32_t place = (first << bits) + (i & (width - 1));
    for (const auto others : ahead) place += others;
    return place;
}

#if TESSERA_GPU
template<class Visit> TESSERA_FN void for_each_of_block(int count, Visit&& visit) {
    for (int i = static_cast<int>(threadIdx.x); i < count; i += static_cast<int>(blockDim.x)) visit(i);
    __syncthreads();
}
#else
template<class Visit> inline void for_each_of_block(int count, Visit&& visit) {
    for (int i = 0; i < count; ++i) visit(i);
}
#endif

// Sorts the numbers of a block, of which there are no more than it has.
template<class Ties> TESSERA_FN void sort_run(std::uint64_t* keys, std::int32_t* refs, int count, const Ties& comes_first) {
    constexpr int bits_of_ways = 2;
#if TESSERA_GPU
    __shared__ std::uint64_t key_at[2][links_a_run];
    __shared__ std::int32_t ref_at[2][links_a_run];
#else
    std::uint64_t key_at[2][links_a_run];
    std::int32_t ref_at[2][links_a_run];
#endif
    int now = 0;
    for_each_of_block(count, [&](int i) { key_at[0][i] = keys[i], ref_at[0][i] = refs[i]; });
    for (int bits = 0; (1 << bits) < count; bits += bits_of_ways, now = 1 - now)
        for_each_of_block(count, [&](int i) {
            const auto to = merged_place<1 << bits_of_ways>(key_at[now], ref_at[now], static_cast<std::uint32_t>(count),
                                                            static_cast<std::uint32_t>(i), bits, comes_first);
            key_at[1 - now][to] = key_at[now][i], ref_at[1 - now][to] = ref_at[now][i];
        });
    for_each_of_block(count, [&](int i) { keys[i] = key_at[now][i], refs[i] = ref_at[now][i]; });
}

} // namespace tessera
