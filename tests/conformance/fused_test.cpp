// Several steps in one kernel give the bits that one at a time gives.
#include "tests/conformance/fused_views.hpp"

#include <gtest/gtest.h>

#include <array>
#include <optional>

namespace tessera::test::fused_test {
namespace {

FusedView pipeline(int depth, int cells, int rows) { return pipeline_view(depth, cells, rows); }

// Every collection that can be: the world that makes its steps by these programs.
std::uint64_t fused_hash(const std::string& model, const std::vector<std::string>& keys, std::uint64_t steps, const Options& options,
                         const FusedView& view) {
    WorldUnderTest world(model, keys, options);
    world.fuse(view);
    world.step_to(steps);
    return world.hash();
}

// Pipelines are a GPU's: what a CPU's compiler makes of them at its best is of no interest.
class FusedPipelines : public OnDevice {
    QuickCompiler quick_{};
};

TEST_P(FusedPipelines, OfAllDepthsGiveTheSameHash) {
    const auto keys = geometry("plate", reference::plane(301, 133, Boundary::torus));
    WorldUnderTest straight(plugin("heat2d"), keys, {"cpu", 1, {}});
    straight.step_to(37);
    for (const auto& [depth, cells, rows] : {std::array{1, 2, 16}, {2, 1, 8}, {3, 2, 32}, {5, 4, 16}, {8, 2, 64}})
        EXPECT_EQ(fused_hash(plugin("heat2d"), keys, 37, on_this(), pipeline(depth, cells, rows)), straight.hash())
            << depth << " steps, " << cells << " cells, " << rows << " rows";
}

struct Case {
    std::string model;
    std::vector<std::string> keys;
    std::uint64_t steps;
    std::vector<FusedView> views;
};

// Several columns of mixed types, rotations, wide and lopsided reach, arrays, random numbers, coordinates. The first models are tried on
// each boundary along each axis, the next ones on two of four pairs by turns.
std::vector<Case> cases() {
    std::vector<Case> all;
    for (std::size_t i = 0; i < boundaries.size(); ++i) {
        const auto x = boundaries[i], y = boundaries[(i + 1) % 4];
        all.push_back({plugin("life"), geometry("cell", {131, 67, 1, x, x}), 23, {i % 2 == 0 ? pipeline(4, 4, 16) : pipeline(3, 2, 32)}});
        all.push_back({test_model("boundaries"), site(x, y), 11, {pipeline(2, 4, 16)}});
        if (thorough() || i % 2 == 0) {
            all.push_back({plugin("heat2d"),
                           geometry("plate", {67, 43, 1, y, x}) + std::vector<std::string>{"params.heat_time=7"},
                           23,
                           {pipeline(5, 2, 8)}});
            all.push_back({test_model("offsets"), geometry("spot", {135, 31, 1, x, y}), 7, {pipeline(i == 0 ? 1 : 2, 4, 16)}});
        }
        if (thorough() || i % 2 == 1)
            all.push_back({test_model("random_walk_field"), geometry("field", {61, 47, 1, y, x}), 11, {pipeline(2, 2, 16)}});
    }
    all.push_back({plugin("wave2d"),
                   geometry("wave", {201, 103, 1, Boundary::fixed, Boundary::fixed}),
                   41,
                   {pipeline(3, 2, 32), pipeline(8, 4, 64)}});
    all.push_back({plugin("leadership"), geometry("person", {77, 29, 1, Boundary::torus, Boundary::open}), 12, {pipeline(3, 2, 16)}});
    all.push_back({test_model("mass_heat"), geometry("plate", {61, 47, 1, Boundary::fixed, Boundary::fixed}), 20, {pipeline(4, 2, 16)}});
    all.push_back({test_model("rule110"), geometry("cell", reference::line(2011, Boundary::torus), 1), 50, {pipeline(8, 4, 1)}});
    all.push_back({test_model("many_types"), geometry("exhibit", {41, 13, 1, Boundary::torus, Boundary::torus}), 5, {pipeline(2, 2, 16)}});
    return all;
}

TEST_P(FusedPipelines, OfEveryModelGiveTheSameHash) {
    for (const auto& tested : cases()) {
        WorldUnderTest straight(tested.model, tested.keys, {"cpu", 1, {}});
        straight.step_to(tested.steps);
        for (const auto& view : tested.views) {
            WorldUnderTest world(tested.model, tested.keys, on_this());
            EXPECT_EQ(world.fuse(view), "") << tested.model;
            world.step_to(tested.steps);
            EXPECT_GE(world.simulation().fused_steps() + 3 * static_cast<unsigned>(view.depth), tested.steps)
                << tested.model << to_string(view);
            EXPECT_EQ(world.hash(), straight.hash())
                << tested.model << " " << tested.keys[0] << " " << tested.keys[1] << ", " << to_string(view);
        }
    }
}

class Fused : public OnDevice {
    QuickCompiler quick_{};
};

// The last strip, block and tile have one place, or two, beside the edge that repeats what functions see on the other side.
TEST_P(Fused, ReachToOppositeSidesHasTheSameHash) {
    for (const auto& [x, y] :
         {std::pair{Boundary::reflect, Boundary::reflect}, {Boundary::reflect, Boundary::open}, {Boundary::torus, Boundary::reflect}})
        for (const int n : {49, 50}) {
            const auto keys = geometry("pane", {n, n - 16, 1, x, y});
            WorldUnderTest straight(test_model("mirrors"), keys, {"cpu", 1, {}});
            straight.step_to(9);
            for (const auto& view : {pipeline_view(2, 1, 8), tile_view(2, 16, 8), blocks_view(2, 16, 8)}) {
                if (view.of->is_for_cpu() && !on_cpu()) continue;
                WorldUnderTest world(test_model("mirrors"), keys, on_this());
                ASSERT_EQ(world.fuse(view), "");
                world.step_to(9);
                EXPECT_EQ(world.hash(), straight.hash()) << keys[0] << " " << keys[1] << ", " << to_string(view);
            }
        }
}

// 32 places to a word: cells of one bit, and of all eight. Each size and each pair of boundaries meets one view after the other: those of
// a boundary with itself all three, a torus's words the width that is made of words. In a thorough run all meet.
TEST_P(FusedPipelines, OfLanesGiveTheSameHash) {
    const std::array views{pipeline_view(5, 1, 16, 1), pipeline_view(3, 2, 32, 8), pipeline_view(4, 1, 8, 1, true)};
    std::size_t turn = 0;
    for (const auto& [x, y] : pairs_of_boundaries()) {
        using Sizes = std::vector<std::pair<int, int>>;
        for (const auto& [nx, ny] : y == x ? Sizes{{131, 67}, {7, 5}, {2080, 33}} : Sizes{{1025, 40}}) {
            const auto keys = geometry("cell", {nx, ny, 1, x, y});
            std::optional<WorldUnderTest> straight;
            for (std::size_t i = 0; i < views.size(); ++i) {
                const auto& view = views[i];
                if (view.words && x == Boundary::torus && nx % 32 != 0) {
                    const auto prepared = prepare({plugin("life"), keys, {}}, compiler());
                    const auto sequence = call_sequences(prepared.setup, usual_phases(prepared.setup)).front();
                    EXPECT_EQ(obstacle(prepared.setup, sequence, view),
                              "a torus of " + std::to_string(nx) + " places along x cannot be divided into words of 32 places");
                    continue;
                }
                if (!thorough() && i != (turn + turn / 3) % views.size()) continue;
                if (!straight) straight.emplace(plugin("life"), keys, Options{"cpu", 1, {}}), straight->step_to(31);
                WorldUnderTest world(plugin("life"), keys, on_this());
                ASSERT_EQ(world.fuse(view), "");
                world.step_to(31);
                EXPECT_EQ(world.hash(), straight->hash()) << keys[0] << " " << keys[1] << ", " << to_string(view);
            }
            ++turn;
        }
    }
}

// Whoever writes between two steps may write what words of one bit do not hold.
TEST_P(FusedPipelines, OfLanesAreGivenUpWhereSomebodyWritesLargerValues) {
    const auto keys = geometry("cell", {75, 21, 1, Boundary::torus, Boundary::torus});
    WorldUnderTest straight(plugin("life"), keys, {"cpu", 1, {}}), world(plugin("life"), keys, on_this());
    ASSERT_EQ(world.fuse(pipeline_view(4, 1, 16, 1)), "");
    const auto write = [](WorldUnderTest& into, std::uint8_t value) {
        auto values = into.values<std::uint8_t>("cell", "alive");
        for (std::size_t i = 300; i < 340; i += 3) values[i] = value;
        into.simulation().write(require_column(into.setup(), {{"cell", "alive"}, {}}), [&](const PlaceRange& places, std::byte* to) {
            std::memcpy(to, values.data() + places.first, static_cast<std::size_t>(places.count()));
        });
    };
    for (const auto& [step, value] : {std::pair<std::uint64_t, std::uint8_t>{10, 1}, {21, 3}}) {
        for (auto* each : {&straight, &world}) {
            each->step_to(step);
            write(*each, value);
        }
        EXPECT_EQ(world.simulation().fused().empty(), value > 1) << "at state " << step;
    }
    for (auto* each : {&straight, &world}) each->step_to(40);
    EXPECT_GT(world.simulation().fused_steps(), 8U);
    EXPECT_EQ(world.hash(), straight.hash());
}

// Programs of words follow each other in segments that grow; an odd number of steps of two columns that change names.
TEST_P(FusedPipelines, HandWordsOnWithTheSameHash) {
    for (const auto x : boundaries)
        for (const int depth :
             {3, 4}) { // an odd depth with the boundaries that another place's value stands beyond, an even one with others
            if (!thorough() && (depth == 3) != (x == Boundary::torus || x == Boundary::reflect)) continue;
            const auto keys = geometry("cell", {x == Boundary::torus ? 64 : 75, 21, 1, x, depth == 3 ? x : Boundary::torus});
            WorldUnderTest straight(test_model("reversible"), keys, {"cpu", 1, {}}), world(test_model("reversible"), keys, on_this());
            ASSERT_EQ(world.fuse(pipeline_view(depth, 1, 16, 1, true)), "");
            for (const std::uint64_t step : {std::uint64_t{1}, std::uint64_t{3000}, std::uint64_t{4001}}) {
                straight.step_to(step);
                world.step_to(step);
                EXPECT_EQ(world.hash(), straight.hash()) << keys[0] << " " << keys[1] << ", " << depth << " steps, state " << step;
            }
            EXPECT_GT(world.simulation().fused_steps(), 3900U);
        }
}

TESSERA_ON_EVERY_DEVICE(FusedPipelines);
TESSERA_ON_EVERY_DEVICE(Fused);

} // namespace
} // namespace tessera::test::fused_test
