// Hundreds of models that nobody thought of, in every view and of every depth, against straight loops.
#include "tests/unit/engine/random_models.hpp"

namespace tessera::test {
namespace {

class SlowRandomModels : public testing::TestWithParam<std::tuple<std::string, unsigned>> {};

TEST_P(SlowRandomModels, DoWhatStraightLoopsDo) {
    const auto& [device, number] = GetParam();
    // What takes long to compile comes seldom.
    const std::vector<std::vector<int>> depths{{3}, {2}, {1}, {5}, {3, 1}, {2}, {8}, {3}, {1, 2}, {5}, {3}, {2}, {16}};
    const QuickCompiler quick;
    const auto share = random_model::Batch(number, depths[number % depths.size()], {device, usable_threads(), {}}).run();
    EXPECT_GE(2 * share.fused, share.pairs) << share.fused << " of " << share.pairs;
}

INSTANTIATE_TEST_SUITE_P(Devices, SlowRandomModels, testing::Combine(testing::ValuesIn(devices()), testing::Range(0u, 50u)),
                         random_model::batch_test_name);

} // namespace
} // namespace tessera::test
