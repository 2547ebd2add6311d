// Who has to stay of many who want to go to the same places, beside a plain map of who wants to go where.
#include "host/manage/list_crowd.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

namespace tessera::test::list_crowd_test {
namespace {

TEST(ListCrowds, AllButTheFirstByPriorityStay) {
    std::mt19937 dice(5);
    const auto below = [&](std::int64_t n) { return static_cast<std::int32_t>(dice() % static_cast<std::uint64_t>(n)); };
    ListCrowd crowd; // as a run has it: from launch to launch
    for (const std::int64_t places : {1, 2, 255, 256, 257, 70000, 17000000})
        for (const int rivals : {0, 1, 2, 63, 64, 300, 3000}) {
            const int most = 1 + below(4), wanted = 1 + below(2 * rivals + 1); // places that somebody wants
            std::map<std::int32_t, std::uint8_t> taken;
            std::vector<std::uint8_t> count(static_cast<std::size_t>(places));
            for (int i = 0; i < wanted; ++i) {
                const auto place = below(places);
                taken[place] = count[static_cast<std::size_t>(place)] = static_cast<std::uint8_t>(below(most + 2)); // over capacity, too
            }
            std::map<std::int32_t, std::map<std::uint64_t, std::int32_t>> goers; // of a place, by priority
            crowd.rivals.clear();
            for (std::int32_t agent = 0; agent < rivals; ++agent) {
                const auto place = std::next(taken.begin(), below(std::ssize(taken)))->first;
                const auto priority = (std::uint64_t{dice()} << 32) | static_cast<std::uint32_t>(agent);
                crowd.rivals.push_back({place, agent, priority});
                goers[place][priority] = agent;
            }
            std::set<std::int32_t> expected, found;
            for (const auto& [place, of_place] : goers) {
                int room = most - taken[place];
                for (const auto& [priority, agent] : of_place)
                    if (room-- <= 0) expected.insert(agent);
            }
            const auto refused = refuse_last(crowd, places, count.data(), most, [&](std::int32_t agent) { found.insert(agent); });
            EXPECT_EQ(found, expected) << places << " places, " << rivals << " rivals";
            EXPECT_EQ(refused, expected.size());
        }
}

TEST(SortingByDigits, KeepsTheOrderOfEqualOnes) {
    std::mt19937 dice(6);
    using Pair = std::pair<std::int32_t, int>; // by the first
    std::vector<Pair> all, other;
    for (const std::int64_t end : {1, 2, 256, 257, 65536, 65537, 1 << 30}) {
        all.clear();
        for (int i = 0; i < 1000; ++i) all.emplace_back(static_cast<std::int32_t>(dice() % static_cast<std::uint64_t>(end)), i);
        auto expected = all;
        std::stable_sort(expected.begin(), expected.end(), [](const Pair& a, const Pair& b) { return a.first < b.first; });
        sort_by_digits(all, other, end, [](const Pair& one) { return one.first; });
        EXPECT_EQ(all, expected) << end;
    }
}

} // namespace
} // namespace tessera::test::list_crowd_test
