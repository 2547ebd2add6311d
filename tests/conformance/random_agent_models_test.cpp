// Hundreds of models of agents that nobody thought of, against a program that goes from agent to agent. Each run draws some of them.
// optimise: yes
#include "tests/conformance/random_agent_models.hpp"
#include "tests/support/compilers.hpp"
#include "tests/support/random_draw.hpp"

#include <gtest/gtest.h>

#include <iostream>

namespace tessera::test::random_agent_models_test {
namespace {

constexpr unsigned batches = 51, drawn_batches = 1; // of ten models each

void do_what_a_plain_program_does(const std::string& device, unsigned number) {
    const QuickCompiler quick;
    const auto tried = random_agent_model::Batch(number, {device, usable_threads(), {}}).run();
    for (const auto count : {tried.tally.moved, tried.tally.refused, tried.tally.born, tried.tally.not_born, tried.tally.died})
        EXPECT_GT(count, 0u);
    if (number % 3 == 2) return; // in a list, where all may live, nobody is anybody's rival
    for (const auto count : {tried.conflicts.at_edges, tried.conflicts.in_corners, tried.conflicts.on_seams}) EXPECT_GT(count, 0u);
}

using OfBatches = ::testing::TestWithParam<std::tuple<std::string, unsigned>>;

std::string batch_test_name(const ::testing::TestParamInfo<std::tuple<std::string, unsigned>>& tested) {
    auto name = std::get<0>(tested.param) + "_" + std::to_string(std::get<1>(tested.param));
    std::replace(name.begin(), name.end(), ':', '_');
    return name;
}

class RandomAgentModels : public OfBatches {};

TEST_P(RandomAgentModels, DoWhatAPlainProgramDoes) {
    const auto& [device, part] = GetParam();
    const auto seed = seed_of_this_run();
    const auto number = drawn(seed, batches, part, drawn_batches);
    std::ostringstream which;
    which << "batch " << number << " of random models of agents, drawn by TESSERA_TEST_SEED=" << seed
          << " (always this one: ThoroughRandomAgentModels, " << device << "_" << number << ")";
    std::cout << which.str() << "\n";
    SCOPED_TRACE(which.str());
    do_what_a_plain_program_does(device, number);
}

INSTANTIATE_TEST_SUITE_P(Devices, RandomAgentModels,
                         ::testing::Combine(::testing::ValuesIn(devices()), ::testing::Range(0U, drawn_batches)), batch_test_name);

class ThoroughRandomAgentModels : public OfBatches {};

TEST_P(ThoroughRandomAgentModels, DoWhatAPlainProgramDoes) {
    const auto& [device, number] = GetParam();
    do_what_a_plain_program_does(device, number);
}

INSTANTIATE_TEST_SUITE_P(Devices, ThoroughRandomAgentModels,
                         ::testing::Combine(::testing::ValuesIn(devices()), ::testing::Range(0U, batches)), batch_test_name);

} // namespace
} // namespace tessera::test::random_agent_models_test
