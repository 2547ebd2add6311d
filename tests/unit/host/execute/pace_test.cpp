// How many steps are queued at a time and when phases are measured, by a clock that goes on with each step by what the test says.
#include "host/execute/initialise.hpp"
#include "host/execute/stepper.hpp"
#include "tests/support/faulty_device.hpp"
#include "tests/support/world_under_test.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

namespace tessera::test::pace_test {
namespace {

using ::testing::ElementsAre;

class OwnClock final : public Pacer {
public:
    [[nodiscard]] Clock::time_point now() const override {
        return Clock::time_point(std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds)));
    }
    double seconds = 0;
};

// A plate whose steps take no time but by that clock. Other tests have compiled it.
class Pace : public ::testing::Test {
protected:
    explicit Pace(const std::string& phases = "")
        : prepared_(prepare({plugin("heat2d"), keys(phases), {}}, compiler())),
          device_(std::make_unique<FaultyDevice>(open_device("cpu", 1), steps_)),
          model_(prepared_.setup, {device_.get()}, compiler(), pool_, {}), timer_(model_, clock_), stepper_(model_, timer_, 0, clock_) {
        initialise(model_);
        steps_.at_launch = steps_.at_replay = [this](const Launch& launch) {
            if (launch.kernel->name() == "tessera_5_plate_diffuse") clock_.seconds += a_step_;
        };
    }
    static std::vector<std::string> keys(const std::string& phases) {
        std::vector<std::string> keys{"output=[]", "run.steps=12", "run.devices=\"cpu\"", "places.plate.size=[19,11]"};
        if (!phases.empty()) keys.push_back("phase=[" + phases + "]");
        return keys;
    }
    // How many steps were made at a time, and how far it came.
    std::vector<std::uint64_t> advance(
        std::uint64_t until, const std::function<bool()>& goes_on = [] { return true; }) {
        std::vector<std::uint64_t> made;
        auto before = stepper_.step();
        stepper_.advance(until, [&](std::uint64_t step) {
            made.push_back(step - before);
            before = step;
            return goes_on();
        });
        return made;
    }

    double a_step_ = 1e-6; // seconds
    OwnClock clock_;
    Faults steps_;
    Prepared prepared_;
    std::unique_ptr<Device> device_;
    ThreadPool pool_{1};
    LoadedModel model_;
    PhaseTimer timer_;
    Stepper stepper_;
};

TEST_F(Pace, QuickStepsAreQueuedInSegmentsAsLongAsMayBe) {
    const auto made = advance(5000);
    EXPECT_EQ(stepper_.step(), 5000u);
    EXPECT_EQ(std::accumulate(made.begin(), made.end(), std::uint64_t{0}), 5000u);
    EXPECT_EQ(made.front(), 1u) << "nothing is known of them";
    EXPECT_EQ(*std::max_element(made.begin(), made.end()), Stepper::longest_segment);
    EXPECT_LT(std::find(made.begin(), made.end(), Stepper::longest_segment) - made.begin(), 30);
}

// To plan a step may take longer than to make it.
TEST_F(Pace, WhatIsPlannedIsMadeSeveralTimesBeforeMoreIsPlanned) {
    const auto made = advance(400);
    for (std::size_t i = 0, same = 0; i + 1 < made.size(); ++i) {
        ++same;
        if (made[i + 1] <= made[i]) continue;
        EXPECT_GE(same, 4u) << "segments of " << made[i];
        same = 0;
    }
}

// One CPU goes over what is planned for some steps, however many are queued at a time.
TEST_F(Pace, FewStepsArePlannedForOneCpu) {
    std::size_t planned = 0;
    steps_.at_record = [&](const Launch&) { ++planned; };
    const auto made = advance(5000);
    EXPECT_EQ(*std::max_element(made.begin(), made.end()), Stepper::longest_segment);
    EXPECT_LT(planned, 200u) << "launches";
}

// Also behind a sample, or a halt, for which all that is queued is waited for at once.
TEST_F(Pace, SlowStepsAreQueuedOneByOne) {
    a_step_ = 0.06;
    for (const std::uint64_t until : {40, 80})
        for (const auto made : advance(until)) EXPECT_EQ(made, 1u);
}

// A segment of others takes between a quarter of 20 ms and twice that.
TEST_F(Pace, SegmentsAreAsLongAsTheirTimeSays) {
    a_step_ = 2e-4;
    const auto made = advance(4000);
    for (std::size_t i = made.size() / 2; i + 1 < made.size(); ++i) {
        if (made[i] == 1) continue; // a sample
        EXPECT_GE(static_cast<double>(made[i]) * a_step_, 0.005) << i;
        EXPECT_LE(static_cast<double>(made[i]) * a_step_, 0.04) << i;
    }
}

