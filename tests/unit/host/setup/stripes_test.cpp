// Which rows of each grid the devices of a run make.
#include "host/setup/stripes.hpp"
#include "tests/support/states.hpp"
#include "tests/support/world_under_test.hpp"

#include <gmock/gmock.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace tessera::test {
namespace {

using testing::ElementsAre;

tessera::Setup life_of(const std::string& rows, const std::vector<std::string>& keys = {}) {
    static std::vector<std::unique_ptr<Prepared>> kept; // a setup points to its model
    kept.push_back(std::make_unique<Prepared>(
        prepare({plugin("life"), keys + std::vector<std::string>{"output=[]", "run.steps=1", "places.cell.size=[8," + rows + "]"}, {}},
                compiler())));
    return kept.back()->setup;
}

TEST(Stripes, AreEqualUnlessToldOtherwise) {
    auto setup = life_of("10");
    divide(setup, 4);
    EXPECT_THAT(setup.collections.front().stripes, ElementsAre(Band{0, 3}, Band{3, 5}, Band{5, 8}, Band{8, 10}));
    EXPECT_TRUE(setup.in_bands);
    EXPECT_EQ(setup.partitions(), 4u);
}

TEST(Stripes, OfOneDeviceAreTheWholeGrid) {
    auto setup = life_of("10");
    divide(setup, 1);
    EXPECT_EQ(setup.collections.front().stripe(0), (Band{0, 10}));
    EXPECT_FALSE(setup.in_bands);
    EXPECT_EQ(setup.partitions(), 1u);
}

TEST(Stripes, FollowTheWeights) {
    auto setup = life_of("100", {"run.devices=[\"cpu\",\"cpu\",\"cpu\"]", "run.weights=[2,1,1]"});
    divide(setup, 3);
    EXPECT_THAT(setup.collections.front().stripes, ElementsAre(Band{0, 50}, Band{50, 75}, Band{75, 100}));
}

TEST(Stripes, BeginAtTheCutsAndMayBeEmpty) {
    auto setup = life_of("10", {"run.devices=[\"cpu\",\"cpu\",\"cpu\"]", "run.weights=[2,1,1]", "places.cell.cuts=[4,4]"});
    divide(setup, 3);
    EXPECT_THAT(setup.collections.front().stripes, ElementsAre(Band{0, 4}, Band{4, 4}, Band{4, 10}));
}

RC_GTEST_PROP(Stripes, CoverEachRowOnceForAnyWeights, ()) {
    const auto weights = *rc::gen::container<std::vector<int>>(4, rc::gen::inRange(1, 1000000));
    std::string text;
    for (const int weight : weights) text += (text.empty() ? "" : ",") + std::to_string(weight) + "e-3";
    auto setup = life_of("37", {"run.devices=[\"cpu\",\"cpu\",\"cpu\",\"cpu\"]", "run.weights=[" + text + "]"});
    divide(setup, 4);
    std::int64_t next = 0;
    for (const auto& stripe : setup.collections.front().stripes) {
        RC_ASSERT(stripe.first == next);
        RC_ASSERT(stripe.end >= stripe.first);
        next = stripe.end;
    }
    RC_ASSERT(next == 37);
}

} // namespace
} // namespace tessera::test
