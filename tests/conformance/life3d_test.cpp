// A three-dimensional model against a straight loop.
#include "tests/reference/life3d.hpp"
#include "tests/support/compilers.hpp"
#include "tests/support/states.hpp"
#include "tests/support/world_under_test.hpp"

#include <gtest/gtest.h>

namespace tessera::test::life3d_test {
namespace {

class Life3d : public OnDevice {
protected:
    static void check(const Shape& shape) {
        const QuickIfSmall quick(shape.count());
        const auto start = random_cells(shape);
        GivenValues given;
        WorldUnderTest world(test_model("life3d"), geometry("cell", shape, 3) + std::vector{given.key("cell", "alive", start, shape, 3)},
                             on_this());
        world.step_to(9);
        expect_same(world.values<std::uint8_t>("cell", "alive"), reference::life3d(start, shape, 9), shape, "Life in 3-D");
    }
};

TEST_P(Life3d, IsThatOfAStraightLoop) {
    for (const auto boundary : boundaries) {
        check(reference::block(1, 1, 1, boundary));
        check(reference::block(3, 1, 2, boundary));
        check(reference::block(21, 13, 7, boundary));
    }
}

TEST_P(Life3d, MixesBoundaries) {
    check({9, 7, 5, Boundary::torus, Boundary::reflect, Boundary::open});
    check({5, 11, 6, Boundary::open, Boundary::torus, Boundary::fixed});
    check({6, 5, 9, Boundary::reflect, Boundary::fixed, Boundary::torus});
}

TESSERA_ON_EVERY_DEVICE(Life3d);

} // namespace
} // namespace tessera::test::life3d_test
