// SPDX-License-Identifier: Apache-2.0
// Mathematics with the same bits on every device.
//
// Everything here is IEEE 754 `+ - * / sqrt`, comparisons, conversions and bit operations, rounded to nearest, with contraction off: one
// text, and so one result, for g++, clang++ and NVRTC, with or without hardware FMA, at every level of optimisation. Nothing calls the
// mathematics library of either side. The one thing left open is the payload of a NaN, which the processor chooses.
//
// `float` functions have the bits of what is computed in double and rounded once, however they are computed: the result is the correctly
// rounded one but for fewer than one argument in ten million, and is never off by more than 0.501 ulp (unit in the last place). `double`
// functions state a bound of their error: the largest seen in tens of millions of arguments, compared with 160-bit arithmetic, rounded up.
// Special values (NaN, infinities, signed zeros, domain errors) are those of Annex F of the C standard; nothing sets errno.
//
// Arguments of two floating types compute in the wider one; an integer beside a floating argument takes that argument's type
// (`pow(x, 2)` of a float is a float); integers alone are taken as double.
//
// No function fails, allocates or keeps state. All but fmod, sin, cos and tan of double, and fma where the processor lacks it, can be
// vectorised in a loop: they have no calls, tables or branches that matter.
#pragma once

#include <tessera/detail/math_choice.hpp>

namespace tessera {

/// The number pi, a double; `pi_v<float>` among floats.
template<math_detail::real T> inline constexpr T pi_v = math_detail::pi_of<T>;
inline constexpr double pi = pi_v<double>;

// ---- whole numbers and bounds ----

/// |x|, in x's own type. The smallest signed integer, which has no positive counterpart, stays as it is.
template<math_detail::number T> TESSERA_FN constexpr T abs(T x) {
    if constexpr (math_detail::is_real<T>) {
        return math_detail::magnitude(x);
    } else if constexpr (math_detail::is_signed<T>) {
        return x < 0 ? static_cast<T>(std::uint64_t{0} - static_cast<std::uint64_t>(x)) : x;
    } else {
        return x;
    }
}

/// The smaller one; a when they compare equal or one is NaN (`b < a ? b : a`).
/// Types may differ unless one is signed and the other unsigned with no common type to hold both.
template<math_detail::number A, math_detail::number B> TESSERA_FN constexpr typename math_detail::common<A, B>::type min(A a, B b) {
    using T = typename math_detail::common<A, B>::type;
    if constexpr (math_detail::same<A, B>) {
        return b < a ? b : a;
    } else {
        return static_cast<T>(b) < static_cast<T>(a) ? static_cast<T>(b) : static_cast<T>(a);
    }
}

/// The larger one; a when they compare equal or one is NaN (`a < b ? b : a`).
template<math_detail::number A, math_detail::number B> TESSERA_FN constexpr typename math_detail::common<A, B>::type max(A a, B b) {
    using T = typename math_detail::common<A, B>::type;
    if constexpr (math_detail::same<A, B>) {
        return a < b ? b : a;
    } else {
        return static_cast<T>(a) < static_cast<T>(b) ? static_cast<T>(b) : static_cast<T>(a);
    }
}

/// x, but not below low nor above high, in x's own type; NaN stays NaN.
template<math_detail::number T, math_detail::number L, math_detail::number H> TESSERA_FN constexpr T clamp(T x, L low, H high) {
    static_assert(math_detail::is_real<T> || !math_detail::is_real<L>,
                  "an integer cannot be kept within bounds that are not integers (cast one of them)");
    static_assert(math_detail::is_real<T> || !math_detail::is_real<H>,
                  "an integer cannot be kept within bounds that are not integers (cast one of them)");
    return static_cast<T>(min(max(x, low), high));
}

/// x toward zero. Exact.
TESSERA_FN double trunc(double x) { return math_detail::truncate(x); }
TESSERA_FN float trunc(float x) { return math_detail::truncate(x); }

/// The largest integer not above x. Exact.
template<math_detail::real T> TESSERA_FN T floor(T x) {
    const T t = math_detail::truncate(x);
    return t > x ? t - T(1) : t;
}

/// The smallest integer not below x. Exact.
template<math_detail::real T> TESSERA_FN T ceil(T x) {
    const T t = math_detail::truncate(x);
    return t < x ? t + T(1) : t;
}

/// The nearest integer, halves away from zero. Exact.
template<math_detail::real T> TESSERA_FN T round(T x) {
    const T t = math_detail::truncate(x), rest = math_detail::magnitude(x - t);
    return math_detail::with_sign(rest >= T(0.5) ? math_detail::magnitude(t) + T(1) : t, x);
}

/// x as an integer of type T, toward zero; the nearest integer there is when x is out of T's range; 0 for NaN.
template<math_detail::integer T, math_detail::real F> TESSERA_FN constexpr T to_int(F x) {
    static_assert(!math_detail::same<T, bool>, "a condition is not a number (compare instead)");
    constexpr int value_bits = static_cast<int>(sizeof(T)) * 8 - (math_detail::is_signed<T> ? 1 : 0);
    constexpr T largest = static_cast<T>(~std::uint64_t{0} >> (64 - value_bits));
    constexpr T smallest = static_cast<T>(math_detail::is_signed<T> ? std::uint64_t{1} << (value_bits % 64) : 0);
    constexpr F above = static_cast<F>(std::uint64_t{1} << (value_bits - 1)) * F(2);
    constexpr F below = static_cast<F>(smallest);
    const bool inside = (x >= below) & (x < above);
    T result = static_cast<T>(inside ? x : F(0));
    result = x >= above ? largest : result;
    return x < below ? smallest : result;
}

/// x as an integer of type T; the nearest one there is when x is out of T's range.
template<math_detail::integer T, math_detail::integer I> TESSERA_FN constexpr T to_int(I x) {
    static_assert(!math_detail::same<T, bool>, "a condition is not a number (compare instead)");
    constexpr int value_bits = static_cast<int>(sizeof(T)) * 8 - (math_detail::is_signed<T> ? 1 : 0);
    constexpr T largest = static_cast<T>(~std::uint64_t{0} >> (64 - value_bits));
    constexpr T smallest = static_cast<T>(math_detail::is_signed<T> ? std::uint64_t{1} << (value_bits % 64) : 0);
    if (x < I(0)) {
        return static_cast<std::int64_t>(x) < static_cast<std::int64_t>(smallest) ? smallest : static_cast<T>(x);
    }
    return static_cast<std::uint64_t>(x) > static_cast<std::uint64_t>(largest) ? largest : static_cast<T>(x);
}

// ---- classification ----

template<math_detail::real T> TESSERA_FN constexpr bool isnan(T x) { return x != x; }
template<math_detail::real T> TESSERA_FN constexpr bool isinf(T x) { return abs(x) == T(math_detail::infinity); }
template<math_detail::real T> TESSERA_FN constexpr bool isfinite(T x) { return abs(x) < T(math_detail::infinity); }

// ---- roots, exponentials and logarithms ----

/// The square root, correctly rounded.
#if TESSERA_GPU
TESSERA_FN double sqrt(double x) { return __dsqrt_rn(x); }
// The compiler's own has a branch, and what has to be waited for in it cannot be under way for several at a time. As there, an estimate of
// the reciprocal root is corrected once, which rounds correctly for all floats of that range (tests/conformance/math_gpu_test.cpp).
TESSERA_FN float sqrt(float x) {
    const bool is_small = x < 0x1p-96f;
    const float scaled = is_small ? x * 0x1p+96f : x;
    float reciprocal;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(reciprocal) : "f"(scaled));
    const float estimate = scaled * reciprocal, error = __fmaf_rn(-estimate, estimate, scaled);
    const float root = __fmaf_rn(error, 0.5f * reciprocal, estimate);
    return (x == 0) | (x == __int_as_float(0x7f800000)) ? x : is_small ? root * 0x1p-48f : root;
}
#else
TESSERA_FN double sqrt(double x) { return __builtin_sqrt(x); }
TESSERA_FN float sqrt(float x) { return __builtin_sqrtf(x); }
#endif

