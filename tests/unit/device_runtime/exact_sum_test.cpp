// sdk/include/tessera/detail/exact_sum.hpp against naturals of any length: what is rounded is looked at between its neighbours.
#include <tessera/detail/exact_sum.hpp>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

namespace tessera::exact_sum_test {
namespace {

using Limits = std::numeric_limits<double>;

std::uint64_t bits_of(double value) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof(bits));
    return bits;
}

// Multiples of the least double, in digits of 16 bits.
class Natural {
public:
    void add(double value) { // not negative, and finite
        int exponent = 0;
        const auto fraction = static_cast<std::uint64_t>(std::ldexp(std::frexp(value, &exponent), 53));
        if (fraction == 0) return;
        const int shift = exponent - 53 + 1074;
        for (int bit = 0; bit < 53; ++bit)
            if ((fraction >> bit & 1) != 0) add_power(shift + bit);
    }
    friend bool operator<(const Natural& a, const Natural& b) {
        return std::lexicographical_compare(a.digits_.rbegin(), a.digits_.rend(), b.digits_.rbegin(), b.digits_.rend());
    }

private:
    void add_power(int power) { // of 2
        auto at = static_cast<std::size_t>(power / 16);
        for (std::uint32_t carry = 1u << (power % 16); carry != 0; ++at) {
            carry += digits_[at];
            digits_[at] = static_cast<std::uint16_t>(carry);
            carry >>= 16;
        }
    }
    std::array<std::uint16_t, 160> digits_{};
};

// What is on the left of a < b, and on the right.
struct Sides {
    Natural left, right;
    void add_left(double value) { (value < 0 ? right : left).add(std::abs(value)); }
    void add_right(double value) { add_left(-value); }
};

// Whether the numbers' sum is nearest to `result` of all doubles.
bool is_rounded(const std::vector<double>& numbers, double result) {
    if (std::isinf(result)) { // beyond half of the way to what would be next
        Sides beyond;
        for (const double x : numbers) beyond.add_right(result > 0 ? x : -x);
        beyond.add_left(Limits::max());
        beyond.add_left(std::ldexp(1.0, 969));
        return !(beyond.right < beyond.left) && (beyond.add_left(std::ldexp(1.0, 969)), !(beyond.right < beyond.left));
    }
    const bool is_even = bits_of(result) % 2 == 0;
    for (const int way : {-1, 1}) {
        const double next = std::nextafter(result, way * Limits::infinity());
        Sides sides; // 2 sum < result + next, or the other way round
        for (int twice = 0; twice < 2; ++twice)
            for (const double x : numbers) sides.add_left(way * x);
        sides.add_right(way * result);
        sides.add_right(way * (std::isinf(next) ? result : next));
        if (std::isinf(next)) sides.add_right(std::ldexp(1.0, 971));
        if (sides.right < sides.left || (!is_even && !(sides.left < sides.right))) return false;
    }
    return true;
}

double summed(const std::vector<double>& numbers) {
    std::array<std::uint64_t, exact_words> words{};
    for (const double x : numbers) add_exactly(words.data(), x);
    return rounded_sum(words.data());
}

// In parts, whose words are added, some of them with their carries passed on.
double summed_in_parts(const std::vector<double>& numbers, std::mt19937_64& random) {
    std::array<std::uint64_t, exact_words> all{};
    for (std::size_t at = 0; at < numbers.size();) {
        std::array<std::uint64_t, exact_words> words{};
        for (auto left = 1 + random() % 9; left > 0 && at < numbers.size(); --left) add_exactly(words.data(), numbers[at++]);
        if (random() % 2 == 0) pass_carries(words.data());
        for (std::size_t w = 0; w < words.size(); ++w) all[w] += words[w];
    }
    return rounded_sum(all.data());
}

// Of all exponents, of few, and with what cancels all of it or nearly.
std::vector<double> some_numbers(std::mt19937_64& random) {
    std::vector<double> numbers;
    const int most = 1 + static_cast<int>(random() % 40), kind = static_cast<int>(random() % 4);
    for (int i = 0; i < most; ++i) {
        std::uint64_t bits = random();
        if (kind == 1) bits = (bits & 0x800fffffffffffff) | (1000 + random() % 60) << 52;
        if (kind == 2) bits = (bits & 0x800fffffffffffff) | (random() % 4) << 52;
        if (kind == 3) bits = (bits & 0x800fffffffffffff) | (2040 + random() % 7) << 52;
        if (random() % 3 == 0) bits &= ~std::uint64_t{0} << random() % 53; // of few digits: ties
        double value = 0;
        std::memcpy(&value, &bits, sizeof(value));
        if (!std::isfinite(value)) continue;
        numbers.push_back(value);
        if (random() % 3 == 0) numbers.push_back(-value);
        if (random() % 5 == 0) numbers.push_back(std::nextafter(-value, 0.0));
    }
    return numbers;
}

