// Numbers of a run file as scalars of a model: what fits, what lies within a range, how they are shown.
#include "device_runtime/device.hpp"
#include "device_runtime/error.hpp"
#include "host/setup/value.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace tessera::value_test {
namespace {

template<class T> std::string shown(Scalar type, T value) { return readable(type, bytes_of(value).data()); }
template<class T> bool within(Scalar type, T value, double low, double high) {
    return lies_within(type, bytes_of(value).data(), low, high);
}

TEST(Value, IsShownWithTheFewestDigitsThatReadBackAsTheSame) {
    EXPECT_EQ(shown(Scalar::f32, 0.1f), "0.1");
    EXPECT_EQ(shown(Scalar::f64, static_cast<double>(0.1f)), "0.10000000149011612");
    EXPECT_EQ(shown(Scalar::f32, 1.0f / 3), "0.33333334");
    EXPECT_EQ(shown(Scalar::f64, 0.1), "0.1");
    EXPECT_EQ(readable(Scalar::f32, 0.1), "0.1");
    EXPECT_EQ(readable(Scalar::f32, static_cast<double>(0.1f)), "0.1"); // range(0, 0.1f)
    EXPECT_EQ(readable(Scalar::f64, 0.1), "0.1");
}

TEST(Value, OfEveryIntegerIsShownExactly) {
    EXPECT_EQ(shown(Scalar::u64, std::numeric_limits<std::uint64_t>::max()), "18446744073709551615");
    EXPECT_EQ(shown(Scalar::i64, std::numeric_limits<std::int64_t>::min()), "-9223372036854775808");
    EXPECT_EQ(shown(Scalar::u8, std::uint8_t{65}), "65");
    EXPECT_EQ(shown(Scalar::i8, std::int8_t{-65}), "-65");
    EXPECT_EQ(shown(Scalar::boolean, true), "true");
}

TEST(Value, OfAnArrayShowsAllElements) {
    const float values[3] = {0.1f, -2, 1e20f};
    EXPECT_EQ(readable(Scalar::f32, bytes_of(values).data(), 3), "[0.1, -2, 1e+20]");
    const bool flags[2] = {true, false};
    EXPECT_EQ(readable(Scalar::boolean, bytes_of(flags).data(), 2), "[true, false]");
}

TEST(Value, LiesWithinBoundsOfItsOwnType) {
    EXPECT_TRUE(within(Scalar::f32, 0.1f, 0, 0.1)); // though 0.1f > 0.1
    EXPECT_TRUE(within(Scalar::f32, 0.7f, 0.7, 1)); // though 0.7f < 0.7
    EXPECT_FALSE(within(Scalar::f32, std::nextafter(0.1f, 1.0f), 0, 0.1));
    EXPECT_FALSE(within(Scalar::f64, std::nextafter(0.1, 1.0), 0, 0.1));
    EXPECT_FALSE(within(Scalar::f32, std::numeric_limits<float>::quiet_NaN(), 0, 1));
}

TEST(Value, OfAnIntegerIsComparedWithoutRounding) {
    constexpr std::int64_t big = std::int64_t{1} << 53;
    EXPECT_TRUE(within(Scalar::i64, big, 0, 0x1p53));
    EXPECT_FALSE(within(Scalar::i64, big + 1, 0, 0x1p53)); // which a double rounds to 2^53
    EXPECT_FALSE(within(Scalar::u64, std::numeric_limits<std::uint64_t>::max(), 0, 0x1.fffffffffffffp63));
    EXPECT_TRUE(within(Scalar::i32, std::int32_t{3}, 2.5, 3.5));
    EXPECT_FALSE(within(Scalar::i32, std::int32_t{2}, 2.5, 3.5));
}

class RandomValues : public ::testing::Test {
protected:
    // What is said of it; nothing if it is fine.
    template<class Source> static std::string refusal(Source source, Scalar type) {
        try {
            check_random({source, std::nullopt}, type, {"run.toml", 7, 3}, "cell.age");
            return {};
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), Failure::input);
            return error.what();
        }
    }
    static bool below(std::int64_t n, Scalar type) { return refusal(run_file::Below{n}, type).empty(); }
    static bool uniform(double low, double high, Scalar type) { return refusal(run_file::Uniform{low, high}, type).empty(); }
};

