// Which rounds of a repeat one GPU is given together, and what of them is left out where an answer is yes.
#include "host/schedule/rounds_ahead.hpp"
#include "tests/support/hand_made.hpp"
#include "tests/support/stripes.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tessera::test::rounds_ahead_test {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// A repeat of at most so many rounds; a round calls `smooth`, which reads `a` around itself and writes it, so many times.
tessera::Setup setup_of(int most, int calls, const std::string& size = "[8, 8]") {
    HandMade toy;
    const auto cell = toy.places("Cell", {hand_made_member("a")});
    toy.function(cell, "smooth", {{"a", and_writes(looking({1, 1, 1}))}});
    std::string round;
    for (int i = 0; i < calls; ++i) round += std::string(i > 0 ? ", " : "") + R"({callAll="cell.smooth"})";
    return toy.bind({"places.cell.size = " + size, "schedule.exchange = \"auto\"",
                     fmt::format(R"(phase = [{{repeat={{until='max(cell.a) > 3', most={}, phases=[{}]}}}}])", most, round)});
}

struct Given {
    std::vector<std::size_t> questions;
    std::vector<int> buffers;            // of `a`, behind each
    std::vector<bool> left_out, tell_no; // of tasks; of questions
};
// `asked`: how many questions come before.
Given given(const tessera::Setup& setup, std::size_t asked, std::size_t expected) {
    const Schedule schedule(setup);
    Placement placement{{0}, {1}};
    std::vector<Task> tasks;
    std::size_t first = 0;
    for (std::size_t met = 0;; ++first) {
        const bool is_question = std::holds_alternative<UntilPhase>(setup.phases[PhaseId(first)].action);
        if (is_question && met++ == asked) break;
    }
    schedule.append_phase(PhaseId(first), 0, 0, placement, tasks);
    Given result;
    for (const auto& question : append_rounds(setup, schedule, 0, {PhaseId(first), asked, expected}, placement, tasks)) {
        result.questions.push_back(question.phase.index());
        result.buffers.push_back(question.behind.current.front());
    }
    for (const auto& task : tasks) {
        result.left_out.push_back(task.left_out_at_yes);
        if (const auto* join = std::get_if<JoinWork>(&task.work)) result.tell_no.push_back(join->tells_no);
    }
    return result;
}

constexpr std::size_t many = 1000;

TEST(RoundsAhead, AreAsManyAsHaveSomeLaunches) {
    const auto few = given(setup_of(50, 1), 0, many); // a call, what counts, and what joins
    EXPECT_THAT(few.questions, ElementsAre(0u, 2u, 4u, 6u, 8u));
    EXPECT_THAT(given(setup_of(50, 4), 0, many).questions, ElementsAre(0u, 5u, 10u));
    EXPECT_THAT(given(setup_of(50, 30), 0, many).questions, ElementsAre(0u, 31u));
}

TEST(RoundsAhead, AreMoreTheMoreWereMade) {
    EXPECT_THAT(given(setup_of(100, 1), 40, many).questions, SizeIs(1 + 10));
    EXPECT_THAT(given(setup_of(100, 30), 40, many).questions, SizeIs(1 + 10));
}

TEST(RoundsAhead, AreNoMoreThanTheRepeatHas) {
    EXPECT_THAT(given(setup_of(2, 1), 0, many).questions, ElementsAre(0u, 2u, 4u));
    EXPECT_THAT(given(setup_of(100, 1), 99, many).questions, ElementsAre(198u, 200u));
    EXPECT_THAT(given(setup_of(100, 1), 100, many).questions, ElementsAre(200u));
}

TEST(RoundsAhead, AreNoMoreThanAreLikely) { EXPECT_THAT(given(setup_of(50, 1), 0, 3).questions, ElementsAre(0u, 2u, 4u)); }

TEST(RoundsAhead, SayWhereEachColumnIsBehindEachQuestion) {
    EXPECT_THAT(given(setup_of(50, 1), 0, many).buffers, ElementsAre(0, 1, 0, 1, 0));
    EXPECT_THAT(given(setup_of(50, 4), 0, many).buffers, Each(0));
}

TEST(RoundsAhead, AreLeftOutBehindTheFirstQuestionAndTheLastTellsANo) {
    const auto some = given(setup_of(2, 1), 0, many);
    EXPECT_THAT(some.left_out, ElementsAre(false, false, true, true, true, true, true, true));
    EXPECT_THAT(some.tell_no, ElementsAre(false, false, true));
    EXPECT_THAT(given(setup_of(2, 1), 0, 1).tell_no, ElementsAre(true));
}

TEST(RoundsAhead, AreForOneDeviceAndSmallWorlds) {
    EXPECT_THAT(obstacle_to_rounds_ahead(setup_of(2, 1)), IsEmpty());
    EXPECT_EQ(obstacle_to_rounds_ahead(over_devices(setup_of(2, 1), 2)), "several devices make the run");
    EXPECT_THAT(obstacle_to_rounds_ahead(setup_of(2, 1, "[512, 512]")), IsEmpty());
    EXPECT_THAT(obstacle_to_rounds_ahead(setup_of(2, 1, "[512, 513]")), HasSubstr("`cell` has 262656"));
}

} // namespace
} // namespace tessera::test::rounds_ahead_test
