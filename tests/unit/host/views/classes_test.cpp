// Of each class of views: names, what it cannot carry out and why, pieces, and the text of a program.
#include "host/views/blocks.hpp"
#include "host/views/candidates.hpp"
#include "host/views/patch.hpp"
#include "host/views/pipeline.hpp"
#include "host/views/program_source.hpp"
#include "host/views/stream.hpp"
#include "host/views/tile.hpp"
#include "host/views/word_march.hpp"
#include "kernels/fused/word_layout.hpp"
#include "tests/support/hand_made.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace tessera::test::classes_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

DeviceInfo gpu() { return {"cuda:0", DeviceKind::cuda, "a GPU", "sm_90", std::uint64_t{1} << 37, 132}; }
DeviceInfo cpu(int threads = 8) { return {"cpu", DeviceKind::cpu, "a CPU", "cpu", std::uint64_t{1} << 37, threads}; }

// A function that sees so far, of one member and writes it.
Setup setup_of(const std::string& size, const model::Use& use, const std::string& boundary = "torus", Scalar type = Scalar::f32,
               int elements = 1) {
    HandMade toy;
    const auto cell = toy.places("Cell", {hand_made_member("heat", type, elements), hand_made_member("idle")});
    toy.function(cell, "tick", {{"heat", and_writes(use)}});
    return toy.bind({"places.cell.size = " + size, "places.cell.boundary = \"" + boundary + "\""});
}
CallSequence sequence_of(const Setup& setup) { return call_sequences(setup, usual_phases(setup)).front(); }
std::string obstacle_of(const Setup& setup, const FusedView& view) { return obstacle(setup, sequence_of(setup), view); }

// ---- names

TEST(ViewClasses, ReadWhatTheySpellOfAllTheirPieces) {
    std::set<std::string> seen;
    for (const std::string size : {"[3000]", "[3000, 2000]", "[300, 200, 100]"}) {
        const auto setup = setup_of(size, reading());
        for (const auto* of : fused_views())
            for (const int bits : {0, 1, 4})
                for (const auto& view : of->pieces(setup.collections.front(), of->is_for_cpu() ? cpu() : gpu(), bits)) {
                    EXPECT_EQ(view.of, of);
                    EXPECT_EQ(view.bits, bits);
                    const auto text = spelled(view);
                    const auto read = read_fused_view(text);
                    ASSERT_TRUE(read.view) << text << ": " << read.why_not;
                    EXPECT_TRUE(*read.view == view) << text;
                    seen.insert(text.substr(0, text.find(':')));
                }
    }
    std::set<std::string> names;
    for (const auto& spelling : fused_spellings()) names.insert(spelling.name);
    EXPECT_EQ(seen, names);
}

TEST(ViewClasses, GiveAnExampleThatTheyRead) {
    for (const auto& spelling : fused_spellings()) {
        const auto example = spelling.example.substr(0, spelling.example.find(' '));
        ASSERT_THAT(example, StartsWith(spelling.name + ":"));
        EXPECT_TRUE(read_fused_view(example).view) << example;
        EXPECT_EQ(read_fused_view(spelling.name + ":2").why_not, spelling.example);
    }
    EXPECT_EQ(read_fused_view("pipeline:8x1x32x3").why_not, "a place takes 1, 2, 4 or 8 bits");
    EXPECT_EQ(read_fused_view("bits:3x1x4x1").why_not,
              "a thread has 1, 2 or 4 words beside each other, and a place takes 1, 2, 4 or 8 bits");
    for (const std::string odd : {"stream:2x3x8x4", "stream:2x8x8x4", "stream:2x4x7x4", "stream:2x4x66x4"})
        EXPECT_EQ(read_fused_view(odd).why_not, "a lane has 1, 2 or 4 places, and a block 2, 4, ... or 64 rows") << odd;
    EXPECT_EQ(read_fused_view("slab:8x1").why_not, "no view has this name");
}

