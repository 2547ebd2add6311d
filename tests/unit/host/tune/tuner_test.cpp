// What the tuner chooses makes the same steps, and is remembered; trials notice other values.
// sanitizers: address, thread
#include "host/execute/kernel_image.hpp"
#include "host/tune/tuner.hpp"
#include "host/views/blocks.hpp"
#include "host/views/candidates.hpp"
#include "host/views/packing.hpp"
#include "host/views/patch.hpp"
#include "host/views/pipeline.hpp"
#include "host/views/tile.hpp"
#include "host/views/word_march.hpp"
#include "tests/support/states.hpp"
#include "tests/support/world_under_test.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

namespace tessera::test::tuner_test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class Tuning : public OnDevice {};

std::vector<std::string> plate() { return geometry("plate", reference::plane(301, 203, Boundary::torus)); }

DeviceInfo info_of(const std::string& device) { return open_device(device, 1)->info(); }

// Of no other run: nothing is noted for it yet, while what is compiled is shared.
std::string new_driver() {
    static int drivers = 0;
    return "driver " + std::to_string(drivers++) + " of " + std::to_string(std::chrono::system_clock::now().time_since_epoch().count());
}

// Steps until the tuner has decided, as a run does: between steps it is asked, and told that there is a lot to do.
std::string tuned(WorldUnderTest& world, const std::string& device, const std::string& driver) {
    const auto info = info_of(device);
    Tuner tuner(world.setup(), info, driver, world.simulation(), compiler());
    constexpr std::uint64_t endless = std::uint64_t{1} << 40;
    while (tuner.verdict().empty()) {
        world.advance(world.step() + 512, [&](std::uint64_t) { return !tuner.ready(endless); });
        if (tuner.ready(endless)) tuner.work(world.step() + 512);
    }
    return tuner.verdict();
}

// Whether a choice is noted for runs of this model on the device.
bool has_choice(const WorldUnderTest& world, const std::string& device, const std::string& driver) {
    const auto info = info_of(device);
    const auto target = target_for(world.setup(), info.kind == DeviceKind::cuda, info.architecture);
    return compiler()
        .noted(kernels_job(world.setup(), world.simulation().views(), target), Tuner::topic(world.setup(), info, driver))
        .has_value();
}

TEST_P(Tuning, TheChoiceMakesTheSameStepsAndIsRemembered) {
    const auto driver = new_driver();
    WorldUnderTest first(plugin("heat2d"), plate(), on_this()), second(plugin("heat2d"), plate(), on_this());
    const auto verdict = tuned(first, GetParam(), driver);
    const bool kept = has_choice(first, GetParam(), driver); // on a busy machine times may differ so much that it is left to another run
    const auto again = tuned(second, GetParam(), driver);
    if (kept) {
        EXPECT_THAT(again, HasSubstr("as an earlier run found"));
    }
    const bool fuses = !first.simulation().fused_view().empty();
    if (fuses)
        EXPECT_THAT(verdict, StartsWith(first.simulation().fused_view()));
    else
        EXPECT_THAT(verdict, StartsWith("one step at a time"));
    if (kept) {
        EXPECT_EQ(second.simulation().fused_view(), first.simulation().fused_view());
    }

    first.step_to(std::max(first.step(), second.step()) + 100);
    second.step_to(first.step());
    WorldUnderTest straight(plugin("heat2d"), plate(), {"cpu", 1, {}});
    straight.step_to(first.step());
    EXPECT_EQ(first.hash(), straight.hash());
    EXPECT_EQ(second.hash(), straight.hash());
    if (kept) {
        EXPECT_EQ(second.simulation().fused_steps() > 0, fuses);
    }
}

TEST_P(Tuning, AnotherDriversChoiceIsNotTaken) {
    WorldUnderTest world(plugin("heat2d"), plate(), on_this());
    tuned(world, GetParam(), new_driver());
    const auto info = info_of(GetParam());
    EXPECT_TRUE(Tuner(world.setup(), info, new_driver(), world.simulation(), compiler()).verdict().empty());
}

