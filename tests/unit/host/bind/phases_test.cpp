// Phases of a run file as those of a setup: rounds of repeats, numbers of calls, and which kernels there are.
#include "tests/support/hand_made.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tessera::test::phases_test {
namespace {

using ::testing::ElementsAre;

HandMade toy() {
    HandMade toy;
    const auto cell = toy.places("Cell", {hand_made_member("a"), hand_made_member("b")});
    toy.function(cell, "tick", {{"a", changing()}});
    toy.function(cell, "look", {{"a", looking({1, 1, 1})}, {"b", writing()}});
    toy.function(cell, "start", {{"b", writing()}}).is_init = true;
    return toy;
}
Setup setup_of(const std::string& phases, const std::string& more = "", Functions functions = Functions::called) {
    std::vector<std::string> keys{"places.cell.size = [8, 8]", more};
    if (!phases.empty()) keys.push_back("phase = [" + phases + "]");
    return toy().bind(keys, functions);
}

TEST(Phases, CountTheCallsOfAFunctionInAStep) {
    const auto setup = setup_of(R"({callAll="cell.tick"}, {callAll="cell.look"}, {callAll="cell.tick"}, {callAll="cell.tick", every=2})");
    std::vector<int> calls;
    for (const auto& phase : setup.phases) calls.push_back(phase.call_in_step);
    EXPECT_THAT(calls, ElementsAre(0, 0, 1, 2));
    std::vector<std::size_t> kernels;
    for (const auto& phase : setup.phases) kernels.push_back(std::get<CallPhase>(phase.action).kernel.index());
    EXPECT_EQ(kernels[0], kernels[2]);
    EXPECT_NE(kernels[0], kernels[1]);
}

// A question before each of two rounds and one behind them; then one more phase.
TEST(Phases, OfARepeatSayWhereItGoesOn) {
    const auto setup = setup_of(
        R"({repeat={until='max(cell.a) > 3', most=2, phases=[{callAll="cell.tick"}, {callAll="cell.look"}]}, every=5}, {callAll="cell.tick"})");
    std::vector<std::string> text;
    for (const auto id : setup.phases.ids()) {
        const auto& phase = setup.phases[id];
        std::string line = std::to_string(phase.timing.every) + " " + phase.name;
        if (const auto* until = std::get_if<UntilPhase>(&phase.action))
            line += " -> " + std::to_string(until->behind.index()) + (until->is_last ? " last" : "");
        if (phase.first_round) line += ", as " + std::to_string(phase.first_round->index());
        if (phase.perhaps_round) line += ", in round " + std::to_string(phase.perhaps_round->number);
        text.push_back(line);
    }
    EXPECT_THAT(text,
                ElementsAre("5 until max(cell.a) > 3 -> 7", "5 callAll cell.tick, in round 0", "5 callAll cell.look, in round 0",
                            "5 until max(cell.a) > 3 -> 7, as 0", "5 callAll cell.tick, as 1, in round 1",
                            "5 callAll cell.look, as 2, in round 1", "5 until max(cell.a) > 3 -> 7 last, as 0", "1 callAll cell.tick"));
    EXPECT_TRUE(setup.asks_state());
    EXPECT_TRUE(setup.asks_state_in(10));
    EXPECT_FALSE(setup.asks_state_in(11));
}

TEST(Phases, OfARepeatByTimesAreAllMade) {
    const auto setup = setup_of(R"({repeat={times=3, phases=[{callAll="cell.tick"}]}})");
    ASSERT_EQ(setup.phases.size(), 3u);
    for (const auto& phase : setup.phases) EXPECT_FALSE(phase.perhaps_round);
    EXPECT_EQ(setup.phases[PhaseId(2)].first_round, PhaseId(0));
    EXPECT_EQ(setup.phases[PhaseId(2)].call_in_step, 2);
    EXPECT_FALSE(setup.asks_state());
}

TEST(Phases, ThatNobodyGivesAreAllFunctionsInTheirOrder) {
    const auto setup = setup_of("");
    std::vector<std::string> names;
    for (const auto& phase : setup.phases) names.push_back(phase.name);
    EXPECT_THAT(names, ElementsAre("callAll cell.tick", "callAll cell.look"));
    EXPECT_EQ(setup.modes().exchange, run_file::ExchangeMode::automatic);
}

std::vector<std::string> kernels_of(const Setup& setup) {
    std::vector<std::string> names;
    for (const auto& kernel : setup.kernels) names.push_back(kernel.name);
    return names;
}

TEST(Kernels, AreOfInitFunctionsAndOfWhatIsCalled) {
    const std::string calls = R"({callAll="cell.look"})";
    EXPECT_THAT(kernels_of(setup_of(calls)), ElementsAre("cell.start", "cell.look"));
    EXPECT_THAT(kernels_of(setup_of(calls, "", Functions::all)), ElementsAre("cell.start", "cell.look", "cell.tick"));
    EXPECT_THAT(setup_of(calls).init_kernels, ElementsAre(KernelId(0)));
    EXPECT_THAT(kernels_of(setup_of(calls, "places.cell.init.b = 4")), ElementsAre("cell.look")) << "the run file gives all that it writes";
    EXPECT_THAT(kernels_of(setup_of(calls, "places.cell.init.a = 4")), ElementsAre("cell.start", "cell.look"));
}

std::string fails(const std::string& phases) {
    return what_fails([&] { (void)setup_of(phases); });
}

TEST(Phases, AreRefusedWithWhatIsWrong) {
    EXPECT_EQ(fails(R"({callAll="cell.tock"})"),
              "run.toml:4:19: `cell` has no function `tock` (it has tick and look) did you mean `tick`?");
    EXPECT_EQ(fails(R"({callAll="cell.start"})"), "run.toml:4:19: `start` is not for a phase (it is a TESSERA_INIT function and runs once, "
                                                  "before the first step) call a TESSERA_CALL function");
    EXPECT_EQ(fails(R"({manageAll="cell"})"), "run.toml:4:21: manageAll of `cell` has nothing to manage (the run has no agents, and "
                                              "manageAll is for agents) remove the phase, or add [agents.NAME]");
}

TEST(Phases, DoNotCallInALineWhatLooksUp) {
    EXPECT_EQ(what_fails([] { (void)toy().bind({"places.cell.size = [8]", R"(phase = [{callAll="cell.tick"}])"}); }), "");
    auto up = toy();
    for (auto& low : up.description.functions[1].accesses[0].use.low) low[1] = 1;
    EXPECT_EQ(what_fails([&] {
                  (void)up.bind({"places.cell.size = [8]", R"(phase = [{callAll="cell.look"}])"});
              }),
              "run.toml:3:19: cell.look needs more dimensions than places.cell has (it reads neighbours along y, and `size` has 1 extent) "
              "give `size` more extents");
}

} // namespace
} // namespace tessera::test::phases_test
