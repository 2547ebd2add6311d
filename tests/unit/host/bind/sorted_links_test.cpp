// The order of links, against one that compares them.
#include "device_runtime/thread_pool.hpp"
#include "host/bind/sorted_links.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <tuple>
#include <vector>

namespace tessera::test::sorted_links_test {
namespace {

using ::testing::ElementsAre;

struct Given {
    std::int32_t from, to, number;
};

std::vector<Given> drawn(std::size_t count, std::int32_t highest, bool is_directed, std::mt19937& dice) {
    std::uniform_int_distribution<std::int32_t> end(0, highest);
    std::vector<Given> links;
    for (std::size_t i = 0; i < count; ++i) {
        links.push_back({end(dice), end(dice), static_cast<std::int32_t>(i)});
        if (!is_directed && links.back().from > links.back().to && i % 2 == 0) std::swap(links.back().from, links.back().to);
    }
    return links;
}

LinkTable table_of(const std::vector<Given>& links) {
    LinkTable table;
    auto& column = table.columns.emplace_back();
    column.values.resize(links.size() * sizeof(std::int32_t));
    for (std::size_t i = 0; i < links.size(); ++i) {
        table.from.push_back(links[i].from);
        table.to.push_back(links[i].to);
        std::memcpy(column.values.data() + i * sizeof(std::int32_t), &links[i].number, sizeof(std::int32_t));
    }
    return table;
}

TEST(SortedLinks, AreInTheOrderOfTheirEndsAndTheirAge) {
    std::mt19937 dice(5);
    ThreadPool pool(3); // of which the last count is cut for each
    for (const bool is_directed : {true, false})
        for (const std::int32_t highest : {0, 1, 40, 2047, 2048, 5000, 0x7fffffff})
            for (const std::size_t count : {0, 1, 2, 700, 150000}) {
                auto expected = drawn(count, highest, is_directed, dice);
                const auto sorted = sorted_links(
                    table_of(expected), {is_directed, true, true}, [](std::int64_t, std::int64_t) { FAIL() << "all are welcome"; }, pool);
                if (!is_directed)
                    for (auto& link : expected)
                        if (link.from > link.to) std::swap(link.from, link.to);
                std::stable_sort(expected.begin(), expected.end(),
                                 [](const Given& a, const Given& b) { return std::tuple(a.to, a.from) < std::tuple(b.to, b.from); });
                const auto again = table_of(expected);
                ASSERT_EQ(sorted.from, again.from) << highest << " " << count;
                ASSERT_EQ(sorted.to, again.to) << highest << " " << count;
                ASSERT_EQ(sorted.columns.front().values, again.columns.front().values) << highest << " " << count;
            }
}

TEST(SortedLinks, AreWithoutThoseThatAreRefusedWhichAreToldInTheOrderGiven) {
    ThreadPool pool(2);
    const auto table = table_of({{3, 1, 0}, {2, 2, 1}, {1, 3, 2}, {5, 0, 3}, {3, 1, 4}, {5, 0, 5}});
    std::vector<std::tuple<std::int64_t, std::int64_t>> told;
    const Refused tell = [&](std::int64_t link, std::int64_t twin) { told.emplace_back(link, twin); };
    EXPECT_THAT(sorted_links(table, {true, false, false}, tell, pool).from, ElementsAre(5, 3, 1));
    EXPECT_THAT(told, ElementsAre(std::tuple(1, -1), std::tuple(4, 0), std::tuple(5, 3)));
    told.clear();
    EXPECT_THAT(sorted_links(table, {false, false, true}, tell, pool).from, ElementsAre(2, 1, 0));
    EXPECT_THAT(told, ElementsAre(std::tuple(2, 0), std::tuple(4, 0), std::tuple(5, 3)));
}

} // namespace
} // namespace tessera::test::sorted_links_test
