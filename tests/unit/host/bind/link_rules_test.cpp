// Links by rules, beside plain programs of what the manual says of them, and beside what is known of such networks.
#include "device_runtime/error.hpp"
#include "device_runtime/thread_pool.hpp"
#include "host/bind/link_rules.hpp"
#include "tests/conformance/plain_networks.hpp"
#include "tests/support/temporary_folder.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace tessera::test::link_rules_test {
namespace {

using plain_networks::Kind;
using plain_networks::Pairs;
using run_file::LinkRule;
using ::testing::AllOf;
using ::testing::HasSubstr;

template<class T> run_file::Located<T> at_hand(T value) { return {std::move(value), {"run.toml", 1, 1}}; }

// Links `friend` of one collection of places.
class LinkRules : public ::testing::Test {
protected:
    MadeLinks made(const LinkRule& rule, const Kind& kind, bool parallel = false, std::uint64_t seed = 1, int threads = 1) {
        run_file::RunFile run;
        run.run.seed = at_hand(seed);
        run.folder = folder_.path().string();
        ThreadPool pool(threads);
        LinkedPlaces places;
        places.from = places.to = kind.places;
        places.are_one = true;
        places.order = {kind.directed, parallel, kind.loops};
        places.from_name = places.to_name = "person";
        return made_links(at_hand(rule), places, "friend", run, pool);
    }
    Pairs pairs(const LinkRule& rule, const Kind& kind, bool parallel = false, std::uint64_t seed = 1) {
        const auto links = made(rule, kind, parallel, seed);
        EXPECT_EQ(links.left_out, 0);
        return pairs_of(links.table);
    }
    static Pairs pairs_of(const LinkTable& table) {
        Pairs pairs;
        for (std::size_t i = 0; i < table.size(); ++i) pairs.emplace_back(table.from[i], table.to[i]);
        return pairs;
    }
    std::string refused(const LinkRule& rule, const Kind& kind, bool parallel = false) {
        try {
            (void)made(rule, kind, parallel);
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), Failure::input);
            return error.what();
        }
        return "it was not refused";
    }
    static LinkRule by_links(std::uint64_t links) {
        LinkRule rule;
        rule.kind = LinkRule::Kind::random;
        rule.links = at_hand(links);
        return rule;
    }
    static LinkRule by_chance(double chance) {
        LinkRule rule;
        rule.kind = LinkRule::Kind::random;
        rule.chance = at_hand(chance);
        return rule;
    }
    static LinkRule of_degree(LinkRule::Kind kind, std::uint64_t degree, double rewire = 0) {
        LinkRule rule;
        rule.kind = kind;
        rule.degree = at_hand(degree);
        rule.rewire = at_hand(rewire);
        return rule;
    }
    // Ranges of places, each joined with each by these chances.
    static LinkRule blocks(const std::vector<std::uint64_t>& sizes, const std::vector<std::vector<double>>& chances) {
        LinkRule rule;
        rule.kind = LinkRule::Kind::blocks;
        for (const auto size : sizes) rule.sizes.push_back(at_hand(size));
        for (const auto& row : chances) {
            rule.chances.emplace_back();
            for (const auto chance : row) rule.chances.back().push_back(at_hand(chance));
        }
        return rule;
    }
    static LinkRule counts(const std::vector<std::uint64_t>& sizes, const std::vector<std::vector<std::uint64_t>>& links) {
        auto rule = blocks(sizes, {});
        for (const auto& row : links) {
            rule.counts.emplace_back();
            for (const auto each : row) rule.counts.back().push_back(at_hand(each));
        }
        return rule;
    }
    static std::vector<std::int64_t> degrees_in(const Pairs& pairs, std::int64_t places) {
        std::vector<std::int64_t> degrees(static_cast<std::size_t>(places));
        for (const auto& [a, b] : pairs) ++degrees[static_cast<std::size_t>(a)], ++degrees[static_cast<std::size_t>(b)];
        return degrees;
    }
    TemporaryFolder folder_;
    const std::uint64_t key_ = plain_networks::key_of_links(1, "friend");
};

const std::vector<Kind> kinds{{10, false, false}, {10, false, true}, {10, true, false},
                              {10, true, true},   {1, false, true},  {2, false, false}};

TEST_F(LinkRules, OfSoManyLinksDrawThemAll) {
    for (const auto& kind : kinds) {
        const auto all = plain_networks::all_pairs(kind).size();
        for (std::size_t links = 1; links <= all; links += all > 20 ? 7 : 1)
            EXPECT_EQ(pairs(by_links(links), kind), plain_networks::random(kind, links, false, key_)) << links << " of " << all;
        EXPECT_EQ(pairs(by_links(all), kind).size(), all);
        EXPECT_EQ(pairs(by_links(all + 1), kind, true), plain_networks::random(kind, all + 1, true, key_)) << "may be parallel";
        EXPECT_THAT(refused(by_links(all + 1), kind),
                    AllOf(HasSubstr(fmt::format("`links.friend` cannot have {} links", all + 1)), HasSubstr(fmt::format("{} pair", all)),
                          HasSubstr(fmt::format("ask for {} at most, or set parallel = true", all))));
    }
    EXPECT_EQ(pairs(by_links(3000), {500, false, false}, false, 9),
              plain_networks::random({500, false, false}, 3000, false, plain_networks::key_of_links(9, "friend")));
    EXPECT_THAT(refused(by_links(1), {1, false, false}, true), HasSubstr("there are 0 pairs of places"));
}

