// Functions of floats that compute in pairs of floats, against those that compute in double: the same bits for the same arguments.
//
// As CUDA source for NVRTC: float_pairs({function, first, stride, n, wrong, example}), any number of blocks and threads
// As C++ source:            float_pairs_cpu(function, first, stride, n, example), float_pairs_name(function), float_pairs_count()
// By nvcc, a program that compares all floats on the first GPU and times both ways:
//                           nvcc -std=c++20 -O3 -arch=native -fmad=false -I sdk/include tests/gpu/float_pairs.cu -o float_pairs
//
// Argument i is made of first + i * stride: its low 32 bits are the float, or, for pow, what two floats are drawn from.
#if defined(__CUDACC__) && !defined(__CUDACC_RTC__)
#define FLOAT_PAIRS_PROGRAM
#define __CUDACC_RTC__ // nvcc has read its own headers by now; the SDK knows CUDA by this name
#endif
#include <tessera/detail/math_pairs.hpp>

namespace {

using tessera::math_detail::from_bits;
using tessera::math_detail::u32;
using tessera::math_detail::u64;
namespace in_doubles = tessera::math_detail::in_doubles;
namespace in_pairs = tessera::math_detail::in_pairs;

struct two_floats {
    float x, y;
};

TESSERA_FN u32 low_bits(u64 i) { return static_cast<u32>(i); }

// A quarter each: any bits, numbers of everyday size, multiples of 1/64 to quarters (whose powers may be halfway between floats), and bases
// near 1 to large powers.
TESSERA_FN two_floats drawn_from(u64 i) {
    i = (i ^ i >> 30) * 0xbf58476d1ce4e5b9; // splitmix64
    i = (i ^ i >> 27) * 0x94d049bb133111eb;
    i ^= i >> 31;
    const u32 a = low_bits(i), b = low_bits(i >> 32);
    switch (a >> 8 & 3) {
    case 0: return {from_bits(a), from_bits(b)};
    case 1: return {from_bits(0x3b800000u + a % 0x08800000u), static_cast<float>(static_cast<int>(b)) * 0x1p-27f};
    case 2:
        return {static_cast<float>(static_cast<int>(a % 1048576) - 65536) * 0x1p-6f,
                static_cast<float>(static_cast<int>(b % 64) - 32) * 0.25f};
    default: return {from_bits(0x3f800000u - 0x10000u + a % 0x20000u), static_cast<float>(static_cast<int>(b)) * 0x1p-16f};
    }
}

TESSERA_FN bool are_same(float a, float b) {
    return tessera::math_detail::bits_of(a) == tessera::math_detail::bits_of(b) || (a != a && b != b);
}

TESSERA_FN bool exp_is_same(u64 i) { return are_same(in_pairs::exp(from_bits(low_bits(i))), in_doubles::exp(from_bits(low_bits(i)))); }
TESSERA_FN bool log_is_same(u64 i) { return are_same(in_pairs::log(from_bits(low_bits(i))), in_doubles::log(from_bits(low_bits(i)))); }
TESSERA_FN bool sin_is_same(u64 i) { return are_same(in_pairs::sin(from_bits(low_bits(i))), in_doubles::sin(from_bits(low_bits(i)))); }
TESSERA_FN bool cos_is_same(u64 i) { return are_same(in_pairs::cos(from_bits(low_bits(i))), in_doubles::cos(from_bits(low_bits(i)))); }
TESSERA_FN bool tan_is_same(u64 i) { return are_same(in_pairs::tan(from_bits(low_bits(i))), in_doubles::tan(from_bits(low_bits(i)))); }
TESSERA_FN bool pow_is_same(u64 i) {
    const two_floats a = drawn_from(i);
    return are_same(in_pairs::pow(a.x, a.y), in_doubles::pow(a.x, a.y));
}

} // namespace

#define FLOAT_PAIRS_FUNCTIONS(F) F(exp) F(log) F(sin) F(cos) F(tan) F(pow)
#define FLOAT_PAIRS_ENUMERATOR(name) pairs_of_##name,
enum float_pairs_function { FLOAT_PAIRS_FUNCTIONS(FLOAT_PAIRS_ENUMERATOR) float_pairs_functions };

#if TESSERA_GPU

struct float_pairs_arguments {
    long function, first, stride, n;
    unsigned long long *wrong, *example;
};

#define FLOAT_PAIRS_CASE(name) \
    case pairs_of_##name: same = name##_is_same(at); break;

extern "C" __global__ void float_pairs(const __grid_constant__ float_pairs_arguments a) {
    const long step = static_cast<long>(blockDim.x) * gridDim.x;
    for (long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x; i < a.n; i += step) {
        const u64 at = static_cast<u64>(a.first) + static_cast<u64>(i) * static_cast<u64>(a.stride);
        bool same = true;
        switch (a.function) { FLOAT_PAIRS_FUNCTIONS(FLOAT_PAIRS_CASE) }
        if (!same) {
            atomicAdd(a.wrong, 1ull);
            *a.example = at;
        }
    }
}

