// Arguments to try functions on, and the distance of a result from the exact one.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace tessera::math_test {

template<class F> using bits_type = std::conditional_t<sizeof(F) == 4, std::uint32_t, std::uint64_t>;

// Equal to the last bit, sign of zero included; any NaN equals any other.
template<class F> bool identical(F a, F b) {
    return (std::isnan(a) && std::isnan(b)) || std::bit_cast<bits_type<F>>(a) == std::bit_cast<bits_type<F>>(b);
}

// The distance of `result` from `exact` in units of the last place that an F of exact's size has.
template<class F> double ulp_error(F result, long double exact) {
    using limits = std::numeric_limits<F>;
    constexpr double wrong = std::numeric_limits<double>::infinity();
    if (std::isnan(result) || std::isnan(exact)) return std::isnan(result) && std::isnan(exact) ? 0.0 : wrong;
    const F rounded = static_cast<F>(exact);
    if (std::isinf(result) || std::isinf(rounded)) return result == rounded ? 0.0 : wrong;
    const int exponent = std::max(exact == 0 ? limits::min_exponent : std::ilogb(exact), limits::min_exponent - 1);
    return static_cast<double>(std::fabs(std::ldexp(static_cast<long double>(result) - exact, limits::digits - 1 - exponent)));
}

// A source of arguments; the same ones each time.
class Samples {
public:
    explicit Samples(std::uint64_t seed = 1) : generator_(seed) {}

    std::uint64_t word() { return generator_(); }
    double unit() { return static_cast<double>(word() >> 11) * 0x1p-53; }
    template<class F> F between(double low, double high) { return static_cast<F>(low + (high - low) * unit()); }
    // Any bits: every exponent is as likely, NaN and infinities come up.
    template<class F> F any() { return std::bit_cast<F>(static_cast<bits_type<F>>(word())); }
    // Of either sign and of a size between 2^low and 2^high, each exponent as likely.
    template<class F> F of_exponent(int low, int high) {
        const double exponent = low + static_cast<int>(word() % static_cast<std::uint64_t>(high - low));
        const F size = static_cast<F>(std::ldexp(1.0 + unit(), static_cast<int>(exponent)));
        return word() & 1 ? -size : size;
    }

private:
    std::mt19937_64 generator_;
};

// Zeros, ones, halves, integers odd and even, the limits of every range, infinities and NaN, of both signs.
template<class F> std::vector<F> special_values() {
    using limits = std::numeric_limits<F>;
    std::vector<F> values = {F(0),
                             limits::denorm_min(),
                             limits::min() - limits::denorm_min(),
                             limits::min(),
                             limits::epsilon(),
                             F(0.25),
                             F(0.5) - limits::epsilon() / 4,
                             F(0.5),
                             F(1) - limits::epsilon() / 2,
                             F(1),
                             F(1) + limits::epsilon(),
                             F(1.5),
                             F(2),
                             F(2.5),
                             F(3),
                             F(4),
                             F(255),
                             F(256),
                             F(1e6),
                             std::ldexp(F(1), limits::digits - 1) - F(0.5),
                             std::ldexp(F(1), limits::digits - 1),
                             std::ldexp(F(1), limits::digits) - F(1),
                             std::ldexp(F(1), limits::digits),
                             F(2147483648.0),
                             F(1e18),
                             limits::max() / 2,
                             limits::max(),
                             limits::infinity(),
                             limits::quiet_NaN()};
    const std::size_t count = values.size();
    for (std::size_t i = 0; i < count; ++i) values.push_back(-values[i]);
    return values;
}

} // namespace tessera::math_test
