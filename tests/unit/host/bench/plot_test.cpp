#include "host/bench/plot.hpp"
#include "tests/unit/host/bench/fixed_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

namespace tessera::bench::plot_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

std::vector<std::string> captures(const std::string& text, const std::string& pattern) {
    const std::regex expression(pattern);
    std::vector<std::string> found;
    for (std::sregex_iterator match(text.begin(), text.end(), expression), end; match != end; ++match) found.push_back((*match)[1]);
    return found;
}

// Fails unless every element is closed in its turn, and text and attributes hold no character that XML keeps for itself.
void expect_well_formed(const std::string& text) {
    std::vector<std::string> open;
    const std::regex tag(R"(<\?[^?]*\?>|<(/?)([a-z]+)((?: [a-zA-Z0-9-]+="[^"<>]*")*) ?(/?)>)");
    std::string between;
    auto end = text.cbegin();
    for (std::sregex_iterator match(text.begin(), text.end(), tag), last; match != last; ++match) {
        between += std::string(end, (*match)[0].first);
        end = (*match)[0].second;
        if ((*match)[2].length() == 0) continue;
        if ((*match)[1].length() > 0) {
            ASSERT_FALSE(open.empty());
            EXPECT_EQ(open.back(), (*match)[2].str());
            open.pop_back();
        } else if ((*match)[4].length() == 0)
            open.push_back((*match)[2]);
    }
    between += std::string(end, text.cend());
    EXPECT_TRUE(open.empty());
    EXPECT_EQ(between.find_first_of("<>"), std::string::npos) << between;
    EXPECT_FALSE(std::regex_search(between, std::regex("&(?!amp;|lt;|gt;|quot;)"))) << between;
}

TEST(Plot, HasALineForEachKind) {
    const auto plot = plot_of(fixed_report());
    ASSERT_TRUE(plot);
    ASSERT_EQ(plot->series.size(), 3u);
    EXPECT_EQ(plot->series[0].name, "by hand");
    EXPECT_THAT(plot->series[0].points, ElementsAre(Pair(1e4, ::testing::DoubleEq(5e9)), Pair(1e6, ::testing::DoubleEq(1.25e11))))
        << "the first kernel by hand alone";
    EXPECT_EQ(plot->series[1].name, "window");
    EXPECT_THAT(plot->series[1].points, ElementsAre(Pair(1e4, ::testing::DoubleNear(6.667e9, 1e7)), Pair(1e6, ::testing::DoubleEq(2e11))))
        << "the fastest of its kind";
    EXPECT_EQ(plot->series[2].name, "direct");
    EXPECT_EQ(plot->series[2].points.size(), 1u);
    ASSERT_TRUE(plot->level);
    EXPECT_DOUBLE_EQ(plot->level->y, 5e11);
}

TEST(Plot, HasALineForKernelsByHandOfSeveralSteps) {
    auto report = fixed_report();
    report.rows.insert(report.rows.begin() + 2, {row(100, "by hand, fused", "by hand, fused.cu, 8 steps", 0.5),
                                                 row(100, "by hand, fused", "by hand, other.cu, 4 steps", 0.25)});
    const auto plot = plot_of(report);
    ASSERT_TRUE(plot);
    ASSERT_EQ(plot->series.size(), 4u);
    EXPECT_EQ(plot->series[1].name, "by hand, fused");
    EXPECT_THAT(plot->series[1].points, ElementsAre(Pair(1e4, ::testing::DoubleEq(2e10)))) << "the first alone";
}

TEST(Plot, OfNothingIsNone) {
    auto report = fixed_report();
    for (auto& row : report.rows) row.step_seconds.reset();
    EXPECT_FALSE(plot_of(report));
}

TEST(Plot, IsWellFormed) {
    const auto text = svg(*plot_of(fixed_report()));
    EXPECT_THAT(text, HasSubstr("GPU &lt;fast&gt; &amp; &quot;large&quot;"));
    expect_well_formed(text);
    auto one_size = fixed_report();
    one_size.rows.resize(1);
    expect_well_formed(svg(*plot_of(one_size)));
    EXPECT_THAT(svg(*plot_of(one_size)), ::testing::Not(HasSubstr("nan")));
}

// Ten times more is the same way further on a logarithmic axis, and everything is within the frame.
TEST(Plot, AxesAreLogarithmic) {
    Plot plot;
    plot.title = "t";
    plot.x_ticks = {{1e2, "a"}, {1e3, "b"}, {1e4, "c"}};
    plot.series = {{"s", {{1e2, 1e6}, {1e3, 1e7}, {1e4, 1e8}}}};
    const auto text = svg(plot);
    std::vector<double> x, y;
    for (const auto& value : captures(text, "<circle cx=\"([0-9.]+)\"")) x.push_back(std::stod(value));
    for (const auto& value : captures(text, "cy=\"([0-9.]+)\"")) y.push_back(std::stod(value));
    ASSERT_EQ(x.size(), 3u);
    ASSERT_EQ(y.size(), 3u);
    EXPECT_NEAR(x[1] - x[0], x[2] - x[1], 0.11);
    EXPECT_NEAR(y[1] - y[0], y[2] - y[1], 0.11);
    EXPECT_LT(x[0], x[1]);
    EXPECT_GT(y[0], y[1]) << "upward";
    for (const double value : x) EXPECT_TRUE(value > 80 && value < 640) << value;
    for (const double value : y) EXPECT_TRUE(value > 50 && value < 410) << value;
    EXPECT_THAT(captures(text, ">([0-9]+ [kMG])<"), ElementsAre("1 M", "2 M", "5 M", "10 M", "20 M", "50 M", "100 M"));
}

} // namespace
} // namespace tessera::bench::plot_test
