// Reductions within a step over links that begin and end, against plain loops over the links that there are then.
#include "host/outputs/state_view.hpp"
#include "host/world/link_lists.hpp"
#include "tests/support/world_under_test.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace tessera::test::reduced_links_test {
namespace {

class ReducedLinks : public ::testing::Test {
protected:
    // Of the links that there are.
    template<class T> static std::vector<T> of_bonds(const WorldUnderTest& world, const std::string& member, int element = 0) {
        const auto id = require_collection(world.setup(), "bond", {});
        const auto count = static_cast<std::ptrdiff_t>(links_there(world.setup(), id, world.simulation().reader()));
        const auto all = world.values<T>("bond", member); // a plane an element
        const auto first = all.begin() + element * static_cast<std::ptrdiff_t>(world.setup().collections[id].places());
        return {first, first + count};
    }
    static std::string evaluated(const WorldUnderTest& world, const std::string& text) {
        ThreadPool pool(1);
        return expression::to_string(StateView(world.simulation().state(), pool).evaluate(expression::parse(text)));
    }
};

TEST_F(ReducedLinks, AreThoseThatAreThereAfterAManageAll) {
    for (const int links : {0, 1, 60, 3000}) // with room in one row, and in several
        for (const int threads : {1, 3}) {
            SCOPED_TRACE(fmt::format("{} links, {} threads", links, threads));
            const auto rule = links == 0 ? std::string("{rule=\"random\",chance=0}") : fmt::format("{{rule=\"random\",links={}}}", links);
            WorldUnderTest world(test_model("bonds"), {"places.atom.count=90", "links.bond={generate=" + rule + ",parallel=true}"},
                                 {"cpu", threads});
            const auto at_first = evaluated(world, "count(bond)");
            for (std::uint64_t step = 1; step <= 9; ++step) {
                world.step_to(step);
                const auto since = of_bonds<std::int32_t>(world, "since");
                const auto strength = of_bonds<float>(world, "strength");
                const auto charges = of_bonds<std::int8_t>(world, "charges", 1);
                const auto noted = [&](const char* member) { return world.values<std::int64_t>("atom", member); };
                const auto everywhere = [](std::int64_t value) { return std::vector<std::int64_t>(90, value); };
                ASSERT_GT(since.size(), 20U);
                EXPECT_EQ(noted("there"), everywhere(static_cast<std::int64_t>(since.size())));
                EXPECT_EQ(noted("recent"), everywhere(std::count_if(since.begin(), since.end(), [](auto s) { return s > 3; })));
                EXPECT_EQ(noted("charges"), everywhere(std::accumulate(charges.begin(), charges.end(), std::int64_t{0})));
                EXPECT_EQ(noted("latest"), everywhere(*std::max_element(since.begin(), since.end())));
                const double sum = std::accumulate(strength.begin(), strength.end(), 0.0); // of multiples of 2^-24: exact
                EXPECT_EQ(world.values<double>("atom", "strength").front(), sum / static_cast<double>(strength.size()));
                EXPECT_EQ(evaluated(world, "count(bond where bond.since > 3)"), std::to_string(noted("recent").front()));
            }
            EXPECT_EQ(evaluated(world, "count(bond) + deaths(bond) - births(bond)"), at_first);
            EXPECT_GT(world.counters("bond").died, 100U);
        }
}

// Rounds in which half of the links end, until few are left.
TEST_F(ReducedLinks, AreAskedForByARepeat) {
    const auto world_of = [](const std::string& repeat) {
        return WorldUnderTest(test_model("bonds"),
                              {"links.bond.generate={rule=\"random\",links=700}", "places.atom.count=200", "params.breaks=0.5",
                               "phase=[{repeat={" + repeat +
                                   ",phases=[{callAll=\"bond.break_up\"},{manageAll=\"bond\"},"
                                   "{callAll=\"atom.count_round\"}]}}]"});
    };
    auto world = world_of("until=\"count(bond) < 100\",most=20");
    world.step_to(1);
    const auto rounds = world.values<std::int32_t>("atom", "rounds").front();
    const auto left = of_bonds<std::int32_t>(world, "since").size();
    EXPECT_LT(left, 100U);
    EXPECT_GT(rounds, 1);
    EXPECT_LT(rounds, 8);
    auto before = world_of(fmt::format("times={}", rounds - 1)), same = world_of(fmt::format("times={}", rounds));
    before.step_to(1), same.step_to(1);
    EXPECT_GE(of_bonds<std::int32_t>(before, "since").size(), 100U) << "a round less";
    EXPECT_EQ(of_bonds<std::int32_t>(same, "since").size(), left);
    world.step_to(2);
    EXPECT_EQ(world.values<std::int32_t>("atom", "rounds").front(), rounds) << "there are few already";
}

} // namespace
} // namespace tessera::test::reduced_links_test
