// Several steps of patches in registers give the bits that one step at a time gives. On a CPU a warp's lanes take turns.
#include "tests/conformance/fused_views.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

namespace tessera::test::fused_patches_test {
namespace {

FusedView patch(int depth, int places, int rows) { return patch_view(depth, places, rows); }

constexpr std::array without_mirrors{Boundary::torus, Boundary::fixed, Boundary::open};

class FusedPatches : public FusedViewsOnDevice {};

TEST_P(FusedPatches, EveryBoundaryHasTheSameHash) {
    const std::array views{patch(3, 1, 8), patch(2, 2, 5), patch(4, 1, 12), patch(1, 4, 3)};
    std::size_t view = 0;
    for (const auto& [x, y] : pairs_of_boundaries())
        if (x != Boundary::reflect && y != Boundary::reflect)
            expect_same_hash(test_model("boundaries"), site(x, y), 11, {views[view++ % 4]});
}

TEST_P(FusedPatches, ManyColumnsAndFunctionsHaveTheSameHash) {
    for (std::size_t i = 0; i < without_mirrors.size(); ++i) { // each model on two of the pairs, each pair of two models
        const auto x = without_mirrors[i], y = without_mirrors[(i + 1) % 3];
        if (thorough() || i != 0) expect_same_hash(test_model("offsets"), geometry("spot", {135, 31, 1, x, y}), 7, {patch(2, 2, 8)});
        if (thorough() || i != 1) expect_same_hash(test_model("ribbons"), geometry("ribbon", {141, 29, 1, x, y}), 10, {patch(2, 1, 4)});
        if (thorough() || i != 2) expect_same_hash(plugin("leadership"), geometry("person", {77, 29, 1, y, x}), 12, {patch(3, 1, 4)});
    }
    expect_same_hash(test_model("many_types"), geometry("exhibit", {41, 13, 1, Boundary::torus, Boundary::torus}), 5, {patch(2, 1, 1)});
    expect_same_hash(test_model("random_walk_field"), geometry("field", {161, 47, 1, Boundary::fixed, Boundary::torus}), 11,
                     {patch(3, 2, 10)});
    expect_same_hash(test_model("reversible"), geometry("cell", {64, 31, 1, Boundary::torus, Boundary::torus}), 13, {patch(5, 2, 7)});
}

TEST_P(FusedPatches, ShippedModelsHaveTheSameHash) {
    const auto keys = geometry("plate", reference::plane(301, 133, Boundary::torus)) + std::vector<std::string>{"params.heat_time=7"};
    for (const auto& view : {patch(8, 2, 12), patch(2, 4, 16), patch(12, 2, 6)}) expect_same_hash(plugin("heat2d"), keys, 37, {view});
    expect_same_hash(plugin("wave2d"), geometry("wave", {201, 103, 1, Boundary::fixed, Boundary::fixed}), 41, {patch(5, 2, 9)});
    expect_same_hash(plugin("wave2d"), geometry("wave", {201, 103, 1, Boundary::torus, Boundary::open}), 40, {patch(4, 2, 9)});
    expect_same_hash(plugin("life"), geometry("cell", {131, 70, 1, Boundary::torus, Boundary::torus}), 33, {patch(8, 4, 8)});
}

TEST_P(FusedPatches, GridsNarrowerThanAPatchHaveTheSameHash) {
    for (const auto boundary : without_mirrors) {
        expect_same_hash(test_model("boundaries"), geometry("site", {1, 2, 1, boundary, boundary}), 6, {patch(3, 1, 4)});
        expect_same_hash(test_model("boundaries"), geometry("site", {5, 3, 1, boundary, boundary}), 9, {patch(3, 2, 3)});
    }
}

TEST_P(FusedPatches, WhatDoesNotFitIsSaid) {
    const auto obstacle_on = [](Boundary boundary, const FusedView& view) {
        WorldUnderTest world(plugin("heat2d"), geometry("plate", {301, 133, 1, boundary, Boundary::torus}));
        return obstacle(world.setup(), call_sequences(world.setup(), usual_phases(world.setup())).front(), view);
    };
    EXPECT_EQ(obstacle_on(Boundary::torus, patch(8, 4, 32)), "8 steps keep 192 values of a patch in a lane, and it has registers for 180");
    EXPECT_EQ(obstacle_on(Boundary::reflect, patch(2, 2, 8)), "patches cannot have a reflecting boundary");
    EXPECT_EQ(obstacle_on(Boundary::torus, patch(16, 1, 8)), "16 steps see 16 places sideways, too many for a strip of 32");
}

TESSERA_ON_EVERY_DEVICE(FusedPatches);

} // namespace
} // namespace tessera::test::fused_patches_test
