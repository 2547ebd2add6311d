// SPDX-License-Identifier: Apache-2.0
// What math.hpp is made of: number types, the bits of floating-point numbers, and sums and products kept to twice double's precision.
#pragma once

#include <tessera/detail/base.hpp>

// A function for rare arguments, kept out of line so that the common path stays small.
#if TESSERA_GPU
#define TESSERA_RARE __device__ __noinline__
#else
#define TESSERA_RARE inline __attribute__((noinline, visibility("hidden")))
#endif

namespace tessera::math_detail {

using u32 = std::uint32_t;
using i64 = std::int64_t;
using u64 = std::uint64_t;

// ---- types ----

template<class T> inline constexpr bool is_integer = false;
template<> inline constexpr bool is_integer<bool> = true;
template<> inline constexpr bool is_integer<char> = true;
template<> inline constexpr bool is_integer<signed char> = true;
template<> inline constexpr bool is_integer<unsigned char> = true;
template<> inline constexpr bool is_integer<short> = true;
template<> inline constexpr bool is_integer<unsigned short> = true;
template<> inline constexpr bool is_integer<int> = true;
template<> inline constexpr bool is_integer<unsigned int> = true;
template<> inline constexpr bool is_integer<long> = true;
template<> inline constexpr bool is_integer<unsigned long> = true;
template<> inline constexpr bool is_integer<long long> = true;
template<> inline constexpr bool is_integer<unsigned long long> = true;

template<class T> inline constexpr bool is_real = false;
template<> inline constexpr bool is_real<float> = true;
template<> inline constexpr bool is_real<double> = true;

template<class A, class B> inline constexpr bool same = false;
template<class A> inline constexpr bool same<A, A> = true;

template<class T>
concept integer = is_integer<T>;
template<class T>
concept real = is_real<T>;
template<class T>
concept number = is_integer<T> || is_real<T>;

template<class T> inline constexpr bool is_signed = T(-1) < T(0);

template<bool is_single> struct real_type { using type = double; };
template<> struct real_type<true> { using type = float; };
// The type in which a function of these arguments computes.
template<class... T> using real_of = typename real_type<(same<T, float> || ...) && !(same<T, double> || ...)>::type;

// The common type of min, max and clamp: as an expression has it, but a float stays a float beside an integer (which C++ does too).
template<class A, class B> struct common {
    using type = decltype(true ? A() : B());
    static_assert(is_real<type> || is_signed<type> || !(is_signed<A> || is_signed<B>) || same<A, B>,
                  "a signed and an unsigned number have no common type that holds both (cast one of them)");
};

// ---- bits ----

inline constexpr double infinity = __builtin_bit_cast(double, u64{0x7ff0000000000000});
template<real T> inline constexpr T pi_of = static_cast<T>(3.141592653589793238462643383279502884);
inline constexpr double not_a_number = __builtin_bit_cast(double, u64{0x7ff8000000000000});
inline constexpr u64 sign_bit = u64{1} << 63;
inline constexpr u64 one_bits = 0x3ff0000000000000;

TESSERA_FN constexpr u64 bits_of(double x) { return __builtin_bit_cast(u64, x); }
TESSERA_FN constexpr u32 bits_of(float x) { return __builtin_bit_cast(u32, x); }
TESSERA_FN constexpr double from_bits(u64 x) { return __builtin_bit_cast(double, x); }
TESSERA_FN constexpr float from_bits(u32 x) { return __builtin_bit_cast(float, x); }

#if TESSERA_GPU
TESSERA_FN constexpr double magnitude(double x) { return from_bits(bits_of(x) & ~sign_bit); }
TESSERA_FN constexpr float magnitude(float x) { return from_bits(bits_of(x) & 0x7fffffffu); }
TESSERA_FN double with_sign(double x, double sign) { return from_bits((bits_of(x) & ~sign_bit) | (bits_of(sign) & sign_bit)); }
TESSERA_FN float with_sign(float x, float sign) { return from_bits((bits_of(x) & 0x7fffffffu) | (bits_of(sign) & 0x80000000u)); }
#else // the same, without a detour through integer registers
TESSERA_FN constexpr double magnitude(double x) { return __builtin_fabs(x); }
TESSERA_FN constexpr float magnitude(float x) { return __builtin_fabsf(x); }
TESSERA_FN double with_sign(double x, double sign) { return __builtin_copysign(x, sign); }
TESSERA_FN float with_sign(float x, float sign) { return __builtin_copysignf(x, sign); }
#endif

// Adding this to |x| < 2^51 rounds x to an integer, to nearest and ties to even, and leaves it in the low bits (two's complement).
inline constexpr double to_integer = 0x1.8p52;

// 2^n for the n that `shifted` = n + to_integer holds, -1022 <= n <= 1023.
TESSERA_FN double power_of_two(double shifted) { return from_bits((bits_of(shifted) << 52) + one_bits); }

// ---- double-double: an unevaluated sum hi + lo (Dekker, Numer. Math. 18, 1971; Knuth, TAOCP vol. 2, 4.2.2) ----

struct pair {
    double hi, lo;
};

// a + b exactly.
TESSERA_FN pair two_sum(double a, double b) {
    const double sum = a + b, rest = sum - a;
    return {sum, (a - (sum - rest)) + (b - rest)};
}

// a + b exactly, for |a| >= |b| or a == 0.
TESSERA_FN pair fast_two_sum(double a, double b) {
    const double sum = a + b;
    return {sum, b - (sum - a)};
}

// The 26 leading bits of a, rounded; what is left has 26 bits as well, so that products of the halves are exact.
TESSERA_FN double upper_half(double a) { return from_bits((bits_of(a) + (u64{1} << 26)) & ~((u64{1} << 27) - 1)); }

// a * b exactly, unless it over- or underflows.
TESSERA_FN pair two_product(double a, double b) {
    const double product = a * b;
    const double ah = upper_half(a), al = a - ah, bh = upper_half(b), bl = b - bh;
    return {product, ((ah * bh - product) + ah * bl + al * bh) + al * bl};
}

TESSERA_FN pair product(pair a, pair b) {
    const pair p = two_product(a.hi, b.hi);
    return fast_two_sum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}

TESSERA_FN pair sum(pair a, pair b) {
    const pair s = two_sum(a.hi, b.hi);
    return fast_two_sum(s.hi, s.lo + (a.lo + b.lo));
}

TESSERA_FN pair quotient(pair a, pair b) {
    const double q = a.hi / b.hi;
    const pair back = two_product(q, b.hi);
    return {q, (((a.hi - back.hi) - back.lo) + (a.lo - q * b.lo)) / b.hi};
}

} // namespace tessera::math_detail