TEST_P(Tuning, TrialsMakeStepsAndSeeEveryDifference) {
    const auto sequence_of = [](const WorldUnderTest& world) { return call_sequences(world.setup(), usual_phases(world.setup())).front(); };
    WorldUnderTest world(plugin("heat2d"), plate(), on_this());
    const FusedProgram right{sequence_of(world), pipeline_view(3, 2, 16), "right"};
    const auto image_of = [&](const tessera::Setup& setup, const FusedProgram& program) {
        const auto info = info_of(GetParam());
        return compile_programs(setup, {program}, target_for(setup, !on_cpu(), info.architecture), compiler());
    };
    const auto loaded = world.simulation().load_programs({right}, image_of(world.setup(), right));
    EXPECT_FALSE(world.simulation().try_programs(loaded, 2)) << "three steps do not go into two";
    const auto trial = world.simulation().try_programs(loaded, 3);
    ASSERT_TRUE(trial);
    EXPECT_TRUE(trial->same);
    EXPECT_EQ(world.step(), 3u);

    // A program of a model with another constant makes other values.
    const WorldUnderTest other(plugin("heat2d"), plate() + std::vector<std::string>{"params.r=0.2"}, on_this());
    const auto wrong = world.simulation().load_programs({right}, image_of(other.setup(), right));
    const auto second = world.simulation().try_programs(wrong, 100);
    ASSERT_TRUE(second);
    EXPECT_FALSE(second->same);

    WorldUnderTest straight(plugin("heat2d"), plate(), {"cpu", 1, {}});
    straight.step_to(world.step());
    EXPECT_EQ(world.hash(), straight.hash()) << "trials leave the run's own state alone";
}

TESSERA_ON_EVERY_DEVICE(Tuning);

TEST(Candidates, FitTheirSequence) {
    DeviceInfo large{"cuda:0", DeviceKind::cuda, "a GPU", "sm_90", std::uint64_t{1} << 37, 132};
    for (const auto& [model, collection] : {std::pair{"heat2d", "plate"}, {"wave2d", "wave"}, {"leadership", "person"}}) {
        const WorldUnderTest world(plugin(model), geometry(collection, reference::plane(1024, 1024, Boundary::torus)), {"cpu", 1, {}});
        const auto sequence = call_sequences(world.setup(), usual_phases(world.setup())).front();
        const auto views = ranked_candidates(world.setup(), sequence, large, 3e-6, 0, 6);
        EXPECT_FALSE(views.empty()) << model;
        EXPECT_LE(views.size(), 6u);
        for (const auto& view : views) EXPECT_EQ(obstacle(world.setup(), sequence, view), "") << model << ", " << to_string(view);
    }
}

TEST(Candidates, WordsAreNotTriedOnASmallGrid) {
    const DeviceInfo large{"cuda:0", DeviceKind::cuda, "a GPU", "sm_90", std::uint64_t{1} << 37, 132};
    const auto has_words = [&](int n, double step_seconds) {
        const auto prepared = prepare({plugin("life"), geometry("cell", {n, n, 1, Boundary::torus, Boundary::torus}), {}}, compiler());
        const auto sequence = call_sequences(prepared.setup, usual_phases(prepared.setup)).front();
        const auto views = packed_and_plain_candidates(prepared.setup, sequence, large, step_seconds, 1, 6);
        return std::any_of(views.begin(), views.end(), [](const FusedView& view) { return view.bits > 0; });
    };
    EXPECT_FALSE(has_words(512, 1.5e-6));
    EXPECT_TRUE(has_words(8192, 58e-6));
}

// As an H200 makes them: 13.5 us a step of bytes at 256^3, 98 at 512^3, and 4.0 and 17 of words.
TEST(Candidates, WordsOfVolumesAreTriedInPiecesThatFitThem) {
    const DeviceInfo large{"cuda:0", DeviceKind::cuda, "a GPU", "sm_90", std::uint64_t{1} << 37, 132};
    for (const auto& [n, step_seconds, expected] : {std::tuple{256, 13.5e-6, 4.0e-6}, {512, 98e-6, 17.3e-6}}) {
        const auto prepared =
            prepare({test_model("life3d"), geometry("cell", reference::block(n, n, n, Boundary::torus), 3), {}}, compiler());
        const auto sequence = call_sequences(prepared.setup, usual_phases(prepared.setup)).front();
        const auto views = packed_and_plain_candidates(prepared.setup, sequence, large, step_seconds, 1, 6);
        ASSERT_FALSE(views.empty());
        EXPECT_EQ(views.front().of, &word_march_class()) << n;
        const auto predicted = [&, seconds = step_seconds](const FusedView& view) {
            return predicted_seconds(prepared.setup, sequence, large, seconds, view);
        };
        EXPECT_NEAR(predicted(views.front()), expected, 0.25 * expected) << n << ", " << to_string(views.front());
        EXPECT_GT(predicted(word_march_view(1, 1, 1)), 1.1 * predicted(views.front())) << n;
    }
    const auto odd = prepare({test_model("life3d"), geometry("cell", reference::block(250, 256, 256, Boundary::torus), 3), {}}, compiler());
    for (const auto& view :
         packed_and_plain_candidates(odd.setup, call_sequences(odd.setup, usual_phases(odd.setup)).front(), large, 13e-6, 1, 6))
        EXPECT_EQ(view.bits, 0);
}