TEST(ViewClasses, AreToldApartByTheirKinds) {
    EXPECT_EQ(pipeline_view(2, 1, 8).of->kind(pipeline_view(2, 1, 8)), "pipeline");
    EXPECT_EQ(pipeline_view(2, 1, 8, 1).of->kind(pipeline_view(2, 1, 8, 1)), "pipeline of bits");
    EXPECT_EQ(pipeline_view(2, 1, 8, 1, true).of->kind(pipeline_view(2, 1, 8, 1, true)), "pipeline of words");
    EXPECT_EQ(word_march_view(1, 2, 4).of->kind(word_march_view(1, 2, 4)), "march of words");
    EXPECT_EQ(to_string(word_march_view(2, 1, 4)), "march of words, 1 step, 64 x 1 x 4 places a thread (1 bit each, in memory too)");
    EXPECT_EQ(to_string(tile_view(2, 32, 16, 8)), "tile, 2 steps, 32 x 8 x 16 places");
    EXPECT_EQ(to_string(tile_view(1, 512, 1)), "tile, 1 step, 512 places");
    EXPECT_EQ(to_string(stream_view(4, 2, 24, 64)), "stream of planes, 4 steps, 2 places a lane, 24 rows, 64 planes");
    EXPECT_EQ(to_string(pipeline_view(8, 1, 16, 2, true)),
              "pipeline, 8 steps, 32 places a lane (2 bits each, in memory too), strips of 16 rows");
}

// ---- obstacles

TEST(Obstacles, OfASequenceWithoutCallsAndOfTooFewGhosts) {
    auto setup = setup_of("[300, 200]", looking({1, 1, 0}));
    auto empty = sequence_of(setup);
    empty.phases.clear(), empty.columns.clear();
    EXPECT_EQ(obstacle(setup, empty, tile_view(2, 32, 8)), "no phase calls a function of cell");
    EXPECT_EQ(obstacle_of(over_devices(setup, 2, 1), tile_view(2, 32, 8)), "devices have each other's rows for 1 step");
    EXPECT_EQ(obstacle_of(over_devices(setup, 2, 2), tile_view(2, 32, 8)), "");
}

TEST(Obstacles, OfRowsAreVolumesAndWhatSeesFar) {
    const auto volume = setup_of("[30, 20, 10]", looking({1, 1, 1})), far = setup_of("[300, 200]", looking({0, 4, 0}, {0, 1, 0}));
    for (const auto& view : {pipeline_view(2, 1, 8), patch_view(2, 1, 8), blocks_view(2, 64, 8)}) {
        EXPECT_EQ(obstacle_of(volume, view), "a grid of three dimensions is not streamed by rows");
        EXPECT_EQ(obstacle_of(far, view), "callAll cell.tick sees further than 3 places");
        EXPECT_EQ(obstacle_of(setup_of("[300, 200]", looking({3, 3, 0})), view), "");
    }
    EXPECT_EQ(obstacle_of(volume, tile_view(2, 16, 8, 4)), "");
    EXPECT_EQ(obstacle_of(far, tile_view(2, 32, 8)), "");
}

// A strip is 32 lanes; what both sides see may be half of it.
TEST(Obstacles, OfStripsAreStepsThatSeeFarSideways) {
    const auto setup = setup_of("[300, 200]", looking({1, 0, 0}, {2, 0, 0}));
    EXPECT_EQ(obstacle_of(setup, pipeline_view(4, 1, 8)), "") << "8 on each side of 32";
    EXPECT_EQ(obstacle_of(setup, pipeline_view(5, 1, 8)), "5 steps see 10 places sideways, too many for a strip of 32");
    EXPECT_EQ(obstacle_of(setup, pipeline_view(8, 2, 8)), "") << "16 on each side of 64";
    EXPECT_EQ(obstacle_of(setup, patch_view(9, 2, 1)), "9 steps see 18 places sideways, too many for a strip of 64");
}