TEST(ExactSum, IsRoundedOnceInAnyOrderAndInAnyParts) {
    EXPECT_TRUE(rc::check([] {
        std::mt19937_64 random(*rc::gen::arbitrary<std::uint64_t>());
        auto numbers = some_numbers(random);
        const double sum = summed(numbers);
        RC_ASSERT(is_rounded(numbers, sum));
        for (int again = 0; again < 3; ++again) {
            std::shuffle(numbers.begin(), numbers.end(), random);
            RC_ASSERT(bits_of(summed(numbers)) == bits_of(sum));
            RC_ASSERT(bits_of(summed_in_parts(numbers, random)) == bits_of(sum));
        }
    }));
}

TEST(ExactSum, RoundsTiesToEven) {
    const double large = std::ldexp(1.0, 53);
    EXPECT_EQ(summed({large, 1}), large);
    EXPECT_EQ(summed({large, 1, Limits::denorm_min()}), large + 2);
    EXPECT_EQ(summed({large, 1, -Limits::denorm_min()}), large);
    EXPECT_EQ(summed({large + 2, 1}), large + 4);
    EXPECT_EQ(summed({-large, -3}), -large - 4);
    EXPECT_EQ(summed({1e300, 1, -1e300}), 1);
    EXPECT_EQ(summed({Limits::min(), -Limits::denorm_min()}), Limits::min() - Limits::denorm_min());
}

TEST(ExactSum, OfNothingAndOfWhatCancelsIsPlusZero) {
    for (const auto& numbers : {std::vector<double>{}, {-0.0}, {-0.0, -0.0}, {1.5, -1.5}, {-1e308, 1e-308, 1e308, -1e-308}})
        EXPECT_EQ(bits_of(summed(numbers)), 0u);
}

TEST(ExactSum, KnowsWhatIsInfiniteAndWhatIsNoNumber) {
    const double infinity = Limits::infinity(), nan = Limits::quiet_NaN();
    EXPECT_EQ(summed({1, infinity, -Limits::max()}), infinity);
    EXPECT_EQ(summed({-infinity, 5, -infinity}), -infinity);
    for (const auto& numbers : {std::vector<double>{infinity, 1, -infinity}, {1, nan}, {-nan, infinity}})
        EXPECT_EQ(bits_of(summed(numbers)), bits_of(nan)); // the one NaN
    EXPECT_EQ(summed({Limits::max(), Limits::max()}), infinity);
    EXPECT_EQ(summed({-Limits::max(), -Limits::max()}), -infinity);
    EXPECT_EQ(summed({Limits::max(), Limits::max(), -Limits::max()}), Limits::max()); // which addition in order would lose
}

double mean_of(const std::vector<double>& numbers) {
    std::array<std::uint64_t, exact_words> words{};
    for (const double x : numbers) add_exactly(words.data(), x);
    return rounded_mean(words.data(), static_cast<double>(numbers.size()));
}

TEST(ExactSum, HasAFiniteMeanOfFiniteNumbers) {
    const double most = Limits::max(), infinity = Limits::infinity();
    for (const std::size_t n : {1, 2, 3, 5, 7, 9, 17, 1000, 1023})
        for (const int sign : {-1, 1}) { // the mean of equal numbers; n of them, of which the largest loses a bit where n has many
            const double mean = mean_of(std::vector<double>(n, sign * most));
            EXPECT_TRUE(mean == sign * most || mean == sign * std::nextafter(most, 0)) << n << " " << sign;
        }
    EXPECT_EQ(mean_of({most, most, most, most}), most);
    EXPECT_EQ(mean_of({-0x1p1023, -0x1p1023, -0x1p1023, 0x1p1022}), -0x1.4p1022);    // -(1.5 - 0.25) 2^1024 / 4
    EXPECT_EQ(mean_of({0x1.8p1023, 0x1p1023, Limits::denorm_min(), 0}), 0x1.4p1022); // beside the least
    EXPECT_EQ(mean_of({1, 2, 4}), 7.0 / 3);
    EXPECT_EQ(mean_of({most, most, infinity}), infinity);
    EXPECT_EQ(mean_of({-infinity, 1}), -infinity);
    EXPECT_TRUE(std::isnan(mean_of({most, infinity, -infinity})));
}

TEST(ExactSum, HoldsManyOfTheLargest) {
    std::vector<double> numbers(100'000, Limits::max());
    numbers.insert(numbers.end(), 100'000, -Limits::max());
    numbers.push_back(0.1);
    EXPECT_EQ(summed(numbers), 0.1);
}

} // namespace
} // namespace tessera::exact_sum_test
