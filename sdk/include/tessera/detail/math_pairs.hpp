// SPDX-License-Identifier: Apache-2.0
// What math.hpp is made of on GPUs whose doubles are slow: functions of floats that compute in pairs of floats.
//
// Each makes a pair hi + lo that is known to lie within `error` of the exact value, relatively. Where both ends of that interval round to
// one float, this is the float (Ziv, "Fast evaluation of elementary mathematical functions with correctly rounded last bit", ACM TOMS 17,
// 1991), and what is computed in double rounds to it too. Where they do not, and for rare arguments, the function is computed in double,
// out of line. The bounds are more than twice the largest error that was found (docs/decisions/float-functions-in-pairs.md).
#pragma once

#include <tessera/detail/math_floats.hpp>

namespace tessera::math_detail::in_pairs {

// ---- pairs: an unevaluated sum hi + lo of floats (Dekker, Numer. Math. 18, 1971); no product here may be fused with a sum ----

struct float_pair {
    float hi, lo;
};

#if TESSERA_GPU
TESSERA_FN float times(float a, float b) { return __fmul_rn(a, b); }
// Not the last bit: what a quotient lacks is added from its remainder.
TESSERA_FN float reciprocal(float x) {
    float result;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
    return result;
}
#else
TESSERA_FN float times(float a, float b) { return a * b; }
TESSERA_FN float reciprocal(float x) { return 1.0f / x; }
#endif

// The 48 leading bits of a constant.
TESSERA_FN constexpr float_pair in_floats(double x) {
    const float hi = static_cast<float>(x);
    return {hi, static_cast<float>(x - static_cast<double>(hi))};
}

// a + b exactly, for |a| >= |b| or a == 0.
TESSERA_FN float_pair ordered_sum(float a, float b) {
    const float sum = a + b;
    return {sum, b - (sum - a)};
}

TESSERA_FN float_pair product(float_pair a, float_pair b) {
    const float p = times(a.hi, b.hi);
    return {p, fused(a.lo, b.hi, fused(a.hi, b.lo, fused(a.hi, b.hi, -p)))};
}

TESSERA_FN float_pair square(float_pair a) {
    const float p = times(a.hi, a.hi);
    return {p, fused(a.hi + a.hi, a.lo, fused(a.hi, a.hi, -p))};
}

// c + p z, for |c| >= |p z|: a step of Horner's scheme.
TESSERA_FN float_pair step(float_pair p, float_pair z, float_pair c) {
    const float_pair q = product(p, z), s = ordered_sum(c.hi, q.hi);
    return {s.hi, s.lo + (c.lo + q.lo)};
}
TESSERA_FN float_pair step(float p, float_pair z, float_pair c) {
    const float q = times(p, z.hi);
    const float_pair s = ordered_sum(c.hi, q);
    return {s.hi, s.lo + (c.lo + fused(p, z.lo, fused(p, z.hi, -q)))};
}

TESSERA_FN float_pair quotient(float_pair a, float_pair b) {
    const float r = reciprocal(b.hi), q = times(a.hi, r);
    const float rest = fused(-q, b.lo, fused(-q, b.hi, a.hi) + a.lo);
    return ordered_sum(q, times(rest, r));
}

// ---- the rounding test ----

struct rounded {
    float value;
    bool in_doubt;
};
TESSERA_FN rounded round_within(float_pair x, float error) {
    const float low = x.hi + (x.lo - error), high = x.hi + (x.lo + error);
    return {low, !(low == high)};
}

// ---- exponentials ----

inline constexpr float float_to_integer = 0x1.8p23f; // as to_integer, for |x| < 2^22

inline constexpr float_pair ln2 = in_floats(0x1.62e42fefa39efp-1);

// exp(r) for |r| <= ln(2)/2, by the coefficients of exp_tail.
TESSERA_FN float_pair exp_reduced(float_pair r) {
    constexpr float_pair c3 = in_floats(0x1.5555555555557p-3), c4 = in_floats(0x1.5555555555557p-5), c5 = in_floats(0x1.1111111110051p-7),
                         c6 = in_floats(0x1.6c16c16c156a5p-10);
    float p = 0x1.af4ec8p-26f;
    p = fused(p, r.hi, 0x1.27e4cap-22f);
    p = fused(p, r.hi, 0x1.71de02p-19f);
    p = fused(p, r.hi, 0x1.a01a02p-16f);
    p = fused(p, r.hi, 0x1.a01a02p-13f);
    float_pair q = step(p, r, c6);
    q = step(q, r, c5);
    q = step(q, r, c4);
    q = step(q, r, c3);
    q = step(q, r, {0.5f, 0.0f});
    q = step(q, r, {1.0f, 0.0f});
    return step(q, r, {1.0f, 0.0f});
}

TESSERA_RARE float exp_in_doubt(float x) noexcept { return in_doubles::exp(x); }

TESSERA_FN float exp(float x) {
    const float shifted = fused(x, 0x1.715476p0f, float_to_integer), n = shifted - float_to_integer;
    const float_pair r = ordered_sum(fused(n, -ln2.hi, x), times(n, -ln2.lo)), e = exp_reduced(r);
    const rounded result = round_within(e, 0x1p-43f);
    const bool vanishes = x < -104.0f, is_usual = (x > -87.0f) & (x < 88.7f);
    if ((result.in_doubt | !is_usual) & !vanishes) return exp_in_doubt(x);
    return vanishes ? 0.0f : from_bits(bits_of(result.value) + (bits_of(shifted) << 23));
}

// ---- logarithms ----

struct scaled_float {
    float k, m;
};

// As split_exponent.
TESSERA_FN scaled_float split_float(float x) {
    constexpr u32 sqrt_half = 0x3f3504f3, one = 0x3f800000;
    const u32 biased = (bits_of(x) - sqrt_half + one) >> 23;
    return {from_bits(biased | 0x4b000000u) - (0x1p23f + 127.0f), from_bits(bits_of(x) - (biased << 23) + one)};
}

// 2 atanh(s) / s for z = s * s, by the coefficients of log_tail.
TESSERA_FN float_pair atanh_over(float_pair z) {
    constexpr float_pair c1 = in_floats(0x1.5555555555594p-1), c2 = in_floats(0x1.999999997f6f8p-2), c3 = in_floats(0x1.249249424137p-2);
    float p = 0x1.2f0edcp-3f;
    p = fused(p, z.hi, 0x1.39a0bcp-3f);
    p = fused(p, z.hi, 0x1.74664ap-3f);
    p = fused(p, z.hi, 0x1.c71c52p-3f);
    float_pair q = step(p, z, c3);
    q = step(q, z, c2);
    q = step(q, z, c1);
    return step(q, z, {2.0f, 0.0f});
}

// log(m).
TESSERA_FN float_pair log_of_scaled(float m) {
    const float f = m - 1.0f;
    const float_pair s = quotient({f, 0.0f}, ordered_sum(2.0f, f));
    return product(s, atanh_over(square(s)));
}

TESSERA_RARE float log_in_doubt(float x) noexcept { return in_doubles::log(x); }

TESSERA_FN float log(float x) {
    const scaled_float a = split_float(x);
    const float_pair log_m = log_of_scaled(a.m);
    const float k_ln2 = times(a.k, ln2.hi), rest = fused(a.k, ln2.lo, fused(a.k, ln2.hi, -k_ln2));
    const float_pair s = ordered_sum(k_ln2, log_m.hi);
    const float_pair value = {s.hi, s.lo + (log_m.lo + rest)};
    const rounded result = round_within(value, times(magnitude(value.hi), 0x1p-42f));
    const bool is_usual = bits_of(x) - 0x00800000u < 0x7f000000u; // positive, finite and not subnormal
    return result.in_doubt || !is_usual ? log_in_doubt(x) : result.value;
}

// ---- powers: |x|^y = 2^(y k + y log2(m)) ----

TESSERA_RARE float pow_in_doubt(float x, float y) noexcept { return in_doubles::pow(x, y); }

TESSERA_FN float pow(float x, float y) {
    constexpr float_pair log2_e_pair = in_floats(log2_e);
    const float size = magnitude(x);
    const scaled_float a = split_float(size);
    const float_pair y_pair = {y, 0.0f}, whole = product(y_pair, {a.k, 0.0f}),
                     part = product(y_pair, product(log_of_scaled(a.m), log2_e_pair));
    const float exponent = whole.hi + part.hi, back = exponent - whole.hi;
    const float lost = (whole.hi - (exponent - back)) + (part.hi - back);
    const float shifted = exponent + float_to_integer;
    const float_pair r = ordered_sum(exponent - (shifted - float_to_integer), lost + (whole.lo + part.lo));
    const float_pair power = exp_reduced(product(r, ln2));
    // Of the logarithm's error y makes a multiple; so it does of what is lost below a large exponent.
    const float error = fused(magnitude(part.hi), 0x1p-42f, fused(magnitude(whole.hi), 0x1p-45f, 0x1p-42f));
    const rounded result = round_within(power, times(power.hi, error));
    const bool is_usual = bits_of(size) - 0x00800000u < 0x7f000000u && magnitude(exponent) < 125.0f;
    if ((result.in_doubt || !is_usual) && size != 0.0f) return pow_in_doubt(x, y);
    return finish_pow(x, y, from_bits(bits_of(result.value) + (bits_of(shifted) << 23)));
}

// ---- trigonometry: x = (quadrant + f) pi/2 ----

struct float_angle {
    float_pair r;
    float error; // what r may be off, beyond its own precision
    u32 quadrant;
};

// Cody and Waite's reduction, for |x| < 2^17: the first difference is exact, the second is kept whole.
TESSERA_FN float_angle reduce_float(float x) {
    constexpr float first = 0x1.921fb6p0f, second = -0x1.777a5cp-25f, third = -0x1.ee59dap-50f;
    const float shifted = fused(x, 0x1.45f306p-1f, float_to_integer), n = shifted - float_to_integer;
    const float rest = fused(n, -first, x), part = times(n, second);
    const float sum = rest - part, back = sum - rest;
    const float lost = (rest - (sum - back)) - (part + back); // of the difference
    const float below = fused(n, second, -part);              // of the product
    const float_pair r = ordered_sum(sum, lost - fused(n, third, below));
    return {r, times(magnitude(n), 0x1p-72f), bits_of(shifted)};
}

// sin(r) in even quadrants, cos(r) in odd ones, by the coefficients of sin_tail and cos_tail.
TESSERA_FN float_pair sin_or_cos(float_pair r, bool is_cos) {
    constexpr float_pair s1 = in_floats(-0x1.5555555555548p-3), s2 = in_floats(0x1.111111110f75bp-7),
                         s3 = in_floats(-0x1.a01a019bf1ccep-13);
    constexpr float_pair c2 = in_floats(0x1.555555555554ap-5), c3 = in_floats(-0x1.6c16c16c14e48p-10);
    const auto choose = [=](float_pair cos, float_pair sin) { return float_pair{is_cos ? cos.hi : sin.hi, is_cos ? cos.lo : sin.lo}; };
    const float_pair z = square(r);
    float p = is_cos ? -0x1.8f9f4ap-37f : 0.0f;
    p = fused(p, z.hi, is_cos ? 0x1.1ee9ccp-29f : 0x1.5d8e22p-33f);
    p = fused(p, z.hi, is_cos ? -0x1.27e4f8p-22f : -0x1.ae5e54p-26f);
    p = fused(p, z.hi, is_cos ? 0x1.a01a02p-16f : 0x1.71de36p-19f);
    float_pair q = step(p, z, choose(c3, s3));
    q = step(q, z, choose(c2, s2));
    q = step(q, z, choose({-0.5f, 0.0f}, s1));
    q = step(q, z, {1.0f, 0.0f});
    return product(q, choose({1.0f, 0.0f}, r));
}

TESSERA_RARE float sin_in_doubt(float x) noexcept { return in_doubles::sin(x); }
TESSERA_RARE float cos_in_doubt(float x) noexcept { return in_doubles::cos(x); }
TESSERA_RARE float tan_in_doubt(float x) noexcept { return in_doubles::tan(x); }

inline constexpr float largest_angle = 0x1p17f;

// The sine of an angle that is `more` quadrants further.
TESSERA_FN rounded sin_further(float_angle a, u32 more) {
    const u32 quadrant = a.quadrant + more;
    const float_pair s = sin_or_cos(a.r, quadrant & 1);
    const rounded result = round_within(s, fused(magnitude(s.hi), 0x1p-40f, a.error));
    return {from_bits(bits_of(result.value) ^ (quadrant & 2) << 30), result.in_doubt};
}

TESSERA_FN float sin(float x) {
    const rounded result = sin_further(reduce_float(x), 0);
    if (result.in_doubt | !(magnitude(x) < largest_angle)) return sin_in_doubt(x);
    return x == 0.0f ? x : result.value;
}

TESSERA_FN float cos(float x) {
    const rounded result = sin_further(reduce_float(x), 1);
    return result.in_doubt || !(magnitude(x) < largest_angle) ? cos_in_doubt(x) : result.value;
}

TESSERA_FN float tan(float x) {
    const float_angle a = reduce_float(x);
    const bool odd = a.quadrant & 1;
    const float_pair above = sin_or_cos(a.r, odd), below = sin_or_cos(a.r, !odd), q = quotient(above, below);
    const float error = times(a.error, fused(q.hi, q.hi, 1.0f));
    const rounded result = round_within(q, fused(magnitude(q.hi), 0x1p-40f, error));
    if (result.in_doubt | !(magnitude(x) < largest_angle)) return tan_in_doubt(x);
    return x == 0.0f ? x : odd ? -result.value : result.value;
}

} // namespace tessera::math_detail::in_pairs