TEST(Obstacles, OfPatchesAreLinesMirrorsAndRegisters) {
    EXPECT_EQ(obstacle_of(setup_of("[300]", looking({1, 0, 0})), patch_view(2, 1, 8)), "a patch is a piece of a plane");
    EXPECT_EQ(obstacle_of(setup_of("[300, 200]", looking({1, 1, 0}), "reflect"), patch_view(2, 1, 8)),
              "patches cannot have a reflecting boundary");
    const auto setup = setup_of("[300, 200]", looking({1, 1, 0})),
               wide = setup_of("[300, 200]", looking({1, 1, 0}), "torus", Scalar::f64, 3);
    EXPECT_EQ(obstacle_of(setup, patch_view(2, 1, 176)), "") << "176 rows and 2 above and below: 180 registers";
    EXPECT_EQ(obstacle_of(setup, patch_view(2, 1, 177)), "2 steps keep 181 values of a patch in a lane, and it has registers for 180");
    EXPECT_EQ(obstacle_of(wide, patch_view(2, 2, 12)), "2 steps keep 192 values of a patch in a lane, and it has registers for 180")
        << "16 rows of 2 places of 6 words";
}

TEST(Obstacles, OfWordsAreRaggedToruses) {
    const auto ragged = setup_of("[300, 200]", looking({1, 1, 0}), "torus", Scalar::u8),
               whole = setup_of("[320, 200]", looking({1, 1, 0}), "torus", Scalar::u8);
    EXPECT_EQ(obstacle_of(ragged, pipeline_view(2, 1, 8, 1, true)),
              "a torus of 300 places along x cannot be divided into words of 32 places");
    EXPECT_EQ(obstacle_of(ragged, pipeline_view(2, 1, 8, 1)), "");
    EXPECT_EQ(obstacle_of(whole, pipeline_view(2, 1, 8, 1, true)), "");
    EXPECT_EQ(obstacle_of(setup_of("[300, 200]", looking({1, 1, 0}), "open", Scalar::u8), pipeline_view(2, 1, 8, 1, true)), "");
}

TEST(Obstacles, OfMarchesOfWordsAreOtherGridsAndWhatSeesFar) {
    const auto of_bytes = [](const std::string& size, const model::Use& use) { return setup_of(size, use, "open", Scalar::u8); };
    const auto view = word_march_view(1, 2, 4);
    EXPECT_EQ(obstacle_of(of_bytes("[320, 200]", looking({1, 1, 0})), view), "words are marched through on grids of three dimensions");
    EXPECT_EQ(obstacle_of(of_bytes("[96, 20, 10]", looking({3, 3, 3})), view), "");
    EXPECT_EQ(obstacle_of(of_bytes("[96, 20, 10]", looking({1, 4, 1})), view), "callAll cell.tick sees further than 3 places");
    EXPECT_EQ(obstacle_of(of_bytes("[100, 20, 10]", looking({1, 1, 1})), view), "");
    EXPECT_EQ(obstacle_of(setup_of("[100, 20, 10]", looking({1, 1, 1}), "reflect", Scalar::u8), view),
              "a mirrored row of 100 places along x cannot be divided into words of 32 places");
    EXPECT_EQ(obstacle_of(of_bytes("[96, 20, 10]", looking({1, 1, 1})), word_march_view(2, 1, 4)),
              "rows of 3 words cannot be divided among threads of 2");
    EXPECT_EQ(obstacle_of(over_devices(of_bytes("[96, 20, 10]", looking({1, 1, 1})), 2, 1), view), "");
}

TEST(Obstacles, OfTilesAreSharedMemoryAndPlanesOfAPlane) {
    const auto setup = setup_of("[300, 200]", looking({1, 1, 0}));
    EXPECT_EQ(obstacle_of(setup, tile_view(2, 32, 8, 4)), "tiles of planes are for grids of three dimensions");
    const auto wide = setup_of("[30000, 200]", looking({1, 1, 0}));
    EXPECT_EQ(obstacle_of(wide, tile_view(2, 1000, 8)), "");
    EXPECT_THAT(obstacle_of(wide, tile_view(2, 20000, 8)),
                AllOf(StartsWith("2 steps keep 23"), HasSubstr(" KiB of a tile, and shared memory has 48")));
}

