// A run in pieces is the run in one go.
// sanitizers: address, thread
#include "tests/support/states.hpp"
#include "tests/support/world_under_test.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace tessera::test::advance_test {
namespace {

class Advance : public OnDevice {
protected:
    static WorldUnderTest world() { // whose columns change places, whose functions draw random numbers and look at the step
        return {test_model("random_walk_field"), geometry("field", reference::plane(29, 31, Boundary::torus)), on_this()};
    }
};

TEST_P(Advance, InPiecesIsInOneGo) {
    auto whole = world();
    whole.step_to(700);
    auto pieces = world();
    for (const std::uint64_t until : {1, 2, 4, 9, 40, 41, 350, 690, 700}) {
        pieces.step_to(until);
        ASSERT_EQ(pieces.step(), until);
    }
    EXPECT_EQ(pieces.hash(), whole.hash());
    pieces.step_to(700); // there already
    EXPECT_EQ(pieces.hash(), whole.hash());
    pieces.step_to(701);
    EXPECT_NE(pieces.hash(), whole.hash());
}

// What is asked whether to go on is told how far it is, and when it says no the steps counted are those made.
TEST_P(Advance, StopsWhenToldTo) {
    auto stopped = world();
    std::uint64_t last = 0;
    int left = 5;
    stopped.advance(100000, [&](std::uint64_t step) {
        EXPECT_GT(step, last);
        last = step;
        return --left > 0;
    });
    EXPECT_EQ(left, 0);
    EXPECT_EQ(stopped.step(), last);
    EXPECT_LT(last, 100000u);
    auto counted = world();
    counted.step_to(last);
    EXPECT_EQ(stopped.hash(), counted.hash());
    stopped.step_to(last + 100);
    counted.step_to(last + 100);
    EXPECT_EQ(stopped.hash(), counted.hash());
}

// What a step takes is known however few are made at a time, as between outputs that are due often.
TEST_P(Advance, KnowsItsPaceInSmallPieces) {
    auto pieces = world();
    EXPECT_EQ(pieces.simulation().step_seconds(), 0);
    while (pieces.simulation().step_seconds() == 0 && pieces.step() < 1'000'000) pieces.step_to(pieces.step() + 1);
    EXPECT_GT(pieces.simulation().step_seconds(), 0);
}

// Looking at a state changes nothing.
TEST_P(Advance, ReadingChangesNothing) {
    auto looked_at = world(), alone = world();
    for (std::uint64_t step = 0; step < 60; step += 3) {
        (void)looked_at.hash();
        (void)looked_at.values<std::uint32_t>("field", "walkers");
        looked_at.step_to(step);
    }
    looked_at.step_to(60);
    alone.step_to(60);
    EXPECT_EQ(looked_at.hash(), alone.hash());
}

// Also where nothing ever waits for the device, as an output would.
TEST_P(Advance, SamplesEveryPhase) {
    auto sampled = world();
    const auto some_samples = [&] {
        for (const auto& phase : sampled.simulation().timings())
            if (phase.samples == 0) return false;
        return true;
    };
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::minutes(2);
    sampled.advance(std::uint64_t{1} << 31, [&](std::uint64_t) { return !some_samples() && std::chrono::steady_clock::now() < give_up; });
    EXPECT_TRUE(some_samples());
    for (const auto& phase : sampled.simulation().timings()) EXPECT_EQ(phase.runs, sampled.step()) << phase.name;
}

TESSERA_ON_EVERY_DEVICE(Advance);

} // namespace
} // namespace tessera::test::advance_test
