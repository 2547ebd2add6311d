// Words of reduces on partitions: where they stand, and what is said of those that could not be made.
#include "host/execute/step_words.hpp"
#include "kernels/launch/arguments.hpp"
#include "tests/support/hand_made.hpp"
#include "tests/support/hand_made_partitions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tessera::test::step_words_test {
namespace {

// As kernels/reduce/reduction.hpp has them.
constexpr std::uint32_t overflows = 1, divides_by_zero = 2, is_out_of_range = 4, is_of_nothing = 8;

HandMade toy() {
    HandMade toy;
    const auto cell = toy.places("Cell", {hand_made_member("age", Scalar::i32)});
    toy.function(cell, "tick", {{"age", changing()}});
    toy.description.values = {{"total", "", Scalar::i16}, {"rest", "", Scalar::f64}};
    return toy;
}
tessera::Setup setup_of(std::size_t partitions) {
    const auto setup =
        toy().bind({"places.cell.size = [8, 8]", R"(phase = [{reduce={total='sum(cell.age)', rest='step'}}, {callAll="cell.tick"},
        {reduce={total='count(cell)'}}, {repeat={until='max(cell.age) % step > 3', most=1, phases=[{callAll="cell.tick"}]}}])"});
    return over_devices(setup, partitions);
}

class StepWords : public ::testing::TestWithParam<std::size_t> {
protected:
    StepWords() : of_(GetParam()), setup_(setup_of(GetParam())) { make_step_words(of_.partitions, setup_); }
    [[nodiscard]] Partitions& partitions() { return of_.partitions; }

    HandMadePartitions of_;
    tessera::Setup setup_;
};

// The step's number, the fault, the decision, what is sent too late and what is left out, two values, and four words of each partition for
// a sum, two for a count, four for a maximum.
TEST_P(StepWords, StandOneBehindTheOther) {
    const auto all = GetParam();
    for (auto& partition : partitions()) {
        EXPECT_EQ(partition.step.size(), (8 + 2 + all * (4 + 2 + 4)) * 8);
        EXPECT_EQ(words_of(partition, setup_, ReductionId(0)) - partition.step_counter(), 10);
        EXPECT_EQ(words_of(partition, setup_, ReductionId(1)) - partition.step_counter(), static_cast<std::ptrdiff_t>(10 + 4 * all));
        EXPECT_EQ(words_of(partition, setup_, ReductionId(2)) - partition.step_counter(), static_cast<std::ptrdiff_t>(10 + 6 * all));
    }
    EXPECT_EQ(partitions().front().shared.size(), all > 1 ? partitions().front().step.size() : 0);
}

// What each has added up goes to the host, and from there that of all to each.
TEST_P(StepWords, OfAllPartitionsComeToEach) {
    if (GetParam() == 1) return; // which copies nothing
    const ReductionId count(1);
    for (std::size_t p = 0; p < partitions().size(); ++p) {
        auto* const own = words_of(partitions()[p], setup_, count) + 2 * p;
        own[0] = 100 + p, own[1] = 200 + p;
    }
    for (const bool to_all : {true, false})
        for (std::size_t p = 0; p < partitions().size(); ++p) {
            const auto copy = copy_of_words(partitions(), setup_, {count, to_all}, p);
            std::memcpy(copy.to, copy.from, copy.bytes);
        }
    for (const auto& partition : partitions()) {
        const auto* const words = words_of(partition, setup_, count);
        for (std::size_t p = 0; p < partitions().size(); ++p) {
            EXPECT_EQ(words[2 * p], 100 + p);
            EXPECT_EQ(words[2 * p + 1], 200 + p);
        }
        EXPECT_EQ(words[-1], 0u) << "of other reduces nothing";
        EXPECT_EQ(words[2 * partitions().size()], 0u);
    }
}

TEST_P(StepWords, SayWhatCouldNotBeMade) {
    EXPECT_FALSE(find_reduce_fault(partitions(), setup_));
    auto* const words = partitions().front().step_counter() + reduce_fault_word;
    words[0] = launch_number(17, 3); // the third phase
    words[1] = std::uint64_t{5} << 32 | is_out_of_range;
    words[2] = static_cast<std::uint64_t>(std::int64_t{-40000});
    const auto fault = find_reduce_fault(partitions(), setup_);
    ASSERT_TRUE(fault);
    EXPECT_EQ(fault->phase, PhaseId(2));
    EXPECT_EQ(fault->step, 17u);
    EXPECT_EQ(fault->value, 5u);
    EXPECT_EQ(fault->what, is_out_of_range);
    EXPECT_EQ(fault->whole, -40000);
}

INSTANTIATE_TEST_SUITE_P(Partitions, StepWords, ::testing::Values(1, 3));

TEST(ReduceFaults, AreToldInTheWordsOfTheRunFile) {
    const auto setup = setup_of(1);
    const auto told = [&](PhaseId phase, std::uint32_t what, std::int64_t whole = 0) {
        return what_fails([&] { tell_fault(setup, ReduceFault{phase, 17, 0, what, whole}); });
    };
    EXPECT_EQ(told(PhaseId(0), is_out_of_range, 40000),
              "run.toml:3:25: `sum(cell.age)` is 40000 in step 17, reduce total, rest (total is int16) declare it with a larger type");
    EXPECT_EQ(told(PhaseId(0), overflows), "run.toml:3:25: `sum(cell.age)` does not fit in step 17, reduce total, rest (integers here have "
                                           "64 bits, with a sign) multiply by 1.0 to compute in double");
    EXPECT_EQ(told(PhaseId(0), is_of_nothing), "run.toml:3:25: `sum(cell.age)` goes over no agents in step 17, reduce total, rest (the "
                                               "result is then not a number, and total is int16) declare TESSERA_GLOBAL(double, total)");
    EXPECT_EQ(told(PhaseId(3), divides_by_zero | overflows),
              "run.toml:4:56: `max(cell.age) % step > 3` takes a remainder of a division by 0 in step 17, until max(cell.age) % step > 3");
}

} // namespace
} // namespace tessera::test::step_words_test