TEST(Obstacles, OfStreamsAreCornersMirrorsAndWhatAThreadAndABlockKeep) {
    const auto cross = along_axes(looking({1, 1, 1}));
    const auto setup = setup_of("[300, 200, 100]", cross);
    EXPECT_EQ(obstacle_of(setup, stream_view(4, 4, 24, 64)), "") << "4 versions of 24 rows of 128 places: all of 48 KiB";
    EXPECT_EQ(obstacle_of(setup, stream_view(4, 4, 26, 64)), "4 steps keep 52 KiB of planes, and shared memory has 48");
    EXPECT_EQ(obstacle_of(setup, stream_view(4, 4, 8, 64)), "4 steps see more than 8 rows");
    EXPECT_EQ(obstacle_of(setup, stream_view(9, 1, 20, 64)), "9 steps see 9 places sideways, too many for 32");
    EXPECT_EQ(obstacle_of(setup, stream_view(8, 4, 20, 64)), "8 steps keep 208 values of planes in a thread, and it has registers for 172");
    EXPECT_EQ(obstacle_of(setup_of("[300, 200]", cross), stream_view(2, 4, 16, 64)), "planes are streamed on grids of three dimensions");
    EXPECT_EQ(obstacle_of(setup_of("[300, 200, 100]", cross, "reflect"), stream_view(2, 4, 16, 64)),
              "streams of planes cannot have a reflecting boundary");
    EXPECT_EQ(obstacle_of(setup_of("[300, 200, 100]", looking({1, 1, 1})), stream_view(2, 4, 16, 64)),
              "callAll cell.tick sees places that are further along two axes");
    EXPECT_EQ(obstacle_of(setup_of("[300, 200, 100]", along_axes(looking({1, 1, 4}))), stream_view(2, 4, 16, 64)),
              "callAll cell.tick sees further than 3 places");
    EXPECT_EQ(obstacle_of(setup_of("[300, 200, 100]", along_axes(looking({1, 1, 0}))), stream_view(2, 4, 16, 64)),
              "other rows of cell.heat are seen in the plane that is just made");
}

TEST(Obstacles, OfBlocksAreTheCache) {
    const auto setup = setup_of("[3000, 2000]", looking({1, 1, 0}));
    EXPECT_EQ(obstacle_of(setup, blocks_view(8, 4096, 512)), "");
    EXPECT_THAT(obstacle_of(setup_of("[3000, 2000]", looking({1, 3, 0}), "torus", Scalar::f64, 20), blocks_view(16, 4096, 512)),
                AllOf(StartsWith("16 steps keep "), HasSubstr(" KiB of even 256 places a row, too many for a cache")));
    HandMade toy;
    const auto cell = toy.places("Cell", {hand_made_member("flows", Scalar::f32, 25)});
    toy.function(cell, "flow", {{"flows", changing()}});
    EXPECT_EQ(obstacle_of(toy.bind({"places.cell.size = [30, 20]"}), blocks_view(2, 64, 8)),
              "callAll cell.flow uses more than 24 values of a row");
}

// ---- pieces and launches

TEST(Pieces, OfBlocksAreTheSameForEachThread) {
    const auto pieces = [&](const std::string& size, int threads) {
        std::vector<std::string> texts;
        const auto setup = setup_of(size, reading());
        for (const auto& view : blocks_class().pieces(setup.collections.front(), cpu(threads), 0))
            if (view.depth == 8) texts.push_back(spelled(view));
        return texts;
    };
    EXPECT_THAT(pieces("[100000]", 4), ::testing::ElementsAre("blocks:8x3584x512", "blocks:8x25024x512")) << "28 or 4 of whole lines of 64";
    EXPECT_THAT(pieces("[3000, 2000]", 8), ::testing::ElementsAre("blocks:8x4096x250", "blocks:8x1048576x250"));
    EXPECT_THAT(pieces("[9000, 2000]", 8), ::testing::ElementsAre("blocks:8x4096x512", "blocks:8x1048576x250"));
    EXPECT_TRUE(blocks_class().pieces(setup_of("[100, 100]", reading()).collections.front(), cpu(), 1).empty()) << "bits are for GPUs";
}

