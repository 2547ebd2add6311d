// Every function of tessera/math.hpp and tessera/random.hpp by number, as a kernel for the GPU and as a plain function for the CPU, from
// one text: what both make of the same arguments can be compared bit for bit.
//
// As CUDA source (NVRTC):   math_bits({function, x, y, out, n}), any number of blocks and threads
// As C++ source:            math_bits_cpu(function, x, y, out, n), math_bits_name(function), math_bits_count()
//
// x and y are doubles; the float functions round them to float first. out holds doubles; a NaN is always the same one.
#include <tessera/math.hpp>
#include <tessera/random.hpp>

namespace {

TESSERA_FN tessera::random_stream stream_of(double x, double y) {
    return tessera::random_stream(__builtin_bit_cast(std::uint64_t, x), __builtin_bit_cast(std::uint64_t, y), 7);
}
TESSERA_FN double third_uniform(tessera::random_stream random) {
    random.bits();
    random.bits();
    return random.uniform();
}
TESSERA_FN double last_bits(tessera::random_stream random) {
    for (int i = 0; i < 5; ++i) random.bits();
    return random.bits();
}
TESSERA_FN double with_canonical_nan(double x) { return x == x ? x : __builtin_bit_cast(double, std::uint64_t{0x7ff8000000000000}); }

} // namespace

// clang-format off
#define MATH_BITS_EXACT(F)                                                \
    F(abs_double, tessera::abs(x))                                        \
    F(abs_float, tessera::abs(xf))                                        \
    F(min_double, tessera::min(x, y))                                     \
    F(max_float, tessera::max(xf, yf))                                    \
    F(clamp_double, tessera::clamp(x, -1.0, 2.5))                         \
    F(clamp_float, tessera::clamp(xf, -1, 2))                             \
    F(floor_double, tessera::floor(x))                                    \
    F(floor_float, tessera::floor(xf))                                    \
    F(ceil_double, tessera::ceil(x))                                      \
    F(ceil_float, tessera::ceil(xf))                                      \
    F(trunc_double, tessera::trunc(x))                                    \
    F(trunc_float, tessera::trunc(xf))                                    \
    F(round_double, tessera::round(x))                                    \
    F(round_float, tessera::round(xf))                                    \
    F(sqrt_double, tessera::sqrt(x))                                      \
    F(sqrt_float, tessera::sqrt(xf))                                      \
    F(fmod_double, tessera::fmod(x, y))                                   \
    F(fmod_float, tessera::fmod(xf, yf))                                  \
    F(to_int8, tessera::to_int<std::int8_t>(x))                           \
    F(to_int32, tessera::to_int<std::int32_t>(xf))                        \
    F(to_uint32, tessera::to_int<std::uint32_t>(x))                       \
    F(to_int64, static_cast<double>(tessera::to_int<std::int64_t>(x)))    \
    F(to_uint64, static_cast<double>(tessera::to_int<std::uint64_t>(xf)))

#define MATH_BITS_ROUNDED(F)               \
    F(exp_double, tessera::exp(x))         \
    F(exp_float, tessera::exp(xf))         \
    F(log_double, tessera::log(x))         \
    F(log_float, tessera::log(xf))         \
    F(pow_double, tessera::pow(x, y))      \
    F(pow_float, tessera::pow(xf, yf))     \
    F(pow_mixed, tessera::pow(xf, 3))      \
    F(tanh_double, tessera::tanh(x))       \
    F(tanh_float, tessera::tanh(xf))       \
    F(sin_double, tessera::sin(x))         \
    F(sin_float, tessera::sin(xf))         \
    F(cos_double, tessera::cos(x))         \
    F(cos_float, tessera::cos(xf))         \
    F(tan_double, tessera::tan(x))         \
    F(tan_float, tessera::tan(xf))         \
    F(atan_double, tessera::atan(x))       \
    F(atan_float, tessera::atan(xf))       \
    F(atan2_double, tessera::atan2(y, x))  \
    F(atan2_float, tessera::atan2(yf, xf))

#define MATH_BITS_RANDOM(F)                                 \
    F(random_bits, stream_of(x, y).bits())                  \
    F(random_last_bits, last_bits(stream_of(x, y)))         \
    F(random_uniform, stream_of(x, y).uniform())            \
    F(random_third_uniform, third_uniform(stream_of(x, y))) \
    F(random_uniform64, stream_of(x, y).uniform64())        \
    F(random_below, stream_of(x, y).below(1000003))         \
    F(random_bernoulli, stream_of(x, y).bernoulli(0.3f))    \
    F(random_normal, stream_of(x, y).normal())

// Left out where a compiler's output is searched for multiply-adds that it should not have made.
#if defined(MATH_BITS_WITHOUT_FMA)
#define MATH_BITS_FMA(F)
#else
#define MATH_BITS_FMA(F)                                         \
    F(fma_double, tessera::fma(x, y, x))                         \
    F(fma_float, tessera::fma(xf, yf, xf))                       \
    F(fma_square_double, tessera::fma(x, x, y))                  \
    F(fma_square_float, tessera::fma(xf, xf, yf))                \
    F(fma_product_error_double, tessera::fma(x, y, -(x * y)))    \
    F(fma_product_error_float, tessera::fma(xf, yf, -(xf * yf)))
#endif
// clang-format on

#define MATH_BITS_FUNCTIONS(F) MATH_BITS_EXACT(F) MATH_BITS_ROUNDED(F) MATH_BITS_RANDOM(F) MATH_BITS_FMA(F)

#define MATH_BITS_ENUMERATOR(name, value) function_##name,
enum math_bits_function { MATH_BITS_FUNCTIONS(MATH_BITS_ENUMERATOR) function_count };

#if TESSERA_GPU

#define MATH_BITS_CASE(name, value) \
    case function_##name: out[i] = with_canonical_nan(static_cast<double>(value)); break;

struct math_bits_arguments {
    long function;
    const double *xs, *ys;
    double* out;
    long n;
};

extern "C" __global__ void math_bits(const __grid_constant__ math_bits_arguments a) {
    const int function = static_cast<int>(a.function);
    const double *const xs = a.xs, *const ys = a.ys;
    double* const out = a.out;
    const long n = a.n, stride = static_cast<long>(blockDim.x) * gridDim.x;
    for (long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += stride) {
        [[maybe_unused]] const double x = xs[i], y = ys[i];
        [[maybe_unused]] const float xf = static_cast<float>(x), yf = static_cast<float>(y);
        switch (function) { MATH_BITS_FUNCTIONS(MATH_BITS_CASE) }
    }
}

#else

// A loop for each function, so that the compiler can vectorise it.
#define MATH_BITS_CASE(name, value)                                                              \
    case function_##name:                                                                        \
        _Pragma("omp simd") for (long i = 0; i < n; ++i) {                                       \
            [[maybe_unused]] const double x = xs[i], y = ys[i];                                  \
            [[maybe_unused]] const float xf = static_cast<float>(x), yf = static_cast<float>(y); \
            out[i] = with_canonical_nan(static_cast<double>(value));                             \
        }                                                                                        \
        break;

extern "C" void math_bits_cpu(int function, const double* xs, const double* ys, double* __restrict out, long n) {
    switch (function) { MATH_BITS_FUNCTIONS(MATH_BITS_CASE) }
}

#define MATH_BITS_NAME(name, value) #name,
extern "C" const char* math_bits_name(int function) {
    static const char* const names[] = {MATH_BITS_FUNCTIONS(MATH_BITS_NAME)};
    return names[function];
}
extern "C" int math_bits_count() { return function_count; }

#endif
