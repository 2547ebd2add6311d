// SPDX-License-Identifier: Apache-2.0
// What math.hpp is made of: truncation, fused multiply-add and remainder, all of them exact.
#pragma once

#include <tessera/detail/math_bits.hpp>

namespace tessera::math_detail {

// ---- truncation: adding and taking away 2^52 (2^23) leaves the nearest integer of a smaller number ----

TESSERA_FN double truncate(double x) {
    const double size = magnitude(x);
    double t = (size + 0x1p52) - 0x1p52;
    t = t > size ? t - 1.0 : t;
    return size < 0x1p52 ? with_sign(t, x) : x;
}
TESSERA_FN float truncate(float x) {
    const float size = magnitude(x);
    float t = (size + 0x1p23f) - 0x1p23f;
    t = t > size ? t - 1.0f : t;
    return size < 0x1p23f ? with_sign(t, x) : x;
}

// ---- fma ----

#if TESSERA_GPU
TESSERA_FN double fused(double a, double b, double c) { return __fma_rn(a, b, c); }
TESSERA_FN float fused(float a, float b, float c) { return __fmaf_rn(a, b, c); }
#elif defined(__FMA__) || defined(__aarch64__)
TESSERA_FN double fused(double a, double b, double c) { return __builtin_fma(a, b, c); }
TESSERA_FN float fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
#else
__extension__ typedef unsigned __int128 u128;

// A finite number other than zero; the significand has 53 bits.
struct decoded {
    u64 significand;
    int exponent;
};
TESSERA_FN decoded decode(double x) {
    const u64 bits = bits_of(x) & ~sign_bit;
    const int biased = static_cast<int>(bits >> 52);
    if (biased == 0) {
        const int zeros = __builtin_clzl(bits) - 11;
        return {bits << zeros, -1074 - zeros};
    }
    return {(bits & 0xfffffffffffff) | 0x10000000000000, biased - 1075};
}

// x / 2^n with every bit that falls off remembered in the lowest one: it then rounds as the whole number would.
TESSERA_FN u128 shift_sticky(u128 x, int n) {
    if (n <= 0) {
        return x;
    }
    if (n > 127) {
        return x != 0;
    }
    return x >> n | ((x >> n << n) != x);
}

// significand * 2^exponent, rounded to nearest even, as the bits of a double; the significand has 127 bits at most.
TESSERA_FN u64 round_to_double(u128 significand, int exponent) {
    const u64 upper = static_cast<u64>(significand >> 64);
    const int length = upper != 0 ? 128 - __builtin_clzl(upper) : 64 - __builtin_clzl(static_cast<u64>(significand));
    int last = exponent + length - 53; // exponent of the last bit kept
    last = last < -1074 ? -1074 : last;
    const int dropped = last - exponent;
    u64 kept = 0;
    if (dropped <= 0) {
        kept = static_cast<u64>(significand << -dropped);
    } else if (dropped < 128) {
        const u128 half = static_cast<u128>(1) << (dropped - 1), tail = significand & (half + (half - 1));
        kept = static_cast<u64>(significand >> dropped);
        kept += (tail > half) | ((tail == half) & (kept & 1));
    }
    if (last > 971 || (last == 971 && kept >> 53)) {
        return bits_of(infinity);
    }
    // The hidden bit counts one into the exponent; so does a carry out of the rounding.
    return kept < 0x10000000000000 ? kept : (static_cast<u64>(last + 1074) << 52) + kept;
}

TESSERA_RARE double fused(double a, double b, double c) noexcept {
    if (!(magnitude(a) < infinity) || !(magnitude(b) < infinity) || a == 0.0 || b == 0.0) {
        return a * b + c;
    }
    if (!(magnitude(c) < infinity)) {
        return c;
    }
    if (c == 0.0) {
        return a * b;
    }
    const decoded da = decode(a), db = decode(b), dc = decode(c);
    const u64 sign_p = (bits_of(a) ^ bits_of(b)) & sign_bit, sign_c = bits_of(c) & sign_bit;
    // Two zero bits under the product keep it apart from the lowest bit of c where that stands for bits that fell off.
    u128 p = static_cast<u128>(da.significand) * db.significand << 2, q = dc.significand;
    int exponent = da.exponent + db.exponent - 2;
    const int distance = dc.exponent - exponent;
    if (distance > 73) { // the product is far below: keep 73 bits under c
        q <<= 73;
        p = shift_sticky(p, distance - 73);
        exponent += distance - 73;
    } else if (distance >= 0) {
        q <<= distance;
    } else {
        q = shift_sticky(q, -distance);
    }
    if (sign_p == sign_c) {
        return from_bits(sign_p | round_to_double(p + q, exponent));
    }
    if (p == q) {
        return 0.0;
    }
    return p > q ? from_bits(sign_p | round_to_double(p - q, exponent)) : from_bits(sign_c | round_to_double(q - p, exponent));
}

// Boldo and Melquiond, "Emulation of FMA and correctly rounded sums", IEEE Trans. Computers 57 (2008): the product is exact in double;
// the sum is rounded to odd there, and then once to float.
TESSERA_FN float fused(float a, float b, float c) {
    const pair s = two_sum(static_cast<double>(a) * b, c);
    const bool inexact = (s.lo != 0.0) & (s.lo == s.lo);
    const u64 bits = bits_of(s.hi), step = (s.lo > 0.0) == (s.hi > 0.0) ? 1 : ~u64{0};
    return static_cast<float>(from_bits((inexact & !(bits & 1)) ? bits + step : bits));
}
#endif

// The remainder of two finite numbers given as significands and exponents, by long division of several bits at a time.
TESSERA_FN u64 remainder_of(u64 x, u64 y, int bits, int bits_a_time) {
    u64 r = x % y;
    while (bits > 0) {
        const int n = bits < bits_a_time ? bits : bits_a_time;
        r = (r << n) % y;
        bits -= n;
    }
    return r;
}

TESSERA_RARE double fmod_of(double x, double y) noexcept {
    const u64 ux = bits_of(x) & ~sign_bit, uy = bits_of(y) & ~sign_bit;
    if (uy == 0 || ux >= bits_of(infinity) || uy > bits_of(infinity)) {
        return not_a_number;
    }
    if (ux < uy) {
        return x;
    }
    const int ex = static_cast<int>(ux >> 52), ey = static_cast<int>(uy >> 52);
    const u64 fraction = 0xfffffffffffff, hidden = fraction + 1;
    const u64 mx = ex != 0 ? (ux & fraction) | hidden : ux, my = ey != 0 ? (uy & fraction) | hidden : uy;
    const int exponent = ey != 0 ? ey : 1; // of y's last bit, above that of the subnormal numbers, plus one
    const u64 r = remainder_of(mx, my, (ex != 0 ? ex : 1) - exponent, 11);
    const u64 as_double = bits_of(static_cast<double>(r)); // exact; its exponent says how long r is
    const i64 biased = static_cast<i64>(as_double >> 52) + exponent - 1075;
    const int shift = (exponent - 1) & 63; // of a subnormal number: below 53, unless r is 0
    const u64 normal = as_double + (static_cast<u64>(exponent - 1075) << 52), subnormal = r << shift;
    return from_bits((r == 0 ? 0 : biased > 0 ? normal : subnormal) | (bits_of(x) & sign_bit));
}

TESSERA_FN float fmod_of(float x, float y) {
    const double dx = magnitude(x), dy = magnitude(y), estimate = dx / dy;
    if (estimate < 0x1p28) { // the estimate is off by one at most, and its product with y is exact
        double r = dx - truncate(estimate) * dy;
        r = r < 0.0 ? r + dy : r;
        return with_sign(static_cast<float>(dy < infinity ? r : dx), x);
    }
    return static_cast<float>(fmod_of(static_cast<double>(x), static_cast<double>(y)));
}

} // namespace tessera::math_detail