TEST(Candidates, NeighboursAreRankedAndCanBeExpectedToRun) {
    const DeviceInfo large{"cuda:0", DeviceKind::cuda, "a GPU", "sm_90", std::uint64_t{1} << 37, 132};
    const auto prepared = prepare({plugin("heat2d"), geometry("plate", {8192, 8192, 1, Boundary::torus, Boundary::torus}), {}}, compiler());
    const auto sequence = call_sequences(prepared.setup, usual_phases(prepared.setup)).front();
    const auto views = ranked_neighbours(prepared.setup, sequence, large, 135e-6, pipeline_view(12, 4, 128), 9);
    double before = 0;
    for (const auto& view : views) {
        const double predicted = predicted_seconds(prepared.setup, sequence, large, 135e-6, view);
        EXPECT_TRUE(std::isfinite(predicted)) << to_string(view); // 16 steps of 4 places a lane keep more than registers hold
        EXPECT_GE(predicted, before) << to_string(view);
        before = predicted;
    }
    EXPECT_THAT(views, ::testing::SizeIs(::testing::Ge(2u)));
    EXPECT_THAT(ranked_neighbours(prepared.setup, sequence, large, 135e-6, pipeline_view(6, 2, 64), 2), ::testing::SizeIs(2));
}

// What memory does not explain of a single step, no view saves.
TEST(Candidates, AreNotTriedWhereAFunctionComputesLong) {
    DeviceInfo large{"cuda:0", DeviceKind::cuda, "a GPU", "sm_90", std::uint64_t{1} << 37, 132};
    large.memory_bandwidth = 4.9e12;
    const auto prepared = prepare({plugin("heat2d"), geometry("plate", {8192, 8192, 1, Boundary::torus, Boundary::torus}), {}}, compiler());
    const auto sequence = call_sequences(prepared.setup, usual_phases(prepared.setup)).front();
    const auto tried = [&](double step_seconds) { return ranked_candidates(prepared.setup, sequence, large, step_seconds, 0, 6); };
    EXPECT_THAT(tried(135e-6), ::testing::SizeIs(6)) << "as long as its bytes need";
    EXPECT_THAT(tried(20 * 135e-6), ::testing::IsEmpty());
    const auto view = tried(135e-6).front();
    EXPECT_FALSE(std::isfinite(predicted_seconds(prepared.setup, sequence, large, 20 * 135e-6, view)));
    large.memory_bandwidth = 0;
    EXPECT_THAT(tried(20 * 135e-6), ::testing::SizeIs(6)) << "nothing is known of the memory";
}

TEST(Candidates, OthersOfAClassAreJudgedByTheOneThatCameClosestToItsEstimate) {
    Lateness lateness;
    const auto one = pipeline_view(8, 2, 64), other = pipeline_view(4, 2, 64), patch = patch_view(4, 2, 16);
    EXPECT_EQ(lateness.corrected(other, 1), 1);
    lateness.add(one, 2, 40);
    lateness.add(one, 2, 20);
    lateness.add(one, 2, 30);
    EXPECT_EQ(lateness.corrected(other, 1), 10);
    EXPECT_EQ(lateness.corrected(patch, 1), 1);
    lateness.add(one, 2, 1);
    EXPECT_EQ(lateness.corrected(other, 1), 1) << "what was faster makes nobody else so";
}

