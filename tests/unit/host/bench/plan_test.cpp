#include "device_runtime/error.hpp"
#include "host/bench/plan.hpp"
#include "host/views/blocks.hpp"
#include "host/views/pipeline.hpp"
#include "host/views/tile.hpp"
#include "host/views/word_march.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tessera::bench::plan_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

CollectionSetup grid(int dimensions, Extents size = {1000, 1000, 1}) {
    CollectionSetup collection;
    collection.name = "cell";
    collection.dimensions = dimensions;
    collection.size = size;
    return collection;
}

std::string refusal(const std::function<void()>& parse) {
    try {
        parse();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), Failure::usage);
        return error.what();
    }
    return "accepted";
}

TEST(Plan, SizesAreNumbersOrExtents) {
    EXPECT_THAT(parse_sizes("500,20x30,1x2x3"), ElementsAre(Size{500}, Size{20, 30}, Size{1, 2, 3}));
    for (const char* wrong : {"", "0", "12,", ",12", "1.5", "-3", "3x", "x3", "1x2x3x4", "1099511627776", "12 ", "1e3"})
        EXPECT_THAT(refusal([&] { (void)parse_sizes(wrong); }), HasSubstr("is no size")) << wrong;
}

TEST(Plan, ASizeIsForAllAxesOrForEach) {
    EXPECT_EQ(extents_of({500}, grid(1)), (Extents{500, 1, 1}));
    EXPECT_EQ(extents_of({500}, grid(2)), (Extents{500, 500, 1}));
    EXPECT_EQ(extents_of({500}, grid(3)), (Extents{500, 500, 500}));
    EXPECT_EQ(extents_of({20, 30}, grid(2)), (Extents{20, 30, 1}));
    EXPECT_THAT(refusal([] { (void)extents_of({20, 30}, grid(3)); }), HasSubstr("cell is a grid of 3 dimensions"));
    EXPECT_THAT(refusal([] { (void)extents_of({20, 30}, grid(1)); }), HasSubstr("cell is a grid of 1 dimension)"));
    EXPECT_EQ(to_string(Size{20, 30}), "20 x 30");
}

TEST(Plan, CountsAreOfDevicesThatThereAre) {
    EXPECT_THAT(parse_counts("", 3), ElementsAre(1, 2, 3));
    EXPECT_THAT(parse_counts("4,1,2,4", 4), ElementsAre(1, 2, 4));
    for (const char* wrong : {"0", "5", "1,", "one", "2x2", "1.5"})
        EXPECT_THAT(refusal([&] { (void)parse_counts(wrong, 4); }), HasSubstr("is no number of devices (there are 1 to 4)")) << wrong;
}

TEST(Plan, ViewsAreGroupsOrShapes) {
    const auto usual = parse_views("single,fused");
    EXPECT_TRUE(usual.chosen && usual.direct && usual.candidates);
    EXPECT_FALSE(usual.windows);
    const auto all = parse_views("all");
    EXPECT_TRUE(all.chosen && all.direct && all.candidates && all.windows);
    const auto named = parse_views(
        "window:2x8,pipeline:6x4x64,pipeline:8x1x32x2,words:8x1x32x1,tile:3x128x32,tile:2x32x8x16,bits:1x2x4x1,blocks:4x4096x512,rows");
    EXPECT_FALSE(named.chosen || named.direct || named.candidates || named.windows);
    ASSERT_EQ(named.single.size(), 2u);
    EXPECT_EQ(to_string(named.single[0]), "window, 2 x 8 places a thread");
    EXPECT_EQ(to_string(named.single[1]), "rows");
    const std::vector<FusedView> fused{pipeline_view(6, 4, 64),  pipeline_view(8, 1, 32, 2), pipeline_view(8, 1, 32, 1, true),
                                       tile_view(3, 128, 32),    tile_view(2, 32, 16, 8),    word_march_view(1, 2, 4),
                                       blocks_view(4, 4096, 512)};
    EXPECT_EQ(named.fused, fused);
}

TEST(Plan, TheHelpNamesEveryView) {
    const auto known = known_views();
    for (const char* view : {"single", "window:CxR", "march:CxRxP", "bytes:CxRxP", "pipeline:DxCxR", "pipeline:DxCxRxB", "words:DxCxRxB",
                             "patch:DxCxR", "tile:DxWxH", "tile:DxWxHxP", "bits:WxRxPxB", "blocks:DxWxH"})
        EXPECT_THAT(known, HasSubstr(view));
}

TEST(Plan, AWrongViewIsRefused) {
    EXPECT_THAT(refusal([] { (void)parse_views("windw"); }), HasSubstr("did you mean `window`?"));
    EXPECT_THAT(refusal([] { (void)parse_views("single,"); }), HasSubstr("this is no view"));
    EXPECT_THAT(refusal([] { (void)parse_views("window:4"); }), HasSubstr("4 places beside each other"));
    EXPECT_THAT(refusal([] { (void)parse_views("march"); }), HasSubstr("march:4x1x8 is 4 places"));
    EXPECT_THAT(refusal([] { (void)parse_views("bytes:5x1x8"); }), HasSubstr("4, 8 or 16"));
    EXPECT_THAT(refusal([] { (void)parse_views("pipeline"); }), HasSubstr("pipeline:6x4x64"));
    EXPECT_THAT(refusal([] { (void)parse_views("pipeline:8x1x32x3"); }), HasSubstr("1, 2, 4 or 8 bits"));
    EXPECT_THAT(refusal([] { (void)parse_views("words:8x1x32"); }), HasSubstr("words:8x1x32x1"));
    EXPECT_THAT(refusal([] { (void)parse_views("blocks:4x4"); }), HasSubstr("blocks:8x4096x512"));
    EXPECT_THAT(refusal([] { (void)parse_views("chosen:3"); }), HasSubstr("this is no view"));
}

TEST(Plan, ViewsFitTheCollection) {
    tessera::Setup setup;
    setup.collections = {grid(2, {70, 3, 1})};
    setup.kernels.resize(2);
    EXPECT_TRUE(single_views(parse_views("single,window"), setup, false).empty()) << "a CPU has rows";
    const auto direct = single_views(parse_views("direct,single"), setup, true);
    ASSERT_EQ(direct.size(), 1u);
    EXPECT_EQ(direct[0].size(), 2u) << "one for each kernel";
    EXPECT_EQ(direct[0][0].width, 64);
    const auto windows = single_views(parse_views("window,window:4x8"), setup, true);
    EXPECT_EQ(windows.size(), 9u) << "1, 2 and 4 places; 1, 2 and, in place of all taller ones, 3 rows";
    for (const auto& view : windows) EXPECT_LE(view[0].rows, 3);
    EXPECT_EQ(single_views(parse_views("march:4x1x8"), setup, true), direct) << "a plane has no planes";
}

TEST(Plan, VolumesHaveMarchesOfAShape) {
    tessera::Setup setup;
    setup.collections = {grid(3, {70, 30, 20})};
    setup.kernels.resize(1);
    const auto views = single_views(parse_views("march:4x1x8"), setup, true);
    ASSERT_EQ(views.size(), 1u);
    EXPECT_EQ(to_string(views[0][0]), "march, 4 x 1 x 8 places a thread");
    EXPECT_EQ(views[0][0].lanes, 32);
}

} // namespace
} // namespace tessera::bench::plan_test
