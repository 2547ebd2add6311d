// SPDX-License-Identifier: Apache-2.0
// What math.hpp is made of: reduction of angles, sine, cosine and the angle of a point.
#pragma once

#include <tessera/detail/math_bits.hpp>

namespace tessera::math_detail {

// ---- trigonometry: x = (quadrant + f) pi/2 ----

inline constexpr double half_pi_hi = 0x1.921fb54442d18p0;
inline constexpr double half_pi_lo = 0x1.1a62633145c07p-54;

// sin(r) = r + r z sin_tail(z), z = r * r, |r| <= pi/4; relative error 2^-57.
TESSERA_FN double sin_tail(double z) {
    double p = 0x1.5d8e22613db5cp-33;
    p = p * z - 0x1.ae5e54310d01bp-26;
    p = p * z + 0x1.71de355eb41acp-19;
    p = p * z - 0x1.a01a019bf1ccep-13;
    p = p * z + 0x1.111111110f75bp-7;
    return p * z - 0x1.5555555555548p-3;
}

// cos(r) = 1 - z / 2 + z z cos_tail(z); relative error 2^-63.
TESSERA_FN double cos_tail(double z) {
    double p = -0x1.8f9f49f8b5538p-37;
    p = p * z + 0x1.1ee9cc8e32e1fp-29;
    p = p * z - 0x1.27e4f7d8b43dcp-22;
    p = p * z + 0x1.a01a019c684b2p-16;
    p = p * z - 0x1.6c16c16c14e48p-10;
    return p * z + 0x1.555555555554ap-5;
}

// A multiple of pi/2, counted in the two low bits, plus hi + lo.
struct angle {
    double hi, lo;
    u64 quadrant;
};

// sin and cos of a reduced angle as double-doubles, of which hi + lo is within one ulp when rounded.
TESSERA_FN pair sin_pair(angle a) {
    const double z = a.hi * a.hi;
    return fast_two_sum(a.hi, a.lo * (1.0 - 0.5 * z) + z * a.hi * sin_tail(z));
}
TESSERA_FN pair cos_pair(angle a) {
    const double z = a.hi * a.hi, half = 0.5 * z, w = 1.0 - half;
    return fast_two_sum(w, ((1.0 - w) - half) + (z * z * cos_tail(z) - a.hi * a.lo));
}

// A number of 192 bits.
struct wide {
    u64 high, middle, low;
};

TESSERA_FN wide shift_left(wide a, int n) { return {a.high << n | a.middle >> (64 - n), a.middle << n | a.low >> (64 - n), a.low << n}; }
TESSERA_FN wide negated(wide a) {
    const u64 low = ~a.low + 1, middle = ~a.middle + (low == 0);
    return {~a.high + ((low == 0) & (middle == 0)), middle, low};
}

// The product of a finite x >= 2^27 with 2/pi, modulo 4, in units of 2^-190.
TESSERA_RARE wide times_two_over_pi(double x) noexcept {
    // 2/pi after 32 zero bits, which serve the smallest exponents.
    static constexpr u32 two_over_pi[38] = {
        0x00000000u, 0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u, 0xdb629599u, 0x3c439041u, 0xfe5163abu, 0xdebbc561u, 0xb7246e3au,
        0x424dd2e0u, 0x06492eeau, 0x09d1921cu, 0xfe1deb1cu, 0xb129a73eu, 0xe88235f5u, 0x2ebb4484u, 0xe99c7026u, 0xb45f7e41u, 0x3991d639u,
        0x835339f4u, 0x9c845f8bu, 0xbdf9283bu, 0x1ff897ffu, 0xde05980fu, 0xef2f118bu, 0x5a0a6d1fu, 0x6d367ecfu, 0x27cb09b7u, 0x4f463f66u,
        0x9e5fea2du, 0x7527bac7u, 0xebe5f17bu, 0x3d0739f7u, 0x8a5292eau, 0x6bfb5fb1u, 0x1f8d5d08u, 0x56033046u};
    const u64 significand = (bits_of(x) & 0xfffffffffffff) | 0x10000000000000;
    const u64 lower = significand & 0xffffffff, upper = significand >> 32;
    const u32 start = static_cast<u32>(bits_of(x) >> 52) - 1075 + 30; // the bits before this one count whole turns
    const u32 word = start >> 5, shift = start & 31;
    u32 limb[6]; // the lowest first
    u64 carry = 0, carry_upper = 0, previous = 0;
    for (u32 i = 0; i < 6; ++i) {
        const u64 two_words = u64{two_over_pi[word + 5 - i]} << 32 | two_over_pi[word + 6 - i];
        const u64 window = two_words << shift >> 32;
        carry += lower * window;
        carry_upper += upper * previous + (carry & 0xffffffff);
        limb[i] = static_cast<u32>(carry_upper);
        carry >>= 32;
        carry_upper >>= 32;
        previous = window;
    }
    return {u64{limb[5]} << 32 | limb[4], u64{limb[3]} << 32 | limb[2], u64{limb[1]} << 32 | limb[0]};
}

// Payne and Hanek, "Radian reduction for trigonometric functions", SIGNUM Newsletter 18 (1983): of the product of the significand with
// 2/pi only the bits below the turns matter, so 192 bits of 2/pi suffice for any exponent. For finite x >= 2^27.
TESSERA_RARE angle reduce_large(double x) noexcept {
    const wide turned = times_two_over_pi(x);
    wide f = shift_left(turned, 2);
    const bool negative = f.high >> 63; // nearer to the next quadrant
    f = negative ? negated(f) : f;
    double scale = 0x1p-53;
    for (int i = 0; i < 128 && !(f.high >> 63); ++i) {
        f = shift_left(f, 1);
        scale *= 0.5;
    }
    const double f_hi = static_cast<double>(f.high >> 11) * scale;
    const double f_lo = static_cast<double>((f.high & 0x7ff) << 42 | f.middle >> 22) * (scale * 0x1p-53);
    const pair r = product({f_hi, f_lo}, {half_pi_hi, half_pi_lo});
    return {negative ? -r.hi : r.hi, negative ? -r.lo : r.lo, (turned.high >> 62) + negative};
}

// Cody and Waite's reduction in five parts for |x| < 2^27: the products of n < 2^27 with the first four parts of 27 bits are exact.
TESSERA_FN angle reduce_medium(double x) {
    const double shifted = x * 0x1.45f306dc9c883p-1 + to_integer, n = shifted - to_integer;
    const double rest = (x - n * 0x1.921fb54p0) - n * 0x1.10b4620p-30; // exact
    const pair third = two_sum(rest, n * 0x1.cb3b398p-55);
    const pair fourth = two_sum(third.hi, n * 0x1.d747f2p-83);
    const pair r = fast_two_sum(fourth.hi, fourth.lo + (third.lo + n * 0x1.f1976b7ed8fbcp-110));
    return {r.hi, r.lo, bits_of(shifted)};
}

TESSERA_FN angle reduce(double x) {
    const double size = magnitude(x);
    if (size < 0x1p27) {
        return reduce_medium(x);
    }
    if (!(size < infinity)) {
        return {not_a_number, not_a_number, 0};
    }
    const angle a = reduce_large(size);
    const bool negative = x < 0.0;
    return {negative ? -a.hi : a.hi, negative ? -a.lo : a.lo, negative ? 0 - a.quadrant : a.quadrant};
}

// The reduction for floats, for every finite x, with no table and no branch: loops over it vectorise, and several reductions of one angle
// become one. x times the three parts of 2/pi is exact but for the last; whole quadrants are dropped exactly. A large float is a whole
// multiple of 2^e, and 2^e * 2/pi is taken mod 4. With |f| up to 0.57 the polynomials still hold to 2^-52.
TESSERA_FN angle reduce(float x) {
    const float size = magnitude(x);
    const bool a = size >= 0x1p28f, b = size >= 0x1p53f, c = size >= 0x1p78f, d = size >= 0x1p103f;
    const double v = x * (d ? 0x1p-80 : c ? 0x1p-55 : b ? 0x1p-30 : a ? 0x1p-5 : 1.0);
    const double p1 = d ? -0x1.505c158p-1 : c ? -0x1.6b01ec6p0 : b ? -0x1.b1bbebp-2 : a ? 0x1.7cc1b7p-2 : 0x1.45f306ep-1;
    const double p2 = d ? -0x1.6447e4ap-29 : c ? 0x1.7d1f534p-29 : b ? 0x1.4fe13acp-29 : a ? 0x1.391054ap-29 : -0x1.b1bbeadp-32;
    const double p3 = d   ? 0x1.8a5664f10e410p-58
                      : c ? 0x1.bb81b6c52b328p-58
                      : b ? -0x1.70565911f924fp-61
                      : a ? 0x1.fc2757d1f534ep-59
                          : -0x1.80f62a0b82b2dp-62;
    const double y1 = v * p1, y2 = v * p2, shifted = (y1 + y2) + to_integer;
    const double f = ((y1 - (shifted - to_integer)) + y2) + v * p3;
    return {f * half_pi_hi, 0.0, bits_of(shifted)};
}

TESSERA_FN double sin_near(double r) {
    const double z = r * r;
    return r + r * z * sin_tail(z);
}
TESSERA_FN double cos_near(double r) {
    const double z = r * r;
    return (1.0 - 0.5 * z) + z * z * cos_tail(z);
}

// a in odd quadrants, b in even ones; by masks, since SSE2 cannot compare 64-bit integers.
TESSERA_FN double choose(u64 quadrant, double a, double b) {
    const u64 odd = u64{0} - (quadrant & 1);
    return from_bits((bits_of(a) & odd) | (bits_of(b) & ~odd));
}

// sin of an angle from its reduction, and cos one quadrant further.
TESSERA_FN double sin_of(angle a) {
    const double value = choose(a.quadrant, cos_pair(a).hi, sin_pair(a).hi);
    return from_bits(bits_of(value) ^ (a.quadrant & 2) << 62);
}
TESSERA_FN double sin_near_of(angle a) {
    const double value = choose(a.quadrant, cos_near(a.hi), sin_near(a.hi));
    return from_bits(bits_of(value) ^ (a.quadrant & 2) << 62);
}

// atan(q) = q + q z atan_tail(z), z = q * q, |q| <= sqrt(2) - 1; relative error 2^-59.
TESSERA_FN double atan_tail(double z) {
    double p = -0x1.252de173b16cep-6;
    p = p * z + 0x1.37b89bff04454p-5;
    p = p * z - 0x1.9cc6a8ae95b6bp-5;
    p = p * z + 0x1.df0c714f713c5p-5;
    p = p * z - 0x1.10eb8286e8f5ep-4;
    p = p * z + 0x1.3b1113fea2854p-4;
    p = p * z - 0x1.745cf88bc171bp-4;
    p = p * z + 0x1.c71c70e2eeb0cp-4;
    p = p * z - 0x1.24924922a434p-3;
    p = p * z + 0x1.99999999956acp-3;
    return p * z - 0x1.555555555553cp-2;
}

// Where the angle of (x, y) lies: base, a multiple of pi/4, plus or minus atan(numerator / denominator), at most pi/8.
struct direction {
    pair numerator, denominator, base;
    bool backwards;
};
TESSERA_FN direction direction_of(double x_size, double y_size, bool x_negative) {
    const bool steep = y_size > x_size;
    double a = steep ? y_size : x_size, b = steep ? x_size : y_size;
    b = a == infinity ? (b == infinity ? 1.0 : 0.0) : b;
    a = a == infinity || a == 0.0 ? 1.0 : a;
    const bool wide = b > a * 0x1.a827999fcef34p-2;
    const pair difference = two_sum(b, -a), total = two_sum(a, b);
    const pair numerator = {wide ? difference.hi : b, wide ? difference.lo : 0.0};
    const pair denominator = {wide ? total.hi : a, wide ? total.lo : 0.0};
    pair base = {wide ? half_pi_hi * 0.5 : 0.0, wide ? half_pi_lo * 0.5 : 0.0};
    base.hi = steep ? (wide ? half_pi_hi * 0.5 : half_pi_hi) : base.hi;
    base.lo = steep ? (wide ? half_pi_lo * 0.5 : half_pi_lo) : base.lo;
    // pi - base, for the four bases there are.
    const double mirrored_hi = wide ? 0x1.2d97c7f3321d2p1 : steep ? half_pi_hi : half_pi_hi * 2.0;
    const double mirrored_lo = wide ? 0x1.a79394c9e8a0ap-54 : steep ? half_pi_lo : half_pi_lo * 2.0;
    base.hi = x_negative ? mirrored_hi : base.hi;
    base.lo = x_negative ? mirrored_lo : base.lo;
    return {numerator, denominator, base, steep != x_negative};
}

TESSERA_FN double atan2_of(double y, double x) {
    double x_size = magnitude(x), y_size = magnitude(y);
    const double plain = y_size / x_size;
    const double larger = x_size > y_size ? x_size : y_size;
    const double scale = larger > 0x1p500 ? 0x1p-600 : larger < 0x1p-400 ? 0x1p500 : 1.0;
    const bool x_negative = bits_of(x) >> 63;
    const direction d = direction_of(x_size * scale, y_size * scale, x_negative);
    const pair q = quotient(d.numerator, d.denominator);
    const double z = q.hi * q.hi, rest = q.lo + q.hi * z * atan_tail(z);
    const pair s = fast_two_sum(d.base.hi, d.backwards ? -q.hi : q.hi);
    double angle = s.hi + (s.lo + (d.base.lo + (d.backwards ? -rest : rest)));
    // So small an angle is the quotient itself, which division rounds right even where it is subnormal.
    angle = plain < 0x1p-30 && !x_negative ? plain : angle;
    return x != x || y != y ? not_a_number : with_sign(angle, y);
}

TESSERA_FN float atan2_of(float y, float x) {
    const bool x_negative = bits_of(x) >> 31;
    const direction d = direction_of(magnitude(x), magnitude(y), x_negative);
    const double q = d.numerator.hi / d.denominator.hi, z = q * q;
    const double rest = q + q * z * atan_tail(z);
    const double angle = d.base.hi + (d.backwards ? d.base.lo - rest : d.base.lo + rest);
    return x != x || y != y ? static_cast<float>(not_a_number) : with_sign(static_cast<float>(angle), y);
}

} // namespace tessera::math_detail
