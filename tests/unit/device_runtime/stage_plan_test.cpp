// What stages of fused steps need of each other, against plans made by hand. Host and kernels share the code.
#include "kernels/fused/stage_plan.hpp"
#include "kernels/fused/word_layout.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace tessera::test::stage_plan_test {
namespace {

struct Plan {
    std::vector<std::vector<stage_use>> use;
    std::vector<int> lag;
    std::array<std::vector<int>, 3> low, high;
    std::vector<std::vector<int>> version_of;
    std::vector<std::vector<version_plan>> version;
    std::vector<bool> written;
};
using Columns = std::vector<std::vector<int>>;

stage_use reads(int low, int high) { return {true, false, {low, low, 0}, {high, high, 0}, {}, {}}; }
stage_use writes(stage_use use = {}) {
    use.writes = true;
    return use;
}
Plan planned(const std::vector<std::vector<stage_use>>& use, const Columns& column, bool mirrored = false) {
    const auto stages = use.size(), members = use.front().size();
    Plan plan{use, std::vector<int>(stages), {}, {}, {}, {}, std::vector<bool>(members)};
    plan.low.fill(plan.lag), plan.high.fill(plan.lag);
    plan.version_of.assign(stages, std::vector<int>(members));
    plan.version.assign(stages + 1, std::vector<version_plan>(members));
    std::vector<int> newest(members);
    const bool everywhere[] = {mirrored, mirrored, mirrored};
    complete_plan(plan, {static_cast<int>(stages), static_cast<int>(members)}, column, newest, everywhere);
    return plan;
}

// Three steps that see a row above and a row below: each is one row behind the one before, and keeps three of its rows.
TEST(StagePlan, EachStageIsBehindTheOneBeforeByWhatItSeesBelow) {
    const auto plan = planned({3, {writes(reads(1, 1))}}, {3, {0}});
    EXPECT_EQ(plan.lag, (std::vector{1, 2, 3}));
    EXPECT_EQ(plan.low[1], (std::vector{1, 2, 3}));
    for (const int made : {0, 1, 2}) {
        EXPECT_EQ(plan.version[made][0].depth, 3) << made;
        EXPECT_EQ(plan.version[made][0].lag, made);
        EXPECT_EQ(plan.version[made][0].loaded, made == 0);
        EXPECT_EQ(plan.version_of[made][0], made);
    }
    EXPECT_TRUE(plan.version[3][0].last);
    EXPECT_EQ(last_reader(plan, {3, 1}, Columns{{0}, {0}, {0}}, 1, 0), 1);
    EXPECT_EQ(last_reader(plan, {3, 1}, Columns{{0}, {0}, {0}}, 3, 0), -1);
}

// The wave: `now` sees around itself, `before` is written, and the two change names after each step.
TEST(StagePlan, ColumnsThatRotateAreFollowed) {
    const Columns column{{0, 1}, {1, 0}};
    const auto plan = planned({2, {reads(1, 1), writes(reads(0, 0))}}, column);
    EXPECT_EQ(plan.lag, (std::vector{1, 2}));
    EXPECT_EQ(plan.version_of, (std::vector<std::vector<int>>{{0, 0}, {1, 0}}));
    EXPECT_EQ(plan.version[1][1].depth, 3) << "what the first step wrote is what the second sees around itself";
    EXPECT_EQ(plan.version[0][0].depth, 3) << "from the row below the first step's to the one above, which is the second step's own";
    EXPECT_EQ(plan.version[0][1].depth, 1);
    EXPECT_TRUE(plan.version[1][1].last && plan.version[2][0].last);
}

TEST(StagePlan, AMirrorSeesBothWays) {
    const auto plain = planned({2, {writes(reads(2, 0))}}, {2, {0}}), mirrored = planned({2, {writes(reads(2, 0))}}, {2, {0}}, true);
    EXPECT_EQ(plain.lag, (std::vector{0, 0}));
    EXPECT_EQ(mirrored.lag, (std::vector{2, 4}));
    EXPECT_EQ(mirrored.high[0], (std::vector{2, 4}));
}

// Registers are dearer than the cache.
TEST(StagePlan, WhatNobodyWritesIsLoadedByEachStage) {
    const auto plan = planned({2, {reads(0, 0), writes(reads(1, 1))}}, {2, {0, 1}});
    EXPECT_EQ(plan.version_of[0][0], 1);
    EXPECT_EQ(plan.version_of[1][0], 2);
    EXPECT_TRUE(plan.version[1][0].loaded && plan.version[2][0].loaded);
    EXPECT_EQ(plan.version[2][0].lag, 2);
    EXPECT_FALSE(plan.written[0]);
}

TEST(WordLayout, RowsAreWholeLines) {
    EXPECT_EQ(words_across(32), 1);
    EXPECT_EQ(words_across(33), 2);
    EXPECT_EQ(row_words(33), 32);
    EXPECT_EQ(row_words(1024), 32);
    EXPECT_EQ(row_words(1025), 64);
}

} // namespace
} // namespace tessera::test::stage_plan_test
