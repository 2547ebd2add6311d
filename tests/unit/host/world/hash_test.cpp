// What the hash of a state depends on, and what not.
#include "tests/support/states.hpp"
#include "tests/support/world_under_test.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <set>

namespace tessera::test::hash_test {
namespace {

float float_of(std::uint32_t bits) {
    float value;
    std::memcpy(&value, &bits, sizeof(value));
    return value;
}

class Hash : public OnDevice {
protected:
    static std::uint64_t of(const std::vector<float>& heat, const Shape& shape, int threads = 1) {
        GivenValues given;
        return WorldUnderTest(plugin("heat2d"), geometry("plate", shape) + std::vector{given.key("plate", "heat", heat, shape)},
                              {GetParam(), threads, {}})
            .hash();
    }
    const Shape shape_ = reference::plane(5, 4, Boundary::torus);
    const std::vector<float> heat_ = random_floats(shape_);
};

TEST_P(Hash, KnowsEveryBitOfEveryPlace) {
    std::set<std::uint64_t> seen{of(heat_, shape_)};
    for (std::size_t i = 0; i < heat_.size(); ++i) {
        auto other = heat_;
        other[i] = std::nextafter(other[i], 100.0f);
        EXPECT_TRUE(seen.insert(of(other, shape_)).second) << "place " << i;
    }
    auto zero = heat_, minus_zero = heat_;
    zero[5] = 0.0f;
    minus_zero[5] = -0.0f;
    EXPECT_NE(of(zero, shape_), of(minus_zero, shape_));
}

TEST_P(Hash, KnowsTheExtents) {
    EXPECT_NE(of(heat_, shape_), of(heat_, reference::plane(4, 5, Boundary::torus)));
    EXPECT_NE(of(heat_, shape_), of(heat_, reference::plane(20, 1, Boundary::torus)));
}

// Which one a processor makes is its own affair.
TEST_P(Hash, TakesAllNansForOne) {
    auto quiet = heat_, negative = heat_, payload = heat_, number = heat_;
    quiet[9] = float_of(0x7fc00000);
    negative[9] = float_of(0xffc00000);
    payload[9] = float_of(0x7fc12345);
    EXPECT_EQ(of(quiet, shape_), of(negative, shape_));
    EXPECT_EQ(of(quiet, shape_), of(payload, shape_));
    EXPECT_NE(of(quiet, shape_), of(number, shape_));
}

// The frame of ghosts is no part of it, nor is what hashes it: this grid has two blocks of 2^20 values.
TEST_P(Hash, DependsOnNothingElse) {
    EXPECT_EQ(of(heat_, shape_), of(heat_, reference::plane(5, 4, Boundary::open)));
    const auto large = reference::plane(1031, 1033, Boundary::reflect);
    const auto heat = random_floats(large);
    const auto expected = of(heat, large);
    EXPECT_EQ(of(heat, large, 3), expected);
    auto other = heat;
    other.back() += 1;
    EXPECT_NE(of(other, large), expected);
}

TESSERA_ON_EVERY_DEVICE(Hash);

} // namespace
} // namespace tessera::test::hash_test
