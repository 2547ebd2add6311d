// What places see at and beyond the edge, for every pair of boundaries, against a straight loop.
// sanitizers: address
#include "tests/reference/boundaries.hpp"
#include "tests/support/compilers.hpp"
#include "tests/support/states.hpp"
#include "tests/support/world_under_test.hpp"

#include <gtest/gtest.h>

namespace tessera::test::boundaries_test {
namespace {

class Boundaries : public OnDevice {
protected:
    static void check(const Shape& shape) {
        const QuickIfSmall quick(shape.count());
        auto keys = geometry("site", shape);
        const bool fixed = shape.x == Boundary::fixed || shape.y == Boundary::fixed;
        if (fixed) keys.emplace_back("places.site.outside.value=99");
        WorldUnderTest world(test_model("boundaries"), keys, on_this());
        auto state = reference::boundaries_start(shape);
        for (int step = 1; step <= 6; ++step) {
            reference::boundaries_step(state, shape, fixed ? 99 : 7);
            if (step != 1 && step != 6) continue;
            world.step_to(static_cast<std::uint64_t>(step));
            expect_same(world.values<std::uint8_t>("site", "there"), state.there, shape, "exists");
            expect_same(world.values<std::uint32_t>("site", "count"), state.count, shape, "each");
            expect_same(world.values<std::uint32_t>("site", "total"), state.total, shape, "sum");
            expect_same(world.values<std::uint32_t>("site", "corner"), state.corner, shape, "at the corner");
            expect_same(world.values<std::uint32_t>("site", "far"), state.far, shape, "at two and three places");
            expect_same(world.values<std::uint32_t>("site", "value"), state.value, shape, "value");
        }
    }
};

TEST_P(Boundaries, OfEveryPairOfAxes) {
    for (const auto x : boundaries)
        for (const auto y : boundaries) check({11, 7, 1, x, y, Boundary::torus});
}

TEST_P(Boundaries, OfGridsSmallerThanTheReach) {
    for (const auto boundary : boundaries) check(reference::plane(1, 2, boundary));
    check({2, 1, 1, Boundary::open, Boundary::fixed, Boundary::torus});
}

TEST_P(Boundaries, OfLargeGrids) { check({131, 67, 1, Boundary::open, Boundary::torus, Boundary::torus}); }

TESSERA_ON_EVERY_DEVICE(Boundaries);

} // namespace
} // namespace tessera::test::boundaries_test
