#include "host/bench/samples.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace tessera::bench::samples_test {
namespace {

TEST(Samples, QuartilesLieBetweenNeighbours) {
    const auto of_four = quartiles({4, 1, 3, 2});
    EXPECT_DOUBLE_EQ(of_four.low, 1.75);
    EXPECT_DOUBLE_EQ(of_four.median, 2.5);
    EXPECT_DOUBLE_EQ(of_four.high, 3.25);
    const auto of_five = quartiles({50, 10, 30, 20, 40});
    EXPECT_DOUBLE_EQ(of_five.low, 20);
    EXPECT_DOUBLE_EQ(of_five.median, 30);
    EXPECT_DOUBLE_EQ(of_five.high, 40);
    EXPECT_DOUBLE_EQ(quartiles({7}).low, 7);
    EXPECT_DOUBLE_EQ(quartiles({7}).high, 7);
}

// Steps of 10 ms: a sample of 50 ms has 8 of them, the next power of two, unless the machine is slow.
TEST(Samples, ASampleHasEnoughSteps) {
    std::vector<std::uint64_t> asked;
    Sampler sampler([&](std::uint64_t steps) {
        asked.push_back(steps);
        std::this_thread::sleep_for(std::chrono::milliseconds(10) * steps);
        return steps;
    });
    const auto found = asked.back();
    EXPECT_LE(found, 8u);
    EXPECT_GE(asked.size(), 2u);
    EXPECT_EQ(asked[asked.size() - 2], found) << "what was found is not tried twice";
    EXPECT_GE(sampler.seconds_a_step(), 0.01);
    EXPECT_EQ(asked.back(), found);
}

TEST(Samples, StepsBeyondThoseAskedForCount) {
    Sampler sampler([](std::uint64_t) {
        std::this_thread::sleep_for(std::chrono::milliseconds(60));
        return std::uint64_t{60'000'000};
    });
    EXPECT_GE(sampler.seconds_a_step(), 1e-9);
    EXPECT_LT(sampler.seconds_a_step(), 1e-6); // 60 s, if it were for one step
}

TEST(Samples, TwoTakeTurns) {
    std::string turns;
    const auto subject = [&](char name) {
        return Sampler([&turns, name](std::uint64_t steps) {
            turns += name;
            std::this_thread::sleep_for(std::chrono::milliseconds(51));
            return steps;
        });
    };
    auto a = subject('a'), b = subject('b');
    turns.clear();
    const auto samples = alternating_samples_of(a, b, 3);
    EXPECT_EQ(turns, "ababab");
    EXPECT_EQ(samples.first.size(), 3u);
    EXPECT_EQ(samples.second.size(), 3u);
}

// The first makes a step more than it is asked for.
TEST(Samples, TwoStayInStep) {
    std::uint64_t first = 0, second = 0;
    const auto samples = samples_in_step(
        [&](std::uint64_t steps) {
            EXPECT_EQ(first, second);
            std::this_thread::sleep_for(std::chrono::milliseconds(20) * steps);
            first += steps + 1;
            return steps + 1;
        },
        [&](std::uint64_t steps) {
            std::this_thread::sleep_for(std::chrono::milliseconds(10) * steps);
            second += steps;
            return steps;
        },
        3);
    EXPECT_EQ(first, second);
    EXPECT_EQ(samples.first.size(), 3u);
    EXPECT_EQ(samples.second.size(), 3u);
    for (const auto seconds : samples.second) EXPECT_GE(seconds, 0.01);
    EXPECT_GE(second, 3 * 5u) << "the shorter of two samples is long enough";
}

} // namespace
} // namespace tessera::bench::samples_test
