// A one-dimensional model against a table and a straight loop.
#include "tests/reference/rule110.hpp"
#include "tests/support/compilers.hpp"
#include "tests/support/states.hpp"
#include "tests/support/world_under_test.hpp"

#include <gtest/gtest.h>

namespace tessera::test::rule110_test {
namespace {

class Rule110 : public OnDevice {};

// The first rows of the triangle that rule 110 draws from a single cell (Wolfram, "A New Kind of Science", p. 32).
TEST_P(Rule110, DrawsItsTriangle) {
    WorldUnderTest world(test_model("rule110"), {"places.cell.size=[16]", "places.cell.init.on=[{value=1,box=[[15],[16]]}]"}, on_this());
    const char* const rows[] = {"...............#", "..............##", ".............###", "............##.#",
                                "...........#####", "..........##...#", ".........###..##", "........##.#.###"};
    for (std::uint64_t step = 0; step < std::size(rows); ++step) {
        world.step_to(step);
        std::string row;
        for (const auto cell : world.values<std::uint8_t>("cell", "on")) row += cell != 0 ? '#' : '.';
        EXPECT_EQ(row, rows[step]) << "row " << step;
    }
}

// The longest line is cut into pieces for the threads.
TEST_P(Rule110, IsThatOfAStraightLoop) {
    for (const auto boundary : boundaries)
        for (const std::int64_t size : {1, 2, 3, 131, 20011}) {
            const auto shape = reference::line(size, boundary);
            const QuickIfSmall quick(shape.count());
            const auto start = random_cells(shape);
            GivenValues given;
            WorldUnderTest world(test_model("rule110"), geometry("cell", shape, 1) + std::vector{given.key("cell", "on", start, shape, 1)},
                                 on_this());
            world.step_to(61);
            expect_same(world.values<std::uint8_t>("cell", "on"), reference::rule110(start, shape, 61), shape, "rule 110");
        }
}

TESSERA_ON_EVERY_DEVICE(Rule110);

} // namespace
} // namespace tessera::test::rule110_test
