// Where agents stand at the start.
#include "tests/support/world_under_test.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace tessera::test::first_agents_test {
namespace {

// Floats are half a unit apart there, so that a tenth of the numbers drawn would be rounded to an end of the box.
TEST(FirstAgents, InSpaceStandWithinTheirBoxHoweverFarOut) {
    const WorldUnderTest world(plugin("boids"), {"places.air={size=[1048576,3],extent=[5242880,15]}",
                                                 "agents.bird={count=400,place={box=[[1048570,0],[1048571,3]]}}"});
    const auto x = world.positions<float>("bird", 0);
    ASSERT_EQ(x.size(), 400u);
    EXPECT_EQ(*std::min_element(x.begin(), x.end()), 5242850.0f);
    EXPECT_EQ(*std::max_element(x.begin(), x.end()), 5242854.5f);
}

} // namespace
} // namespace tessera::test::first_agents_test
