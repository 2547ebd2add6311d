// Which columns stand for the members that a step's calls name, which phases are usual, and what may be fused.
#include "host/setup/call_sequence.hpp"
#include "tests/support/hand_made.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <string>
#include <vector>

namespace tessera::test::call_sequence_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

HandMade toy() {
    HandMade toy;
    const auto cell = toy.places("Cell", {hand_made_member("a"), hand_made_member("b"), hand_made_member("c"), hand_made_member("d")});
    const auto lake = toy.places("Lake", {hand_made_member("depth")});
    toy.function(cell, "mix", {{"a", looking({1, 1, 1})}, {"b", writing()}});
    toy.function(cell, "cool", {{"c", changing()}});
    toy.function(lake, "fill", {{"depth", changing()}});
    return toy;
}
const std::vector<std::string> places{"places.cell.size = [8, 8]", "places.lake.size = [4, 4]"};

Setup setup_of(const std::string& phases, std::vector<std::string> keys = {}) {
    keys.insert(keys.end(), places.begin(), places.end());
    keys.push_back("phase = [" + phases + "]");
    return toy().bind(keys);
}
std::vector<bool> all(const Setup& setup) { return std::vector<bool>(setup.phases.size(), true); }

TEST(CallSequences, AreOfEachCollectionWhatTheStepCallsOfIt) {
    const auto setup = setup_of(R"({callAll="cell.mix"}, {callAll="lake.fill"}, {callAll="cell.cool"})");
    const auto sequences = call_sequences(setup, all(setup));
    ASSERT_EQ(sequences.size(), 2u);
    EXPECT_EQ(sequences[0].collection, CollectionId(0));
    EXPECT_THAT(sequences[0].phases, ElementsAre(PhaseId(0), PhaseId(2)));
    EXPECT_THAT(sequences[1].phases, ElementsAre(PhaseId(1)));
    const auto without = call_sequences(setup, {false, true, false});
    EXPECT_THAT(without[0].phases, IsEmpty());
    EXPECT_THAT(without[1].phases, ElementsAre(PhaseId(1)));
}

// a takes what d had, b what a had, c what b had; then b and c change places.
TEST(CallSequences, FollowTheRotations) {
    const auto setup = setup_of(R"({callAll="cell.mix"}, {rotate=["cell.a", "cell.b", "cell.c", "cell.d"]}, {callAll="cell.mix"},
        {rotate=["cell.b", "cell.c"]}, {callAll="cell.cool"})");
    const auto cells = call_sequences(setup, all(setup)).front();
    EXPECT_THAT(cells.columns, ElementsAre(ElementsAre(0u, 1u, 2u, 3u), ElementsAre(3u, 0u, 1u, 2u), ElementsAre(3u, 1u, 0u, 2u)));
    EXPECT_THAT(cells.after, ElementsAre(3u, 1u, 0u, 2u));
    // `mix` writes b, which is column 1 and then column 0; `cool` writes c, which is column 0 by then.
    EXPECT_THAT(cells.written(setup), ElementsAre(true, true, false, false));
}

// A step after the other, with values that carry the number of their column.
TEST(CallSequences, RepeatedAreThoseOfStepsInARow) {
    EXPECT_TRUE(rc::check("of any rotation", [] {
        CallSequence one;
        const auto members = *rc::gen::inRange<std::size_t>(1, 6);
        const auto any_order = [&] {
            std::vector<std::size_t> order(members);
            for (std::size_t m = 0; m < members; ++m) order[m] = m;
            for (std::size_t m = members; m > 1; --m) std::swap(order[m - 1], order[*rc::gen::inRange<std::size_t>(0, m)]);
            return order;
        };
        for (auto calls = *rc::gen::inRange(0, 4); calls > 0; --calls)
            one.phases.emplace_back(one.phases.size()), one.columns.push_back(any_order());
        one.after = any_order();
        const int steps = *rc::gen::inRange(1, 6);

        std::vector<std::size_t> holds(members); // the column, as the first step begins, that stands for each member as a step begins
        for (std::size_t m = 0; m < members; ++m) holds[m] = m;
        std::vector<std::vector<std::size_t>> expected;
        for (int step = 0; step < steps; ++step) {
            for (const auto& call : one.columns) {
                auto& seen = expected.emplace_back();
                for (const auto column : call) seen.push_back(holds[column]);
            }
            auto next = holds;
            for (std::size_t m = 0; m < members; ++m) next[m] = holds[one.after[m]];
            holds = next;
        }
        const auto made = repeated(one, steps);
        RC_ASSERT(made.columns == expected);
        RC_ASSERT(made.after == holds);
        RC_ASSERT(made.phases.size() == one.phases.size() * static_cast<std::size_t>(steps));
        for (std::size_t k = 0; k < made.phases.size(); ++k) RC_ASSERT(made.phases[k] == one.phases[k % one.phases.size()]);
    }));
}

