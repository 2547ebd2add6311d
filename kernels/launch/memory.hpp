// Loads and stores: of several adjacent values at once, and of what several threads look at.
#pragma once

#include <tessera/detail/member.hpp>

namespace tessera {

template<class T, int N> struct alignas(sizeof(T) * N <= 16 ? sizeof(T) * N : 16) vector_of { T values[N]; };

// A load of N adjacent values, aligned to the smaller of their size and 16 bytes. Shared says that no thread of the launch writes there:
// the load may then move over stores, which keeps more of them in flight.
template<bool Shared, class T, int N> TESSERA_FN vector_of<T, N> load_vector(const T* from) {
#if TESSERA_GPU
    if constexpr (Shared) {
        constexpr int bytes = sizeof(T) * N;
        if constexpr (bytes == 1)
            return __builtin_bit_cast(vector_of<T, N>, __ldg(reinterpret_cast<const unsigned char*>(from)));
        else if constexpr (bytes == 2)
            return __builtin_bit_cast(vector_of<T, N>, __ldg(reinterpret_cast<const unsigned short*>(from)));
        else if constexpr (bytes == 4)
            return __builtin_bit_cast(vector_of<T, N>, __ldg(reinterpret_cast<const unsigned int*>(from)));
        else if constexpr (bytes == 8)
            return __builtin_bit_cast(vector_of<T, N>, __ldg(reinterpret_cast<const uint2*>(from)));
        else if constexpr (bytes == 16)
            return __builtin_bit_cast(vector_of<T, N>, __ldg(reinterpret_cast<const uint4*>(from)));
    }
#endif
    return *reinterpret_cast<const vector_of<T, N>*>(from);
}
template<bool Shared, class T> TESSERA_FN T load(const T* from) { return load_vector<Shared, T, 1>(from).values[0]; }

template<class T, int N> TESSERA_FN void store_vector(T* to, const vector_of<T, N>& values) {
    *reinterpret_cast<vector_of<T, N>*>(to) = values;
}

// What one thread changes while others look at it: codes, whose readers ask what no writer of the phase changes.
template<class T> TESSERA_FN T peek(const T* from) {
#if TESSERA_GPU
    return *from;
#else
    return __atomic_load_n(from, __ATOMIC_RELAXED);
#endif
}
template<class T> TESSERA_FN void poke(T* to, T value) {
#if TESSERA_GPU
    *to = value;
#else
    __atomic_store_n(to, value, __ATOMIC_RELAXED);
#endif
}

} // namespace tessera
