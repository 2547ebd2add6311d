#include "tests/unit/host/inputs/arrays_support.hpp"

#include <cmath>
#include <limits>

namespace tessera::test::array_test {
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Array, IsZeroAndKnowsItsCount) {
    const Array array = make_array(Scalar::i16, {3, 4, 5}, 3, 2, "test");
    EXPECT_EQ(array.count(), 120);
    EXPECT_EQ(array.bytes.size(), 240u);
    EXPECT_THAT(values_of<std::int16_t>(array), ::testing::Each(0));
}

TEST(Array, NamesPositions) {
    EXPECT_EQ(make_array(Scalar::u8, {7, 1, 1}, 1, 1, "").position(5), "(x 5)");
    EXPECT_EQ(make_array(Scalar::u8, {7, 3, 1}, 2, 1, "").position(12), "(x 5, y 1)");
    EXPECT_EQ(make_array(Scalar::u8, {7, 3, 2}, 3, 4, "").position(3 * 42 + 21 + 7 + 2), "(x 2, y 1, z 1)[3]");
}

TEST(Array, RefusesSizesBeforeAllocating) {
    EXPECT_THAT(error_of([] {
                    (void)make_array(Scalar::u8, {1, 0, 1}, 2, 1, "a.npy");
                }),
                HasSubstr("3: a.npy: an array has an extent of 0"));
    EXPECT_THAT(error_of([] {
                    (void)make_array(Scalar::f64, {std::int64_t{1} << 40, std::int64_t{1} << 40, 1}, 2, 1, "a");
                }),
                HasSubstr("3: a: "));
    const std::string too_much = error_of([] { (void)make_array(Scalar::f64, {1 << 20, 1 << 20, 1 << 10}, 3, 1, "heat"); });
    EXPECT_THAT(too_much, HasSubstr("7: heat: 1048576 x 1048576 x 1024 values need 8388608.0 GiB of memory (this machine has "));
}

TEST(Array, WrongTypeIsADefect) {
    Array array = make_array(Scalar::u8, {2, 1, 1}, 1, 1, "");
    EXPECT_EQ(error_of([&] { (void)array.data<std::int8_t>(); }), "1: an array of uint8 was used as one of int8");
    array.bytes.resize(1);
    EXPECT_THAT(error_of([&] { (void)array.data<std::uint8_t>(); }), HasSubstr("has 1 bytes"));
}

TEST(Array, ConvertsWhatFits) {
    EXPECT_THAT(values_of<std::uint8_t>(array_of<double>({0, 255, 7}, {3, 1, 1}, 1).converted(Scalar::u8, "")), ElementsAre(0, 255, 7));
    EXPECT_THAT(values_of<bool>(array_of<std::int64_t>({0, 1}, {2, 1, 1}, 1).converted(Scalar::boolean, "")), ElementsAre(false, true));
    EXPECT_THAT(values_of<std::int64_t>(array_of<double>({-0x1p63, 0x1p62}, {2, 1, 1}, 1).converted(Scalar::i64, "")),
                ElementsAre(std::numeric_limits<std::int64_t>::min(), std::int64_t{1} << 62));
    EXPECT_THAT(values_of<float>(array_of<double>({0.1, 1e-60}, {2, 1, 1}, 1).converted(Scalar::f32, "")), ElementsAre(0.1f, 0.0f));
    EXPECT_THAT(values_of<double>(array_of<bool>({true, false}, {2, 1, 1}, 1).converted(Scalar::f64, "")), ElementsAre(1.0, 0.0));
    const auto special = values_of<float>(array_of<double>({INFINITY, NAN}, {2, 1, 1}, 1).converted(Scalar::f32, ""));
    EXPECT_TRUE(std::isinf(special[0]) && std::isnan(special[1]));
}

TEST(Array, RefusesWhatDoesNotFit) {
    const auto refusal = [](const Array& array, Scalar to) { return error_of([&] { (void)array.converted(to, "a.csv"); }); };
    EXPECT_EQ(refusal(array_of<std::int64_t>({0, 1, 2, 300, 400, -1}, {3, 2, 1}, 2), Scalar::u8),
              "3: a.csv: the value 300 at (x 0, y 1) does not fit a member of type uint8 (whole numbers from 0 to 255 fit)");
    EXPECT_EQ(refusal(array_of<double>({1, 2.5}, {2, 1, 1}, 1), Scalar::i32),
              "3: a.csv: the value 2.5 at (x 1) does not fit a member of type int32 (whole numbers from -2147483648 to 2147483647 fit)");
    EXPECT_EQ(refusal(array_of<std::uint8_t>({1, 2}, {2, 1, 1}, 1), Scalar::boolean),
              "3: a.csv: the value 2 at (x 1) does not fit a member of type bool (a bool takes 0 and 1)");
    EXPECT_EQ(refusal(array_of<double>({1e39}, {1, 1, 1}, 1), Scalar::f32),
              "3: a.csv: the value 1e+39 at (x 0) does not fit a member of type float (it is too large)");
    EXPECT_THAT(refusal(array_of<double>({0x1p63}, {1, 1, 1}, 1), Scalar::i64), HasSubstr("does not fit"));
    EXPECT_THAT(refusal(array_of<double>({0x1p64}, {1, 1, 1}, 1), Scalar::u64), HasSubstr("does not fit"));
    EXPECT_THAT(refusal(array_of<double>({NAN}, {1, 1, 1}, 1), Scalar::i8), HasSubstr("the value nan"));
    EXPECT_THAT(refusal(array_of<std::int8_t>({-1}, {1, 1, 1}, 1), Scalar::u64), HasSubstr("the value -1"));
    EXPECT_THAT(refusal(array_of<std::uint64_t>({~std::uint64_t{0}}, {1, 1, 1}, 1), Scalar::i64),
                HasSubstr("the value 18446744073709551615"));
}

TEST(Array, ConversionKeepsOrRefusesEveryInteger) {
    EXPECT_TRUE(rc::check("int64 to int16", [](std::int64_t wide, std::int16_t narrow) {
        const auto fits = [](std::int64_t value) {
            const Array array = array_of<std::int64_t>({value}, {1, 1, 1}, 1);
            return error_of([&] { RC_ASSERT(array.converted(Scalar::i16, "").data<std::int16_t>()[0] == value); }) == "no error";
        };
        RC_ASSERT(fits(narrow));
        RC_ASSERT(fits(wide) == (wide >= -32768 && wide <= 32767));
    }));
}

} // namespace tessera::test::array_test
