// Random initial values: what comes out at the ends of a range.
#include "host/world/random_value.hpp"

#include <tessera/detail/philox.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace tessera::test::random_value_test {
namespace {

constexpr int many = 20000;

// What as many places draw, each for itself.
template<class T> std::vector<T> values(const auto& source, Scalar type) {
    const run_file::InitStep step{source, std::nullopt};
    std::vector<T> drawn(many);
    for (int i = 0; i < many; ++i) {
        random_stream stream(17, static_cast<std::uint64_t>(i), 0);
        put_random(step, type, stream, reinterpret_cast<std::byte*>(&drawn[static_cast<std::size_t>(i)]));
    }
    return drawn;
}

// What the formula of the manual gives without any rounding to T.
std::vector<long double> exact(double low, double high) {
    std::vector<long double> drawn(many);
    for (int i = 0; i < many; ++i) {
        random_stream stream(17, static_cast<std::uint64_t>(i), 0);
        drawn[static_cast<std::size_t>(i)] = low + static_cast<long double>(stream.uniform64()) * (static_cast<long double>(high) - low);
    }
    return drawn;
}

// That all are at least low and below high, that some would be `high` without that, and that no other is moved.
template<class T> void expect_below(double low, double high, Scalar type) {
    const auto drawn = values<T>(run_file::Uniform{low, high}, type);
    const auto wanted = exact(low, high);
    int moved = 0;
    for (std::size_t i = 0; i < drawn.size(); ++i) {
        ASSERT_GE(drawn[i], static_cast<T>(low));
        ASSERT_LT(drawn[i], static_cast<T>(high));
        const auto nearest = static_cast<T>(wanted[i]);
        if (nearest == static_cast<T>(high)) {
            ++moved;
            ASSERT_EQ(drawn[i], std::nextafter(static_cast<T>(high), static_cast<T>(low)));
        } else {
            ASSERT_NEAR(static_cast<double>(drawn[i]), static_cast<double>(nearest), std::abs(static_cast<double>(nearest)) * 1e-15);
        }
    }
    EXPECT_GT(moved, 10) << "the range is too wide to show anything";
}

TEST(RandomValue, UniformNumbersStayBelowHigh) {
    expect_below<float>(0.99999, 1, Scalar::f32);
    expect_below<float>(-0.700001, -0.7, Scalar::f32); // neither is a float
    expect_below<double>(1, 1 + 0x1p-48, Scalar::f64);
    expect_below<float>(-0x1p-148, 0, Scalar::f32);
}

TEST(RandomValue, UniformIntegersStayBelowHigh) {
    for (const auto value : values<std::int64_t>(run_file::Uniform{0x1p52, 0x1p52 + 1}, Scalar::i64))
        ASSERT_EQ(value, std::int64_t{1} << 52);
}

TEST(RandomValue, UniformRangesMayBeWiderThanTheLargestNumber) {
    constexpr double most = std::numeric_limits<double>::max();
    auto drawn = values<double>(run_file::Uniform{-most, most}, Scalar::f64);
    ASSERT_TRUE(std::all_of(drawn.begin(), drawn.end(), [](double x) { return std::isfinite(x); }));
    std::sort(drawn.begin(), drawn.end());
    for (const double part : {0.1, 0.5, 0.9}) // quantiles; five standard deviations are 0.018 of the range
        EXPECT_NEAR(drawn[static_cast<std::size_t>(part * many)] / most, 2 * part - 1, 0.04);
    constexpr float largest = std::numeric_limits<float>::max();
    for (const auto value :
         values<float>(run_file::Uniform{0.999999 * static_cast<double>(largest), static_cast<double>(largest)}, Scalar::f32))
        ASSERT_LT(value, largest);
}

TEST(RandomValue, NormalNumbersThatTheTypeDoesNotHoldAreItsLargestAndSmallest) {
    const auto drawn = values<float>(run_file::Normal{0, 1e39}, Scalar::f32);
    EXPECT_TRUE(std::all_of(drawn.begin(), drawn.end(), [](float x) { return std::isfinite(x); }));
    EXPECT_EQ(*std::max_element(drawn.begin(), drawn.end()), std::numeric_limits<float>::max());
    EXPECT_EQ(*std::min_element(drawn.begin(), drawn.end()), std::numeric_limits<float>::lowest());
}

} // namespace
} // namespace tessera::test::random_value_test
