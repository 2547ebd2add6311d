// SPDX-License-Identifier: Apache-2.0
// What math.hpp is made of: functions of floats that compute in double and round once. These are the bits that every other way has.
#pragma once

#include <tessera/detail/math_exponential.hpp>
#include <tessera/detail/math_trigonometry.hpp>

namespace tessera::math_detail::in_doubles {

TESSERA_FN float exp(float x) {
    double limited = x < -105.0f ? -105.0 : x;
    limited = limited > 89.0 ? 89.0 : limited;
    return static_cast<float>(exp_near(limited));
}

TESSERA_FN float log(float x) {
    const scaled a = split_exponent(x);
    const double f = a.m - 1.0, s = f / (2.0 + f);
    return log_or_special(x, static_cast<float>(a.k * (ln2_hi + ln2_lo) + (2.0 * s + s * log_tail(s * s))));
}

TESSERA_FN float sin(float x) {
    const float result = static_cast<float>(sin_near_of(reduce(x)));
    return x == 0.0f ? x : result;
}

TESSERA_FN float cos(float x) {
    angle a = reduce(x);
    ++a.quadrant;
    return static_cast<float>(sin_near_of(a));
}

TESSERA_FN float tan(float x) {
    const angle a = reduce(x);
    const double s = sin_near(a.hi), c = cos_near(a.hi);
    const float result = static_cast<float>(choose(a.quadrant, c, s) / choose(a.quadrant, -s, c));
    return x == 0.0f ? x : result;
}

TESSERA_FN float pow(float x, float y) { return pow_of(x, y); }

} // namespace tessera::math_detail::in_doubles
