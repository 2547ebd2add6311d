// What is made once a step, against the same worked out by every place and agent for itself.
#include "tests/support/states.hpp"
#include "tests/support/world_under_test.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tessera::test::uniforms_test {
namespace {

using Keys = std::vector<std::string>;

// With `once` = 0 in place of 1, which these models have.
std::uint64_t hash_with(const std::string& model, int once, const Keys& keys, std::uint64_t steps, const Options& options) {
    WorldUnderTest world(model, keys + Keys{"params.once=" + std::to_string(once)}, options);
    world.step_to(1);
    world.step_to(steps);
    return world.hash();
}

class Uniforms : public OnDevice {
protected:
    static void expect_those_of_each_place(const std::string& model, const Keys& keys, std::uint64_t steps) {
        EXPECT_EQ(hash_with(model, 1, keys, steps, on_this()), hash_with(model, 0, keys, steps, on_this()))
            << ::testing::PrintToString(keys);
    }

    const TemporaryFolder folder_;
};

TEST_P(Uniforms, AreWhatEachPlaceWouldMake) { expect_those_of_each_place(test_model("tides"), {}, 60); }

TEST_P(Uniforms, GoThroughAnyView) {
    const auto expected = hash_with(test_model("tides"), 0, {}, 20, on_this());
    for (const auto* view : {"direct", "window"})
        EXPECT_EQ(hash_with(test_model("tides"), 1, {"schedule.view=\"" + std::string(view) + "\""}, 20, on_this()), expected) << view;
}

// So many that steps are queued in segments of all lengths, and each has its own values; and parameters that are passed.
TEST_P(Uniforms, AreThoseOfTheirStepsInALongRun) {
    expect_those_of_each_place(test_model("tides"),
                               {"places.shore.size=[12,10]", "run.bake=false",
                                "phase=[{callAll='shore.flood'},{reduce={mean='mean(shore.level)',highest='max(shore.level)',shells="
                                "'count(shore.wet>1)'},every=5},{callAll='shore.note',every=5}]"},
                               4000);
}

// Several steps at a time have the values of each.
TEST_P(Uniforms, AreReadByFusedSteps) {
    const Keys keys{"places.shore.size=[130,70]", "phase=[{callAll='shore.flood'}]"};
    const auto expected = hash_with(test_model("tides"), 0, keys, 41, on_this());
    for (const auto& view : on_cpu() ? std::vector{blocks_view(4, 64, 16)} : std::vector{pipeline_view(4, 2, 8), patch_view(4, 2, 16)}) {
        WorldUnderTest world(test_model("tides"), keys, on_this());
        ASSERT_EQ(world.fuse(view), "");
        world.step_to(41);
        EXPECT_GT(world.simulation().fused_steps(), 30u);
        EXPECT_EQ(world.hash(), expected) << to_string(view);
    }
}

TEST_P(Uniforms, AreTablesOfTheModelsThatAreMeasured) {
    expect_those_of_each_place(test_shipped("bench/uniforms/contagion/contagion.cu").string(), {"places.person.size=[70,30]"}, 50);
    expect_those_of_each_place(test_shipped("bench/uniforms/spins/spins.cu").string(), {"places.spin.size=[70,30]"}, 50);
}

// In slots, in a list, and in a checked run.
TEST_P(Uniforms, AreReadByAgents) {
    const auto model = folder_.write("crabs.cu", R"model(#include <tessera/model.hpp>
struct Shore { float level = 1; };
TESSERA_PLACE(Shore, level);
struct Crab { float weight = 1; std::int32_t marks = 0; };
TESSERA_AGENT(Crab, on<Shore>, weight, marks);
TESSERA_PARAM(std::int32_t, once, 1);
TESSERA_GLOBAL(float, mean);
namespace shores {
float part_of(float mean, std::int64_t step, int i) { return mean / static_cast<float>(i + 1 + step % 3); }
TESSERA_UNIFORM(float[5], part, reads<mean>) { return part_of(self.get(mean), self.step, self.index); }
}
TESSERA_CALL(Crab, eat, writes<&Crab::weight, &Crab::marks>, adds<&Shore::level>, reads<mean, shores::part>, moves<moore>) {
    const int i = self.marks % 5;
    self.weight = self.weight * 0.5f + (once != 0 ? self.get(shores::part)[i] : shores::part_of(self.get(mean), self.step, i));
    self.place.level += self.weight * 0.25f;
    self.marks += self.random.below(7);
    const int dx = self.random.below(3) - 1;
    self.migrate(dx, self.random.below(3) - 1);
}
TESSERA_MODEL(crabs, "agents that read what is made once a step");
TESSERA_DEFAULTS(R"toml(run.steps = 20
places.shore = { size = [30, 20], boundary = "torus" }
agents.crab = { count = 90, capacity = 2 }
phase = [{ reduce.mean = "mean(shore.level)" }, { callAll = "crab.eat" }, { manageAll = "crab" }]
)toml");
)model");
    expect_those_of_each_place(model.string(), {}, 20);
    expect_those_of_each_place(model.string(), {"agents.crab.capacity=\"unlimited\""}, 20);
    auto checked = on_this();
    checked.check = true;
    EXPECT_EQ(hash_with(model.string(), 1, {}, 20, checked), hash_with(model.string(), 0, {}, 20, on_this()));
}

TESSERA_ON_EVERY_DEVICE(Uniforms);

} // namespace
} // namespace tessera::test::uniforms_test
