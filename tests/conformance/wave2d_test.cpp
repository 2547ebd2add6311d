// Wave2D against straight loops: the model's arithmetic bit for bit, and the rule as MASS states it within rounding.
// sanitizers: address
#include "tests/reference/wave2d.hpp"
#include "tests/support/compilers.hpp"
#include "tests/support/states.hpp"
#include "tests/support/world_under_test.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace tessera::test::wave2d_test {
namespace {

class Wave2d : public OnDevice {
protected:
    static void expect(const WorldUnderTest& world, const reference::Wave2d& wave, const Shape& shape) {
        expect_same(world.values<float>("wave", "now"), wave.now, shape, "now");
        expect_same(world.values<float>("wave", "before"), wave.before, shape, "before");
    }
};

// Whatever the boundary, for the edge is held.
TEST_P(Wave2d, IsThatOfAStraightLoop) {
    for (const auto boundary : boundaries)
        for (const auto& [nx, ny] : few_odd_sizes()) {
            const auto shape = reference::plane(nx, ny, boundary);
            const QuickIfSmall quick(shape.count());
            const auto start = random_floats(shape);
            GivenValues given;
            WorldUnderTest world(plugin("wave2d"),
                                 geometry("wave", shape) + std::vector<std::string>{"params.k=0.3", given.key("wave", "now", start, shape)},
                                 on_this());
            auto wave = reference::wave2d_at_rest(start, nx, ny, 0.3f);
            expect(world, wave, shape);
            world.step_to(40); // the columns have changed names an even number of times, and then an odd one
            wave = reference::wave2d(wave, 40);
            expect(world, wave, shape);
            world.step_to(41);
            expect(world, reference::wave2d(wave, 1), shape);
        }
}

TEST_P(Wave2d, StartsWithItsMiddleLifted) {
    const auto shape = reference::plane(213, 100, Boundary::fixed);
    WorldUnderTest world(plugin("wave2d"), geometry("wave", shape), on_this());
    auto wave = reference::wave2d_at_rest(reference::wave2d_lifted<float>(shape.nx, shape.ny), shape.nx, shape.ny, 0.0025f);
    expect(world, wave, shape);
    world.step_to(300);
    expect(world, reference::wave2d(wave, 300), shape);
}

TEST_P(Wave2d, IsTheRuleOfMass) {
    constexpr std::int64_t n = 100;
    WorldUnderTest world(plugin("wave2d"), geometry("wave", reference::plane(n, n, Boundary::fixed)), on_this());
    for (const int step : {0, 1, 2, 500}) {
        world.step_to(static_cast<std::uint64_t>(step));
        const auto expected = reference::mass_wave2d(reference::wave2d_lifted<double>(n, n), n, n, step);
        const auto actual = world.values<float>("wave", "now");
        double largest = 0;
        for (std::size_t i = 0; i < actual.size(); ++i)
            largest = std::max(largest, std::fabs(static_cast<double>(actual[i]) - expected[i]));
        EXPECT_LT(largest, 1e-3) << "after " << step << " steps of a wave 20 high";
    }
}

TESSERA_ON_EVERY_DEVICE(Wave2d);

} // namespace
} // namespace tessera::test::wave2d_test
