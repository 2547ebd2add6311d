// Several steps in one kernel give the bits that one at a time gives.
#include "tests/unit/engine/states.hpp"
#include "tests/unit/engine/world_under_test.hpp"

#include <gtest/gtest.h>

namespace tessera::test {
namespace {

// Every collection that can be: the world that makes its steps by these programs.
std::uint64_t fused_hash(const std::string& model, const std::vector<std::string>& keys, std::uint64_t steps, const Options& options, const FusedView& view) {
    WorldUnderTest world(model, keys, options);
    world.fuse(view);
    world.step_to(steps);
    return world.hash();
}

class Fused : public OnDevice {};

TEST_P(Fused, PipelinesOfAllDepthsGiveTheSameHash) {
    const auto keys = geometry("plate", reference::plane(301, 133, Boundary::torus));
    WorldUnderTest straight(plugin("heat2d"), keys, {"cpu", 1, {}});
    straight.step_to(37);
    for (const auto& [depth, cells, rows] : {std::array{1, 2, 16}, {2, 1, 8}, {3, 2, 32}, {5, 4, 16}, {8, 2, 64}})
        EXPECT_EQ(fused_hash(plugin("heat2d"), keys, 37, on_this(), {FusedView::Kind::pipeline, depth, cells, rows}), straight.hash())
            << depth << " steps, " << cells << " cells, " << rows << " rows";
}

TESSERA_ON_EVERY_DEVICE(Fused);

} // namespace
} // namespace tessera::test
