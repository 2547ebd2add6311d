// SPDX-License-Identifier: Apache-2.0
// What math.hpp is made of: exponentials, logarithms and powers.
#pragma once

#include <tessera/detail/math_exact.hpp>

namespace tessera::math_detail {

// ---- exponentials ----

inline constexpr double log2_e = 0x1.71547652b82fep0;
inline constexpr double ln2_hi = 0x1.62e42ff000000p-1; // 32 bits: its product with an exponent is exact
inline constexpr double ln2_lo = -0x1.718432a1b0e26p-35;

// exp(r) - 1 - r for |r| <= ln(2)/2: minimax polynomial (Remez; Muller, Elementary Functions, ch. 3); relative error of exp(r) - 1 2^-60.
TESSERA_FN double exp_tail(double r) {
    double p = 0x1.1f86f02e50c02p-29;
    p = p * r + 0x1.af4ec8740b0b4p-26;
    p = p * r + 0x1.27e4cfaf3f1e1p-22;
    p = p * r + 0x1.71de01adc10d6p-19;
    p = p * r + 0x1.a01a01ab9879dp-16;
    p = p * r + 0x1.a01a01ac1dc6cp-13;
    p = p * r + 0x1.6c16c16c156a5p-10;
    p = p * r + 0x1.1111111110051p-7;
    p = p * r + 0x1.5555555555557p-5;
    p = p * r + 0x1.5555555555557p-3;
    p = p * r + 0.5;
    return r * r * p;
}

// x.hi + x.lo = n ln 2 + r, |r| <= ln(2)/2 (Cody and Waite, Software Manual for the Elementary Functions, 1980).
struct exp_argument {
    pair r;
    double shifted;
};
TESSERA_FN exp_argument reduce_exp(pair x) {
    const double shifted = x.hi * log2_e + to_integer, n = shifted - to_integer;
    return {two_sum(x.hi - n * ln2_hi, x.lo - n * ln2_lo), shifted};
}

// exp of a double-double; saturates at 0 and infinity. Two factors of 2^(n/2), so that a subnormal result is rounded once.
TESSERA_FN double exp_of(pair x) {
    x.lo = magnitude(x.hi) > 746.0 ? 0.0 : x.lo;
    x.hi = x.hi < -746.0 ? -746.0 : x.hi;
    x.hi = x.hi > 710.0 ? 710.0 : x.hi;
    const exp_argument a = reduce_exp(x);
    const pair s = fast_two_sum(1.0, a.r.hi);
    const double e = s.hi + (s.lo + (exp_tail(a.r.hi) + a.r.lo));
    const double n = a.shifted - to_integer, half = n * 0.5 + to_integer;
    return e * power_of_two(half) * power_of_two((n - (half - to_integer)) + to_integer);
}

// exp for the float functions: relative error below 2^-51, not for results outside double's normal range.
TESSERA_FN double exp_near(double x) {
    const exp_argument a = reduce_exp({x, 0.0});
    return (1.0 + (a.r.hi + exp_tail(a.r.hi))) * power_of_two(a.shifted);
}

// exp(x) - 1 for x <= 0 as a double-double, without cancellation: 2^n (exp(r) - 1) + (2^n - 1).
TESSERA_FN pair expm1_of_negative(double x) {
    const exp_argument a = reduce_exp({x, 0.0});
    const double scale = power_of_two(a.shifted);
    const pair p = fast_two_sum(a.r.hi, exp_tail(a.r.hi) + a.r.lo);
    return sum(fast_two_sum(-1.0, scale), {scale * p.hi, scale * p.lo});
}

// 2^r for |r| <= 1/2, relative error below 2^-52.
TESSERA_FN double exp2_reduced(double r) {
    double p = 0x1.eb0c25ec813bp-32;
    p = p * r + 0x1.e61dcc22e3852p-28;
    p = p * r + 0x1.b524197a61a43p-24;
    p = p * r + 0x1.62bfc60f552aap-20;
    p = p * r + 0x1.ffcbfcdfba525p-17;
    p = p * r + 0x1.4309130f862b7p-13;
    p = p * r + 0x1.5d87fe7887f5p-10;
    p = p * r + 0x1.3b2ab6fb9fd4fp-7;
    p = p * r + 0x1.c6b08d704a186p-5;
    p = p * r + 0x1.ebfbdff82c5a6p-3;
    p = p * r + 0x1.62e42fefa39efp-1;
    return 1.0 + p * r;
}

// ---- logarithms: x = 2^k m with m in [sqrt(1/2), sqrt(2)), and log(m) = 2 atanh((m - 1) / (m + 1)) ----

struct scaled {
    double k, m;
};

// For positive normal x.
TESSERA_FN scaled split_exponent(double x) {
    constexpr u64 sqrt_half = 0x3fe6a09e667f3bcd;
    const u64 biased = (bits_of(x) - sqrt_half + one_bits) >> 52;
    // The exponent becomes a double by way of the low bits of 2^52 + biased: no conversion from integers, which SSE2 lacks.
    return {from_bits(biased | 0x4330000000000000) - (0x1p52 + 1023.0), from_bits(bits_of(x) - (biased << 52) + one_bits)};
}

// Likewise for subnormal x.
TESSERA_FN scaled split_any_exponent(double x) {
    const bool subnormal = x < 0x1p-1022;
    scaled s = split_exponent(subnormal ? x * 0x1p54 : x);
    s.k = subnormal ? s.k - 54.0 : s.k;
    return s;
}

// 2 atanh(s) / s - 2 for z = s * s, |s| <= 3 - 2 sqrt(2); relative error of 2 atanh(s) 2^-59.
TESSERA_FN double log_tail(double z) {
    double p = 0x1.2f0edc7587e42p-3;
    p = p * z + 0x1.39a0bb5f6a888p-3;
    p = p * z + 0x1.74664992e5112p-3;
    p = p * z + 0x1.c71c51d01b16cp-3;
    p = p * z + 0x1.249249424137p-2;
    p = p * z + 0x1.999999997f6f8p-2;
    p = p * z + 0x1.5555555555594p-1;
    return p * z;
}

// What log gives for zero, negative numbers, infinity and NaN; `result` for all others.
template<class T> TESSERA_FN T log_or_special(T x, T result) {
    result = x == T(infinity) ? x : result;
    result = x == T(0) ? T(-infinity) : result;
    return x >= T(0) ? result : T(not_a_number);
}

// log of a positive finite number as a double-double, relative error below 2^-66.
TESSERA_FN pair log_pair(double x) {
    const scaled a = split_any_exponent(x);
    const pair s = quotient({a.m - 1.0, 0.0}, two_sum(a.m, 1.0));
    const pair z = product(s, s);
    double w = 0x1.b65628e2a7243p-5;
    w = w * z.hi + 0x1.ac96b8a9ea14bp-5;
    w = w * z.hi + 0x1.e1f446da48fadp-5;
    w = w * z.hi + 0x1.1110ebaff7da3p-4;
    w = w * z.hi + 0x1.3b13b1912c00fp-4;
    w = w * z.hi + 0x1.745d17456850ap-4;
    w = w * z.hi + 0x1.c71c71c71cab6p-4;
    w = w * z.hi + 0x1.2492492492492p-3;
    const pair fifth = fast_two_sum(0x1.999999999999ap-3, w * z.hi - 0x1.999999999999ap-57);
    const pair third = sum({0x1.5555555555555p-2, 0x1.5555555555555p-56}, product(z, fifth));
    const pair tail = product(s, product(z, third));
    const pair atanh = sum(s, tail);
    const pair k_ln2 = {a.k * 0x1.62e42fefa4p-1, a.k * -0x1.8432a1b0e2634p-43};
    return sum(k_ln2, {2.0 * atanh.hi, 2.0 * atanh.lo});
}

// ---- powers ----

// Puts the sign and the special cases of C's pow onto |x|^y.
template<class T> TESSERA_FN T finish_pow(T x, T y, T power) {
    const T size = magnitude(x);
    const T half = truncate(y * T(0.5));
    const bool whole = truncate(y) == y, odd = whole & (half + half != y);
    power = size == T(0) ? (y < T(0) ? T(infinity) : T(0)) : power;
    power = size == T(infinity) ? (y < T(0) ? T(0) : T(infinity)) : power;
    power = odd ? with_sign(power, x) : power;
    const bool undefined = ((x < T(0)) & (size < T(infinity)) & !whole) | (x != x) | (y != y);
    power = undefined ? T(not_a_number) : power;
    const bool one = (y == T(0)) | (x == T(1));
    return one ? T(1) : power;
}

// |x|^y = exp(y log|x|), the logarithm and its product carried to twice double's precision.
TESSERA_FN double pow_of(double x, double y) {
    double limited = y < -0x1p66 ? -0x1p66 : y;
    limited = limited > 0x1p66 ? 0x1p66 : limited;
    const pair log = log_pair(magnitude(x));
    const pair p = two_product(log.hi, limited);
    return finish_pow(x, y, exp_of({p.hi, p.lo + log.lo * limited}));
}

// The same for floats by log2 and exp2. 24-bit arguments leave room: the leading parts of log2|x| times y are exact.
TESSERA_FN float pow_of(float x, float y) {
    double limited = y < -0x1p40f ? -0x1p40 : y;
    limited = limited > 0x1p40 ? 0x1p40 : limited;
    const scaled a = split_exponent(magnitude(x));
    const double f = a.m - 1.0, g = 1.0 / (a.m + 1.0);
    const double s_hi = upper_half(f * g), s_lo = (f - s_hi * (a.m + 1.0)) * g, s = s_hi + s_lo, z = s * s;
    double p = 0x1.88a7cbd2be86p-3; // 2 atanh(s) / (s ln 2) - 2 / ln 2, over z; relative error of log2 2^-61
    p = p * z + 0x1.87626cf52f6a2p-3;
    p = p * z + 0x1.c6a30f8f0e35cp-3;
    p = p * z + 0x1.0c9a597539423p-2;
    p = p * z + 0x1.484b144318f18p-2;
    p = p * z + 0x1.a61762a71fc63p-2;
    p = p * z + 0x1.2776c50ef9ea4p-1;
    p = p * z + 0x1.ec709dc3a03fdp-1;
    const double log_hi = s_hi * 0x1.7154768p1; // exact: 26 bits each
    const double log_head = upper_half(log_hi);
    const double log_rest = (log_hi - log_head) + (s_hi * -0x1.6a3e80f444178p-26 + (s_lo * 0x1.71547652b82fep1 + s * z * p));
    const double y1 = limited * a.k, y2 = limited * log_head, y3 = limited * log_rest, exponent = y1 + y2 + y3;
    double nearest = exponent < -300.0 ? -300.0 : exponent;
    nearest = (nearest > 300.0 ? 300.0 : nearest) + to_integer;
    const double r = ((y1 - (nearest - to_integer)) + y2) + y3;
    double power = exp2_reduced(r) * power_of_two(nearest);
    power = exponent > 299.0 ? infinity : power;
    power = exponent < -299.0 ? 0.0 : power;
    return finish_pow(x, y, static_cast<float>(power));
}

} // namespace tessera::math_detail
