// Parameters as constants of the compiled code, and as values that are passed to it.
// sanitizers: address
#include "tests/conformance/runs_of_plugins.hpp"
#include "tests/reference/heat2d.hpp"
#include "tests/reference/mass_heat.hpp"
#include "tests/support/agents.hpp"
#include "tests/support/states.hpp"
#include "tests/support/world_under_test.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace tessera::test::parameters_test {
namespace {

class Parameters : public OnDevice {};

TEST_P(Parameters, PassedGiveWhatBakedOnesGive) { expect_heat_by_its_parameters(plugin("heat2d"), on_this()); }

TEST_P(Parameters, OfDoublePrecisionArePassed) {
    const auto shape = reference::plane(31, 17, Boundary::fixed);
    WorldUnderTest world(test_model("mass_heat"),
                         geometry("plate", shape) + std::vector<std::string>{"run.bake=false", "params={r=0.1,heat_time=30}"}, on_this());
    world.step_to(50);
    expect_same(world.values<double>("plate", "heat"), reference::mass_heat(31, 17, 50, 30, 0.1), shape, "heat");
}

// For a CPU, init functions and functions of a step are compiled apart.
TEST_P(Parameters, PassedReachInitFunctionsAndThoseOfAStep) {
    const TemporaryFolder folder;
    const auto model = folder
                           .write("cows.cu", R"(#include <tessera/model.hpp>
struct Land {};
TESSERA_PLACE(Land);
struct Cow { std::int32_t first = 0, later = 0; };
TESSERA_AGENT(Cow, on<Land>, first, later);
TESSERA_PARAM(std::int32_t, milk, 3);
TESSERA_INIT(Cow, wake, sets<&Cow::first>) { self.first = milk; }
TESSERA_CALL(Cow, give, writes<&Cow::later>, moves<moore>) {
    self.later += milk;
    self.migrate(1, 0);
}
TESSERA_MODEL(cows, "cows that give milk");
)")
                           .string();
    WorldUnderTest world(model,
                         {"places.land={size=[9,7],boundary=\"torus\"}", "agents.cow.count=5", "run.bake=false", "params.milk=40",
                          "phase=[{callAll=\"cow.give\"},{manageAll=\"cow\"}]"},
                         on_this());
    world.step_to(3);
    EXPECT_EQ(world.agent_values<std::int32_t>("cow", "first"), std::vector<std::int32_t>(5, 40));
    EXPECT_EQ(world.agent_values<std::int32_t>("cow", "later"), std::vector<std::int32_t>(5, 120));
}

// A radius is a constant in any case; what is passed beside it has its new value too.
TEST_P(Parameters, OfARadiusAreConstants) {
    const TemporaryFolder folder;
    const auto model = folder
                           .write("beads.cu", R"(#include <tessera/model.hpp>
struct Box {};
TESSERA_PLACE(Box);
struct Bead { std::int32_t near = 0; };
TESSERA_AGENT(Bead, in<Box>, near);
TESSERA_PARAM(float, reach, 1, range(0.1, 4));
TESSERA_PARAM(int, weight, 1);
TESSERA_CALL(Bead, look, meets<within<reach>, agents<Bead>>, writes<&Bead::near>) {
    self.meet(within<reach>, agents<Bead>, [&](const auto&) { self.near += weight; });
}
TESSERA_MODEL(beads, "beads that count others");
)")
                           .string();
    for (const std::string bake : {"true", "false"})
        for (const float reach : {0.75f, 2.5f}) {
            const int weight = reach < 1 ? 1 : 3;
            WorldUnderTest world(model,
                                 {"places.box={size=[7,5],extent=[28,20],boundary=\"open\"}", "agents.bead.count=300", "run.bake=" + bake,
                                  fmt::format("params={{reach={},weight={}}}", reach, weight)},
                                 on_this());
            world.step_to(1);
            const auto x = world.positions<float>("bead", 0), y = world.positions<float>("bead", 1);
            std::vector<std::int32_t> expected(x.size(), 0);
            for (std::size_t i = 0; i < x.size(); ++i)
                for (std::size_t j = 0; j < x.size(); ++j) {
                    const float dx = x[j] - x[i], dy = y[j] - y[i];
                    if (i != j && dx * dx + dy * dy < reach * reach) expected[i] += weight;
                }
            EXPECT_GT(*std::max_element(expected.begin(), expected.end()), 0);
            EXPECT_EQ(world.agent_values<std::int32_t>("bead", "near"), expected) << "bake = " << bake << ", reach = " << reach;
        }
}

constexpr const char* pasture = R"(#include <tessera/model.hpp>
struct Land { std::int32_t height = 0, around = 0; };
TESSERA_PLACE(Land, height, around);
struct Goat { std::uint32_t seen = 0; };
TESSERA_AGENT(Goat, on<Land>, seen);
TESSERA_PARAM(int, sight, 1, range(1, 4));
TESSERA_INIT(Land, raise, sets<&Land::height>) { self.height = self.random.below(100); }
TESSERA_CALL(Land, look, around<moore_of<sight>, &Land::height>, sets<&Land::around>) { self.around = self.sum(moore_of<sight>, &Land::height); }
TESSERA_CALL(Goat, look, meets<moore_of<sight>, agents<Goat>>, sets<&Goat::seen>) {
    std::uint32_t seen = 0;
    self.meet(moore_of<sight>, agents<Goat>, [&](const auto& other) { seen = 31 * seen + static_cast<std::uint32_t>(other.id); });
    self.seen = seen;
}
TESSERA_MODEL(pasture, "places and goats that look as far as a parameter says");
TESSERA_DEFAULTS(R"toml(run.steps = 1
places.land = { size = [9, 9] }
agents.goat.count = 10
phase = [{ callAll = "land.look" }, { callAll = "goat.look" }])toml");
)";
struct Goat : reference::Agent {
    std::uint32_t seen = 0;
};

