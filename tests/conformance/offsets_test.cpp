// Neighbourhoods of several radii and shapes against a straight loop, also on grids that they reach around.
#include "tests/reference/offsets.hpp"
#include "tests/support/compilers.hpp"
#include "tests/support/states.hpp"
#include "tests/support/world_under_test.hpp"

#include <gtest/gtest.h>

namespace tessera::test::offsets_test {
namespace {

class Offsets : public OnDevice {};

TEST_P(Offsets, AreThoseOfAStraightLoop) {
    for (const auto boundary : {Boundary::torus, Boundary::reflect})
        for (const auto& [nx, ny] : {std::pair<std::int64_t, std::int64_t>{1, 1}, {1, 7}, {2, 3}, {4, 2}, {45, 31}}) {
            const auto shape = reference::plane(nx, ny, boundary);
            const QuickIfSmall quick(shape.count());
            auto state = reference::offsets_start(shape);
            WorldUnderTest world(test_model("offsets"), geometry("spot", shape), on_this());
            for (int step = 0; step < 12; ++step) reference::offsets_step(state, shape);
            world.step_to(12);
            expect_same(world.values<std::uint32_t>("spot", "square"), state.square, shape, "square");
            expect_same(world.values<std::uint32_t>("spot", "diamond"), state.diamond, shape, "diamond");
            expect_same(world.values<std::uint32_t>("spot", "upwind"), state.upwind, shape, "upwind");
            expect_same(world.values<std::uint32_t>("spot", "value"), state.value, shape, "value");
        }
}

TESSERA_ON_EVERY_DEVICE(Offsets);

} // namespace
} // namespace tessera::test::offsets_test