// Lengths with which tiles come in few full rounds.
TEST(Pieces, OfPipelinesHaveLengthsThatSuitTheDevice) {
    const auto setup = setup_of("[8192, 8192]", reading());
    const auto has = [](const std::vector<FusedView>& views, const FusedView& view) {
        return std::find(views.begin(), views.end(), view) != views.end();
    };
    const auto plain = pipeline_class().pieces(setup.collections.front(), gpu(), 0),
               bits = pipeline_class().pieces(setup.collections.front(), gpu(), 1);
    for (const int length : {1, 4, 8, 16, 32, 48, 64, 96, 128}) {
        EXPECT_TRUE(has(plain, pipeline_view(8, 2, length)));
        EXPECT_TRUE(has(bits, pipeline_view(8, 1, length, 1)) && has(bits, pipeline_view(8, 1, length, 1, true)));
    }
    // 8 steps of 4 places a lane store 112 of 128: 74 strips. 94 % of 132 * 16 warps are 26.8 rows of them: strips of 316 rows are too
    // long, in two rounds 8192 / 53 = 155 rows; one row over a multiple of three, with 16 for the steps, are 156.
    EXPECT_TRUE(has(plain, pipeline_view(8, 4, 156)));
    for (const auto& view : plain)
        if (!has(bits, pipeline_view(view.depth, 1, view.piece.length, 1))) {
            EXPECT_EQ((view.piece.length + 2 * view.depth) % 3, 1) << spelled(view);
            EXPECT_GE(view.piece.length, 16) << spelled(view);
        }
}

TEST(Tilings, OfAllClassesCoverTheGrid) {
    const auto plane = setup_of("[300, 200]", looking({1, 1, 0})), volume = setup_of("[30, 20, 10]", looking({1, 1, 1}));
    const auto tiling = [](const tessera::Setup& setup, const FusedView& view) { return tiling_of(setup, {sequence_of(setup), view, ""}); };
    EXPECT_EQ(tiling(plane, pipeline_view(4, 2, 16)).across, 6) << "64 - 2 * 4 places are stored";
    EXPECT_EQ(tiling(plane, pipeline_view(3, 2, 16)).across, 6) << "what is not is whole lanes";
    EXPECT_EQ(tiling(plane, patch_view(4, 1, 10)).across, 13) << "32 - 8";
    EXPECT_EQ(tiling(plane, patch_view(4, 1, 10)).tile_threads, 32);
    EXPECT_EQ(tiling(plane, pipeline_view(8, 1, 16, 1)).across, 1) << "1024 - 64";
    EXPECT_EQ(tiling(plane, tile_view(2, 128, 16)).across, 3);
    EXPECT_EQ(tiling(plane, tile_view(2, 128, 16)).rows, 16);
    EXPECT_EQ(tiling(volume, tile_view(2, 16, 3, 8)).across, 2 * 3) << "in x and y";
    EXPECT_EQ(tiling(volume, tile_view(2, 16, 3, 8)).rows, 3);
    EXPECT_EQ(tiling(volume, tile_view(2, 64, 3, 64)).threads, 512);
    EXPECT_EQ(tiling(plane, blocks_view(8, 128, 50)).across, 3);
    EXPECT_EQ(tiling(volume, stream_view(2, 1, 10, 3)).across, 2 * 4) << "28 of 32 places, and 6 of 10 rows, are stored";
    EXPECT_EQ(tiling(volume, stream_view(2, 1, 10, 3)).rows, 3);
    EXPECT_EQ(tiling(volume, stream_view(2, 1, 10, 3)).threads, 5 * 32) << "each has two rows";
}

// No more threads beside each other than a warp has, and the others of 128 in rows below.
TEST(Tilings, OfMarchesOfWordsHaveThreadsInRows) {
    const auto across = [](const std::string& size, const FusedView& view) {
        const auto setup = setup_of(size, looking({1, 1, 1}), "torus", Scalar::u8);
        return tiling_of(setup, {sequence_of(setup), view, ""}).across;
    };
    EXPECT_EQ(across("[256, 256, 256]", word_march_view(1, 1, 4)), 16) << "8 threads of 32 places, 16 rows of them";
    EXPECT_EQ(across("[256, 256, 256]", word_march_view(2, 2, 4)), 4) << "4 threads, 32 rows of them, each with two";
    EXPECT_EQ(across("[96, 100, 9]", word_march_view(1, 1, 4)), 3) << "3 threads, 42 rows of them";
    EXPECT_EQ(across("[1088, 4, 9]", word_march_view(1, 1, 4)), 2 * 1) << "34 threads are two blocks of 17, 7 rows of them";
}

