// What a step asks for, and what is expected of making several at a time.
#include "host/views/candidates.hpp"
#include "host/views/estimates.hpp"
#include "host/views/patch.hpp"
#include "host/views/pipeline.hpp"
#include "host/views/stream.hpp"
#include "host/views/tile.hpp"
#include "tests/support/hand_made.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace tessera::test::estimates_test {
namespace {

DeviceInfo gpu() { return {"cuda:0", DeviceKind::cuda, "a GPU", "sm_90", std::uint64_t{1} << 37, 132}; }

HandMade toy() {
    HandMade toy;
    const auto cell = toy.places("Cell", {hand_made_member("heat"), hand_made_member("mass", Scalar::f64, 3),
                                          hand_made_member("wall", Scalar::u8), hand_made_member("idle")});
    toy.function(cell, "warm", {{"heat", and_writes(looking({1, 1, 0}, {1, 2, 0}))}, {"wall", reading()}});
    toy.function(cell, "fall", {{"mass", writing()}});
    return toy;
}
CallSequence sequence_of(const Setup& setup) { return call_sequences(setup, usual_phases(setup)).front(); }

TEST(Demand, IsWhatFunctionsDeclareOfAPlace) {
    const auto setup = toy().bind({"places.cell.size = [40, 30]"});
    const auto demand = demand_of(setup, sequence_of(setup));
    EXPECT_EQ(demand.bytes_read, 4 + 24 + 1) << "what is written is loaded too, but for what nobody uses";
    EXPECT_EQ(demand.bytes_written, 4 + 24);
    // Of a box of 3 x 4 about half is seen: 1 + 11 / 2 places; a byte takes a word.
    EXPECT_EQ(demand.loads, 6.5 + 1);
    EXPECT_EQ(demand.instructions, 2 + (6.5 + 1) + (1 + 6));
    EXPECT_EQ(demand.kept, 4 + 1) << "rows of heat, and one of walls";
    EXPECT_EQ(demand.low, 1);
    EXPECT_EQ(demand.high, 2);
}

TEST(Demand, SumsUpReachesOfCallsAndCountsColumnsThatRotate) {
    const auto setup = toy().bind(
        {"places.cell.size = [40, 30]", R"(phase = [{callAll="cell.warm"}, {callAll="cell.warm"}, {rotate=["cell.heat", "cell.idle"]}])"});
    const auto demand = demand_of(setup, sequence_of(setup));
    EXPECT_EQ(demand.low, 2);
    EXPECT_EQ(demand.high, 4);
    EXPECT_EQ(demand.bytes_written, 4 + 4) << "`idle` is `heat` in the next step";
}

TEST(Costs, OfAStepAreItsBytesAndWhatTheyDoNotExplain) {
    const auto setup = toy().bind({"places.cell.size = [1000, 1000]"});
    auto device = gpu();
    const double bytes = 1e6 * (29 + 28);
    const auto unknown = costs_of(setup, sequence_of(setup), device, 1e-3);
    EXPECT_DOUBLE_EQ(unknown.bandwidth, bytes / 1e-3);
    EXPECT_EQ(unknown.computing, 0);
    device.memory_bandwidth = 1e12;
    const auto known = costs_of(setup, sequence_of(setup), device, 1e-3);
    EXPECT_NEAR(known.computing, 1e-3 - 2e-6 - bytes / 0.75e12, 1e-12);
    EXPECT_EQ(costs_of(setup, sequence_of(setup), device, 1e-5).computing, 0) << "no less than nothing";
}

// Nothing saves what a step computes: it is done `redundant` times over, and the rest shared by the steps.
TEST(Costs, OfFusedStepsAreAtLeastWhatIsComputed) {
    StepCosts single;
    single.seconds = 10;
    single.computing = 4;
    EXPECT_DOUBLE_EQ(with_computing(1, single, 1.25, 3), 4 * 1.25 + 6.0 / 3);
    EXPECT_DOUBLE_EQ(with_computing(8, single, 1.25, 3), 8) << "the estimate is worse";
    EXPECT_EQ(with_computing(1, single, 2.2, 6), never) << "9.8 of 10 is not worth a change";
    EXPECT_DOUBLE_EQ(with_computing(1, single, 2.1, 6), 4 * 2.1 + 1);
}

TEST(Unevenness, IsLessTheMoreTilesThereAre) {
    EXPECT_DOUBLE_EQ(unevenness(100, 800), 1.1);
    EXPECT_DOUBLE_EQ(unevenness(100, 1), 3);
    EXPECT_LT(unevenness(100, 1000), unevenness(100, 900));
}

TEST(Depths, RiseAndAreThoseThatPromiseMost) {
    for (const bool cuda : {false, true}) EXPECT_TRUE(std::is_sorted(depths_tried(cuda).begin(), depths_tried(cuda).end()));
    EXPECT_THAT(depths_by_promise_on_cpu(), ::testing::UnorderedElementsAreArray(depths_tried(false)));
}

// ---- candidates

Setup plate(const std::string& size, Scalar type = Scalar::f32) {
    HandMade toy;
    const auto cell = toy.places("Cell", {hand_made_member("heat", type)});
    toy.function(cell, "warm", {{"heat", and_writes(looking({1, 1, 0}))}});
    return toy.bind({"places.cell.size = " + size});
}

TEST(Estimates, AreNeverFasterThanMemoryMovesBytesOnce) {
    const auto setup = plate("[4096, 4096]");
    const auto sequence = sequence_of(setup);
    const double single = 50e-6;
    int finite = 0;
    for (const auto& view : possible_views(setup, sequence, gpu(), 0)) {
        const double seconds = predicted_seconds(setup, sequence, gpu(), single, view);
        if (!std::isfinite(seconds)) continue;
        ++finite;
        EXPECT_GE(seconds, single / view.depth) << spelled(view);
    }
    EXPECT_GT(finite, 100);
}

TEST(Estimates, AreNeverForWhatIsLargerThanTheGridOrKeepsTooMuch) {
    const auto setup = plate("[300, 20]");
    const auto predicted = [&](const FusedView& view) { return predicted_seconds(setup, sequence_of(setup), gpu(), 1e-3, view); };
    for (const auto& view : {pipeline_view(2, 1, 32), patch_view(2, 1, 32), tile_view(2, 512, 8), tile_view(2, 32, 32)})
        EXPECT_EQ(predicted(view), never) << spelled(view);
    EXPECT_TRUE(std::isfinite(predicted(pipeline_view(2, 1, 16))));
    EXPECT_EQ(predicted(pipeline_view(16, 4, 16)), never) << "281 registers";
    EXPECT_EQ(predicted(pipeline_view(16, 1, 16)), never) << "it has an obstacle";
}

TEST(RankedCandidates, AreTheMostPromisingOfThoseThatAreUnlike) {
    const auto setup = plate("[4096, 4096]");
    const auto sequence = sequence_of(setup);
    for (const std::size_t most : {std::size_t{1}, quick_candidates, full_candidates}) {
        const auto views = ranked_candidates(setup, sequence, gpu(), 50e-6, 0, most);
        ASSERT_EQ(views.size(), most);
        std::vector<double> seconds;
        for (const auto& view : views) {
            EXPECT_NE(view.of, &tile_class()) << "in a plane, only where nothing else can be had";
            seconds.push_back(predicted_seconds(setup, sequence, gpu(), 50e-6, view));
            const auto alike = std::count_if(views.begin(), views.end(), [&](const FusedView& other) {
                auto same = other;
                same.piece.length = view.piece.length;
                return same == view;
            });
            EXPECT_LE(static_cast<std::size_t>(alike), 1 + most / 12) << spelled(view);
        }
        EXPECT_TRUE(std::is_sorted(seconds.begin(), seconds.end()));
        double least = never;
        for (const auto& view : possible_views(setup, sequence, gpu(), 0))
            if (view.of != &tile_class()) least = std::min(least, predicted_seconds(setup, sequence, gpu(), 50e-6, view));
        EXPECT_TRUE(most == 1 || seconds.front() == least);
    }
}

TEST(RankedCandidates, OfAVolumeAreTiles) {
    HandMade toy;
    const auto cell = toy.places("Cell", {hand_made_member("heat")});
    toy.function(cell, "warm", {{"heat", and_writes(looking({1, 1, 1}))}});
    const auto setup = toy.bind({"places.cell.size = [400, 400, 400]"});
    const auto views = ranked_candidates(setup, sequence_of(setup), gpu(), 200e-6, 0, 6);
    EXPECT_FALSE(views.empty());
    for (const auto& view : views) EXPECT_EQ(view.of, &tile_class());
}

// With as much of the memory's speed as fits one that makes one step at a time at its speed.
TEST(RankedCandidates, OfAVolumeThatIsSeenAlongItsAxesAreStreamsToo) {
    HandMade toy;
    const auto cell = toy.places("Cell", {hand_made_member("heat")});
    toy.function(cell, "warm", {{"heat", and_writes(along_axes(looking({1, 1, 1})))}});
    const auto setup = toy.bind({"places.cell.size = [512, 512, 512]"});
    const auto views = ranked_candidates(setup, sequence_of(setup), gpu(), 288e-6, 0, 6);
    ASSERT_FALSE(views.empty());
    EXPECT_EQ(views.front().of, &stream_class());
    EXPECT_EQ(spelled(views.front()), "stream:3x4x32x64") << "which is the fastest, as measured";
}

TEST(PossibleViews, OfBitsAreThoseThatAreInMemoryTooWhereTheseCanBe) {
    const auto words = [](const std::string& size) {
        const auto setup = plate(size, Scalar::u8);
        const auto views = possible_views(setup, sequence_of(setup), gpu(), 1);
        const auto count = std::count_if(views.begin(), views.end(), [](const FusedView& view) { return view.words; });
        EXPECT_FALSE(views.empty());
        EXPECT_TRUE(count == 0 || count == static_cast<std::ptrdiff_t>(views.size()));
        return count > 0;
    };
    EXPECT_TRUE(words("[4096, 4096]"));
    EXPECT_FALSE(words("[4090, 4096]")) << "a torus of no whole words";
}

TEST(PackedCandidates, ComeFirstUnlessTheyAreHopeless) {
    EXPECT_FALSE(hopeless(1.5, 1));
    EXPECT_TRUE(hopeless(1.51, 1));
    const auto setup = plate("[8192, 8192]", Scalar::u8);
    const auto views = packed_and_plain_candidates(setup, sequence_of(setup), gpu(), 58e-6, 1, 6);
    ASSERT_EQ(views.size(), 3u + 6u);
    for (std::size_t i = 0; i < views.size(); ++i) EXPECT_EQ(views[i].bits, i < 3 ? 1 : 0) << spelled(views[i]);
    const auto plain = packed_and_plain_candidates(setup, sequence_of(setup), gpu(), 58e-6, 0, 6);
    EXPECT_EQ(plain, std::vector<FusedView>(views.begin() + 3, views.end()));
}

} // namespace
} // namespace tessera::test::estimates_test
