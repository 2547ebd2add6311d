// Conway's Game of Life against what is known of its patterns, and against a straight loop.
#include "tests/reference/life.hpp"
#include "tests/support/compilers.hpp"
#include "tests/support/states.hpp"
#include "tests/support/world_under_test.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace tessera::test::life_test {
namespace {

class Life : public OnDevice {
protected:
    static std::vector<std::string> pattern(const std::string& file, const std::string& at) {
        return {"places.cell.init.alive={file=\"" + test_shipped("examples/life/" + file).string() + "\",at=" + at + "}"};
    }
    static std::vector<std::uint8_t> cells(const WorldUnderTest& world) { return world.values<std::uint8_t>("cell", "alive"); }
    static int living(const WorldUnderTest& world) {
        const auto all = cells(world);
        return std::accumulate(all.begin(), all.end(), 0);
    }
};

TEST_P(Life, RPentominoSettlesAt116) {
    const auto shape = reference::plane(1400, 1400, Boundary::open);
    WorldUnderTest world(plugin("life"), geometry("cell", shape) + pattern("r_pentomino.rle", "[700,700]"), on_this());
    EXPECT_EQ(living(world), 5);
    world.step_to(1103);
    EXPECT_EQ(living(world), 116);
}

// A glider moves by one place along each axis in 4 steps: it is back in the row, and at last in the place, that it came from.
TEST_P(Life, GliderReturnsOnATorus) {
    const auto shape = reference::plane(13, 11, Boundary::torus);
    WorldUnderTest world(plugin("life"), geometry("cell", shape) + pattern("glider.rle", "[3,4]"), on_this());
    const auto start = cells(world);
    ASSERT_EQ(living(world), 5);
    world.step_to(4 * 11);
    EXPECT_NE(cells(world), start);
    world.step_to(4 * 11 * 13);
    expect_same(cells(world), start, shape, "the glider");
}

TEST_P(Life, GosperGunFiresAGliderEvery30Steps) {
    const auto shape = reference::plane(251, 243, Boundary::open);
    WorldUnderTest world(plugin("life"), geometry("cell", shape) + pattern("gosper_gun.rle", "[10,10]"), on_this());
    const auto start = cells(world);
    ASSERT_EQ(living(world), 36);
    for (int shots = 1; shots <= 20; ++shots) {
        world.step_to(static_cast<std::uint64_t>(30 * shots));
        EXPECT_EQ(living(world), 36 + 5 * shots) << "after " << shots << " gliders";
        if (shots == 5) expect_same(cells(world), reference::life(start, shape, 150), shape, "the gun");
    }
}

TEST_P(Life, IsThatOfAStraightLoop) {
    for (const auto boundary : boundaries)
        for (const auto& [nx, ny] : odd_sizes()) {
            const auto shape = reference::plane(nx, ny, boundary);
            const QuickIfSmall quick(shape.count());
            const auto start = random_cells(shape);
            GivenValues given;
            const std::vector<std::string> wall = {"places.cell.outside.alive=1"};
            const auto keys = geometry("cell", shape) + (boundary == Boundary::fixed ? wall : std::vector<std::string>{});
            WorldUnderTest world(plugin("life"), keys + std::vector{given.key("cell", "alive", start, shape)}, on_this());
            world.step_to(37);
            expect_same(cells(world), reference::life(start, shape, 37, 1), shape, "Life");
        }
}

TESSERA_ON_EVERY_DEVICE(Life);

} // namespace
} // namespace tessera::test::life_test
