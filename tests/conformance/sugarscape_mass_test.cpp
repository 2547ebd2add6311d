// Sugarscape as MASS CUDA has it against a plain sequential program: ant by ant, plot by plot.
#include "tests/support/agents.hpp"
#include "tests/support/states.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace tessera::test::sugarscape_mass_test {
namespace {

using reference::Offset;

struct Ant : reference::Agent {
    std::int32_t sugar = 5, metabolism = 2;
};

// plugins/sugarscape_mass, written as loops.
struct Plots {
    Shape shape;
    std::vector<std::int32_t> sugar{}, most{};
    std::vector<float> pollution{};
    std::vector<Ant> ants{};
    reference::Tally tally{};

    void grow() {
        for (std::size_t p = 0; p < sugar.size(); ++p) {
            if (sugar[p] < most[p]) ++sugar[p];
            pollution[p] += 1;
        }
    }
    void spread() {
        const auto before = pollution;
        for (std::size_t p = 0; p < before.size(); ++p) {
            float sum = 0;
            for (const Offset way : {Offset{0, -1}, Offset{-1, 0}, Offset{1, 0}, Offset{0, 1}})
                if (const auto at = reference::place_at(shape, p, way)) sum += before[*at];
            pollution[p] = sum / 4;
        }
    }
    void look() {
        const auto taken = reference::residents(ants, shape);
        for (auto& ant : ants)
            for (const Offset way : {Offset{1, 0}, Offset{2, 0}, Offset{3, 0}, Offset{0, -1}, Offset{0, -2}, Offset{0, -3}}) {
                const auto at = reference::place_at(shape, ant.place, way);
                if (!at || taken[*at] > 0 || sugar[*at] <= 0) continue;
                ant.move_request = way;
                break;
            }
    }
    void step() {
        grow();
        spread();
        look();
        const auto by_id = [](std::uint64_t id) { return id; };
        reference::manage(ants, shape, 1, by_id, tally);
        for (auto& ant : ants) {
            ant.sugar += sugar[ant.place] - ant.metabolism;
            sugar[ant.place] = 0;
            pollution[ant.place] += static_cast<float>(ant.metabolism);
            ant.dying = ant.sugar < 0;
        }
        reference::manage(ants, shape, 1, by_id, tally);
    }
};

class SugarscapeOfMass : public OnDevice {};

TEST_P(SugarscapeOfMass, IsThatOfAPlainProgram) {
    Plots plots{reference::plane(53, 47, Boundary::open)};
    WorldUnderTest world(plugin("sugarscape_mass"),
                         geometry("plot", plots.shape) + std::vector<std::string>{"run.seed=7", "agents.ant.count=900"}, on_this());
    plots.sugar = plots.most = world.values<std::int32_t>("plot", "most");
    plots.pollution.assign(plots.shape.count(), 0);
    plots.ants = agents_of<Ant>(world, "ant");
    take_member(plots.ants, &Ant::sugar, world, "ant", "sugar");
    take_member(plots.ants, &Ant::metabolism, world, "ant", "metabolism");
    for (std::uint64_t k = 0; k < 200; ++k) {
        plots.step();
        if (k > 4 && k % 20 != 19) continue;
        world.step_to(k + 1);
        expect_agents(world, "ant", plots.ants, member("sugar", &Ant::sugar), member("metabolism", &Ant::metabolism));
        expect_same(world.values<std::int32_t>("plot", "sugar"), plots.sugar, plots.shape, "sugar");
        expect_same(world.values<float>("plot", "pollution"), plots.pollution, plots.shape, "pollution");
        expect_counted(world.counters("ant"), plots.tally);
        if (HasFailure()) FAIL() << "after step " << k;
    }
    EXPECT_GT(plots.tally.refused, 0u);
}

// Hills of four units at a third of the way from two corners, none beyond half of the grid's width from both.
TEST_P(SugarscapeOfMass, HasTwoHills) {
    WorldUnderTest world(plugin("sugarscape_mass"), {"places.plot.size=[100,100]"}, on_this());
    const auto most = world.values<std::int32_t>("plot", "most");
    EXPECT_EQ(most[66 * 100 + 33], 4);
    EXPECT_EQ(most[33 * 100 + 66], 4);
    EXPECT_EQ(most[66 * 100 + 33 + 12], 3); // 4.5 - 4 * 12 / 50 is 3.54
    EXPECT_EQ(most[0], 0);
    EXPECT_EQ(most[99 * 100 + 99], 0);
}

TESSERA_ON_EVERY_DEVICE(SugarscapeOfMass);

} // namespace
} // namespace tessera::test::sugarscape_mass_test