TEST_F(RandomValues, BelowAreAllValuesOfTheType) {
    EXPECT_TRUE(below(2, Scalar::boolean));
    EXPECT_FALSE(below(3, Scalar::boolean));
    EXPECT_TRUE(below(128, Scalar::i8));
    EXPECT_FALSE(below(129, Scalar::i8));
    EXPECT_TRUE(below(256, Scalar::u8));
    EXPECT_FALSE(below(257, Scalar::u8));
    EXPECT_TRUE(below(std::int64_t{1} << 31, Scalar::i32));
    EXPECT_FALSE(below((std::int64_t{1} << 31) + 1, Scalar::i32));
    EXPECT_TRUE(below(1 << 24, Scalar::f32)); // beyond, some integers are no floats
    EXPECT_FALSE(below((1 << 24) + 2, Scalar::f32));
    EXPECT_EQ(refusal(run_file::Below{300}, Scalar::u8),
              "run.toml:7:3: cell.age cannot be random below 300 (its type is uint8, which holds integers to 255) use a smaller `n`");
}

TEST_F(RandomValues, BelowHave32Bits) {
    for (const auto type : {Scalar::u32, Scalar::i64, Scalar::u64, Scalar::f64}) {
        EXPECT_TRUE(below((std::int64_t{1} << 32) - 1, type));
        EXPECT_FALSE(below(std::int64_t{1} << 32, type));
        EXPECT_FALSE(below(std::numeric_limits<std::int64_t>::max(), type));
    }
    EXPECT_EQ(refusal(run_file::Below{4294967296}, Scalar::u64),
              "run.toml:7:3: cell.age cannot be random below 4294967296 (random integers have 32 bits: n is "
              "at most 4294967295) use a smaller `n`, or random = \"uniform\"");
}

TEST_F(RandomValues, UniformLieWithinTheType) {
    EXPECT_TRUE(uniform(0, 2, Scalar::boolean));
    EXPECT_FALSE(uniform(0, 2.5, Scalar::boolean));
    EXPECT_TRUE(uniform(-128, 128, Scalar::i8));
    EXPECT_FALSE(uniform(-128.5, 128, Scalar::i8));
    EXPECT_FALSE(uniform(0, 129, Scalar::i8));
    EXPECT_FALSE(uniform(-1, 1, Scalar::u64));
    EXPECT_TRUE(uniform(-0x1p63, 0x1p63, Scalar::i64));
    EXPECT_TRUE(uniform(0, 0x1p64, Scalar::u64));
    EXPECT_TRUE(uniform(-1e38, 1e38, Scalar::f32));
    EXPECT_FALSE(uniform(0, 1e39, Scalar::f32));
    EXPECT_TRUE(uniform(0, 1e39, Scalar::f64));
    EXPECT_EQ(refusal(run_file::Uniform{0, 300}, Scalar::u8), "run.toml:7:3: cell.age cannot be random from 0 to 300 (its type is uint8, "
                                                              "which holds 0 to 255) choose `low` and `high` within that");
}

TEST_F(RandomValues, UniformNeedAValueOfTheTypeBelowHigh) {
    EXPECT_TRUE(uniform(1, 1.0000001, Scalar::f32));
    EXPECT_EQ(refusal(run_file::Uniform{1, 1.00000001}, Scalar::f32),
              "run.toml:7:3: cell.age cannot be random from 1 to 1.00000001 (its type is float, for which both are the same number) choose "
              "a larger `high`");
    EXPECT_TRUE(uniform(1, 1.00000001, Scalar::f64));
}

TEST_F(RandomValues, OfOtherKindsFitEveryType) {
    for (const auto type : {Scalar::boolean, Scalar::u8, Scalar::f64}) EXPECT_EQ(refusal(run_file::Bernoulli{0.5}, type), "");
}

} // namespace
} // namespace tessera::value_test
