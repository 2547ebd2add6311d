// sanitizers: address, thread
#include "host/world/sort_by_key.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

namespace tessera::sort_by_key_test {
namespace {

using Pairs = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

Pairs pairs_of(const std::vector<Keyed>& all) {
    Pairs pairs;
    for (const auto& one : all) pairs.emplace_back(one.key, one.number);
    return pairs;
}

TEST(SortByKey, HasOneOrderForAnyNumberOfThreads) {
    std::mt19937_64 random(5);
    for (const std::size_t count : {0, 1, 2, 1000, 300'000})
        for (const std::uint64_t keys : {std::uint64_t{1}, std::uint64_t{40}, std::uint64_t{1} << 62}) {
            std::vector<Keyed> all(count);
            for (std::size_t i = 0; i < count; ++i) all[i] = {random() % keys, i};
            std::shuffle(all.begin(), all.end(), random);
            auto expected = pairs_of(all);
            std::sort(expected.begin(), expected.end());
            for (const int threads : {1, 2, 5}) {
                auto sorted = all;
                sort_by_key(sorted, threads);
                EXPECT_EQ(pairs_of(sorted), expected) << count << " of " << keys << " keys by " << threads << " threads";
            }
        }
}

} // namespace
} // namespace tessera::sort_by_key_test
