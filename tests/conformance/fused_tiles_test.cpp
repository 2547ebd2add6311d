// Several steps of tiles in shared memory give the bits that one step at a time gives. On a CPU a block's threads take turns.
#include "tests/conformance/fused_views.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tessera::test::fused_tiles_test {
namespace {

FusedView tile(int depth, int across, int planes, int tall = 1) { return tile_view(depth, across, planes, tall); }

class FusedTiles : public FusedViewsOnDevice {};

TEST_P(FusedTiles, ThreeDimensionsHaveTheSameHash) {
    const std::vector views{tile(2, 8, 5, 4), tile(1, 16, 64, 3), tile(3, 8, 2, 4), tile(2, 5, 3, 2)};
    for (std::size_t i = 0; i < (thorough() ? 8 : 4); ++i) { // each boundary along each axis, beside two others; in a thorough run twice
        const auto x = boundaries[i % 4], y = boundaries[(i + 1 + i / 4) % 4], z = boundaries[(i + 2) % 4];
        expect_same_hash(test_model("crystal"), geometry("atom", {21, 13, 11, x, y, z}, 3), 7, {views[i % 4]});
    }
    for (const auto x : {Boundary::torus, Boundary::reflect}) // boundaries that another place's value stands beyond
        expect_same_hash(test_model("life3d"), geometry("cell", {37, 21, 19, x, x, x}, 3), 9, {tile(4, 16, 8, 8)});
}

TEST_P(FusedTiles, GridsThatHaveAnInsideHaveTheSameHash) {
    expect_same_hash(test_model("crystal"), geometry("atom", {61, 43, 31, Boundary::open, Boundary::torus, Boundary::reflect}, 3), 7,
                     {tile(2, 8, 6, 8)});
    expect_same_hash(test_model("crystal"), geometry("atom", {64, 40, 30, Boundary::torus, Boundary::fixed, Boundary::fixed}, 3), 5,
                     {tile(1, 16, 10, 4)});
}

// A function asks whether there is a place where it does not look, at the end of tiles that see just to the edge.
TEST_P(FusedTiles, OfWhatLooksFurtherToOneSideHaveTheSameHash) {
    for (const auto rule : {Boundary::open, Boundary::torus})
        expect_same_hash(test_model("lattice"), geometry("node", {41, 23, 17, rule, rule, rule}, 3), 7, {tile(1, 8, 5, 4)});
}

TEST_P(FusedTiles, GridsNarrowerThanWhatIsSeenHaveTheSameHash) {
    for (const auto x : boundaries) {
        expect_same_hash(test_model("crystal"), geometry("atom", {3, 2, 1, x, x, x}, 3), 6, {tile(2, 8, 4, 4)});
        expect_same_hash(test_model("boundaries"), geometry("site", {1, 2, 1, x, x}), 6, {tile(3, 8, 4)});
    }
}

TEST_P(FusedTiles, LinesHaveTheSameHash) {
    for (const auto x : boundaries)
        expect_same_hash(test_model("rule110"), geometry("cell", reference::line(2011, x), 1), 50,
                         {x == Boundary::fixed ? tile(16, 1024, 1) : tile(7, 256, 1)});
}

TEST_P(FusedTiles, PlanesHaveTheSameHash) {
    const std::vector views{tile(3, 32, 8), tile(2, 48, 5), tile(2, 128, 27), tile(1, 20, 3)};
    std::size_t view = 0;
    for (const auto& [x, y] : pairs_of_boundaries())
        expect_same_hash(test_model("boundaries"), site(x, y), 11, {views[(view + view / 4) % 4]}), ++view;
    expect_same_hash(test_model("boundaries"), site(Boundary::fixed, Boundary::reflect), 11, {tile(5, 128, 27)});
    for (std::size_t i = 0; i < boundaries.size(); i += 2) {
        expect_same_hash(test_model("offsets"), geometry("spot", {135, 31, 1, boundaries[i], boundaries[(i + 1) % 4]}), 7,
                         {tile(2, 64, 8)});
        expect_same_hash(test_model("ribbons"), geometry("ribbon", {141, 29, 1, boundaries[i / 2], boundaries[i / 2 + 2]}), 10,
                         {tile(i == 0 ? 4 : 2, 64, 8)});
    }
}

TEST_P(FusedTiles, ShippedModelsHaveTheSameHash) {
    const auto keys = geometry("plate", reference::plane(301, 133, Boundary::torus)) + std::vector<std::string>{"params.heat_time=7"};
    expect_same_hash(plugin("heat2d"), keys, 37, {tile(1, 128, 16), tile(2, 128, 32), tile(5, 64, 64), tile(8, 200, 20)});
    expect_same_hash(plugin("wave2d"), geometry("wave", {201, 103, 1, Boundary::fixed, Boundary::fixed}), 41, {tile(3, 64, 32)});
    expect_same_hash(plugin("leadership"), geometry("person", {77, 29, 1, Boundary::torus, Boundary::open}), 12, {tile(3, 64, 16)});
    expect_same_hash(test_model("many_types"), geometry("exhibit", {41, 13, 1, Boundary::torus, Boundary::torus}), 5, {tile(2, 16, 8)});
    expect_same_hash(test_model("random_walk_field"), geometry("field", {161, 47, 1, Boundary::fixed, Boundary::torus}), 11,
                     {tile(3, 64, 16)});
}

TEST_P(FusedTiles, WhatDoesNotFitIsSaid) {
    WorldUnderTest deep(plugin("heat2d"), geometry("plate", {77, 29, 1, Boundary::torus, Boundary::open}));
    EXPECT_EQ(obstacle(deep.setup(), call_sequences(deep.setup(), usual_phases(deep.setup())).front(), tile(16, 512, 64)),
              "16 steps keep 93 KiB of a tile, and shared memory has 48");
    EXPECT_EQ(obstacle(deep.setup(), call_sequences(deep.setup(), usual_phases(deep.setup())).front(), tile(2, 32, 8, 8)),
              "tiles of planes are for grids of three dimensions");
}

TESSERA_ON_EVERY_DEVICE(FusedTiles);

} // namespace
} // namespace tessera::test::fused_tiles_test