// Of 4 places with loops, each of the 10 pairs is among 3 links with the same probability.
TEST_F(LinkRules, DrawLoopsWithTheProbabilityOfOtherPairs) {
    const Kind kind{4, false, true};
    for (const bool by_number : {true, false}) {
        std::vector<int> drawn(16);
        constexpr int runs = 1000;
        for (std::uint64_t seed = 0; seed < runs; ++seed)
            for (const auto& [a, b] : pairs(by_number ? by_links(3) : by_chance(0.3), kind, false, seed))
                ++drawn[static_cast<std::size_t>(4 * a + b)];
        for (const auto& [a, b] : plain_networks::all_pairs(kind)) // 300 with a standard deviation of 14.5
            EXPECT_NEAR(drawn[static_cast<std::size_t>(4 * a + b)], 0.3 * runs, 5 * 14.5) << a << " to " << b;
    }
}

TEST_F(LinkRules, MeanTheSamePairsByAllRules) {
    LinkRule complete;
    for (const auto& kind : kinds) {
        const auto all = plain_networks::in_order(plain_networks::all_pairs(kind));
        EXPECT_EQ(pairs(complete, kind), all);
        EXPECT_EQ(pairs(by_chance(1), kind), all);
        const auto places = static_cast<std::uint64_t>(kind.places);
        EXPECT_EQ(pairs(blocks({places}, {{1}}), kind), all);
        if (places > 3) {
            EXPECT_EQ(pairs(blocks({3, places - 3}, {{1, 1}, {1, 1}}), kind), all);
        }
        EXPECT_EQ(pairs(counts({places}, {{all.size()}}), kind), all);
    }
    EXPECT_EQ(pairs(counts({3, 7}, {{6, 21}, {21, 28}}), {10, false, true}).size(), 55U);
    EXPECT_THAT(refused(counts({3, 7}, {{6, 22}, {22, 28}}), {10, false, true}),
                AllOf(HasSubstr("cannot have 22 links of range 0 with range 1"), HasSubstr("there are 21 pairs of places")));
    EXPECT_THAT(refused(counts({3, 7}, {{4, 2}, {2, 2}}), {10, false, false}), HasSubstr("there are 3 pairs of places"));
}

TEST_F(LinkRules, JoinByChance) {
    for (const auto& kind : kinds)
        for (const double chance : {0.9, 0.4, 0.05})
            EXPECT_EQ(pairs(by_chance(chance), kind), plain_networks::by_chance(kind, chance, key_));
    // However small a chance is, it ends; of 2^60 pairs 1e-17 joins 11.5, with a standard deviation of 3.4.
    for (const double chance : {1e-15, 1e-16, 1e-17, 1e-100, 5e-324}) {
        EXPECT_TRUE(pairs(by_chance(chance), {10, false, false}).empty()) << chance;
        EXPECT_TRUE(pairs(blocks({4, 6}, {{chance, chance}, {chance, chance}}), {10, true, false}).empty()) << chance;
    }
    double joined = 0;
    for (std::uint64_t seed = 0; seed < 50; ++seed)
        joined += static_cast<double>(pairs(by_chance(1e-17), {std::int64_t{1} << 30, true, true}, false, seed).size()) / 50;
    EXPECT_NEAR(joined, std::pow(2.0, 60) * 1e-17, 5 * 3.4 / std::sqrt(50));
}

TEST_F(LinkRules, OfRegularNetworksGiveEachPlaceItsDegree) {
    for (const auto& [places, degree] : {std::pair(10, 9), std::pair(10, 8), std::pair(10, 5), std::pair(10, 4), std::pair(2, 1),
                                         std::pair(7, 4), std::pair(300, 40), std::pair(60, 33)})
        for (const bool directed : {false, true}) {
            const Kind kind{places, directed, false};
            const auto found = pairs(of_degree(LinkRule::Kind::regular, static_cast<std::uint64_t>(degree)), kind);
            ASSERT_EQ(found, plain_networks::regular(kind, degree, key_)) << places << " of degree " << degree;
            ASSERT_EQ(found.size(), static_cast<std::size_t>(places * degree / (directed ? 1 : 2)));
            for (const auto each : degrees_in(found, places)) ASSERT_EQ(each, (directed ? 2 : 1) * degree);
            ASSERT_EQ(std::adjacent_find(found.begin(), found.end()), found.end());
        }
    const Kind with_loops{40, false, true};
    EXPECT_EQ(pairs(of_degree(LinkRule::Kind::regular, 12), with_loops), plain_networks::regular(with_loops, 12, key_));
    EXPECT_THAT(refused(of_degree(LinkRule::Kind::regular, 10), {10, false, false}),
                AllOf(HasSubstr("its places can be joined to 9 others, and `degree` is 10"), HasSubstr("use 9 at most")));
}

