// The long-lived pattern by which implementations of the Game of Life are known to be right.
// optimise: yes
#include "tests/support/states.hpp"
#include "tests/support/world_under_test.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace tessera::test::life_slow_test {
namespace {

class SlowLife : public OnDevice {};

// Until then no cell of it lives further away than 1123 places to the west, 1201 to the east, 1247 to the north and 1249 to the south.
TEST_P(SlowLife, AcornSettlesAt633) {
    const auto acorn = test_shipped("examples/life/acorn.rle").string();
    WorldUnderTest world(plugin("life"),
                         geometry("cell", reference::plane(2336, 2504, Boundary::open)) +
                             std::vector<std::string>{"places.cell.init.alive={file=\"" + acorn + "\",at=[1128,1250]}"},
                         on_this());
    if (on_cpu()) { // which takes a third of the time so
        ASSERT_EQ(world.fuse(blocks_view(8, 4096, 64)), "");
    }
    world.step_to(5206);
    const auto cells = world.values<std::uint8_t>("cell", "alive");
    EXPECT_EQ(std::accumulate(cells.begin(), cells.end(), 0), 633);
}

TESSERA_ON_EVERY_DEVICE(SlowLife);

} // namespace
} // namespace tessera::test::life_slow_test
