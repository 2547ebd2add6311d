// As much of CUDA as the kernels of bench/reference need, for a processor: the threads of a launch, one after the other, or the lanes
// of one warp, or the threads of one block, after the other where they shuffle or wait for each other.
#pragma once

#include "tests/unit/host/bench/emulated_warp.hpp"

#include <cmath>
#include <cstdint>
#include <cstring>

namespace emulated {

struct Index {
    unsigned x = 0, y = 0, z = 0;
};
inline Index blockIdx, threadIdx, gridDim;

struct alignas(16) float4 {
    float x, y, z, w;
};
struct alignas(16) uint4 {
    unsigned x, y, z, w;
};
struct alignas(16) int4 {
    int x, y, z, w;
};
inline int4 make_int4(int x, int y, int z, int w) { return {x, y, z, w}; }
inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return {x, y, z, w}; }
template<class T> T __ldg(const T* at) { return *at; }
inline int min(int a, int b) { return a < b ? a : b; }
inline int max(int a, int b) { return a < b ? b : a; }
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned bits) {
    return static_cast<unsigned>(((std::uint64_t{high} << 32 | low) << bits % 32) >> 32);
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned bits) {
    return static_cast<unsigned>((std::uint64_t{high} << 32 | low) >> bits % 32);
}

inline int __float_as_int(float value) {
    int bits = 0;
    std::memcpy(&bits, &value, 4);
    return bits;
}
inline float __int_as_float(int bits) {
    float value = 0;
    std::memcpy(&value, &bits, 4);
    return value;
}

template<class T> T shuffled(T value, unsigned from) {
    static_assert(sizeof(T) == 4);
    unsigned bits = 0;
    std::memcpy(&bits, &value, 4);
    bits = Warp::the().exchange(bits, from);
    std::memcpy(&value, &bits, 4);
    return value;
}
template<class T> T __shfl_sync(unsigned, T value, unsigned lane) { return shuffled(value, threadIdx.x / 32 * 32 + lane); }
template<class T> T __shfl_up_sync(unsigned, T value, unsigned by) {
    return shuffled(value, threadIdx.x % 32 < by ? threadIdx.x : threadIdx.x - by);
}
template<class T> T __shfl_down_sync(unsigned, T value, unsigned by) {
    return shuffled(value, threadIdx.x % 32 + by > 31 ? threadIdx.x : threadIdx.x + by);
}
inline void __syncthreads() { (void)Warp::the().exchange(0, threadIdx.x); }
template<class T> T atomicAdd(T* at, T value) {
    const T before = *at;
    *at += value;
    return before;
}
inline int __popc(unsigned bits) { return __builtin_popcount(bits); }
inline int __ffs(int bits) { return __builtin_ffs(bits); }
inline int __clz(int bits) { return bits == 0 ? 32 : __builtin_clz(static_cast<unsigned>(bits)); }

// Calls `thread` for every thread of grid x block. A thread may not shuffle.
template<class Thread> void launch(Index grid, Index block, const Thread& thread) {
    gridDim = grid;
    for (blockIdx.z = 0; blockIdx.z < grid.z; ++blockIdx.z)
        for (blockIdx.y = 0; blockIdx.y < grid.y; ++blockIdx.y)
            for (blockIdx.x = 0; blockIdx.x < grid.x; ++blockIdx.x)
                for (threadIdx.z = 0; threadIdx.z < block.z; ++threadIdx.z)
                    for (threadIdx.y = 0; threadIdx.y < block.y; ++threadIdx.y)
                        for (threadIdx.x = 0; threadIdx.x < block.x; ++threadIdx.x) thread();
    blockIdx.z = threadIdx.z = 0;
}

// The same for blocks of one warp, whose lanes shuffle.
template<class Thread> void launch_warps(Index grid, const Thread& thread) {
    gridDim = grid;
    threadIdx = {};
    for (blockIdx.y = 0; blockIdx.y < grid.y; ++blockIdx.y)
        for (blockIdx.x = 0; blockIdx.x < grid.x; ++blockIdx.x) Warp::the().run(threadIdx.x, thread);
}

// The same for blocks on a line, whose threads shuffle and wait for each other: the first block first, or the last.
template<class Thread> void launch_blocks(unsigned grid, unsigned block, bool backwards, const Thread& thread) {
    gridDim = {grid, 1, 1};
    blockIdx = threadIdx = {};
    for (unsigned i = 0; i < grid; ++i) {
        blockIdx.x = backwards ? grid - 1 - i : i;
        Warp::the().run(threadIdx.x, thread, block);
    }
}

} // namespace emulated

#define __shared__ static
#define __device__ inline
#define __forceinline__
#define __noinline__