/// e to the power x. Double: at most 0.80 ulp.
TESSERA_FN double exp(double x) { return math_detail::exp_of({x, 0.0}); }
TESSERA_FN float exp(float x) { return math_detail::floats::exp(x); }

/// The natural logarithm; -infinity for 0, NaN below. Double: at most 0.90 ulp.
/// (Tang, "Table-driven implementation of the logarithm function", ACM TOMS 16, 1990, with one interval.)
TESSERA_FN double log(double x) {
    using namespace math_detail;
    const scaled a = split_any_exponent(x);
    const double f = a.m - 1.0, s = f / (2.0 + f), half = 0.5 * f * f;
    const pair leading = fast_two_sum(a.k * ln2_hi, f);
    const double rest = s * (half + log_tail(s * s)) + a.k * ln2_lo;
    return log_or_special(x, leading.hi + (leading.lo - (half - rest)));
}
TESSERA_FN float log(float x) { return math_detail::floats::log(x); }

/// x to the power y. Double: at most 0.80 ulp.
TESSERA_FN double pow(double x, double y) { return math_detail::pow_of(x, y); }
TESSERA_FN float pow(float x, float y) { return math_detail::floats::pow(x, y); }

/// The hyperbolic tangent. Double: at most 0.85 ulp.
TESSERA_FN double tanh(double x) {
    using namespace math_detail;
    const double size = magnitude(x);
    const pair e = expm1_of_negative(size > 22.0 ? -44.0 : -2.0 * size);
    const pair q = quotient(e, sum(e, {2.0, 0.0}));
    return size < 0x1p-28 ? x : with_sign(q.hi + q.lo, x);
}
TESSERA_FN float tanh(float x) {
    using namespace math_detail;
    const double size = magnitude(x);
    const double e = expm1_of_negative(size > 22.0 ? -44.0 : -2.0 * size).hi;
    return with_sign(static_cast<float>(e / (2.0 + e)), x);
}

