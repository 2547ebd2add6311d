// sdk/include/tessera/detail/sent_sums.hpp against integers of 128 bits, which compilers round.
#include <tessera/detail/sent_sums.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace tessera::sent_sums_test {
namespace {

__extension__ typedef __int128 Wide;

template<class T> T summed(const std::vector<T>& values) {
    std::uint64_t words[words_of_sum<T>] = {};
    for (const auto value : values)
        add_to_sum(
            value, [&](int word, std::uint64_t by) { words[word] += by; }, [&](int word, std::uint64_t bits) { words[word] |= bits; });
    return rounded_sent<T>(words);
}

// Numbers of `unit`, whose sum in units fits into 126 bits.
template<class T> void expect_exact(std::mt19937_64& random, int unit, int bits, int most) {
    std::vector<T> values;
    Wide exact = 0;
    for (int i = 0; i < most; ++i) {
        const auto shift = static_cast<int>(random() % static_cast<std::uint64_t>(bits));
        auto whole = static_cast<Wide>(random() >> (sizeof(T) == 4 ? 40 : 11)) << shift;
        if (random() % 2 == 0) whole = -whole;
        exact += whole;
        values.push_back(std::ldexp(static_cast<T>(whole), unit));
    }
    const T expected = std::ldexp(static_cast<T>(exact), unit);
    EXPECT_EQ(summed(values), expected);
    std::reverse(values.begin(), values.end());
    EXPECT_EQ(summed(values), expected);
    for (const auto value : std::vector<T>(values)) values.push_back(-value);
    EXPECT_EQ(summed(values), 0);
    EXPECT_FALSE(std::signbit(summed(values)));
}

TEST(SentSums, AreExactAndRoundedOnce) {
    std::mt19937_64 random(1);
    for (int i = 0; i < 3000; ++i) {
        const int most = 1 + static_cast<int>(random() % 40);
        expect_exact<float>(random, -149, 1 + static_cast<int>(random() % 90), most); // with numbers below the normal ones
        expect_exact<float>(random, static_cast<int>(random() % 100) - 120, 1 + static_cast<int>(random() % 90), most);
        expect_exact<double>(random, static_cast<int>(random() % 900) - 1000, 1 + static_cast<int>(random() % 60), most);
    }
}

TEST(SentSums, RoundTiesToEven) {
    const float one = 1, half_ulp = std::ldexp(1.0f, -24);
    EXPECT_EQ(summed<float>({one, half_ulp}), one);
    EXPECT_EQ(summed<float>({one, half_ulp, std::ldexp(1.0f, -149)}), std::nextafter(one, 2.0f));
    EXPECT_EQ(summed<float>({std::nextafter(one, 2.0f), half_ulp}), one + 4 * half_ulp);
    EXPECT_EQ(summed<float>({-one, -half_ulp, std::ldexp(-1.0f, -149)}), -std::nextafter(one, 2.0f));
    EXPECT_EQ(summed<float>({16777216, 1, 1, 1}), 16777220); // one after the other would be 16777216
}

TEST(SentSums, KnowWhatIsInfiniteAndWhatIsNoNumber) {
    constexpr float most = std::numeric_limits<float>::max(), infinite = std::numeric_limits<float>::infinity();
    constexpr float nan = std::numeric_limits<float>::quiet_NaN();
    EXPECT_EQ(summed<float>({most, most}), infinite);
    EXPECT_EQ(summed<float>({-most, -most}), -infinite);
    EXPECT_EQ(summed<float>({most, most, -most}), most);
    EXPECT_EQ(summed<float>({infinite, -most}), infinite);
    EXPECT_EQ(summed<float>({1, -infinite}), -infinite);
    EXPECT_TRUE(std::isnan(summed<float>({infinite, -infinite})));
    EXPECT_TRUE(std::isnan(summed<float>({nan, 1})));
    EXPECT_EQ(summed<double>({-std::numeric_limits<double>::infinity(), 1}), -std::numeric_limits<double>::infinity());
    EXPECT_TRUE(std::isnan(summed<double>({std::numeric_limits<double>::quiet_NaN()})));
    EXPECT_EQ(summed<float>({}), 0);
}

TEST(SentSums, OfIntegersWrapAround) {
    EXPECT_EQ(summed<std::int16_t>({30000, 30000}), static_cast<std::int16_t>(60000 - 65536));
    EXPECT_EQ(summed<std::int32_t>({-5, 3}), -2);
    EXPECT_EQ(summed<std::uint64_t>({~std::uint64_t{0}, 2}), 1u);
}

template<class T> void expect_ranks_rise(const std::vector<T>& rising) {
    for (std::size_t i = 0; i < rising.size(); ++i) {
        const T back = value_of_rank<T>(rank_of_value(rising[i]));
        EXPECT_EQ(back, rising[i]);
        if (i > 0) {
            EXPECT_LT(rank_of_value(rising[i - 1]), rank_of_value(rising[i]));
        }
    }
}

TEST(SentSums, RankValuesForTheLeastAndTheMost) {
    constexpr double infinite = std::numeric_limits<double>::infinity();
    expect_ranks_rise<double>({-infinite, -1e300, -1, -1e-320, -0.0, 0.0, 1e-320, 1, infinite});
    expect_ranks_rise<float>({-std::numeric_limits<float>::max(), -1, -0.0f, 0.0f, std::numeric_limits<float>::denorm_min(), 3});
    expect_ranks_rise<std::int64_t>({std::numeric_limits<std::int64_t>::min(), -1, 0, 1, std::numeric_limits<std::int64_t>::max()});
    expect_ranks_rise<std::int8_t>({-128, -1, 0, 127});
    expect_ranks_rise<std::uint64_t>({0, 1, ~std::uint64_t{0}});
    EXPECT_LT(rank_of_value(false), rank_of_value(true));
    EXPECT_TRUE(std::signbit(value_of_rank<double>(rank_of_value(-0.0))));
}

} // namespace
} // namespace tessera::sent_sums_test
