// Accuracy, special values and exactness of tessera/math.hpp, against the C library's long double functions (64-bit significands) for
// what is rounded and against its double and float functions for what is exact.
// optimise: yes
// sanitizers: none
#include "tests/unit/sdk/math_samples.hpp"

#include <tessera/math.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

namespace tessera::math_test {
namespace {

constexpr int sample_count = 200'000; // for each kind of argument

template<class F> struct Arguments { F x, y; };
template<class F> using Generator = std::function<Arguments<F>(Samples&)>;

// A function, what it should give, its bound for double, and the kinds of arguments to try.
template<class F> struct Case {
    std::string name;
    F (*function)(F, F);
    long double (*exact)(long double, long double);
    double double_bound;
    std::vector<Generator<F>> kinds;
};

template<class F> Generator<F> between(double low, double high) {
    return [=](Samples& s) { return Arguments<F>{s.between<F>(low, high), s.between<F>(low, high)}; };
}
template<class F> Generator<F> of_exponent(int low, int high) {
    return [=](Samples& s) { return Arguments<F>{s.of_exponent<F>(low, high), s.of_exponent<F>(low, high)}; };
}
template<class F> Generator<F> any() {
    return [](Samples& s) { return Arguments<F>{s.any<F>(), s.any<F>()}; };
}
// As near as F comes to the multiples of pi/2, where reduction loses most.
template<class F> Generator<F> near_quadrants(int bits) {
    return [=](Samples& s) {
        return Arguments<F>{static_cast<F>(static_cast<long double>(s.word() >> (64 - bits)) * 1.57079632679489661923L), F(0)};
    };
}
// x^y spread over the whole range of results; x near 1 on demand, where y is large.
template<class F> Generator<F> powers(bool near_one) {
    constexpr double range = sizeof(F) == 4 ? 103 : 744;
    return [=](Samples& s) {
        const double exponent = s.between<double>(-range, range) * (near_one ? 1e-3 : 1.0) * s.unit();
        const F x = near_one ? F(1) + static_cast<F>(exponent / range) : static_cast<F>(std::exp(exponent));
        return Arguments<F>{x, static_cast<F>(s.between<double>(-range, range) / std::log(x == F(1) ? 2.0 : static_cast<double>(x)))};
    };
}

template<class F> std::vector<Case<F>> cases() {
    constexpr bool single = sizeof(F) == 4;
    const double overflow = single ? 89 : 710, underflow = single ? -104 : -746;
    const std::vector<Generator<F>> angles = {between<F>(-10, 10),  of_exponent<F>(0, 27), of_exponent<F>(25, 31), any<F>(),
                                              near_quadrants<F>(8), near_quadrants<F>(25), near_quadrants<F>(40),  near_quadrants<F>(60)};
    using L = long double;
    return {
        {"exp",
         [](F x, F) { return tessera::exp(x); },
         [](L x, L) { return std::exp(x); },
         0.80,
         {between<F>(underflow, overflow), between<F>(-1, 1), of_exponent<F>(-60, 4), any<F>()}},
        {"log",
         [](F x, F) { return tessera::log(x); },
         [](L x, L) { return std::log(x); },
         0.90,
         {between<F>(0.5, 2), between<F>(0.99, 1.01), between<F>(0, 1e6), any<F>()}},
        {"sin", [](F x, F) { return tessera::sin(x); }, [](L x, L) { return std::sin(x); }, 0.85, angles},
        {"cos", [](F x, F) { return tessera::cos(x); }, [](L x, L) { return std::cos(x); }, 0.85, angles},
        {"tan", [](F x, F) { return tessera::tan(x); }, [](L x, L) { return std::tan(x); }, 1.0, angles},
        {"tanh",
         [](F x, F) { return tessera::tanh(x); },
         [](L x, L) { return std::tanh(x); },
         0.85,
         {between<F>(-4, 4), between<F>(-25, 25), of_exponent<F>(-40, 1), any<F>()}},
        {"atan",
         [](F x, F) { return tessera::atan(x); },
         [](L x, L) { return std::atan(x); },
         0.90,
         {between<F>(-4, 4), of_exponent<F>(-60, 60), any<F>()}},
        {"atan2",
         [](F x, F y) { return tessera::atan2(x, y); },
         [](L x, L y) { return std::atan2(x, y); },
         0.90,
         {between<F>(-1, 1), of_exponent<F>(-4, 4), of_exponent<F>(-70, 70), any<F>()}},
        {"pow",
         [](F x, F y) { return tessera::pow(x, y); },
         [](L x, L y) { return std::pow(x, y); },
         0.80,
         {between<F>(0, 10), powers<F>(false), powers<F>(true), any<F>()}},
    };
}

// The worst of a case over its samples; the arguments are in `where`.
template<class F> double worst_error(const Case<F>& c, std::string& where) {
    Samples samples;
    double worst = 0;
    for (const auto& kind : c.kinds) {
        for (int i = 0; i < sample_count; ++i) {
            const auto [x, y] = kind(samples);
            const double error = ulp_error(c.function(x, y), c.exact(x, y));
            if (error > worst) {
                worst = error;
                where = "at " + ::testing::PrintToString(x) + ", " + ::testing::PrintToString(y);
            }
        }
    }
    return worst;
}

TEST(MathAccuracy, PiIsTheNearest) {
    EXPECT_EQ(pi, std::numbers::pi);
    EXPECT_EQ(pi_v<double>, std::numbers::pi);
    EXPECT_EQ(pi_v<float>, std::numbers::pi_v<float>);
}

TEST(MathAccuracy, FloatFunctionsAreRoundedOnce) {
    for (const auto& c : cases<float>()) {
        std::string where;
        const double worst = worst_error(c, where);
        RecordProperty(c.name, std::to_string(worst));
        EXPECT_LE(worst, 0.501) << c.name << " " << where;
    }
}

// A float angle is reduced in five ways, by its size: one float of 8209, which is a prime, and all near the sizes where the way changes.
TEST(MathAccuracy, OfFloatAnglesOfEverySize) {
    constexpr std::uint32_t stride = 8209, end = 0x7f800000, aside = 2000;
    std::vector<std::uint32_t> angles;
    for (std::uint32_t bits = 0; bits < end; bits += stride) angles.push_back(bits);
    for (const float change : {0x1p28f, 0x1p53f, 0x1p78f, 0x1p103f})
        for (std::uint32_t i = 0; i < 2 * aside; ++i) angles.push_back(std::bit_cast<std::uint32_t>(change) - aside + i);
    using L = long double;
    double worst = 0;
    for (const auto bits : angles)
        for (const std::uint32_t sign : {0u, 0x80000000u}) {
            const float x = std::bit_cast<float>(bits | sign);
            worst = std::max({worst, ulp_error(tessera::sin(x), std::sin(L{x})), ulp_error(tessera::cos(x), std::cos(L{x})),
                              ulp_error(tessera::tan(x), std::tan(L{x}))});
        }
    EXPECT_LE(worst, 0.501);
}

TEST(MathAccuracy, DoubleFunctionsKeepTheirBounds) {
    for (const auto& c : cases<double>()) {
        std::string where;
        const double worst = worst_error(c, where);
        RecordProperty(c.name, std::to_string(worst));
        EXPECT_LE(worst, c.double_bound) << c.name << " " << where;
        EXPECT_GT(worst, 0.4) << c.name << " is more accurate than rounding allows, so that the measure must be wrong";
    }
}

// Zeros with their signs, infinities and NaN exactly as C has them; whatever else comes up within the bounds.
template<class F> void check_special_values() {
    for (const auto& c : cases<F>()) {
        for (const F x : special_values<F>()) {
            for (const F y : special_values<F>()) {
                const F found = c.function(x, y);
                const long double exact = c.exact(x, y);
                const F rounded = static_cast<F>(exact);
                if (rounded == F(0) || !std::isfinite(rounded)) {
                    EXPECT_TRUE(identical(found, rounded)) << c.name << "(" << x << ", " << y << ") is " << found << ", not " << rounded;
                } else {
                    EXPECT_LE(ulp_error(found, exact), sizeof(F) == 4 ? 0.501 : c.double_bound) << c.name << "(" << x << ", " << y << ")";
                }
            }
        }
    }
}
TEST(MathSpecialValues, OfDoubleFunctions) { check_special_values<double>(); }
TEST(MathSpecialValues, OfFloatFunctions) { check_special_values<float>(); }

// Functions that are exact, or correctly rounded, against the C library.
template<class F> void check_exact_functions(F x, F y) {
    const auto expect = [&](const char* name, F found, F expected) {
        EXPECT_TRUE(identical(found, expected)) << name << "(" << x << ", " << y << ") is " << found << ", not " << expected;
    };
    expect("abs", tessera::abs(x), std::fabs(x));
    expect("floor", tessera::floor(x), std::floor(x));
    expect("ceil", tessera::ceil(x), std::ceil(x));
    expect("trunc", tessera::trunc(x), std::trunc(x));
    expect("round", tessera::round(x), std::round(x));
    expect("sqrt", tessera::sqrt(x), std::sqrt(x));
    expect("fmod", tessera::fmod(x, y), std::fmod(x, y));
    EXPECT_EQ(tessera::isnan(x), std::isnan(x));
    EXPECT_EQ(tessera::isinf(x), std::isinf(x));
    EXPECT_EQ(tessera::isfinite(x), std::isfinite(x));
}
template<class F> void check_fma(F x, F y, F z) {
    EXPECT_TRUE(identical(tessera::fma(x, y, z), std::fma(x, y, z)))
        << x << " * " << y << " + " << z << " is " << tessera::fma(x, y, z) << ", not " << std::fma(x, y, z);
}

template<class F> void check_exact_functions_everywhere() {
    for (const F x : special_values<F>()) {
        for (const F y : special_values<F>()) check_exact_functions(x, y);
    }
    Samples samples;
    for (int i = 0; i < sample_count; ++i) {
        check_exact_functions(samples.any<F>(), samples.any<F>());
        check_exact_functions(samples.of_exponent<F>(-4, 30), samples.of_exponent<F>(-4, 4));
        check_exact_functions(samples.between<F>(-20, 20), samples.between<F>(-1, 1));
        check_exact_functions(std::round(samples.between<F>(-100, 100)) / 2, F(1 + i % 7)); // halves; quotients without remainder
    }
}
TEST(MathExactness, OfDoubleFunctions) { check_exact_functions_everywhere<double>(); }
TEST(MathExactness, OfFloatFunctions) { check_exact_functions_everywhere<float>(); }

template<class F> void check_fma_everywhere() {
    const auto specials = special_values<F>();
    for (const F x : specials) {
        for (const F y : specials) {
            for (const F z : specials) check_fma(x, y, z);
        }
    }
    Samples samples;
    constexpr int digits = std::numeric_limits<F>::digits, lowest = std::numeric_limits<F>::min_exponent;
    for (int i = 0; i < sample_count; ++i) {
        const F x = samples.of_exponent<F>(-10, 10), y = samples.of_exponent<F>(-10, 10);
        check_fma(x, y, samples.of_exponent<F>(-3 * digits, 3 * digits)); // every distance between product and addend
        check_fma(x, y, -x * y);                                          // nearly all cancels
        check_fma(x, y, std::nextafter(-x * y, F(0)));
        check_fma(std::ldexp(x, lowest / 2), std::ldexp(y, lowest / 2), samples.of_exponent<F>(lowest - digits, lowest));      // subnormal
        check_fma(std::ldexp(x, -lowest / 2), std::ldexp(y, -lowest / 2), samples.of_exponent<F>(-lowest - 9, -lowest));       // overflow
        check_fma(std::round(samples.between<F>(-64, 64)), std::round(samples.between<F>(-64, 64)), std::ldexp(F(1), digits)); // ties
        check_fma(samples.any<F>(), samples.any<F>(), samples.any<F>());
    }
}
TEST(MathExactness, OfFmaOfDoubles) { check_fma_everywhere<double>(); }
TEST(MathExactness, OfFmaOfFloats) { check_fma_everywhere<float>(); }

// An increasing function of neighbouring floats does not decrease.
TEST(MathMonotonicity, OverNeighbouringFloats) {
    Samples samples;
    for (int i = 0; i < sample_count; ++i) {
        const float x = samples.of_exponent<float>(-20, 6), next = std::nextafter(x, std::numeric_limits<float>::infinity());
        ASSERT_LE(tessera::exp(x), tessera::exp(next)) << x;
        ASSERT_LE(tessera::tanh(x), tessera::tanh(next)) << x;
        ASSERT_LE(tessera::atan(x), tessera::atan(next)) << x;
        ASSERT_LE(tessera::log(std::fabs(x)), tessera::log(std::nextafter(std::fabs(x), 100.0f))) << x;
        ASSERT_LE(tessera::pow(std::fabs(x), 1.7f), tessera::pow(std::nextafter(std::fabs(x), 100.0f), 1.7f)) << x;
    }
}

TEST(MathPow, IsExactWhereTheResultIs) {
    for (int base = 0; base <= 40; ++base) {
        double expected = 1.0;
        for (int exponent = 0; exponent <= 9; ++exponent, expected *= base) {
            EXPECT_EQ(tessera::pow(static_cast<double>(base), exponent), expected) << base << "^" << exponent;
            EXPECT_EQ(tessera::pow(-static_cast<double>(base), exponent), exponent % 2 == 0 ? expected : -expected);
            if (expected < 0x1p24) {
                EXPECT_EQ(tessera::pow(static_cast<float>(base), exponent), static_cast<float>(expected));
            }
        }
    }
    for (int exponent = -1074; exponent < 1024; ++exponent) EXPECT_EQ(tessera::pow(2.0, exponent), std::ldexp(1.0, exponent));
}

TEST(MathMinMax, TakeTheFirstWhenNeitherIsSmaller) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(tessera::min(1, 2), 1);
    EXPECT_EQ(tessera::max(1, 2), 2);
    EXPECT_TRUE(identical(tessera::min(-0.0, 0.0), -0.0));
    EXPECT_TRUE(identical(tessera::min(0.0, -0.0), 0.0));
    EXPECT_TRUE(identical(tessera::max(-0.0, 0.0), -0.0));
    EXPECT_TRUE(std::isnan(tessera::min(nan, 1.0)));
    EXPECT_EQ(tessera::min(1.0, nan), 1.0);
    EXPECT_EQ(tessera::max(1.0, nan), 1.0);
    EXPECT_EQ(tessera::clamp(5, 0, 3), 3);
    EXPECT_EQ(tessera::clamp(-5, 0, 3), 0);
    EXPECT_EQ(tessera::clamp(0.5f, 0, 1), 0.5f);
    EXPECT_EQ(tessera::clamp(std::uint8_t{200}, 0, 100), 100);
    EXPECT_TRUE(std::isnan(tessera::clamp(nan, 0.0, 1.0)));
}

TEST(MathAbs, KeepsTheTypeAndTheSmallestInteger) {
    EXPECT_EQ(tessera::abs(std::int8_t{-7}), 7);
    EXPECT_EQ(tessera::abs(std::numeric_limits<std::int64_t>::min() + 1), std::numeric_limits<std::int64_t>::max());
    EXPECT_EQ(tessera::abs(std::numeric_limits<std::int32_t>::min()), std::numeric_limits<std::int32_t>::min());
    EXPECT_EQ(tessera::abs(7u), 7u);
}

// The types of results.
template<class A, class B> constexpr bool same = std::is_same_v<A, B>;
static_assert(same<decltype(tessera::abs(std::int8_t{})), std::int8_t>);
static_assert(same<decltype(tessera::min(std::uint8_t{}, 1)), int> && same<decltype(tessera::max(1.0f, 2)), float>);
static_assert(same<decltype(tessera::min(1.0f, 2.0)), double> && same<decltype(tessera::clamp(1.0f, 0.0, 1.0)), float>);
static_assert(same<decltype(tessera::sqrt(1)), double> && same<decltype(tessera::sqrt(1.0f)), float>);
static_assert(same<decltype(tessera::pow(1.0f, 2)), float> && same<decltype(tessera::pow(1.0f, 2.0)), double>);
static_assert(same<decltype(tessera::pow(2, 3)), double> && same<decltype(tessera::atan2(1, 2.0f)), float>);
static_assert(same<decltype(tessera::fma(1.0f, 2, 3.0f)), float> && same<decltype(tessera::fmod(1.0, 2.0f)), double>);
static_assert(tessera::min(3, 2) == 2 && tessera::abs(-2.5) == 2.5 && tessera::to_int<int>(-1.9) == -1);

// to_int against the same question asked of long double, which holds every integer of 64 bits.
template<class T, class F> T expected_integer(F x) {
    using limits = std::numeric_limits<T>;
    const long double whole = std::trunc(static_cast<long double>(x));
    if (std::isnan(x)) return 0;
    if (whole >= static_cast<long double>(limits::max())) return limits::max();
    if (whole <= static_cast<long double>(limits::min())) return limits::min();
    return static_cast<T>(whole);
}
template<class T, class F> void check_to_int() {
    Samples samples;
    std::vector<F> values = special_values<F>();
    for (const T limit : {std::numeric_limits<T>::max(), std::numeric_limits<T>::min()}) {
        const F at = static_cast<F>(limit), infinity = std::numeric_limits<F>::infinity();
        for (const F x : {at, at - F(0.5), at + F(0.5), at - F(1), at + F(1)}) {
            values.insert(values.end(), {x, std::nextafter(x, infinity), std::nextafter(x, -infinity)});
        }
    }
    for (int i = 0; i < 10'000; ++i) values.push_back(samples.of_exponent<F>(-4, 66));
    for (const F x : values)
        EXPECT_EQ(tessera::to_int<T>(x), (expected_integer<T>(x))) << x << " as an integer of " << sizeof(T) << " bytes";
}
template<class T> class MathToInt : public ::testing::Test {};
using Integers =
    ::testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(MathToInt, Integers);
TYPED_TEST(MathToInt, SaturatesFloatsAndDoubles) {
    check_to_int<TypeParam, float>();
    check_to_int<TypeParam, double>();
}
TYPED_TEST(MathToInt, SaturatesIntegers) {
    using limits = std::numeric_limits<TypeParam>;
    for (const std::int64_t x : {std::numeric_limits<std::int64_t>::min(), std::int64_t{-300}, std::int64_t{-1}, std::int64_t{0},
                                 std::int64_t{77}, std::int64_t{300}, std::numeric_limits<std::int64_t>::max()}) {
        EXPECT_EQ(tessera::to_int<TypeParam>(x), (expected_integer<TypeParam>(static_cast<long double>(x)))) << x;
    }
    EXPECT_EQ(tessera::to_int<TypeParam>(std::numeric_limits<std::uint64_t>::max()), limits::max());
    EXPECT_EQ(tessera::to_int<TypeParam>(std::uint8_t{7}), 7);
}

// sin^2 + cos^2 = 1 and tan = sin / cos hold for any angle; independent of the C library's own reduction.
RC_GTEST_PROP(MathTrigonometry, KeepsItsIdentities, (double x)) {
    RC_PRE(std::isfinite(x));
    const double s = tessera::sin(x), c = tessera::cos(x);
    RC_ASSERT(std::fabs(s * s + c * c - 1.0) < 5e-16);
    RC_ASSERT(identical(tessera::sin(-x), -s));
    RC_ASSERT(identical(tessera::cos(-x), c));
    if (std::fabs(c) > 1e-3) RC_ASSERT(std::fabs(tessera::tan(x) - s / c) <= 8e-16 * std::fabs(s / c));
}

} // namespace
} // namespace tessera::math_test