#else

#define FLOAT_PAIRS_CASE(name)                                    \
    case pairs_of_##name:                                         \
        for (u64 i = 0; i < n; ++i) {                             \
            const bool same = name##_is_same(first + i * stride); \
            wrong += !same;                                       \
            *example = same ? *example : first + i * stride;      \
        }                                                         \
        break;

extern "C" u64 float_pairs_cpu(int function, u64 first, u64 stride, u64 n, u64* example) {
    u64 wrong = 0;
    switch (function) { FLOAT_PAIRS_FUNCTIONS(FLOAT_PAIRS_CASE) }
    return wrong;
}

#define FLOAT_PAIRS_NAME(name) #name,
extern "C" const char* float_pairs_name(int function) {
    static const char* const names[] = {FLOAT_PAIRS_FUNCTIONS(FLOAT_PAIRS_NAME)};
    return names[function];
}
extern "C" int float_pairs_count() { return float_pairs_functions; }

#endif

#if defined(FLOAT_PAIRS_PROGRAM)
#include <cstdio>

// 256 results a thread, of arguments from 1/4 to 32 (powers up to 8): what they sum up to keeps them from being left out.
#define FLOAT_PAIRS_TIMED(way, name, call)                                                         \
    __global__ void time_##name##_##way(float* out) {                                              \
        float sum = 0;                                                                             \
        u32 bits = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u;                          \
        for (int i = 0; i < 256; ++i) {                                                            \
            bits = bits * 1664525u + 1013904223u;                                                  \
            const float x = from_bits(0x3e800000u + (bits >> 8) * 3u), y = (bits >> 8) * 0x1p-21f; \
            sum += call;                                                                           \
        }                                                                                          \
        out[blockIdx.x * blockDim.x + threadIdx.x] = sum;                                          \
    }
#define FLOAT_PAIRS_BOTH(name, arguments) \
    FLOAT_PAIRS_TIMED(pairs, name, in_pairs::name arguments) FLOAT_PAIRS_TIMED(doubles, name, in_doubles::name arguments)
FLOAT_PAIRS_BOTH(exp, (x + 0.0f * y))
FLOAT_PAIRS_BOTH(log, (x + 0.0f * y))
FLOAT_PAIRS_BOTH(sin, (x + 0.0f * y))
FLOAT_PAIRS_BOTH(cos, (x + 0.0f * y))
FLOAT_PAIRS_BOTH(tan, (x + 0.0f * y))
FLOAT_PAIRS_BOTH(pow, (x, y))

// Nanoseconds a thousand results.
template<class Kernel> double time_of(Kernel kernel, float* out) {
    cudaEvent_t begin, end;
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    kernel<<<4096, 256>>>(out);
    cudaEventRecord(begin);
    for (int i = 0; i < 10; ++i) kernel<<<4096, 256>>>(out);
    cudaEventRecord(end);
    cudaEventSynchronize(end);
    float ms = 0;
    cudaEventElapsedTime(&ms, begin, end);
    return ms * 1e6 / (10.0 * 4096 * 256 * 256) * 1000;
}

#define FLOAT_PAIRS_ROW(name) {#name, time_of(time_##name##_pairs, out), time_of(time_##name##_doubles, out)},

int main() {
    float* out = nullptr;
    unsigned long long* found = nullptr;
    if (cudaMalloc(&out, 4096 * 256 * sizeof(float)) != cudaSuccess || cudaMallocManaged(&found, 2 * sizeof(*found)) != cudaSuccess) {
        std::printf("no GPU, or no memory on it\n");
        return 2;
    }
    const struct {
        const char* name;
        double pairs, doubles;
    } rows[] = {FLOAT_PAIRS_FUNCTIONS(FLOAT_PAIRS_ROW)};
    unsigned long long all = 0;
    for (long function = 0; function < float_pairs_functions; ++function) {
        found[0] = found[1] = 0;
        float_pairs<<<4096, 256>>>({function, 0, 1, 1l << 32, found, found + 1});
        const auto status = cudaDeviceSynchronize();
        if (status != cudaSuccess) {
            std::printf("%s\n", cudaGetErrorString(status));
            return 2;
        }
        all += found[0];
        std::printf("%s: %llu of 2^32 differ (argument %#llx); ps a result: %.2f in pairs, %.2f in doubles\n", rows[function].name,
                    found[0], found[1], rows[function].pairs, rows[function].doubles);
    }
    return all == 0 ? 0 : 1;
}
#endif