TEST(Tilings, AreLaunchedWithAWholeNumberOfBlocks) {
    const auto warps = launch_shape(Tiling{5, 8, 32, 128}, {3, 20});
    EXPECT_EQ(warps.items, 5 * 3) << "17 rows, of which the last tiles have one";
    EXPECT_EQ(warps.grid[0], 4u) << "four of a block";
    EXPECT_EQ(warps.block[0], 128u);
    const auto blocks = launch_shape(Tiling{5, 8, 256, 256}, {0, 16});
    EXPECT_EQ(blocks.items, 10);
    EXPECT_EQ(blocks.grid[0], 10u);
}

// ---- programs

TEST(Programs, AreOfTheSequencesThatTheViewCanCarryOut) {
    HandMade toy;
    const auto cell = toy.places("Cell", {hand_made_member("heat")});
    const auto lake = toy.places("Lake", {hand_made_member("depth")});
    toy.function(cell, "tick", {{"heat", and_writes(looking({1, 1, 0}))}});
    toy.function(lake, "fill", {{"depth", and_writes(looking({4, 4, 0}))}});
    const auto setup = toy.bind({"places.cell.size = [40, 40]", "places.lake.size = [40, 40]"});
    const auto programs = programs_for(setup, fusible_sequences(setup), pipeline_view(2, 1, 8));
    ASSERT_EQ(programs.size(), 1u);
    EXPECT_EQ(programs[0].symbol, "fused_cell");
    EXPECT_EQ(pack_symbol(programs[0]), "fused_cell_pack");
    EXPECT_EQ(unpack_symbol(programs[0]), "fused_cell_unpack");
    EXPECT_EQ(programs_for(setup, fusible_sequences(setup), tile_view(2, 16, 8)).size(), 2u);
}

TEST(Programs, OfWordsHaveRowsOfWholeLines) {
    auto setup = setup_of("[1100, 39]", looking({1, 1, 0}), "open", Scalar::u8);
    const FusedProgram program{sequence_of(setup), pipeline_view(2, 1, 8, 2, true), "fused_cell"};
    const auto layout = word_layout(setup, program);
    EXPECT_EQ(layout.words.planes, 2);
    EXPECT_EQ(layout.words.row_bytes, 256u) << "35 words of 4 bytes";
    EXPECT_EQ(layout.words.ghosts, 0);
    EXPECT_EQ(layout.tiling.across, 35);
    EXPECT_EQ(launch_shape(layout.tiling, {0, 39}).items, 35 * 39);
    EXPECT_EQ(word_layout(over_devices(setup, 2, 2), program).words.ghosts, 2 + 1) << "of two steps, and one that is fetched and not used";
}

TEST(Programs, OfWordsOfVolumesHaveRowsWithoutGaps) {
    const auto setup = setup_of("[96, 10, 7]", looking({1, 1, 1}), "open", Scalar::u8);
    const auto layout = word_layout(setup, {sequence_of(setup), word_march_view(1, 2, 4, 2), "fused_cell"});
    EXPECT_EQ(layout.words.planes, 2);
    EXPECT_EQ(layout.words.row_bytes, 120u) << "of a plane: 10 rows of 3 words of 4 bytes";
    EXPECT_EQ(launch_shape(layout.tiling, {0, 7}).items, 3 * 10 * 7);
}

