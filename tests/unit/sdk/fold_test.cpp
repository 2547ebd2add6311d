// tessera/detail/fold.hpp: what several agents make of one value of a place.
// optimise: yes
// sanitizers: none
#include <tessera/detail/fold.hpp>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <deque>
#include <limits>
#include <random>
#include <vector>

namespace tessera::fold_test {
namespace {

template<class T> std::array<unsigned char, sizeof(T)> bytes_of(T value) {
    std::array<unsigned char, sizeof(T)> bytes{};
    std::memcpy(bytes.data(), &value, sizeof(T));
    return bytes;
}
// The same bits, or no number both.
template<class T> bool same(T a, T b) { return (a != a && b != b) || bytes_of(a) == bytes_of(b); }

template<class T> std::vector<T> edges() {
    using limits = std::numeric_limits<T>;
    std::vector<T> values = {T(0), T(1), limits::max(), limits::lowest()};
    if constexpr (!std::is_same_v<T, bool>) values.insert(values.end(), {T(2), T(100), static_cast<T>(limits::max() - T(1))});
    if constexpr (std::is_signed_v<T>) values.insert(values.end(), {T(-1), T(-100)});
    if constexpr (std::is_floating_point_v<T>)
        values.insert(values.end(), {-T(0), T(0.1), limits::min(), limits::denorm_min(), -limits::denorm_min(), limits::infinity(),
                                     -limits::infinity(), limits::quiet_NaN(), -limits::quiet_NaN()});
    return values;
}

// Any bits of the type, and every third time an edge.
template<class T> T any_value() {
    if (*rc::gen::inRange(0, 3) == 0) return *rc::gen::elementOf(edges<T>());
    if constexpr (std::is_same_v<T, bool>)
        return *rc::gen::arbitrary<bool>();
    else {
        const auto bits = *rc::gen::arbitrary<std::uint64_t>();
        T value;
        std::memcpy(&value, &bits, sizeof(T));
        return value;
    }
}

// What the least and the greatest of two are, of floating-point numbers by the order that IEEE 754-2019 gives minimumNumber.
template<class T> T least_of(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
        if (std::isnan(a) || std::isnan(b)) return std::isnan(a) ? b : a;
        if (a == b) return std::signbit(a) ? a : b;
    }
    return b < a ? b : a;
}
template<class T> T greatest_of(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
        if (std::isnan(a) || std::isnan(b)) return std::isnan(a) ? b : a;
        if (a == b) return std::signbit(a) ? b : a;
    }
    return a < b ? b : a;
}
// Of integers modulo 2^bits, by a wider type.
template<class T> T sum_of(T a, T b) {
    if constexpr (std::is_floating_point_v<T>)
        return a + b;
    else
        return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

template<class T> class Fold : public ::testing::Test {};
using AllTypes = ::testing::Types<bool, std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t, std::int64_t,
                                  std::uint64_t, float, double>;
TYPED_TEST_SUITE(Fold, AllTypes);

TYPED_TEST(Fold, OfNothingChangesNothing) {
    EXPECT_TRUE(rc::check("nothing joined with a value is that value, in its bits", [] {
        const auto value = any_value<TypeParam>();
        RC_ASSERT(same(folded<access_least>(value, nothing_folded<access_least, TypeParam>()), value));
        RC_ASSERT(same(folded<access_least>(nothing_folded<access_least, TypeParam>(), value), value));
        RC_ASSERT(same(folded<access_most>(value, nothing_folded<access_most, TypeParam>()), value));
        RC_ASSERT(same(folded<access_most>(nothing_folded<access_most, TypeParam>(), value), value));
        if constexpr (!std::is_same_v<TypeParam, bool>) {
            RC_ASSERT(same(folded<access_adds>(value, nothing_folded<access_adds, TypeParam>()), value));
            RC_ASSERT(same(folded<access_adds>(nothing_folded<access_adds, TypeParam>(), value), value));
        }
    }));
}

TYPED_TEST(Fold, IsTheLeastTheGreatestOrTheSum) {
    EXPECT_TRUE(rc::check("two values are joined as they would be by hand", [] {
        const auto a = any_value<TypeParam>(), b = any_value<TypeParam>();
        RC_ASSERT(same(folded<access_least>(a, b), least_of(a, b)));
        RC_ASSERT(same(folded<access_most>(a, b), greatest_of(a, b)));
        RC_ASSERT(same(folded<access_least | access_read>(a, b), least_of(a, b)));
        RC_ASSERT(same(folded<access_most | access_read | access_around>(a, b), greatest_of(a, b)));
        if constexpr (!std::is_same_v<TypeParam, bool>) RC_ASSERT(same(folded<access_adds>(a, b), sum_of(a, b)));
    }));
}

// But for sums of floating-point numbers, whose order is that of ids.
TYPED_TEST(Fold, DoesNotDependOnTheOrder) {
    EXPECT_TRUE(rc::check("values in another order are joined to the same", [] {
        std::deque<TypeParam> values(*rc::gen::inRange<std::size_t>(0, 9)); // a vector of bool is none
        for (auto& value : values) value = any_value<TypeParam>();
        auto others = values;
        std::shuffle(others.begin(), others.end(), std::mt19937_64(*rc::gen::arbitrary<std::uint64_t>()));
        const auto agrees = [&](auto bits) {
            constexpr int how = decltype(bits)::value;
            auto one = nothing_folded<how, TypeParam>(), other = one;
            for (const auto value : values) one = folded<how>(one, value);
            for (const auto value : others) other = folded<how>(other, value);
            return same(one, other);
        };
        RC_ASSERT(agrees(std::integral_constant<int, access_least>{}));
        RC_ASSERT(agrees(std::integral_constant<int, access_most>{}));
        if constexpr (std::is_integral_v<TypeParam> && !std::is_same_v<TypeParam, bool>)
            RC_ASSERT(agrees(std::integral_constant<int, access_adds>{}));
    }));
}

TEST(FoldOfIntegers, BeginsAtTheEndsOfTheType) {
    EXPECT_EQ((nothing_folded<access_least, std::int8_t>()), 127);
    EXPECT_EQ((nothing_folded<access_most, std::int8_t>()), -128);
    EXPECT_EQ((nothing_folded<access_least, std::uint8_t>()), 255);
    EXPECT_EQ((nothing_folded<access_most, std::uint8_t>()), 0);
    EXPECT_EQ((nothing_folded<access_least, std::int64_t>()), std::numeric_limits<std::int64_t>::max());
    EXPECT_EQ((nothing_folded<access_most, std::int64_t>()), std::numeric_limits<std::int64_t>::min());
    EXPECT_EQ((nothing_folded<access_most, std::uint64_t>()), 0u);
    EXPECT_TRUE((nothing_folded<access_least, bool>()));
    EXPECT_FALSE((nothing_folded<access_most, bool>()));
}
TEST(FoldOfIntegers, WrapsAround) {
    EXPECT_EQ(folded<access_adds>(std::int8_t{127}, std::int8_t{1}), -128);
    EXPECT_EQ(folded<access_adds>(std::uint16_t{65535}, std::uint16_t{2}), 1);
    EXPECT_EQ(folded<access_adds>(std::numeric_limits<std::int64_t>::min(), std::int64_t{-1}), std::numeric_limits<std::int64_t>::max());
}
TEST(FoldOfNumbers, PassesOverWhatIsNone) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    EXPECT_EQ(folded<access_least>(nan, 3.0f), 3.0f);
    EXPECT_EQ(folded<access_most>(3.0f, nan), 3.0f);
    EXPECT_TRUE(std::isnan(folded<access_adds>(nan, 3.0f)));
    EXPECT_TRUE(std::isnan(nothing_folded<access_least, double>()));
}
TEST(FoldOfNumbers, KnowsTheSignOfZero) {
    EXPECT_TRUE(std::signbit(folded<access_least>(0.0, -0.0)));
    EXPECT_TRUE(std::signbit(folded<access_least>(-0.0, 0.0)));
    EXPECT_FALSE(std::signbit(folded<access_most>(0.0, -0.0)));
    EXPECT_FALSE(std::signbit(folded<access_most>(-0.0, 0.0)));
    EXPECT_TRUE(std::signbit(folded<access_adds>(nothing_folded<access_adds, float>(), -0.0f)));
}
static_assert(folded<access_most>(1, 2) == 2 && folded<access_adds>(std::uint8_t{255}, std::uint8_t{1}) == 0, "the compiler can do it too");

