// Hundreds of models of links that nobody thought of, against plain loops, for any threads and partitions. Each run draws some of them.
// optimise: yes
#include "tests/conformance/random_links_runs.hpp"
#include "tests/support/compilers.hpp"
#include "tests/support/random_draw.hpp"
#include "tests/support/thorough.hpp"

#include <gtest/gtest.h>

#include <iostream>

namespace tessera::test::random_links_test {
namespace {

constexpr unsigned models = 500, drawn_models = 3;
class RandomLinks : public ::testing::TestWithParam<std::string> {};

TEST_P(RandomLinks, AreAsByLoops) {
    const auto seed = seed_of_this_run();
    const QuickCompiler quick;
    for (unsigned part = 0; part < (thorough() ? models : drawn_models); ++part) {
        const auto number = thorough() ? part : drawn(seed, models, part, drawn_models);
        std::cout << "model " << number << " of links, drawn by TESSERA_TEST_SEED=" << seed << "\n";
        ASSERT_NO_FATAL_FAILURE(random_links::is_as_by_loops(GetParam(), number));
    }
}

TESSERA_ON_EVERY_DEVICE(RandomLinks);

} // namespace
} // namespace tessera::test::random_links_test
