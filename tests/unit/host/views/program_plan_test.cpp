// What the stages of a program see and keep, compared with what a plain loop over rows finds.
#include "host/views/pipeline.hpp"
#include "host/views/program_plan.hpp"
#include "host/views/tile.hpp"
#include "tests/support/hand_made.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tessera::test::program_plan_test {
namespace {

using ::testing::ElementsAre;

CallSequence sequence_of(const Setup& setup) { return call_sequences(setup, usual_phases(setup)).front(); }

// Functions that see other rows of some members and write others, called in turn; a rotation may follow.
Setup random_setup() {
    HandMade toy;
    const auto cell = toy.places("Cell", {hand_made_member("m0"), hand_made_member("m1"), hand_made_member("m2")});
    for (int f = *rc::gen::inRange(1, 4); f > 0; --f) {
        std::vector<std::pair<std::string, model::Use>> uses;
        for (int m = 0; m < 3; ++m) {
            const auto reach = [] { return *rc::gen::inRange(0, 4); };
            auto use = *rc::gen::element(0, 1) ? looking({reach(), reach(), 0}, {reach(), reach(), 0}) : model::Use{};
            use.writes = *rc::gen::element(0, 1) != 0;
            if (use.reads || use.writes) uses.emplace_back("m" + std::to_string(m), use);
        }
        toy.function(cell, "f" + std::to_string(f), uses);
    }
    std::string phases;
    for (const auto& function : toy.description.functions) phases += "{callAll=\"cell." + function.name + "\"}, ";
    if (*rc::gen::element(0, 1) != 0) phases += R"({rotate=["cell.m0", "cell.m1"]})";
    return toy.bind({"places.cell.size = [40, 40]", "phase = [" + phases + "]"});
}

// In turn `t` each stage makes the row that is `lag` behind row t. Of what a stage has made of a column, how many rows there have to be for
// those that read it, which have to find them made.
struct Kept {
    int rows = 0;
    std::size_t last_reader = 0;
};
std::map<std::pair<std::size_t, std::size_t>, Kept> kept_by_a_loop(const Setup& setup, const CallSequence& all,
                                                                   const std::vector<int>& lag) {
    std::map<std::pair<std::size_t, std::size_t>, Kept> kept; // of stage and column
    std::map<std::size_t, std::size_t> maker;                 // of a column, as stages go on
    for (std::size_t k = 0; k < all.phases.size(); ++k) {
        const auto uses = uses_of(setup, all.phases[k]);
        for (std::size_t m = 0; m < uses.size(); ++m) {
            const auto made = maker.find(all.columns[k][m]);
            if (!uses[m].reads || made == maker.end()) continue;
            auto& of = kept[{made->second, made->first}];
            of.last_reader = k;
            constexpr int turn = 100;
            const int newest = turn - lag[made->second], row = turn - lag[k];
            for (int seen = row - uses[m].low[1][1]; seen <= row + uses[m].high[1][1]; ++seen) {
                RC_ASSERT(seen <= newest);
                of.rows = std::max(of.rows, newest - seen + 1);
            }
        }
        for (std::size_t m = 0; m < uses.size(); ++m)
            if (uses[m].writes) maker[all.columns[k][m]] = k;
    }
    return kept;
}

TEST(ProgramPlan, KeepsTheRowsThatLaterStagesSee) {
    EXPECT_TRUE(rc::check("of any functions", [] {
        const auto setup = random_setup();
        const auto all = repeated(sequence_of(setup), *rc::gen::inRange(1, 4));
        const auto plan = plan_of(setup, all, pipeline_view(2, 1, 8));
        const auto expected = kept_by_a_loop(setup, all, plan.lag);
        for (std::size_t k = 0; k < all.phases.size(); ++k)
            for (std::size_t c = 0; c < 3; ++c) {
                const auto found = expected.find({k, c});
                RC_ASSERT(plan.kept[k][c].rows == (found == expected.end() ? 0 : found->second.rows));
                if (found != expected.end()) RC_ASSERT(plan.kept[k][c].last_reader == found->second.last_reader);
            }
        RC_ASSERT(plan.written == all.written(setup));
    }));
}

// Reaches are summed up over the stages: so many places around a piece are worked out for nothing.
TEST(ProgramPlan, SumsUpHowFarStagesSee) {
    HandMade toy;
    const auto cell = toy.places("Cell", {hand_made_member("a"), hand_made_member("b")});
    toy.function(cell, "f", {{"a", and_writes(looking({1, 2, 0}, {3, 0, 0}))}, {"b", looking({2, 0, 0}, {0, 1, 0})}});
    toy.function(cell, "g", {{"b", and_writes(looking({0, 1, 0}))}});
    const auto bound = [&](const std::string& boundary) {
        return toy.bind({"places.cell.size = [40, 40]", "places.cell.boundary = " + boundary});
    };
    const auto setup = bound("\"torus\"");
    const auto plan = plan_of(setup, repeated(sequence_of(setup), 2), pipeline_view(2, 1, 8));
    EXPECT_THAT(plan.low[0], ElementsAre(2, 2, 4, 4));
    EXPECT_THAT(plan.high[0], ElementsAre(3, 3, 6, 6));
    EXPECT_THAT(plan.low[1], ElementsAre(2, 3, 5, 6));
    EXPECT_THAT(plan.lag, ElementsAre(1, 2, 3, 4)) << "as far as they see ahead";
    EXPECT_EQ(plan.low_of_all(1), 6);
    EXPECT_EQ(plan.high_of_all(0), 6);
    const auto mirrored = bound("[\"reflect\", \"torus\"]");
    EXPECT_THAT(plan_of(mirrored, sequence_of(mirrored), pipeline_view(2, 1, 8)).low[0], ElementsAre(3, 3))
        << "a mirror repeats either side";
    EXPECT_THAT(plan_of(mirrored, sequence_of(mirrored), pipeline_view(2, 1, 8)).lag, ElementsAre(1, 2));
}

TEST(ProgramPlan, OfTilesStreamsPlanes) {
    HandMade toy;
    const auto cell = toy.places("Cell", {hand_made_member("a")});
    toy.function(cell, "f", {{"a", and_writes(looking({1, 2, 3}))}});
    const auto volume = toy.bind({"places.cell.size = [20, 20, 20]"});
    EXPECT_THAT(axes_of(volume.collections.front(), tile_view(2, 8, 4, 4)), ElementsAre(0u, 2u, 1u));
    const auto plan = plan_of(volume, sequence_of(volume), tile_view(2, 8, 4, 4));
    EXPECT_THAT(plan.lag, ElementsAre(3));
    EXPECT_THAT(plan.low[2], ElementsAre(2));
    auto flat = toy;
    flat.description.functions[0].accesses[0].use = and_writes(looking({1, 2, 0}));
    const auto plane = flat.bind({"places.cell.size = [20, 20]"});
    EXPECT_THAT(axes_of(plane.collections.front(), tile_view(2, 8, 4)), ElementsAre(0u, 1u, 2u));
    EXPECT_THAT(plan_of(plane, sequence_of(plane), tile_view(2, 8, 4)).lag, ElementsAre(2));
}

} // namespace
} // namespace tessera::test::program_plan_test
