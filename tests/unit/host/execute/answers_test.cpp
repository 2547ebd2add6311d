// What a device puts where an `until` is answered, and what the host takes from there.
#include "device_runtime/error.hpp"
#include "host/execute/answers.hpp"
#include "host/execute/step_words.hpp"
#include "kernels/launch/arguments.hpp"
#include "tests/support/hand_made.hpp"
#include "tests/support/hand_made_partitions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tessera::test::answers_test {
namespace {

class AnswersOf : public ::testing::TestWithParam<std::size_t> {
protected:
    AnswersOf() : of_(GetParam()), setup_(over_devices(toy().bind({"places.cell.size = [8, 8]"}), GetParam())) {
        make_step_words(of_.partitions, setup_);
        answers_.emplace(of_.partitions);
    }
    static HandMade toy() {
        HandMade toy;
        toy.function(toy.places("Cell", {hand_made_member("age", Scalar::i32)}), "tick", {{"age", changing()}});
        return toy;
    }
    // As the kernel of a question does on a partition.
    void answer(std::size_t partition, std::uint64_t what) const {
        *reinterpret_cast<std::uint64_t*>(of_.partitions[partition].step_counter()[answer_word]) = what;
    }

    HandMadePartitions of_;
    tessera::Setup setup_;
    std::optional<Answers> answers_;
};

TEST_P(AnswersOf, AreThoseOfTheLastQuestion) {
    for (const bool yes : {true, false, true}) {
        for (std::size_t p = 0; p < GetParam(); ++p) answer(p, yes ? answered_yes : answered_no);
        EXPECT_EQ(answers_->take(), yes);
    }
}

TEST_P(AnswersOf, SayWhichOfSeveralQuestionsHolds) {
    for (std::size_t p = 0; p < GetParam(); ++p) answer(p, answer_to_until(answered_yes, 300));
    EXPECT_EQ(answers_->take_yes(), PhaseId(299));
    for (std::size_t p = 0; p < GetParam(); ++p) answer(p, answer_to_until(answered_no, 300));
    EXPECT_EQ(answers_->take_yes(), std::nullopt);
}

TEST_P(AnswersOf, MayBeMissingWhereOnlyAYesIsTold) {
    EXPECT_EQ(answers_->take_number(), std::nullopt);
    answer(0, answer_to_until(answered_yes, 5));
    EXPECT_EQ(answers_->take_number(), 5U);
    EXPECT_EQ(answers_->take_number(), std::nullopt);
}

TEST_P(AnswersOf, AreTakenOnce) {
    answer(0, answered_yes);
    EXPECT_TRUE(answers_->take());
    EXPECT_THROW((void)answers_->take(), Error);
}

TEST_P(AnswersOf, ThatNobodyAskedForAreForgotten) {
    for (std::size_t p = 0; p < GetParam(); ++p) answer(p, answered_yes);
    answers_->forget();
    try {
        (void)answers_->take();
        FAIL() << "there is none";
    } catch (const Error& error) {
        EXPECT_THAT(error.what(), ::testing::HasSubstr("an `until` was not answered"));
    }
}

INSTANTIATE_TEST_SUITE_P(Partitions, AnswersOf, ::testing::Values(1, 3));

} // namespace
} // namespace tessera::test::answers_test
