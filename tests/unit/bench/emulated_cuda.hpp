// As much of CUDA as the kernels of tests/bench/reference need, for a processor: the threads of a launch, one after the other. That is right for kernels
// whose threads do not speak to each other.
#pragma once

#include <cstdint>

namespace emulated {

struct Index {
    unsigned x = 0, y = 0, z = 0;
};
inline Index blockIdx, threadIdx;

struct alignas(16) float4 {
    float x, y, z, w;
};
struct alignas(16) uint4 {
    unsigned x, y, z, w;
};
inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return {x, y, z, w}; }
template<class T> T __ldg(const T* at) { return *at; }

// Calls `thread` for every thread of grid x block.
template<class Thread> void launch(Index grid, Index block, const Thread& thread) {
    for (blockIdx.y = 0; blockIdx.y < grid.y; ++blockIdx.y)
        for (blockIdx.x = 0; blockIdx.x < grid.x; ++blockIdx.x)
            for (threadIdx.y = 0; threadIdx.y < block.y; ++threadIdx.y)
                for (threadIdx.x = 0; threadIdx.x < block.x; ++threadIdx.x) thread();
}

} // namespace emulated

#define __device__ inline
#define __forceinline__
#define __noinline__
