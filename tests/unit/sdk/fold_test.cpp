// What agents join to a member of a place: what changes nothing, and what two of them make.
#include <tessera/detail/fold.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <type_traits>

namespace tessera {
namespace {

template<class T> struct Folded : testing::Test {};
using Scalars = testing::Types<bool, std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t, std::int64_t,
                               std::uint64_t, float, double>;
TYPED_TEST_SUITE(Folded, Scalars);

TYPED_TEST(Folded, NothingIsPassedOver) {
    using T = TypeParam;
    using limits = std::numeric_limits<T>;
    for (const T value : {limits::lowest(), T(0), T(1), limits::max()}) {
        EXPECT_EQ(folded<access_least>(nothing_folded<access_least, T>(), value), value);
        EXPECT_EQ(folded<access_least>(value, nothing_folded<access_least, T>()), value);
        EXPECT_EQ(folded<access_most>(nothing_folded<access_most, T>(), value), value);
        EXPECT_EQ(folded<access_most>(value, nothing_folded<access_most, T>()), value);
        if constexpr (!std::is_same_v<T, bool>) { // which cannot be added to
            EXPECT_EQ(folded<access_adds>(nothing_folded<access_adds, T>(), value), value);
            EXPECT_EQ(folded<access_adds>(value, nothing_folded<access_adds, T>()), value);
        }
    }
}

TYPED_TEST(Folded, IsTheLesserOrTheGreater) {
    using T = TypeParam;
    const T low = std::numeric_limits<T>::lowest(), high = std::numeric_limits<T>::max();
    EXPECT_EQ(folded<access_least>(low, high), low);
    EXPECT_EQ(folded<access_least>(high, low), low);
    EXPECT_EQ(folded<access_most>(low, high), high);
    EXPECT_EQ(folded<access_most>(high, low), high);
}

TEST(FoldedFloats, PassOverWhatIsNoNumberAndTellZeros) {
    const float none = std::numeric_limits<float>::quiet_NaN();
    EXPECT_EQ(folded<access_least>(none, 3.0f), 3);
    EXPECT_EQ(folded<access_most>(-3.0f, none), -3);
    EXPECT_TRUE(std::signbit(folded<access_least>(0.0f, -0.0f)));
    EXPECT_FALSE(std::signbit(folded<access_most>(0.0f, -0.0f)));
    EXPECT_TRUE(std::signbit(folded<access_adds>(nothing_folded<access_adds, float>(), -0.0f)));
}

} // namespace
} // namespace tessera