// How far functions see follows from the parameter's value, and not from its default: what is around them, and what is exchanged.
TEST_P(Parameters, OfANeighbourhoodSayHowFarFunctionsSee) {
    const TemporaryFolder folder;
    const auto model = folder.write("pasture.cu", pasture).string();
    for (const auto& [sight, boundary] : {std::pair(2, Boundary::torus), std::pair(3, Boundary::open)}) {
        const auto shape = reference::plane(13, 17, boundary);
        WorldUnderTest world(model,
                             geometry("land", shape) +
                                 std::vector<std::string>{"agents.goat={count=120,capacity=1}", fmt::format("params.sight={}", sight)},
                             on_this());
        const auto height = world.values<std::int32_t>("land", "height");
        auto goats = agents_of<Goat>(world, "goat");
        std::vector<std::uint64_t> goat_on(shape.count(), 0);
        for (const auto& goat : goats) goat_on[goat.place] = goat.id;
        const auto each_around = [&shape, sees = sight](std::size_t place, const auto& visit) {
            for (int dy = -sees; dy <= sees; ++dy)
                for (int dx = -sees; dx <= sees; ++dx)
                    if (const auto at = reference::place_at(shape, place, {dx, dy}); at && (dx != 0 || dy != 0)) visit(*at);
        };
        std::vector<std::int32_t> around(shape.count(), 0);
        for (std::size_t place = 0; place < around.size(); ++place)
            each_around(place, [&](std::size_t at) { around[place] += height[at]; });
        for (auto& goat : goats)
            each_around(goat.place, [&](std::size_t at) {
                if (goat_on[at] != 0) goat.seen = 31 * goat.seen + static_cast<std::uint32_t>(goat_on[at]);
            });
        world.step_to(1);
        expect_same(world.values<std::int32_t>("land", "around"), around, shape, "around");
        expect_agents(world, "goat", goats, member("seen", &Goat::seen));
    }
}

// In init functions too, and of every type.
TEST_P(Parameters, OfEveryTypeArePassed) {
    const TemporaryFolder folder;
    const auto model = folder
                           .write("kinds.cu", R"(#include <tessera/model.hpp>
struct Kind {
    double one = 0;
    std::int64_t two = 0;
    std::uint8_t three = 0;
};
TESSERA_PLACE(Kind, one, two, three);
TESSERA_PARAM(bool, flag, false);
TESSERA_PARAM(std::int8_t, small, 1);
TESSERA_PARAM(std::uint64_t, large, 2);
TESSERA_PARAM(std::int64_t, lowest, 3);
TESSERA_PARAM(float, real, 4);
TESSERA_PARAM(double, precise, 5);
TESSERA_INIT(Kind, start, sets<&Kind::one>) { self.one = precise + (flag ? 1 : 0); }
TESSERA_CALL(Kind, use, writes<&Kind::one, &Kind::two, &Kind::three>) {
    self.one += precise * real;
    self.two += lowest + small;
    self.three = static_cast<std::uint8_t>((large >> 50) + (flag ? 1 : 0));
}
TESSERA_MODEL(kinds, "parameters of all types");
)")
                           .string();
    const auto shape = reference::plane(3, 5, Boundary::torus);
    const std::string values = "params={flag=true,small=-7,large=9000000000000000000,lowest=-9223372036854775800,real=0.1,precise=0.1}";
    constexpr std::int64_t lowest = -9223372036854775807; // of -7 and a number that no double holds
    double one = 0.1 + 1;
    one += 0.1 * static_cast<double>(0.1f);
    for (const std::string bake : {"true", "false"}) {
        WorldUnderTest world(model, geometry("kind", shape) + std::vector<std::string>{"run.bake=" + bake, values}, on_this());
        world.step_to(1);
        expect_same(world.values<double>("kind", "one"), std::vector<double>(15, one), shape, "one");
        expect_same(world.values<std::int64_t>("kind", "two"), std::vector<std::int64_t>(15, lowest), shape, "two");
        expect_same(world.values<std::uint8_t>("kind", "three"),
                    std::vector<std::uint8_t>(15, static_cast<std::uint8_t>((9000000000000000000ull >> 50) + 1)), shape, "three");
    }
}

// What a sweep varies is compiled once.
TEST_P(Parameters, PassedAreNotCompiledAgain) {
    const auto keys = geometry("plate", reference::plane(33, 21, Boundary::torus));
    const auto cached = [&](const std::string& r) {
        WorldUnderTest world(plugin("heat2d"), keys + std::vector<std::string>{"run.bake=false", "params.r=" + r}, on_this());
        return world.simulation().code().images.front().from_cache;
    };
    (void)cached("0.1");
    EXPECT_TRUE(cached("0.15"));
}

TESSERA_ON_EVERY_DEVICE(Parameters);

} // namespace
} // namespace tessera::test::parameters_test
