// Several steps of places at once, beside agents that do not see them: the state and the counts of one step at a time, on every view.
#include "tests/conformance/fused_views.hpp"

#include <gtest/gtest.h>

namespace tessera::test::beside_agents_test {
namespace {

// Agents in slots, in a list and in space; the view is of the sand that two of them stand on.
class FusedBesideAgents : public OnDevice {
protected:
    static constexpr std::uint64_t steps = 37;

    static std::vector<std::string> keys() { return geometry("sand", {96, 45, 1, Boundary::torus, Boundary::torus}); }

    struct Made {
        std::uint64_t hash = 0, born = 0, died = 0, moved = 0, refused = 0;
        bool operator==(const Made&) const = default;
    };
    static Made made_by(WorldUnderTest& world) {
        world.step_to(steps);
        const auto counts = world.counters("beetle");
        return {world.hash(), counts.born, counts.died, counts.moved, counts.refused_moves};
    }

    static void expect_same(const std::vector<FusedView>& views) {
        WorldUnderTest straight(test_model("dunes"), keys(), {"cpu", 1, {}});
        const auto expected = made_by(straight);
        EXPECT_GT(expected.born, 0U);
        EXPECT_GT(expected.died, 0U);
        for (const auto& view : views) {
            WorldUnderTest world(test_model("dunes"), keys(), on_this());
            world.fuse(view);
            EXPECT_EQ(made_by(world), expected) << to_string(view);
            EXPECT_GE(world.simulation().fused_steps() + 3 * static_cast<unsigned>(view.depth), steps) << to_string(view);
        }
    }

private:
    QuickCompiler quick_{};
};

TEST_P(FusedBesideAgents, EveryViewHasTheStateOfOneStepAtATime) {
    expect_same(
        {pipeline_view(4, 2, 16), pipeline_view(3, 1, 16, 1), pipeline_view(4, 1, 8, 1, true), patch_view(4, 1, 12), tile_view(2, 32, 8)});
    if (on_cpu()) expect_same({blocks_view(3, 64, 16), blocks_view(8, 4096, 45)});
}

TESSERA_ON_EVERY_DEVICE(FusedBesideAgents);

} // namespace
} // namespace tessera::test::beside_agents_test