TEST(ProgramText, HasTheColumnsOfEachStageAsRotationsLeaveThem) {
    HandMade toy;
    const auto cell = toy.places("Cell", {hand_made_member("now"), hand_made_member("before")});
    toy.function(cell, "swing", {{"now", looking({1, 1, 0})}, {"before", changing()}});
    const auto setup =
        toy.bind({"places.cell.size = [40, 40]", R"(phase = [{callAll="cell.swing"}, {rotate=["cell.now", "cell.before"]}])"});
    const std::vector<FusedProgram> programs{{sequence_of(setup), pipeline_view(3, 2, 16), "fused_cell"}};
    const auto text = program_epilogue(setup, programs, true);
    EXPECT_THAT(text, HasSubstr(R"(struct tessera_program_fused_cell {
    using grid = tessera_grid_of_cell;
    using members = tessera_model::tessera_members_of_Cell;
    using functions = tessera::function_list<tessera_model::Cell_swing>;
    static constexpr int steps = 3, bits = 0, stream = 1;
    static constexpr bool bounded = true, words = false;
    static constexpr int column[][2] = {{0, 1}, {1, 0}, {0, 1}, };
};
TESSERA_PROGRAM(fused_cell, tessera_program_fused_cell, (128, 4), call_pipeline<tessera_program_fused_cell, 2, 16>)
)"));
    EXPECT_THAT(text, AllOf(HasSubstr("#include <tessera/kernels/fused/pipeline.hpp>\n"), Not(HasSubstr("tile.hpp")),
                            Not(HasSubstr("bit_lanes.hpp")), HasSubstr("struct tessera_grid_of_cell {"),
                            HasSubstr("struct tessera::beyond<tessera_grid_of_cell, 1>")));
}

TEST(ProgramText, OfEachViewCallsItsKernel) {
    const auto call = [](const tessera::Setup& setup, const FusedView& view) {
        const auto text = program_epilogue(setup, {{sequence_of(setup), view, "p"}}, false);
        return text.substr(text.find("TESSERA_PROGRAM("));
    };
    const auto plane = setup_of("[64, 32]", looking({1, 1, 0}), "torus", Scalar::u8), volume = setup_of("[64, 32, 9]", looking({1, 1, 1}));
    EXPECT_EQ(call(plane, patch_view(2, 1, 8)), "TESSERA_PROGRAM(p, tessera_program_p, (128), call_patches<tessera_program_p, 1, 8>)\n");
    EXPECT_EQ(call(plane, tile_view(2, 32, 8)), "TESSERA_PROGRAM(p, tessera_program_p, (128), call_tiles<tessera_program_p, 32, 1, 8>)\n");
    EXPECT_EQ(call(volume, tile_view(2, 64, 5, 16)),
              "TESSERA_PROGRAM(p, tessera_program_p, (512), call_tiles<tessera_program_p, 64, 16, 5>)\n");
    EXPECT_THAT(program_epilogue(volume, {{sequence_of(volume), tile_view(2, 64, 5, 16), "p"}}, false), HasSubstr("stream = 2;"));
    EXPECT_EQ(call(volume, stream_view(2, 4, 24, 64)),
              "TESSERA_PROGRAM(p, tessera_program_p, (384), call_streams<tessera_program_p, 4, 24, 64>)\n");
    EXPECT_EQ(call(plane, blocks_view(2, 64, 8)),
              "TESSERA_PROGRAM(p, tessera_program_p, (128), call_row_blocks<tessera_program_p, 64, 8>)\n");
    EXPECT_EQ(call(plane, pipeline_view(2, 1, 8, 2, true)),
              "TESSERA_PROGRAM(p, tessera_program_p, (128), call_pipeline<tessera_program_p, 1, 8>)\n"
              "TESSERA_PROGRAM(p_pack, tessera_program_p, (128), convert_words<tessera_program_p, true>)\n"
              "TESSERA_PROGRAM(p_unpack, tessera_program_p, (128), convert_words<tessera_program_p, false>)\n");
    EXPECT_THAT(program_epilogue(plane, {{sequence_of(plane), pipeline_view(2, 1, 8, 2), "p"}}, false), HasSubstr("fused/bit_lanes.hpp"));
    const auto bytes = setup_of("[64, 32, 9]", looking({1, 1, 1}), "torus", Scalar::u8);
    EXPECT_EQ(call(bytes, word_march_view(1, 2, 4)),
              "TESSERA_PROGRAM(p, tessera_program_p, (128), call_word_march<tessera_program_p, 1, 2, 4>)\n"
              "TESSERA_PROGRAM(p_pack, tessera_program_p, (128), convert_words<tessera_program_p, true>)\n"
              "TESSERA_PROGRAM(p_unpack, tessera_program_p, (128), convert_words<tessera_program_p, false>)\n");
}

} // namespace
} // namespace tessera::test::classes_test
