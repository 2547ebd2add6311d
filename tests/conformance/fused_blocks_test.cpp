// Several steps of blocks of rows in a CPU's cache give the bits that one at a time gives.
#include "tests/conformance/fused_views.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tessera::test::fused_blocks_test {
namespace {

FusedView blocks(int depth, int across, int rows) { return blocks_view(depth, across, rows); }

void expect_same_hash(const std::string& model, const std::vector<std::string>& keys, std::uint64_t steps,
                      const std::vector<FusedView>& views) {
    WorldUnderTest straight(model, keys, {"cpu", 1, {}});
    straight.step_to(steps);
    for (const auto& view : views)
        for (const int threads : {1, 3}) {
            WorldUnderTest world(model, keys, {"cpu", threads, {}});
            ASSERT_EQ(world.fuse(view), "") << model;
            world.step_to(steps);
            EXPECT_GE(world.simulation().fused_steps() + 3 * static_cast<unsigned>(view.depth), steps) << model << ", " << to_string(view);
            EXPECT_EQ(world.hash(), straight.hash())
                << model << ", " << keys[0] << ", " << keys[1] << ", " << to_string(view) << ", " << threads << " threads";
        }
}

// Many kernels, each run shortly. What the compiler makes of them at its best, the tests below see.
class FusedBlocksAtEdges : public ::testing::Test {
    QuickCompiler quick_{};
};

// What a place sees at the edge, for pairs of boundaries: whole rows, and blocks that see each other, the last of which is narrow.
TEST_F(FusedBlocksAtEdges, AllBoundariesHaveTheSameHash) {
    const std::vector views{blocks(3, 4096, 8), blocks(2, 64, 16), blocks(5, 100, 27), blocks(1, 66, 5)};
    std::size_t view = 0;
    for (const auto& [x, y] : pairs_of_boundaries())
        expect_same_hash(test_model("boundaries"), site(x, y), 11, {views[(view + view / 4) % 4]}), ++view;
}

TEST_F(FusedBlocksAtEdges, GridsNarrowerThanWhatIsSeenHaveTheSameHash) {
    for (const auto x : boundaries) expect_same_hash(test_model("boundaries"), geometry("site", {3, 2, 1, x, x}), 9, {blocks(2, 4096, 8)});
    expect_same_hash(test_model("boundaries"), geometry("site", {1, 1, 1, Boundary::torus, Boundary::reflect}), 9, {blocks(4, 1, 1)});
    expect_same_hash(test_model("offsets"), geometry("spot", {67, 2, 1, Boundary::reflect, Boundary::torus}), 7, {blocks(2, 64, 1)});
}

TEST_F(FusedBlocksAtEdges, WideAndLopsidedReachHasTheSameHash) {
    for (std::size_t i = 0; i < boundaries.size(); i += 2)
        expect_same_hash(test_model("offsets"), geometry("spot", {135, 31, 1, boundaries[i], boundaries[(i + 1) % 4]}), 7,
                         {i == 0 ? blocks(2, 64, 8) : blocks(3, 4096, 16)});
}

TEST_F(FusedBlocksAtEdges, ArraysAndRotatedColumnsHaveTheSameHash) {
    for (std::size_t i = 0; i < 2; ++i)
        expect_same_hash(test_model("ribbons"), geometry("ribbon", {141, 29, 1, boundaries[i], boundaries[i + 2]}), 10,
                         {i == 0 ? blocks(4, 64, 8) : blocks(3, 4096, 11)});
}

TEST(FusedBlocks, ShippedModelsHaveTheSameHash) {
    const auto keys = geometry("plate", reference::plane(301, 133, Boundary::torus)) + std::vector<std::string>{"params.heat_time=7"};
    expect_same_hash(plugin("heat2d"), keys, 37,
                     {blocks(1, 4096, 16), blocks(2, 128, 8), blocks(4, 64, 64), blocks(8, 4096, 50), blocks(16, 150, 512)});
    expect_same_hash(plugin("life"), geometry("cell", {131, 67, 1, Boundary::torus, Boundary::reflect}), 23, {blocks(8, 4096, 20)});
    expect_same_hash(plugin("wave2d"), geometry("wave", {201, 103, 1, Boundary::fixed, Boundary::fixed}), 41,
                     {blocks(3, 64, 32), blocks(8, 4096, 40)});
    expect_same_hash(plugin("leadership"), geometry("person", {77, 29, 1, Boundary::torus, Boundary::open}), 12, {blocks(3, 64, 16)});
}

TEST(FusedBlocks, RandomNumbersHeatersAndLinesHaveTheSameHash) {
    expect_same_hash(test_model("random_walk_field"), geometry("field", {161, 47, 1, Boundary::fixed, Boundary::torus}), 11,
                     {blocks(3, 64, 16)});
    expect_same_hash(test_model("mass_heat"), geometry("plate", {61, 47, 1, Boundary::fixed, Boundary::fixed}), 20, {blocks(4, 4096, 10)});
    for (const auto x : boundaries)
        expect_same_hash(test_model("rule110"), geometry("cell", reference::line(2011, x), 1), 50,
                         {x == Boundary::torus ? blocks(8, 4096, 1) : blocks(8, 500, 1)});
}

// A row of this grid does not fit: the block is narrowed to what the cache holds.
TEST(FusedBlocks, WideRowsAreCutAndHaveTheSameHash) {
    expect_same_hash(plugin("heat2d"), geometry("plate", {40001, 9, 1, Boundary::torus, Boundary::fixed}), 17, {blocks(8, 1 << 20, 64)});
}

TEST_F(FusedBlocksAtEdges, WhatDoesNotFitIsSaid) {
    WorldUnderTest many(test_model("many_types"), geometry("exhibit", {41, 13, 1, Boundary::torus, Boundary::torus}));
    EXPECT_EQ(many.fuse(blocks(2, 64, 8)), "callAll exhibit.pass_on uses more than 24 values of a row");
    WorldUnderTest deep(plugin("leadership"), geometry("person", {77, 29, 1, Boundary::torus, Boundary::open}));
    EXPECT_THAT(deep.fuse(blocks(1000, 4096, 8)), ::testing::HasSubstr("too many for a cache"));
}

} // namespace
} // namespace tessera::test::fused_blocks_test