TEST(Candidates, GiveEveryThreadOfACpuItsShare) {
    const auto pieces = [](const WorldUnderTest& world, int threads) {
        const auto sequence = call_sequences(world.setup(), usual_phases(world.setup())).front();
        std::vector<std::int64_t> items;
        for (const auto& view : ranked_candidates(world.setup(), sequence, {"cpu", DeviceKind::cpu, "", "cpu", 0, threads}, 1e-3, 0, 6))
            items.push_back(
                launch_shape(tiling_of(world.setup(), {sequence, view, ""}), world.setup().collections[sequence.collection].whole()).items);
        return items;
    };
    const WorldUnderTest line(test_model("rule110"), geometry("cell", reference::plane(3'000'000, 1, Boundary::torus), 1),
                              {"cpu", 1, {}, {}});
    EXPECT_THAT(pieces(line, 16), ::testing::SizeIs(::testing::Ge(3u)));
    EXPECT_THAT(pieces(line, 16), ::testing::Each(::testing::AnyOf(16, ::testing::Ge(16 * 16))));
    const WorldUnderTest wide(plugin("heat2d"), geometry("plate", reference::plane(3000, 700, Boundary::torus)), {"cpu", 1, {}, {}});
    EXPECT_THAT(pieces(wide, 1), ::testing::Each(2));
    EXPECT_THAT(pieces(wide, 6), ::testing::Each(6));
}

TEST(FusedViews, AreNamedInGoodEnglish) {
    EXPECT_EQ(to_string(pipeline_view(2, 1, 1)), "pipeline, 2 steps, 1 place a lane, strips of 1 row");
    EXPECT_EQ(to_string(pipeline_view(8, 1, 16, 1)), "pipeline, 8 steps, 32 places a lane (1 bit each), strips of 16 rows");
    EXPECT_EQ(to_string(pipeline_view(8, 1, 16, 2)), "pipeline, 8 steps, 32 places a lane (2 bits each), strips of 16 rows");
    EXPECT_EQ(to_string(patch_view(8, 1, 12)), "patch, 8 steps, 1 place a lane, 12 rows");
    EXPECT_EQ(to_string(blocks_view(8, 4096, 512)), "blocks, 8 steps, 4096 x 512 places");
}

TEST(FusedViews, AreReadAsTheyAreSpelled) {
    for (const std::string text : {"pipeline:8x2x64", "pipeline:8x1x32x2", "words:8x1x32x1", "patch:8x2x12", "tile:3x128x32",
                                   "tile:2x32x8x16", "bits:1x2x4x1", "blocks:8x4096x512"}) {
        const auto view = read_fused_view(text).view;
        ASSERT_TRUE(view) << text;
        EXPECT_EQ(spelled(*view), text);
    }
    EXPECT_EQ(read_fused_view("tile:2x32x8x16").view, tile_view(2, 32, 16, 8));
    EXPECT_EQ(read_fused_view("words:8x1x32x1").view, pipeline_view(8, 1, 32, 1, true));
    for (const std::string text :
         {"", "pipeline", "pipeline:", "pipeline:8", "pipeline:8x2x64x3", "pipeline:8x2x64x1x1", "pipeline:8x2x64 ", "patch:0x2x12",
          "patch:-8x2x12", "patch:99999999999x2x12", "slab:8x2x12", "blocks:8x4096x"})
        EXPECT_FALSE(read_fused_view(text).view) << text;
}

TEST(Packing, TakesTheFewestBitsThatHoldTheState) {
    const auto shape = reference::plane(5, 4, Boundary::fixed);
    GivenValues given;
    const auto bits = [&](std::uint8_t most, const std::string& outside) {
        std::vector<std::uint8_t> cells(20, 0);
        cells[7] = most;
        const WorldUnderTest world(plugin("life"), geometry("cell", shape) + std::vector{given.key("cell", "alive", cells, shape), outside},
                                   {"cpu", 1, {}});
        const auto sequence = call_sequences(world.setup(), usual_phases(world.setup())).front();
        return packing_of(world.setup(), sequence, world.simulation().reader()).bits;
    };
    EXPECT_EQ(bits(1, "places.cell.outside.alive=0"), 1);
    EXPECT_EQ(bits(3, "places.cell.outside.alive=0"), 2);
    EXPECT_EQ(bits(1, "places.cell.outside.alive=9"), 4);
    EXPECT_EQ(bits(200, "places.cell.outside.alive=0"), 8);
}

} // namespace
} // namespace tessera::test::tuner_test
