// Functions of agents that go over the slots for the manageAll before or behind them: which do, and that nothing else comes of it.
#include "tests/support/world_under_test.hpp"

#include <gtest/gtest.h>

#include <string>
#include <variant>
#include <vector>

namespace tessera::test::joined_slots_test {
namespace {

// Kernels of the manageAlls that are bound, and functions that make a pass over the slots for one.
struct Passes {
    std::vector<std::size_t> kernels, with;
    friend bool operator==(const Passes&, const Passes&) = default;
};
std::ostream& operator<<(std::ostream& out, const Passes& passes) {
    for (std::size_t i = 0; i < passes.kernels.size(); ++i) out << passes.kernels[i] << " and " << passes.with[i] << ", ";
    return out;
}
Passes passes_of(const Setup& setup) {
    Passes passes;
    for (const auto& phase : setup.phases)
        if (const auto* manage = std::get_if<ManagePhase>(&phase.action)) {
            passes.kernels.push_back(manage->kernels.size());
            passes.with.push_back(manage->with.size());
        }
    return passes;
}

std::string phases(const std::vector<std::string>& of_a_step) {
    std::string text;
    for (const auto& phase : of_a_step) text += (text.empty() ? "{" : ", {") + phase + "}";
    return "phase=[" + text + "]";
}
const std::string grow = "callAll=\"field.grow\"}, {exchangeAll=\"field\"", look = "callAll=\"ant.look\"",
                  again = "callAll=\"ant.look_again\"", manage = "manageAll=\"ant\"", eat = "callAll=\"ant.eat\"",
                  nothing = "exchangeAll=\"field\"";

class JoinedSlots : public OnDevice {
protected:
    // Passes, and the hash after some steps.
    struct Made {
        Passes passes;
        std::uint64_t hash;
        std::uint64_t died, moved, refused;
    };
    [[nodiscard]] static Made made(const std::vector<std::string>& of_a_step, const std::string& more = "run.seed=3") {
        auto options = on_this();
        options.for_any_devices = true; // of which agents stand in slots on a CPU too
        WorldUnderTest world(plugin("sugarscape"),
                             {"places.field.size=[45,38]", "agents.ant.count=700", "run.steps=100", phases(of_a_step), more}, options);
        world.step_to(40);
        const auto counts = world.counters("ant");
        return {passes_of(world.setup()), world.hash(), counts.died, counts.moved, counts.refused_moves};
    }
};

TEST_P(JoinedSlots, AreWhatPassesOfTheirOwnAre) {
    const auto joined = made({grow, look, manage, eat, manage}), apart = made({grow, look, manage, nothing, eat, nothing, manage});
    EXPECT_EQ(joined.passes, (Passes{{1, 0}, {1, 1}}));
    EXPECT_EQ(apart.passes, (Passes{{2, 1}, {0, 0}}));
    EXPECT_EQ(joined.hash, apart.hash);
    EXPECT_EQ(joined.died, apart.died);
    EXPECT_EQ(joined.moved, apart.moved);
    EXPECT_EQ(joined.refused, apart.refused);
    EXPECT_GT(joined.died, 0u);
    EXPECT_GT(joined.refused, 0u);
}

TEST_P(JoinedSlots, AreThoseOfTheLastRound) {
    const auto rounds = "repeat={phases=[{" + again + "}, {" + manage + "}], times=2}";
    const auto joined = made({grow, look, manage, rounds, eat, manage}),
               apart = made({grow, look, manage, rounds, nothing, eat, nothing, manage});
    EXPECT_EQ(joined.passes, (Passes{{2, 2, 1, 0}, {0, 0, 1, 1}})) << "who looks at others needs settled slots";
    EXPECT_EQ(apart.passes, (Passes{{2, 2, 2, 1}, {0, 0, 0, 0}}));
    EXPECT_EQ(joined.hash, apart.hash);
}

TEST_P(JoinedSlots, AreNoneWhereTheFunctionIsCalledElsewhereToo) {
    EXPECT_EQ(made({grow, look, manage, eat, manage, eat, manage}).passes, (Passes{{2, 1, 1}, {0, 0, 0}}));
}

TEST_P(JoinedSlots, AreNoneWhereNotEachStepHasBoth) {
    EXPECT_EQ(made({grow, look, manage, eat + ", every=2", manage}).passes, (Passes{{2, 1}, {0, 0}}));
}

TESSERA_ON_EVERY_DEVICE(JoinedSlots);

} // namespace
} // namespace tessera::test::joined_slots_test
