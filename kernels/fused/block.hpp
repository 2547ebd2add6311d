// A block: threads that do the same, each with a state of its own, and wait for each other. On a CPU, for tests, they take turns.
#pragma once

#include <tessera/kernels/fused/warp.hpp>

namespace tessera::fused {

#if TESSERA_GPU
template<class State, int Threads> struct block {
    State state;
    // body(state, thread), in every thread.
    template<class Body> TESSERA_FN void each_thread(Body&& body) { body(state, static_cast<int>(threadIdx.x)); }
    // What get(state) is in the thread that is `lanes` further in its warp; counted modulo 32. All threads of a warp ask together, within
    // each_thread.
    template<class Get> TESSERA_FN auto in_lane(int thread, int lanes, Get&& get) const {
        return shuffled(get(state), (thread + lanes) & (warp_lanes - 1));
    }
    TESSERA_FN void wait() const { __syncthreads(); }
};
#else
template<class State, int Threads> struct block {
    State states[Threads]{};
    template<class Body> TESSERA_FN void each_thread(Body&& body) {
        for (int thread = 0; thread < Threads; ++thread) body(states[thread], thread);
    }
    template<class Get> TESSERA_FN auto in_lane(int thread, int lanes, Get&& get) const {
        return get(states[thread / warp_lanes * warp_lanes + ((thread + lanes) & (warp_lanes - 1))]);
    }
    TESSERA_FN void wait() const {}
};
#endif

} // namespace tessera::fused