TEST_F(LinkRules, OfDegreesSayHowManyLinksAreLeftOut) {
    LinkRule rule;
    rule.kind = LinkRule::Kind::degrees;
    rule.file = at_hand(std::string("degrees.txt"));
    const auto of = [&](const std::string& numbers, std::int64_t places) {
        (void)folder_.write("degrees.txt", numbers);
        return made(rule, {places, false, false});
    };
    const auto star = of("4 1 1 1 1", 5);
    EXPECT_EQ(star.left_out, 0);
    EXPECT_EQ(pairs_of(star.table), (Pairs{{0, 1}, {0, 2}, {0, 3}, {0, 4}}));
    const auto ring = of("2 2 2 2 2 2 2 2 2", 9);
    EXPECT_EQ(ring.left_out, 0);
    EXPECT_EQ(degrees_in(pairs_of(ring.table), 9), std::vector<std::int64_t>(9, 2));
    // Two places can be joined once.
    const auto twice = of("2 2 0 0", 4);
    EXPECT_EQ(twice.table.size() + static_cast<std::size_t>(twice.left_out), 2U);
    EXPECT_EQ(twice.table.size(), static_cast<std::size_t>(2 - twice.left_out));
    EXPECT_GE(twice.left_out, 1);
    (void)folder_.write("degrees.txt", "5 1 1 1 0");
    EXPECT_THAT(refused(rule, {5, false, false}), AllOf(HasSubstr("degrees.txt says 5 for place 0, which can be joined to 4 others")));
    EXPECT_EQ(made(of_degree(LinkRule::Kind::ring, 6), {5, false, false}).left_out, 5) << "round once and a half";
}

TEST_F(LinkRules, OfSmallWorldsMoveLinksAndLoseNone) {
    struct Case {
        std::int64_t places;
        std::uint64_t degree;
        double rewire;
    };
    for (const auto& [places, degree, rewire] :
         {Case{12, 4, 0.5}, Case{20, 18, 1}, Case{11, 10, 1}, Case{3, 2, 1}, Case{120, 6, 0.3}, Case{120, 6, 1}, Case{50, 40, 0.7}})
        for (const bool directed : {false, true}) {
            const Kind kind{places, directed, false};
            const auto after = static_cast<std::int64_t>(degree) / (directed ? 1 : 2);
            const auto found = pairs(of_degree(LinkRule::Kind::small_world, degree, rewire), kind);
            ASSERT_EQ(found, plain_networks::small_world(kind, after, rewire, key_)) << places << " of degree " << degree;
            ASSERT_EQ(found.size(), static_cast<std::size_t>(places * after));
        }
    EXPECT_THAT(refused(of_degree(LinkRule::Kind::small_world, 12, 0.5), {11, false, false}),
                AllOf(HasSubstr("cannot be a small world of degree 12"), HasSubstr("a place can be joined to 10 others")));
}

TEST_F(LinkRules, OfPreferenceJoinEachPlaceWithSomeBeforeIt) {
    for (const auto& [places, degree] : {std::pair(3000, 1), std::pair(1000, 3), std::pair(40, 20), std::pair(40, 39), std::pair(2, 1)})
        for (const bool directed : {false, true}) {
            const Kind kind{places, directed, false};
            const auto found = pairs(of_degree(LinkRule::Kind::preferential, static_cast<std::uint64_t>(degree)), kind);
            ASSERT_EQ(found, plain_networks::preferential(kind, degree, key_)) << places << " of degree " << degree;
            ASSERT_EQ(found.size(), static_cast<std::size_t>(degree * (places - degree)));
            std::vector<int> brought(static_cast<std::size_t>(places));
            for (const auto& [a, b] : found) ++brought[static_cast<std::size_t>(std::max(a, b))];
            for (std::size_t place = 0; place < brought.size(); ++place)
                ASSERT_EQ(brought[place], static_cast<int>(place) < degree ? 0 : degree);
            ASSERT_EQ(std::adjacent_find(found.begin(), found.end()), found.end());
        }
    EXPECT_THAT(refused(of_degree(LinkRule::Kind::preferential, 10), {10, false, false}),
                AllOf(HasSubstr("can bring 10 links to others before it"), HasSubstr("there are 10 places")));
}

TEST_F(LinkRules, MakeTheSameWithAnyThreads) {
    for (const auto kind : {LinkRule::Kind::regular, LinkRule::Kind::small_world, LinkRule::Kind::preferential}) {
        const auto rule = of_degree(kind, 6, 0.3);
        EXPECT_EQ(pairs_of(made(rule, {40000, false, false}, false, 5, 1).table),
                  pairs_of(made(rule, {40000, false, false}, false, 5, 3).table));
    }
}

} // namespace
} // namespace tessera::test::link_rules_test
