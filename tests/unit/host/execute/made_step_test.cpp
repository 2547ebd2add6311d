// Which phases of a step are made, where the state is asked.
#include "host/execute/made_step.hpp"
#include "tests/support/hand_made.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tessera::test::made_step_test {
namespace {

using ::testing::ElementsAre;

// Two repeats of two rounds at most, one in every second step, with a phase before, between and behind them.
tessera::Setup setup_of() {
    HandMade toy;
    const auto cell = toy.places("Cell", {hand_made_member("a")});
    toy.function(cell, "tick", {{"a", changing()}});
    return toy.bind({"places.cell.size = [8, 8]", R"(phase = [{callAll="cell.tick"},
        {repeat={until='max(cell.a) > 3', most=2, phases=[{callAll="cell.tick"}]}, every=2},
        {callAll="cell.tick"}, {repeat={until='min(cell.a) > 3', most=1, phases=[{callAll="cell.tick"}]}}, {callAll="cell.tick", from=4}])"});
}

struct Made {
    std::vector<std::size_t> called, phases, unresolved;
};
// With these answers, one a question.
Made made(std::uint64_t step, std::vector<bool> answers) {
    Made result;
    std::size_t asked = 0;
    const auto phases = make_phases(
        setup_of(), step, [&](PhaseId phase) { result.called.push_back(phase.index()); }, [&] { return answers.at(asked++); });
    EXPECT_EQ(asked, answers.size());
    for (const auto phase : phases.phases) result.phases.push_back(phase.index());
    for (const auto phase : phases.unresolved) result.unresolved.push_back(phase.index());
    EXPECT_EQ(result.called, result.phases);
    return result;
}

TEST(MadeSteps, LeaveOutWhatComesBehindAYes) {
    EXPECT_THAT(made(0, {true, true}).phases, ElementsAre(0u, 1u, 6u, 7u));
    EXPECT_THAT(made(0, {false, true, true}).phases, ElementsAre(0u, 1u, 2u, 3u, 6u, 7u));
    EXPECT_THAT(made(4, {false, false, true, false, true}).phases, ElementsAre(0u, 1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u, 9u, 10u));
}

TEST(MadeSteps, SayWhichRepeatsEndedWithoutAYes) {
    EXPECT_THAT(made(0, {false, false, true, true}).unresolved, ElementsAre());
    EXPECT_THAT(made(0, {false, false, false, true}).unresolved, ElementsAre(5u));
    EXPECT_THAT(made(2, {false, false, false, false, false}).unresolved, ElementsAre(5u, 9u));
}

TEST(MadeSteps, MakeAndAskNothingOfOtherSteps) {
    EXPECT_THAT(made(1, {true}).phases, ElementsAre(0u, 6u, 7u));
    EXPECT_THAT(made(5, {false, false}).phases, ElementsAre(0u, 6u, 7u, 8u, 9u, 10u));
}

} // namespace
} // namespace tessera::test::made_step_test