TEST(UsualPhases, AreThoseOfMostSteps) {
    const std::string phases = R"({callAll="cell.mix"}, {callAll="cell.cool", every=3}, {callAll="lake.fill", from=6})";
    const auto setup = setup_of(phases);
    EXPECT_THAT(usual_phases(setup), ElementsAre(true, false, true));
    EXPECT_TRUE(runs_exactly(setup, {true, false, true}, 7)) << "7 is 1 behind 6, and from 6 on the lake is filled";
    EXPECT_FALSE(runs_exactly(setup, {true, false, true}, 6));
    EXPECT_FALSE(runs_exactly(setup, {true, false, true}, 5));
    EXPECT_TRUE(runs_exactly(setup, {true, true, false}, 3));
    EXPECT_THAT(usual_phases(setup_of(phases, {"run.steps = 6"})), ElementsAre(true, false, false)) << "the lake's time does not come";
    EXPECT_THAT(usual_phases(setup_of(phases, {"run.steps = 1"})), ElementsAre(true, true, false));
}

std::vector<std::string> fusible(const Setup& setup) {
    std::vector<std::string> names;
    for (const auto& sequence : fusible_sequences(setup)) names.push_back(setup.collections[sequence.collection].name);
    return names;
}

TEST(FusibleSequences, AreOfCollectionsThatCallSomethingInMostSteps) {
    EXPECT_THAT(fusible(setup_of(R"({callAll="cell.mix"}, {callAll="lake.fill"})")), ElementsAre("cell", "lake"));
    EXPECT_THAT(fusible(setup_of(R"({callAll="cell.mix", every=2, from=1}, {callAll="cell.cool", every=5}, {callAll="lake.fill"})")),
                ElementsAre("lake"));
}

TEST(FusibleSequences, AreNoneWhereOnlyTheStateTellsWhatAStepIs) {
    const auto setup = setup_of(R"({callAll="lake.fill"}, {repeat={until='min(cell.a) > 0', most=2, phases=[{callAll="cell.mix"}]}})");
    EXPECT_TRUE(setup.asks_state());
    EXPECT_THAT(fusible(setup), IsEmpty());
}

// A sum that is read, and what is summed up: both need all places of a step before the next.
TEST(FusibleSequences, AreOfNoCollectionThatAReduceReadsOrThatReadsWhatItMade) {
    auto toy = call_sequence_test::toy();
    toy.description.values.push_back({"total", "", Scalar::f64});
    const auto with = [&](const std::string& phases) {
        auto keys = places;
        keys.push_back("phase = [" + phases + "]");
        return fusible(toy.bind(keys));
    };
    EXPECT_THAT(with(R"({callAll="cell.mix"}, {callAll="lake.fill"}, {reduce={total='sum(cell.a)'}})"), ElementsAre("lake"));
    toy.description.functions[2].values = {0};
    EXPECT_THAT(with(R"({callAll="cell.mix"}, {reduce={total='step'}}, {callAll="lake.fill"})"), ElementsAre("cell"));
}

TEST(FusibleSequences, AreOfNoPlacesThatAgentsSee) {
    auto toy = call_sequence_test::toy();
    const auto hare = toy.agents("Hare", 0, {hand_made_member("fat")});
    auto& eats = toy.function(hare, "eat", {{"fat", changing()}});
    auto keys = places;
    keys.insert(keys.end(), {"agents.hare.count = 5", R"(phase = [{callAll="cell.mix"}, {callAll="lake.fill"}, {callAll="hare.eat"}])"});
    EXPECT_THAT(fusible(toy.bind(keys)), ElementsAre("cell", "lake"));
    eats.accesses.push_back({0, 0, reading()}); // `a` of the cell on which it is
    EXPECT_THAT(fusible(toy.bind(keys)), ElementsAre("lake"));
    eats.accesses.pop_back();
    model::AgentUse counts;
    counts.row = hare;
    counts.counts = true;
    toy.description.functions[0].agent_uses.push_back(counts);
    EXPECT_THAT(fusible(toy.bind(keys)), ElementsAre("lake"));
}

} // namespace
} // namespace tessera::test::call_sequence_test
