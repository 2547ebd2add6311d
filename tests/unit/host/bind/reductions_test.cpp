// What phases `reduce` and the questions of repeats are made of.
#include "host/setup/reductions.hpp"
#include "tests/support/hand_made.hpp"

#include <tessera/detail/exact_sum.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace tessera::test::reductions_test {
namespace {

using ::testing::ElementsAre;

HandMade toy() {
    HandMade toy;
    const auto cell = toy.places("Cell", {hand_made_member("heat"), hand_made_member("age", Scalar::i32),
                                          hand_made_member("wall", Scalar::boolean), hand_made_member("flows", Scalar::f64, 4)});
    const auto lake = toy.places("Lake", {hand_made_member("depth", Scalar::u16)});
    toy.function(cell, "tick", {{"heat", changing()}});
    toy.function(lake, "fill", {{"depth", changing()}});
    toy.description.values = {{"total", "", Scalar::f64}, {"whole", "", Scalar::i64}};
    return toy;
}
Setup setup_of(const std::string& phases, const HandMade& of = toy()) {
    return of.bind({"places.cell.size = [8, 8]", "places.lake.size = [4, 4]", "phase = [" + phases + "]"});
}

TEST(Reductions, KnowOfEachExpressionWhatItIs) {
    const auto setup = setup_of(R"({callAll="cell.tick"})");
    const auto truth = NumberKind::truth, whole = NumberKind::whole, real = NumberKind::real;
    for (const auto& [text, kind] : std::vector<std::pair<std::string, NumberKind>>{
             {"1", whole},
             {"1.0", real},
             {"true", truth},
             {"step", whole},
             {"count(cell.wall)", whole},
             {"sum(cell.wall)", whole},
             {"sum(cell.age)", whole},
             {"sum(cell.heat)", real},
             {"mean(cell.age)", real},
             {"max(cell.age)", whole},
             {"min(cell.flows[2])", real},
             {"count(cell.wall) / 2", real},
             {"count(cell.wall) % 2", whole},
             {"count(cell.wall) + 0.5", real},
             {"-count(cell.wall)", whole},
             {"-true", whole},
             {"true + true", whole},
             {"not 3", truth},
             {"sum(cell.heat) > 3", truth},
             {"1 and 2.5", truth},
             {"sum(lake.depth) * 2", whole},
         }) {
        const auto expression = expression::parse(text);
        EXPECT_EQ(kind_of(setup, expression, expression.root), kind) << text;
    }
}

TEST(Reductions, HaveAPartForEachSumOneAfterTheOther) {
    const auto setup =
        setup_of(R"({reduce={total='sum(cell.heat) + count(cell.wall) + max(lake.depth)', whole='sum(cell.age) - min(cell.age)'}})");
    ASSERT_EQ(setup.reductions.size(), 1u);
    const auto& reduction = setup.reductions.front();
    EXPECT_EQ(reduction.name, "total, whole");
    std::vector<std::string> collections;
    std::vector<std::size_t> values;
    std::vector<bool> reals;
    std::vector<int> words;
    for (std::size_t p = 0; p < reduction.parts.size(); ++p) {
        const auto& part = reduction.parts[p];
        collections.push_back(setup.collections[part.collection].name);
        values.push_back(part.value);
        reals.push_back(part.of_reals);
        const auto end = p + 1 < reduction.parts.size() ? reduction.parts[p + 1].first_word : reduction.words;
        words.push_back(end - part.first_word);
    }
    EXPECT_EQ(reduction.parts.front().first_word, 0);
    EXPECT_THAT(collections, ElementsAre("cell", "cell", "lake", "cell", "cell"));
    EXPECT_THAT(values, ElementsAre(0u, 0u, 0u, 1u, 1u));
    EXPECT_THAT(reals, ElementsAre(true, false, false, false, false));
    EXPECT_THAT(words, ElementsAre(2 + exact_words, 2, 4, 4, 4));
}

TEST(Reductions, HaveAKernelACollectionThatReadsWhatIsNamedOfIt) {
    const auto setup = setup_of(R"({reduce={total='sum(cell.heat * cell.age) + max(lake.depth) + sum(cell.age)'}})");
    std::vector<std::string> kernels;
    for (const auto id : setup.reductions.front().kernels) {
        const auto& kernel = setup.kernels[id];
        EXPECT_TRUE(kernel.is_reduction());
        std::string columns;
        for (const auto& access : kernel.accesses) {
            EXPECT_TRUE(access.use.reads && !access.use.writes);
            columns += " " + setup.name_of(access.column);
        }
        kernels.push_back(kernel.symbol + columns);
    }
    EXPECT_THAT(kernels, ElementsAre("tessera_reduce_0_cell cell.heat cell.age", "tessera_reduce_0_lake lake.depth"));
}

TEST(Reductions, OfTheSameExpressionsAreOne) {
    const auto setup = setup_of(R"({reduce={total='sum(cell.heat)'}}, {callAll="cell.tick"}, {reduce={total='sum(cell.heat)'}},
        {reduce={whole='count(cell.wall)'}}, {reduce={total='count(cell.wall)'}})");
    std::vector<std::size_t> numbers;
    for (const auto& phase : setup.phases)
        if (const auto* reduce = std::get_if<ReducePhase>(&phase.action)) numbers.push_back(reduce->reduction.index());
    EXPECT_THAT(numbers, ElementsAre(0u, 0u, 1u, 2u));
    EXPECT_EQ(setup.kernels.size(), 1u + 3u);
}

// The words of all stand behind the values: each partition has those of all.
TEST(Reductions, StandOneBehindTheOtherAtTheStepCounter) {
    auto setup = setup_of(R"({reduce={total='sum(cell.heat)'}}, {reduce={whole='count(cell.wall)'}})");
    const std::size_t values = 8 + 2; // behind the words that all runs have
    EXPECT_EQ(setup.first_word_of(ReductionId(0)), values);
    EXPECT_EQ(setup.first_word_of(ReductionId(1)), values + (2 + exact_words));
    EXPECT_EQ(setup.step_words(), values + (2 + exact_words) + 2);
    setup = over_devices(setup, 3);
    EXPECT_EQ(setup.first_word_of(ReductionId(1)), values + 3 * (2 + exact_words));
    EXPECT_EQ(setup.step_words(), values + 3 * (2 + exact_words) + 3 * 2);
}

std::string fails(const std::string& phases, const HandMade& of = toy()) {
    return what_fails([&] { (void)setup_of(phases, of); });
}

TEST(Reductions, AreRefusedWithWhatIsWrong) {
    EXPECT_EQ(fails(R"({reduce={totale="1"}})"), "run.toml:4:19: toy has no value `totale` (it has total and whole) did you mean `total`?");
    EXPECT_EQ(fails(R"({reduce={whole='mean(cell.age)'}})"),
              "run.toml:4:25: `mean(cell.age)` does not fit the type of whole (it may be a fraction, and whole is int64) declare "
              "TESSERA_GLOBAL(double, whole), or make it a whole number");
    auto none = toy();
    none.description.values.clear();
    EXPECT_EQ(fails(R"({reduce={total='1'}})", none),
              "run.toml:4:19: toy has no value `total` (it declares none) add TESSERA_GLOBAL(double, total); to the model");
}

// Values do not outlive their step.
TEST(Reductions, AreMadeBeforeTheyAreRead) {
    auto reads = toy();
    reads.description.functions[0].values = {0};
    const auto says = [&](const std::string& phases) { return fails(phases, reads); };
    const std::string made = R"({reduce={total='1'}}, )", calls = R"({callAll="cell.tick"})";
    EXPECT_EQ(says(made + calls), "");
    EXPECT_EQ(says(calls + R"(, {reduce={total='1'}})"),
              "run.toml:4:10: step 0: callAll cell.tick reads total (no reduce earlier in the step is certain to make this value, and "
              "values end with their step) add [[phase]] reduce = { total = \"...\" } before it");
    EXPECT_THAT(says(R"({reduce={total='1'}, every=3}, )" + calls), ::testing::HasSubstr("step 1: callAll cell.tick reads total"));
    EXPECT_EQ(says(R"({reduce={total='1'}, every=3}, {callAll="cell.tick", every=6})"), "");
    // No round may be made.
    EXPECT_THAT(says(R"({repeat={until='step > 3', most=2, phases=[{reduce={total='1'}}]}}, )" + calls),
                ::testing::HasSubstr("callAll cell.tick reads total"));
    EXPECT_EQ(says(R"({repeat={until='step > 3', most=2, phases=[{reduce={total='1'}}, {callAll="cell.tick"}]}})"), "");
}

} // namespace
} // namespace tessera::test::reductions_test
