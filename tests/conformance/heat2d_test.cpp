// Heat2D against a straight loop, bit for bit.
#include "tests/reference/heat2d.hpp"
#include "tests/support/states.hpp"
#include "tests/support/world_under_test.hpp"

#include <gtest/gtest.h>

namespace tessera::test::heat2d_test {
namespace {

class Heat2d : public OnDevice {};

TEST_P(Heat2d, IsThatOfAStraightLoop) {
    reference::Heat2d rule;
    rule.r = 0.2f;
    for (const auto boundary : boundaries)
        for (const auto& [nx, ny] : few_odd_sizes()) {
            const auto shape = reference::plane(nx, ny, boundary);
            const auto start = random_floats(shape);
            rule.outside = boundary == Boundary::fixed ? 3.7f : 0;
            GivenValues given;
            auto keys = geometry("plate", shape) + std::vector<std::string>{"params.r=0.2", given.key("plate", "heat", start, shape)};
            if (boundary == Boundary::fixed) keys.emplace_back("places.plate.outside.heat=3.7");
            WorldUnderTest world(plugin("heat2d"), keys, on_this());
            world.step_to(41);
            expect_same(world.values<float>("plate", "heat"), reference::heat2d(start, shape, rule, 41), shape, "heat");
        }
}

TEST_P(Heat2d, HeaterIsOnForItsTime) {
    reference::Heat2d rule;
    rule.heat_time = 7;
    rule.heater = 12.5f;
    const auto shape = reference::plane(67, 43, Boundary::reflect);
    const std::vector<float> cold(shape.count());
    WorldUnderTest world(plugin("heat2d"),
                         geometry("plate", shape) +
                             std::vector<std::string>{"params.heat_time=7", "params.heater=12.5", "places.plate.init.heat=0"},
                         on_this());
    for (const int step : {1, 7, 8, 60}) {
        world.step_to(static_cast<std::uint64_t>(step));
        expect_same(world.values<float>("plate", "heat"), reference::heat2d(cold, shape, rule, step), shape,
                    "heat after " + std::to_string(step));
    }
}

TESSERA_ON_EVERY_DEVICE(Heat2d);

} // namespace
} // namespace tessera::test::heat2d_test