// ---- trigonometry; angles in radians, of any size ----

/// The sine; NaN for infinities. Double: at most 0.85 ulp.
TESSERA_FN double sin(double x) {
    const double result = math_detail::sin_of(math_detail::reduce(x));
    return abs(x) < 0x1p-27 ? x : result;
}
TESSERA_FN float sin(float x) { return math_detail::floats::sin(x); }

/// The cosine; NaN for infinities. Double: at most 0.85 ulp.
TESSERA_FN double cos(double x) {
    math_detail::angle a = math_detail::reduce(x);
    ++a.quadrant;
    return math_detail::sin_of(a);
}
TESSERA_FN float cos(float x) { return math_detail::floats::cos(x); }

/// The tangent; NaN for infinities. Double: at most 1.0 ulp.
TESSERA_FN double tan(double x) {
    using namespace math_detail;
    const angle a = reduce(x);
    const pair s = sin_pair(a), c = cos_pair(a);
    const pair above = {choose(a.quadrant, c.hi, s.hi), choose(a.quadrant, c.lo, s.lo)};
    const pair below = {choose(a.quadrant, -s.hi, c.hi), choose(a.quadrant, -s.lo, c.lo)};
    const pair q = quotient(above, below);
    return abs(x) < 0x1p-27 ? x : q.hi + q.lo;
}
TESSERA_FN float tan(float x) { return math_detail::floats::tan(x); }

/// The angle of the point (x, y), from -pi to pi. Double: at most 0.90 ulp.
TESSERA_FN double atan2(double y, double x) { return math_detail::atan2_of(y, x); }
TESSERA_FN float atan2(float y, float x) { return math_detail::atan2_of(y, x); }

/// The arc tangent, from -pi/2 to pi/2. Double: at most 0.90 ulp.
TESSERA_FN double atan(double x) { return math_detail::atan2_of(x, 1.0); }
TESSERA_FN float atan(float x) { return math_detail::atan2_of(x, 1.0f); }

// ---- exact operations on several numbers ----

/// x - n y for the whole n that leaves the sign of x and less than |y|. Exact; NaN for y = 0 and for infinite x.
TESSERA_FN double fmod(double x, double y) { return math_detail::fmod_of(x, y); }
TESSERA_FN float fmod(float x, float y) { return math_detail::fmod_of(x, y); }

/// x y + z rounded once. Processors without the instruction compute it in integers, to the same bits and some 20 times slower.
TESSERA_FN double fma(double x, double y, double z) { return math_detail::fused(x, y, z); }
TESSERA_FN float fma(float x, float y, float z) { return math_detail::fused(x, y, z); }

// ---- integers, and mixed types ----

template<math_detail::integer T> TESSERA_FN double sqrt(T x) { return sqrt(static_cast<double>(x)); }
template<math_detail::integer T> TESSERA_FN double exp(T x) { return exp(static_cast<double>(x)); }
template<math_detail::integer T> TESSERA_FN double log(T x) { return log(static_cast<double>(x)); }
template<math_detail::integer T> TESSERA_FN double tanh(T x) { return tanh(static_cast<double>(x)); }
template<math_detail::integer T> TESSERA_FN double sin(T x) { return sin(static_cast<double>(x)); }
template<math_detail::integer T> TESSERA_FN double cos(T x) { return cos(static_cast<double>(x)); }
template<math_detail::integer T> TESSERA_FN double tan(T x) { return tan(static_cast<double>(x)); }
template<math_detail::integer T> TESSERA_FN double atan(T x) { return atan(static_cast<double>(x)); }

template<math_detail::number A, math_detail::number B> TESSERA_FN math_detail::real_of<A, B> pow(A x, B y) {
    using R = math_detail::real_of<A, B>;
    return pow(static_cast<R>(x), static_cast<R>(y));
}
template<math_detail::number A, math_detail::number B> TESSERA_FN math_detail::real_of<A, B> atan2(A y, B x) {
    using R = math_detail::real_of<A, B>;
    return atan2(static_cast<R>(y), static_cast<R>(x));
}
template<math_detail::number A, math_detail::number B> TESSERA_FN math_detail::real_of<A, B> fmod(A x, B y) {
    using R = math_detail::real_of<A, B>;
    return fmod(static_cast<R>(x), static_cast<R>(y));
}
template<math_detail::number A, math_detail::number B, math_detail::number C> TESSERA_FN math_detail::real_of<A, B, C> fma(A x, B y, C z) {
    using R = math_detail::real_of<A, B, C>;
    return fma(static_cast<R>(x), static_cast<R>(y), static_cast<R>(z));
}

} // namespace tessera
