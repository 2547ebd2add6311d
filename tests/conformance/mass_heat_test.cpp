// A model in double precision with several phases a step, bit for bit against a straight loop.
#include "tests/reference/mass_heat.hpp"
#include "tests/support/states.hpp"
#include "tests/support/world_under_test.hpp"

#include <gtest/gtest.h>

namespace tessera::test::mass_heat_test {
namespace {

class MassHeat : public OnDevice {};

TEST_P(MassHeat, IsThatOfAStraightLoop) {
    for (const auto& [nx, ny] : {std::pair<std::int64_t, std::int64_t>{100, 100}, {3, 3}, {61, 7}}) {
        const auto shape = reference::plane(nx, ny, Boundary::fixed);
        WorldUnderTest world(test_model("mass_heat"), geometry("plate", shape) + std::vector<std::string>{"params.heat_time=200"},
                             on_this());
        world.step_to(300);
        expect_same(world.values<double>("plate", "heat"), reference::mass_heat(nx, ny, 300, 200), shape, "heat");
    }
}

TESSERA_ON_EVERY_DEVICE(MassHeat);

} // namespace
} // namespace tessera::test::mass_heat_test
