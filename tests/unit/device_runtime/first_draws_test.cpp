// Draws of several agents that are made together are those of each alone.
#include "kernels/agents/first_draws.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

namespace tessera::test::first_draws_test {
namespace {

constexpr std::uint64_t key = 0x0123456789abcdef;
constexpr std::uint32_t step = 77;
const draw_keys keys(key);

// Of so many agents, of which number i draws draws[i] times, one after the other: `stream_of(i)` has their draws.
template<class StreamOf>
void expect_draws_of_each(const std::vector<std::uint64_t>& ids, const std::vector<int>& draws, const StreamOf& stream_of) {
    for (int i = 0; i < static_cast<int>(draws.size()); ++i) {
        auto&& together = stream_of(i);
        random_stream ours(together, i), alone(key, ids[static_cast<std::size_t>(i)], step);
        for (int d = 0; d < draws[static_cast<std::size_t>(i)]; ++d) ASSERT_EQ(ours.bits(), alone.bits()) << "draw " << d << " of " << i;
    }
}
template<int Most> void expect_draws_of_each(const std::vector<std::uint64_t>& ids, const std::vector<int>& draws) {
    draws_of_agents<Most> together(keys, step, ids.data(), static_cast<int>(ids.size()));
    expect_draws_of_each(ids, draws, [&](int) -> first_draws& { return together; });
}
// As where each call draws: all are made before.
template<int Most, bool Later> void expect_draws_made_before(const std::vector<std::uint64_t>& ids, const std::vector<int>& draws) {
    draws_of_agents<Most> together(keys, step, ids.data(), static_cast<int>(ids.size()));
    together.make_first();
    if (Later) together.make_later();
    expect_draws_of_each(ids, draws, [&](int) { return draws_at_hand<Most, Later>(together); });
}

TEST(FirstDraws, AreThoseOfEachAloneWhoeverDrawsHowOften) {
    std::mt19937_64 dice(5);
    constexpr int many = 4 * draws_together;
    for (int round = 0; round < 400; ++round) {
        const auto count = round % 3 == 0 ? static_cast<int>(1 + dice() % many) : many;
        std::vector<std::uint64_t> ids;
        // Ids rise, as in a list; some are beyond 32 bits.
        for (std::uint64_t id = dice() >> (round % 2 == 0 ? 40 : 3); ids.size() < static_cast<std::size_t>(count); id += 1 + dice() % 5)
            ids.push_back(id);
        std::vector<int> draws(ids.size());
        const unsigned of = 1 + round % 7, drawing = 1 + round % 5; // how often at most, and one of how many
        for (auto& n : draws) n = dice() % drawing == 0 ? static_cast<int>(dice() % (4 * of)) : 0;
        ASSERT_NO_FATAL_FAILURE(expect_draws_of_each<many>(ids, draws)) << "round " << round;
        ASSERT_NO_FATAL_FAILURE((expect_draws_made_before<many, false>(ids, draws))) << "round " << round;
        ASSERT_NO_FATAL_FAILURE((expect_draws_made_before<many, true>(ids, draws))) << "round " << round;
        if (ids.size() > draws_together) ids.resize(draws_together), draws.resize(draws_together);
        ASSERT_NO_FATAL_FAILURE(expect_draws_of_each<draws_together>(ids, draws)) << "round " << round;
    }
}

TEST(FirstDraws, AreNotMadeBeforeSomebodyDraws) {
    const std::vector<std::uint64_t> ids(draws_together, 3);
    draws_of_agents<draws_together> together(keys, step, ids.data(), draws_together);
    EXPECT_EQ(together.first, nullptr);
    (void)random_stream(together, 0);
    EXPECT_EQ(together.first, nullptr);
    random_stream one(together, 1);
    (void)one.bits();
    EXPECT_NE(together.first, nullptr);
    (void)one.bits();
    EXPECT_EQ(together.later, nullptr) << "who alone draws again makes no draws of others";
    random_stream other(together, 2);
    (void)other.bits(), (void)other.bits();
    EXPECT_NE(together.later, nullptr);
}

} // namespace
} // namespace tessera::test::first_draws_test
