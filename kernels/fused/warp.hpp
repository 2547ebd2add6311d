// A warp: 32 lanes that do the same, each with a state of its own, and see each other's. On a CPU, for tests, the lanes take turns.
#pragma once

#include <tessera/detail/base.hpp>

namespace tessera {

inline constexpr int warp_lanes = 32;

#if TESSERA_GPU
template<class T> TESSERA_FN T shuffled(const T& value, int lane) {
    if constexpr (sizeof(T) == 1)
        return __builtin_bit_cast(T, static_cast<unsigned char>(__shfl_sync(~0u, __builtin_bit_cast(unsigned char, value), lane)));
    else if constexpr (sizeof(T) == 2)
        return __builtin_bit_cast(T, static_cast<unsigned short>(__shfl_sync(~0u, __builtin_bit_cast(unsigned short, value), lane)));
    else if constexpr (sizeof(T) == 4)
        return __builtin_bit_cast(T, __shfl_sync(~0u, __builtin_bit_cast(unsigned, value), lane));
    else
        return __builtin_bit_cast(T, __shfl_sync(~0u, __builtin_bit_cast(unsigned long long, value), lane));
}
template<class State> struct warp {
    State state;
    // body(state, lane), in every lane.
    template<class Body> TESSERA_FN void each_lane(Body&& body) { body(state, static_cast<int>(threadIdx.x % warp_lanes)); }
    // What get(state) is in another lane; counted modulo 32. All lanes ask together, within each_lane.
    template<class Get> TESSERA_FN auto in_lane(int lane, Get&& get) { return shuffled(get(state), lane); }
};
#else
template<class State> struct warp {
    State states[warp_lanes]{};
    template<class Body> TESSERA_FN void each_lane(Body&& body) {
        for (int lane = 0; lane < warp_lanes; ++lane) body(states[lane], lane);
    }
    template<class Get> TESSERA_FN auto in_lane(int lane, Get&& get) { return get(states[lane & (warp_lanes - 1)]); }
};
#endif

} // namespace tessera