TEST_F(Pace, SegmentsBecomeShorterWhereStepsBecomeSlower) {
    (void)advance(3000);
    (void)advance(3001); // a sample
    a_step_ = 0.06;
    const auto made = advance(6000);
    EXPECT_EQ(made.front(), Stepper::longest_segment);
    EXPECT_EQ(made[made.size() - 2], 1u);
}

TEST_F(Pace, StepsEndWhereTheyAreToldTo) {
    EXPECT_THAT(advance(3), ElementsAre(1u, 1u, 1u));
    EXPECT_TRUE(advance(3).empty());
    EXPECT_EQ(advance(1000, [] { return false; }).size(), 1u);
    EXPECT_LT(stepper_.step(), 1000u);
}

TEST_F(Pace, AStepTakesWhatTheClockSays) {
    a_step_ = 1e-4;
    EXPECT_EQ(stepper_.step_seconds(), 0);
    (void)advance(150); // 15 ms are too short to tell
    EXPECT_EQ(stepper_.step_seconds(), 0);
    (void)advance(300); // with those before
    EXPECT_NEAR(stepper_.step_seconds(), 1e-4, 1e-9);
    a_step_ = 2e-4;
    (void)advance(1000);
    EXPECT_NEAR(stepper_.step_seconds(), 2e-4, 1e-9);
}

// The first sample is taken as soon as nothing is queued, others a second after the last.
TEST_F(Pace, PhasesAreMeasuredOnceASecond) {
    a_step_ = 0.05;
    EXPECT_TRUE(timer_.due(true));
    EXPECT_FALSE(timer_.due(false));
    (void)advance(1); // never the very first step
    EXPECT_EQ(timer_.timings().front().samples, 0u);
    (void)advance(2);
    EXPECT_EQ(timer_.timings().front().samples, 1u);
    EXPECT_FALSE(timer_.due(true));
    (void)advance(201);
    const auto& timing = timer_.timings().back();
    EXPECT_GE(timing.samples, 9u) << "10 seconds";
    EXPECT_LE(timing.samples, 11u);
    EXPECT_EQ(timing.runs, 201u);
    EXPECT_EQ(timing.name, "callAll plate.diffuse");
    EXPECT_EQ(timing.view, "rows");
    ASSERT_EQ(timer_.device_timings().size(), 1u);
    EXPECT_EQ(timer_.device_timings().front().samples, timing.samples);
    EXPECT_EQ(timer_.device_timings().front().waiting_seconds, 0) << "for nobody else";
}

class PaceOfSeveralPhases : public Pace {
protected:
    PaceOfSeveralPhases()
        : Pace(
              R"({exchangeAll="plate"},{callAll="plate.diffuse"},{repeat={times=2,phases=[{exchangeAll="plate"},{callAll="plate.diffuse"}]},every=3,from=2})") {
    }
};

// The rounds of a repeat are one phase.
TEST_F(PaceOfSeveralPhases, RunsAreCountedOfEachPhase) {
    const auto runs = [&] {
        std::vector<std::uint64_t> all;
        for (const auto& timing : timer_.timings()) all.push_back(timing.runs);
        return all;
    };
    timer_.count_runs(0, 9); // of which 2, 5 and 8 repeat
    EXPECT_THAT(runs(), ElementsAre(9u, 9u, 6u, 6u));
    timer_.count_runs(5, 1);
    EXPECT_THAT(runs(), ElementsAre(10u, 10u, 8u, 8u));
    timer_.count_runs(MadeStep{5, {PhaseId(0), PhaseId(3), PhaseId(5)}, {PhaseId(3)}});
    EXPECT_THAT(runs(), ElementsAre(11u, 10u, 8u, 10u));
    EXPECT_EQ(timer_.timings()[3].unresolved, 1u);
    PhaseTimer next(model_, clock_);
    next.count_runs(2, 1);
    next.count_on_from(timer_);
    EXPECT_EQ(next.timings()[0].runs, 12u);
    EXPECT_EQ(next.timings()[3].runs, 12u);
    EXPECT_EQ(next.timings()[3].unresolved, 1u);
}

TEST_F(PaceOfSeveralPhases, UsualStepsAreThoseBetweenTheRepeats) {
    EXPECT_EQ(stepper_.usual_steps_from(0, 10), 2u);
    EXPECT_EQ(stepper_.usual_steps_from(2, 10), 0u);
    EXPECT_EQ(stepper_.usual_steps_from(3, 10), 2u);
    EXPECT_EQ(stepper_.usual_steps_from(3, 1), 1u);
}

} // namespace
} // namespace tessera::test::pace_test
