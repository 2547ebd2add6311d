// Which phases run in some steps, as a key: those of two stretches are the same where the same phases run in each step, and they are short.
#include "host/schedule/schedule.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace tessera::test::activity_test {
namespace {

using run_file::Timing;

Setup setup_of(const std::vector<Timing>& timings) {
    Setup setup;
    for (const auto& timing : timings) {
        PhaseSetup phase;
        phase.timing = timing;
        setup.phases.push_back(phase);
    }
    return setup;
}

const std::vector<Timing> of_all_kinds{{1, 0, {}}, {3, 0, {}}, {2, 5, {}}, {1, 4, 9}, {4, 1, 14}, {7, 30, {}}};

// Phase by phase and step by step.
std::vector<bool> steps_of_phases(const std::vector<Timing>& timings, std::uint64_t from, std::uint64_t count) {
    std::vector<bool> all;
    for (std::uint64_t step = from; step < from + count; ++step)
        for (const auto& timing : timings) all.push_back(timing.includes(step));
    return all;
}

TEST(Activity, IsTheSameWhereTheSamePhasesRun) {
    const auto setup = setup_of(of_all_kinds);
    const Schedule schedule(setup);
    int same = 0, different = 0;
    for (std::uint64_t a = 0; a < 40; ++a)
        for (std::uint64_t count_a = 1; count_a < 8; ++count_a)
            for (std::uint64_t b = 0; b < 40; ++b)
                for (std::uint64_t count_b = 1; count_b < 8; ++count_b) {
                    const bool is_same = steps_of_phases(of_all_kinds, a, count_a) == steps_of_phases(of_all_kinds, b, count_b);
                    ASSERT_EQ(schedule.activity(a, count_a) == schedule.activity(b, count_b), is_same)
                        << count_a << " steps from " << a << ", " << count_b << " from " << b;
                    ++(is_same ? same : different);
                }
    EXPECT_GT(same, 500);
    EXPECT_GT(different, 500);
}

// A segment may have thousands of steps, and its key is made each time.
TEST(Activity, IsShort) {
    const auto setup = setup_of(std::vector<Timing>(200, {1, 0, {}}));
    EXPECT_LT(Schedule(setup).activity(0, 1 << 20).size(), 20U);
    const auto some = setup_of(of_all_kinds);
    EXPECT_LT(Schedule(some).activity(0, 1 << 20).size(), 200U);
}

} // namespace
} // namespace tessera::test::activity_test
