// Names that are one letter, or a macro or a template parameter elsewhere, mean what they mean of any other name.
#include "tests/support/states.hpp"
#include "tests/support/world_under_test.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace tessera::test::letters_test {
namespace {

class Letters : public OnDevice {};

// Five places, each joined to each, with an agent on each; and a grid of 8 x 6 whose places know their x.
TEST_P(Letters, AreNamesLikeOthers) {
    WorldUnderTest world(test_model("letters"), {}, on_this());
    world.step_to(1);
    const auto sums = world.values<std::int64_t>("n", "N_");
    const auto weights = world.values<std::int32_t>("n", "T"), sent = world.values<std::int32_t>("n", "Folds");
    const auto twice = world.values<std::int32_t>("n", "Bits"), stood = world.values<std::int32_t>("n", "Shown");
    ASSERT_EQ(sums.size(), 5U);
    for (std::size_t id = 0; id < 5; ++id) {
        EXPECT_EQ(sums[id], 2 * (1 + 2 + 3 + 4 + 5 - static_cast<std::int64_t>(id + 1))) << id;
        EXPECT_EQ(weights[id], 4) << "four links, each twice a half";
        EXPECT_EQ(sent[id], 4) << id;
        EXPECT_EQ(twice[id], 8) << id;
        EXPECT_EQ(stood[id], 1) << id;
    }
    EXPECT_EQ(world.agent_values<std::int32_t>("i", "View"), std::vector<std::int32_t>(5, 0)) << "none but itself is there";
    const auto x = world.values<std::int32_t>("t", "X"), first = world.values<std::int32_t>("t", "unix");
    const auto last = world.values<std::int32_t>("t", "minor"), visits = world.values<std::int32_t>("t", "Shown");
    for (int i = 0; i < 48; ++i) {
        const int here = i % 8, west = (here + 7) % 8, east = (here + 1) % 8;
        EXPECT_EQ(x[static_cast<std::size_t>(i)], 3 * west + 2 * here + 3 * east + east) << i;
        EXPECT_EQ(first[static_cast<std::size_t>(i)], 1) << i;
        EXPECT_EQ(last[static_cast<std::size_t>(i)], 4 + here) << i;
    }
    EXPECT_EQ(std::accumulate(visits.begin(), visits.end(), 0), 1);
    const auto agent = world.agents("view");
    ASSERT_EQ(agent.size(), 1U);
    const int from = (static_cast<int>(agent.places[0]) % 8 + 7) % 8, west = (from + 7) % 8, east = (from + 1) % 8;
    EXPECT_EQ(world.agent_values<std::int32_t>("view", "At")[0], 3 * west + 2 * from + 3 * east) << "moore has eight places";
}

TESSERA_ON_EVERY_DEVICE(Letters);

} // namespace
} // namespace tessera::test::letters_test
