// The long-lived pattern by which implementations of the Game of Life are known to be right.
#include "tests/support/world_under_test.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace tessera::test {
namespace {

class SlowLife : public OnDevice {};

TEST_P(SlowLife, AcornSettlesAt633) {
    const auto acorn = test_shipped("examples/life/acorn.rle").string();
    WorldUnderTest world(
        plugin("life"),
        {"places.cell.size=[4096,4096]", "places.cell.boundary=\"open\"", "places.cell.init.alive={file=\"" + acorn + "\",at=[2048,2048]}"},
        on_this());
    world.step_to(5206);
    const auto cells = world.values<std::uint8_t>("cell", "alive");
    EXPECT_EQ(std::accumulate(cells.begin(), cells.end(), 0), 633);
}

TESSERA_ON_EVERY_DEVICE(SlowLife);

} // namespace
} // namespace tessera::test
