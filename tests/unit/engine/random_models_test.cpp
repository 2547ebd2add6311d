// Models that nobody thought of, in every view, against straight loops. random_models_slow_test.cpp has more of them.
#include "tests/unit/engine/random_models.hpp"

namespace tessera::test {
namespace {

class RandomModels : public testing::TestWithParam<std::tuple<std::string, unsigned>> {};

TEST_P(RandomModels, DoWhatStraightLoopsDo) {
    const auto& [device, number] = GetParam();
    const std::vector<std::vector<int>> depths{{2}, {3}, {1}, {5}};
    const auto share = random_model::Batch(1000 + number, depths[number % depths.size()], {device, usable_threads(), {}}).run();
    EXPECT_GE(2 * share.fused, share.pairs) << share.fused << " of " << share.pairs;
}

INSTANTIATE_TEST_SUITE_P(Devices, RandomModels, testing::Combine(testing::ValuesIn(devices()), testing::Range(0u, 4u)),
                         random_model::batch_test_name);

} // namespace
} // namespace tessera::test
