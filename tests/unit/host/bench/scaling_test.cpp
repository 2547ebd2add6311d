// What is said of several devices beside one.
#include "host/bench/scaling.hpp"
#include "tests/unit/host/bench/fixed_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tessera::bench::scaling_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

Row on(int devices, const Size& size, const std::string& kind, double microseconds) {
    auto result = row(1, kind, kind, microseconds);
    result.size = size;
    result.places = size[0] * size[1];
    result.devices = devices;
    return result;
}

Report of_two() {
    auto report = fixed_report();
    report.devices.push_back(report.devices[0]);
    report.devices[1].name = "cuda:1";
    report.rows = {on(1, {100, 100}, "by hand", 1),  on(1, {100, 100}, "window", 8),    on(1, {100, 100}, "direct", 10),
                   on(1, {100, 100}, "pipeline", 4), on(2, {100, 100}, "window", 5),    on(2, {100, 100}, "direct", 4),
                   on(2, {100, 100}, "patch", 2.5),  on(2, {100, 200}, "window", 8.25), on(2, {100, 200}, "pipeline", 1)};
    report.rows.back().state = "differs";
    return report;
}

TEST(Scaling, TheFastestOfAKindIsComparedWithTheFastestOnOneDevice) {
    const auto scaling = scaling_of(of_two());
    ASSERT_EQ(scaling.size(), 3u);
    EXPECT_FALSE(scaling[0].weak || scaling[0].fused);
    EXPECT_DOUBLE_EQ(scaling[0].gain, 2); // 8 -> 4
    EXPECT_DOUBLE_EQ(scaling[0].efficiency(), 1);
    EXPECT_TRUE(scaling[1].fused && !scaling[1].weak);
    EXPECT_DOUBLE_EQ(scaling[1].gain, 1.6); // 4 -> 2.5
    EXPECT_TRUE(scaling[2].weak && !scaling[2].fused) << "another state is compared with nothing";
    EXPECT_DOUBLE_EQ(scaling[2].gain, 2 * 8 / 8.25);
    EXPECT_EQ(scaling[2].size, (Size{100, 100}));
}

TEST(Scaling, OfOneDeviceThereIsNone) {
    EXPECT_THAT(scaling_of(fixed_report()), IsEmpty());
    EXPECT_THAT(scaling_table({}), IsEmpty());
    EXPECT_FALSE(scaling_plot(fixed_report(), {}));
}

TEST(Scaling, IsATableAndAPlot) {
    const auto report = of_two();
    const auto scaling = scaling_of(report);
    EXPECT_THAT(scaling_table(scaling), HasSubstr(R"(
strong, 100 x 100, one at a time        2       4.00    8.00  2.00     100 %
strong, 100 x 100, fused                2       2.50    4.00  1.60      80 %
weak, 100 x 100, one at a time          2       8.25    8.00  1.94      97 %
)"));
    const auto plot = scaling_plot(report, scaling);
    ASSERT_TRUE(plot);
    ASSERT_EQ(plot->series.size(), 4u);
    EXPECT_THAT(plot->series[1].points, ElementsAre(Pair(1, 1), Pair(2, 1.6)));
    EXPECT_THAT(plot->series[3].points, ElementsAre(Pair(1, 1), Pair(2, 2)));
}

TEST(Scaling, AWeakGridIsLongerAlongItsLastAxis) {
    EXPECT_EQ(weak_size({30, 20}, 3), (Size{30, 60}));
    EXPECT_EQ(weak_size({30, 20, 10}, 2), (Size{30, 20, 20}));
}

TEST(Scaling, WhatIsFastestIsSoAmongAsManyDevices) {
    auto rows = of_two().rows;
    mark_fastest(rows);
    std::vector<std::size_t> fastest;
    for (std::size_t i = 0; i < rows.size(); ++i)
        if (rows[i].fastest) fastest.push_back(i);
    EXPECT_THAT(fastest, ElementsAre(3, 6, 7));
}

} // namespace
} // namespace tessera::bench::scaling_test
