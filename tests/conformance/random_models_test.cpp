// Hundreds of models that nobody thought of, in every view and of every depth, against straight loops. Each run draws some of them.
// optimise: yes
#include "tests/conformance/random_models.hpp"
#include "tests/support/random_draw.hpp"

#include <gtest/gtest.h>

#include <iostream>
#include <set>

namespace tessera::test::random_models_test {
namespace {

constexpr unsigned batches = 50, drawn_batches = 3; // of ten models each

void do_what_straight_loops_do(const std::string& device, unsigned number) {
    // What takes long to compile comes seldom.
    const std::vector<std::vector<int>> depths{{3}, {2}, {1}, {5}, {3, 1}, {2}, {8}, {3}, {1, 2}, {5}, {3}, {2}, {16}};
    const QuickCompiler quick;
    const auto share = random_model::Batch(number, depths[number % depths.size()], {device, usable_threads(), {}}).run();
    EXPECT_GE(2 * share.fused, share.pairs) << share.fused << " of " << share.pairs;
}

using Tried = ::testing::TestWithParam<std::tuple<std::string, unsigned>>;

class RandomModels : public Tried {};

TEST_P(RandomModels, DoWhatStraightLoopsDo) {
    const auto& [device, part] = GetParam();
    const auto seed = seed_of_this_run();
    const auto number = drawn(seed, batches, part, drawn_batches);
    std::ostringstream which;
    which << "batch " << number << " of random models, drawn by TESSERA_TEST_SEED=" << seed << " (always this one: ThoroughRandomModels, "
          << device << "_" << number << ")";
    std::cout << which.str() << "\n";
    SCOPED_TRACE(which.str());
    do_what_straight_loops_do(device, number);
}

INSTANTIATE_TEST_SUITE_P(Devices, RandomModels, ::testing::Combine(::testing::ValuesIn(devices()), ::testing::Range(0U, drawn_batches)),
                         random_model::batch_test_name);

// Of three dimensions, by words in memory.
class RandomVolumes : public ::testing::TestWithParam<std::string> {};

TEST_P(RandomVolumes, OfWordsDoWhatStraightLoopsDo) {
    const auto number = 1000 + seed_of_this_run() % batches;
    SCOPED_TRACE("batch " + std::to_string(number) + " of random volumes");
    const QuickCompiler quick;
    const auto share = random_model::Batch(number, {1}, {GetParam(), usable_threads(), {}}, true).run();
    EXPECT_GE(2 * share.fused, share.pairs) << share.fused << " of " << share.pairs;
}

TESSERA_ON_EVERY_DEVICE(RandomVolumes);

class ThoroughRandomModels : public Tried {};

TEST_P(ThoroughRandomModels, DoWhatStraightLoopsDo) {
    const auto& [device, number] = GetParam();
    do_what_straight_loops_do(device, number);
}

INSTANTIATE_TEST_SUITE_P(Devices, ThoroughRandomModels, ::testing::Combine(::testing::ValuesIn(devices()), ::testing::Range(0U, batches)),
                         random_model::batch_test_name);

TEST(RandomDraw, EveryBatchIsDrawnBySomeSeedAndNoneTwiceByOne) {
    std::set<unsigned> ever;
    for (unsigned seed = 0; seed < 1000; ++seed) {
        std::set<unsigned> together;
        for (unsigned part = 0; part < drawn_batches; ++part) together.insert(drawn(seed, batches, part, drawn_batches));
        EXPECT_EQ(together.size(), drawn_batches) << "seed " << seed;
        ever.insert(together.begin(), together.end());
    }
    EXPECT_EQ(ever.size(), batches);
    EXPECT_EQ(*ever.rbegin(), batches - 1);
}

TEST(RandomDraw, IsTheSameForTheSameSeed) {
    for (const unsigned part : {0U, 1U, 2U}) EXPECT_EQ(drawn(17, batches, part, drawn_batches), drawn(17, batches, part, drawn_batches));
    EXPECT_NE(drawn(17, batches, 0, drawn_batches) * 100 + drawn(17, batches, 1, drawn_batches),
              drawn(18, batches, 0, drawn_batches) * 100 + drawn(18, batches, 1, drawn_batches));
}

} // namespace
} // namespace tessera::test::random_models_test