// ---- what a function of agents has of it

RC_GTEST_PROP(FoldedMember, SumsWhatItIsGiven, (std::vector<std::int16_t> parts)) {
    folded_member<std::int16_t, access_adds> member;
    std::uint64_t sum = 0;
    for (const auto part : parts) {
        const bool down = *rc::gen::arbitrary<bool>();
        if (down)
            member -= part;
        else
            member += part;
        sum += down ? -static_cast<std::uint64_t>(part) : static_cast<std::uint64_t>(part);
    }
    RC_ASSERT(folded_element(member, 0) == static_cast<std::int16_t>(sum));
}
RC_GTEST_PROP(FoldedMember, SubtractsAsItAdds, (float first, float second)) {
    folded_member<float, access_adds> member;
    member += first;
    member -= second;
    RC_ASSERT(same(folded_element(member, 0), first - second));
}
TEST(FoldedMember, ThatNothingIsDoneToChangesNothing) {
    const folded_member<double, access_adds> sum;
    EXPECT_TRUE(same(folded<access_adds>(-0.0, folded_element(sum, 0)), -0.0));
    const folded_member<bool, access_least> flag;
    EXPECT_TRUE(folded<access_least>(true, folded_element(flag, 0)));
}
TEST(FoldedMember, HasTheValueBeforeThePhaseForThoseWhoReadIt) {
    folded_member<int, access_most | access_read> member;
    set_before(member, 7);
    member.raise_to(9);
    member.raise_to(8);
    EXPECT_EQ(member, 7);
    EXPECT_EQ(folded_element(member, 0), 9);
}
TEST(FoldedMember, OfAnArrayIsOneAnElement) {
    folded_members<float[3], access_least | access_read>::type members;
    set_before(members, fixed_array<float, 3>{{1, 2, 3}});
    members[1].lower_to(-1);
    EXPECT_EQ(members[2], 3.0f);
    EXPECT_TRUE(std::isnan(folded_element(members, 0)));
    EXPECT_EQ(folded_element(members, 1), -1.0f);
}

} // namespace
} // namespace tessera::fold_test
