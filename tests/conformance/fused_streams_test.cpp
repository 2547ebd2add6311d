// Several steps of streams of planes give the bits that one step at a time gives. On a CPU a block's threads take turns.
#include "host/views/stream.hpp"
#include "tests/conformance/fused_views.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

namespace tessera::test::fused_streams_test {
namespace {

class FusedStreams : public FusedViewsOnDevice {};

std::string lattice() { return test_model("lattice"); }
// As installed, or else as in the source tree.
std::string heat() {
    const auto installed = test_shipped("reference/heat3d/heat3d.cu");
    return (std::filesystem::exists(installed) ? installed : test_source("bench/reference/heat3d/heat3d.cu")).string();
}

// Each boundary that there may be along each axis, beside two others.
TEST_P(FusedStreams, HaveTheHashOfSingleSteps) {
    const std::vector views{stream_view(1, 2, 8, 5), stream_view(2, 1, 12, 3), stream_view(1, 4, 10, 64)};
    const std::vector rules{Boundary::torus, Boundary::fixed, Boundary::open};
    for (std::size_t i = 0; i < 3; ++i)
        expect_same_hash(lattice(), geometry("node", {45, 19, 13, rules[i], rules[(i + 1) % 3], rules[(i + 2) % 3]}, 3), 7, {views[i]});
    for (const auto rule : rules) expect_same_hash(lattice(), geometry("node", {37, 22, 17, rule, rule, rule}, 3), 9, {views[1]});
}

TEST_P(FusedStreams, GridsThatHaveAnInsideHaveTheSameHash) {
    expect_same_hash(lattice(), geometry("node", {131, 43, 29, Boundary::open, Boundary::torus, Boundary::fixed}, 3), 7,
                     {stream_view(1, 1, 12, 3), stream_view(2, 1, 16, 4)});
    // A function asks whether there is a place where it does not look, in blocks of one row that see just to the edge.
    expect_same_hash(lattice(), geometry("node", {131, 23, 29, Boundary::torus, Boundary::open, Boundary::open}, 3), 5,
                     {stream_view(1, 1, 6, 4)});
}

TEST_P(FusedStreams, GridsNarrowerThanWhatIsSeenHaveTheSameHash) {
    for (const auto rule : {Boundary::torus, Boundary::fixed, Boundary::open})
        expect_same_hash(lattice(), geometry("node", {3, 2, 1, rule, rule, rule}, 3), 6, {stream_view(1, 2, 8, 4)});
}

TEST_P(FusedStreams, HeatHasTheSameHash) {
    for (const auto rule : {Boundary::torus, Boundary::fixed})
        expect_same_hash(heat(), geometry("block", {160, 44, 40, rule, rule, rule}, 3), 9,
                         {stream_view(4, 4, 24, 16), stream_view(2, 4, 16, 8), stream_view(3, 2, 16, 24)});
}

TESSERA_ON_EVERY_DEVICE(FusedStreams);

} // namespace
} // namespace tessera::test::fused_streams_test
