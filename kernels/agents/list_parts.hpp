// How a part of a manageAll over a list goes over numbers, or over blocks of them, and makes running sums: on a GPU by threads and blocks
// of 256 of them, on a CPU by chunks.
#pragma once

#include <tessera/kernels/agents/list_blocks.hpp>

namespace tessera {

// `visit(block, is_first)` for a block of threads, or for each block of numbers of a CPU's thread.
#if TESSERA_GPU
template<class Visit> TESSERA_FN void for_each_block(Visit&& visit) { visit(static_cast<std::int64_t>(blockIdx.x), true); }
#else
template<class Visit> inline void for_each_block(std::int64_t first, std::int64_t last, Visit&& visit) {
    for (auto block = first; block < last; ++block) visit(block, block == first);
}
#endif

#if TESSERA_GPU
template<class Visit> TESSERA_FN void for_each_number(std::int64_t count, Visit&& visit) {
    const auto number = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (number < count) visit(static_cast<int>(number));
}
// The same by blocks of threads that each have several: of so many items that the blocks would be too many to count in good time.
template<class Visit> TESSERA_FN void for_each_number_of_many(std::int64_t count, Visit&& visit) {
    const auto threads = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
    for (auto number = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; number < count; number += threads)
        visit(static_cast<int>(number));
}
#else
template<class Visit>
inline void for_each_number_of(std::int64_t most, std::int64_t count, std::int64_t first, std::int64_t last, Visit&& visit) {
    const auto end = first_of_item(most, count, last);
    for (auto number = first_of_item(most, count, first); number < end; ++number) visit(static_cast<int>(number));
}
template<class Visit> inline void for_each_number(std::int64_t count, std::int64_t first, std::int64_t last, Visit&& visit) {
    for_each_number_of(count, count, first, last, visit);
}
#endif

// A part. On a GPU a thread has a number; but of sums, where a block has as many as are summed together.
#if TESSERA_GPU
#define TESSERA_LIST_PART(name) template<class Call> TESSERA_FN void name(const arguments_of_call<Call>& args)
#define TESSERA_LIST_ARGUMENTS
#define TESSERA_EACH_NUMBER(count, ...) for_each_number_of_many(count, __VA_ARGS__)
#define TESSERA_EACH_NUMBER_OF(most, count, ...) for_each_number_of_many(count, __VA_ARGS__)
#define TESSERA_EACH_BLOCK(...) for_each_block(__VA_ARGS__)
#else
#define TESSERA_LIST_PART(name) \
    template<class Call> inline void name(const void* argument, [[maybe_unused]] std::int64_t first, [[maybe_unused]] std::int64_t last)
#define TESSERA_LIST_ARGUMENTS const auto& args = *static_cast<const arguments_of_call<Call>*>(argument);
#define TESSERA_EACH_NUMBER(count, ...) for_each_number(count, first, last, __VA_ARGS__)
#define TESSERA_EACH_NUMBER_OF(most, count, ...) for_each_number_of(most, count, first, last, __VA_ARGS__) // a launch over `most`
#define TESSERA_EACH_BLOCK(...) for_each_block(first, last, __VA_ARGS__)
#endif

// ---- running sums: of each block of numbers, and of the numbers of each behind the blocks before it

#if TESSERA_GPU
// The sum of `value` over the threads before this one of its block of 256; `total` of all.
TESSERA_FN std::int32_t sum_before(std::int32_t value, std::int32_t& total) {
    __shared__ std::int32_t of_warps[8];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    std::int32_t sum = value;
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
        const std::int32_t below = __shfl_up_sync(~0u, sum, d);
        if (lane >= d) sum += below;
    }
    __syncthreads();
    if (lane == 31) of_warps[warp] = sum;
    __syncthreads();
    std::int32_t before = 0;
    total = 0;
    for (int w = 0; w < 8; ++w) {
        if (w < warp) before += of_warps[w];
        total += of_warps[w];
    }
    return before + sum - value;
}
#endif
TESSERA_FN bool is_first_of_block() {
#if TESSERA_GPU
    return threadIdx.x == 0;
#else
    return true;
#endif
}

// The sum of `load(k)` over the numbers of a block.
template<int Size, class Load> TESSERA_FN void sum_block(Load&& load, std::int32_t* to) {
    std::int32_t sum = 0;
#if TESSERA_GPU
    std::int32_t total = 0;
    for (int k = threadIdx.x; k < Size; k += 256) sum += load(k);
    (void)sum_before(sum, total);
    if (threadIdx.x == 0) *to = total;
#else
    for (int k = 0; k < Size; ++k) sum += load(k);
    *to = sum;
#endif
}

// The sum of the first `own` of so many numbers; `all`: of all.
TESSERA_FN std::int32_t sum_before_block(const std::int32_t* each, std::int64_t count, std::int64_t own, std::int32_t& all) {
#if TESSERA_GPU
    std::int32_t before = 0, every = 0, total = 0;
#pragma unroll 8 // so that several are waited for at once
    for (auto i = static_cast<std::int64_t>(threadIdx.x); i < count; i += 256) {
        const auto sum = each[i];
        every += sum;
        before += i < own ? sum : 0;
    }
    (void)sum_before(every, all);
    (void)sum_before(before, total);
    return total;
#else
    std::int32_t before = 0;
    all = 0;
    for (std::int64_t i = 0; i < count; ++i) {
        all += each[i];
        before += i < own ? each[i] : 0;
    }
    return before;
#endif
}

// `put(k, before and the sum of those ahead of it in the block)` for the numbers `load(k)` of a block; on a CPU the next block is behind
// it.
template<int Size, class Load, class Put> TESSERA_FN void running_sums(std::int32_t& before, Load&& load, Put&& put) {
#if TESSERA_GPU
    // A thread sums up some that follow each other; memory is read and written by all threads side by side.
    constexpr int a_thread = Size / 256;
    __shared__ std::int32_t here[256][a_thread + 1];
#pragma unroll
    for (int k = threadIdx.x; k < Size; k += 256) here[k / a_thread][k % a_thread] = load(k);
    __syncthreads();
    std::int32_t sum = 0, total = 0;
#pragma unroll
    for (int k = 0; k < a_thread; ++k) sum += here[threadIdx.x][k];
    before += sum_before(sum, total);
#pragma unroll
    for (int k = 0; k < a_thread; ++k) {
        const auto number = here[threadIdx.x][k];
        here[threadIdx.x][k] = before;
        before += number;
    }
    __syncthreads();
    for (int k = threadIdx.x; k < Size; k += 256) put(k, here[k / a_thread][k % a_thread]);
#else
    for (int k = 0; k < Size; ++k) {
        const auto number = load(k);
        put(k, before);
        before += number;
    }
#endif
}

} // namespace tessera
