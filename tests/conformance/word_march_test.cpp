// Steps over words in memory on grids of three dimensions: the bits of a plain loop, and of one step at a time over bytes.
#include "host/views/fused_program.hpp"
#include "host/views/word_march.hpp"
#include "tests/conformance/moss.hpp"
#include "tests/reference/life3d.hpp"
#include "tests/support/compilers.hpp"
#include "tests/support/states.hpp"
#include "tests/support/stripes.hpp"
#include "tests/support/thorough.hpp"
#include "tests/support/world_under_test.hpp"

#include <gtest/gtest.h>

#include <array>
#include <random>

namespace tessera::test::word_march_test {
namespace {

class WordMarch : public OnDevice {
protected:
    static void expect_life(const Shape& shape, const FusedView& view) {
        const auto start = random_cells(shape);
        GivenValues given;
        WorldUnderTest world(test_model("life3d"), geometry("cell", shape, 3) + std::vector{given.key("cell", "alive", start, shape, 3)},
                             on_this());
        ASSERT_EQ(world.fuse(view), "");
        world.step_to(9);
        EXPECT_GE(world.simulation().fused_steps(), 6U) << to_string(view);
        expect_same(world.values<std::uint8_t>("cell", "alive"), reference::life3d(start, shape, 9), shape, to_string(view).c_str());
    }
    // Bytes of all their bits, of which some are seen to one side alone or only written.
    static void expect_moss(const Shape& shape, const FusedView& view) {
        const TemporaryFolder folder;
        const auto model = folder.write("moss.cu", moss_text);
        Moss moss{random_bytes(shape, 3, 255, 3), random_bytes(shape, 255, 255, 4), random_bytes(shape, 255, 255, 6),
                  random_bytes(shape, 1, 1, 5)};
        constexpr std::uint8_t outside = 2;
        GivenValues given;
        auto keys = geometry("moss", shape, 3) + std::vector{given.key("moss", "age", moss.age, shape, 3),
                                                             given.key("moss", "wind", moss.wind, shape, 3),
                                                             given.key("moss", "wet", moss.wet, shape, 3)};
        if (shape.x == Boundary::fixed || shape.y == Boundary::fixed || shape.z == Boundary::fixed)
            keys.push_back("places.moss.outside.age=" + std::to_string(outside));
        WorldUnderTest world(model.string(), keys, on_this());
        ASSERT_EQ(world.fuse(view), "");
        world.step_to(4);
        EXPECT_GE(world.simulation().fused_steps(), 2U);
        for (int step = 0; step < 4; ++step) moss = grown(moss, shape, outside, 3);
        expect_same(world.values<std::uint8_t>("moss", "age"), moss.age, shape, to_string(view).c_str());
        expect_same(world.values<std::uint8_t>("moss", "near"), moss.near, shape, to_string(view).c_str());
    }
    // Of a model for any devices.
    static Prepared bound(const std::string& model, const std::vector<std::string>& keys) {
        const auto all = keys + std::vector<std::string>{"output=[]", "run.steps=40"};
        return prepare(for_any_devices({test_model(model), all, {}}), compiler());
    }
    static std::string obstacle_of(const std::vector<std::string>& keys, const FusedView& view) {
        const auto prepared = bound("life3d", keys);
        return obstacle(prepared.setup, call_sequences(prepared.setup, usual_phases(prepared.setup)).front(), view);
    }

private:
    QuickCompiler quick_{};
};

// Rows of one word and of several, which one thread has or many, and rows and planes that no piece divides.
TEST_P(WordMarch, OfLifeIsThatOfAPlainLoop) {
    const std::vector views{word_march_view(1, 1, 2), word_march_view(1, 3, 4), word_march_view(2, 2, 8), word_march_view(4, 2, 1)};
    const std::vector<std::array<int, 3>> sizes{{32, 5, 7}, {96, 13, 6}, {192, 6, 9}, {384, 7, 5}};
    for (std::size_t i = 0; i < boundaries.size(); ++i) {
        const auto& [nx, ny, nz] = sizes[i];
        expect_life(reference::block(nx, ny, nz, boundaries[i]), views[i]);
    }
    expect_life({64, 11, 6, Boundary::open, Boundary::torus, Boundary::fixed}, views[2]);
    expect_life({100, 7, 5, Boundary::fixed, Boundary::open, Boundary::reflect}, views[2]);
    expect_life({1088, 3, 3, Boundary::torus, Boundary::torus, Boundary::torus}, views[0]);
    if (!thorough() && on_cpu()) return;
    expect_life({32, 7, 5, Boundary::torus, Boundary::reflect, Boundary::open}, views[0]);
    expect_life({128, 5, 9, Boundary::reflect, Boundary::fixed, Boundary::torus}, views[3]);
    expect_life({33, 5, 6, Boundary::open, Boundary::reflect, Boundary::torus}, views[0]);
    expect_life({7, 4, 3, Boundary::open, Boundary::open, Boundary::open}, views[1]);
}

// Where rows are so long and so many that a GPU's warps have whole rows, their threads ask each other for the words beside their own.
TEST_P(WordMarch, OfWarpsWithWholeRowsIsThatOfAPlainLoop) {
    expect_life(reference::block(64, 32, 3, Boundary::torus), word_march_view(1, 2, 4));
    expect_life({100, 8, 5, Boundary::fixed, Boundary::open, Boundary::reflect}, word_march_view(1, 1, 2));
    if (!thorough() && on_cpu()) return; // which has no warps
    expect_life({64, 32, 3, Boundary::reflect, Boundary::fixed, Boundary::torus}, word_march_view(1, 2, 4));
    expect_life({128, 64, 5, Boundary::open, Boundary::torus, Boundary::fixed}, word_march_view(2, 2, 2));
    expect_life({256, 32, 3, Boundary::reflect, Boundary::open, Boundary::open}, word_march_view(4, 2, 2));
    expect_life({1024, 3, 4, Boundary::torus, Boundary::reflect, Boundary::fixed}, word_march_view(1, 1, 4));
    expect_moss({64, 16, 5, Boundary::fixed, Boundary::torus, Boundary::open}, word_march_view(1, 1, 2, 8));
    expect_moss({62, 16, 5, Boundary::open, Boundary::fixed, Boundary::reflect}, word_march_view(2, 1, 2, 8));
}

TEST_P(WordMarch, GoesAroundThinGrids) {
    for (const auto boundary : {Boundary::torus, Boundary::reflect})
        expect_life(boundary == Boundary::torus ? reference::block(32, 1, 1, boundary) : reference::block(64, 2, 1, boundary),
                    word_march_view(1, 2, 4));
}

TEST_P(WordMarch, OfBytesIsThatOfAPlainLoop) {
    const std::vector views{word_march_view(1, 1, 2, 8), word_march_view(2, 2, 3, 8)};
    expect_moss(reference::block(64, 5, 7, Boundary::torus), views[0]);
    expect_moss({65, 5, 4, Boundary::fixed, Boundary::torus, Boundary::open}, views[0]);
    expect_moss({63, 4, 5, Boundary::open, Boundary::fixed, Boundary::reflect}, views[1]);
    if (!thorough()) return;
    for (std::size_t i = 0; i < boundaries.size(); ++i) expect_moss(reference::block(64, 5, 7, boundaries[i]), views[i % 2]);
    expect_moss({32, 6, 4, Boundary::open, Boundary::fixed, Boundary::reflect}, views[0]);
    expect_moss({64, 3, 5, Boundary::fixed, Boundary::open, Boundary::fixed}, views[1]);
}

// Steps follow each other in segments that grow; two columns change names, and one is only read.
TEST_P(WordMarch, HandsWordsOnWithTheSameHash) {
    for (const auto boundary : {Boundary::torus, Boundary::fixed}) {
        const auto keys = geometry("cell", reference::block(64, 7, 6, boundary), 3);
        WorldUnderTest straight(test_model("reversible"), keys, {"cpu", 1, {}}), world(test_model("reversible"), keys, on_this());
        ASSERT_EQ(world.fuse(word_march_view(2, 1, 4)), "");
        for (const std::uint64_t step : {std::uint64_t{3}, std::uint64_t{600}, std::uint64_t{1101}}) {
            straight.step_to(step);
            world.step_to(step);
            EXPECT_EQ(world.hash(), straight.hash()) << keys[1] << ", state " << step;
        }
        EXPECT_GT(world.simulation().fused_steps(), 1000U);
    }
}

// To pack and spread for one step alone takes longer than to make it; that is how a run may end.
TEST_P(WordMarch, MakesNoSingleStep) {
    WorldUnderTest world(test_model("life3d"), geometry("cell", reference::block(32, 5, 4, Boundary::torus), 3), on_this());
    ASSERT_EQ(world.fuse(word_march_view(1, 1, 2)), "");
    world.step_to(1);
    world.step_to(2);
    EXPECT_EQ(world.simulation().fused_steps(), 0U);
    world.step_to(12);
    EXPECT_GE(world.simulation().fused_steps(), 6U);
}

// Stripes of planes in one memory, and in several, where planes are sent.
TEST_P(WordMarch, OverSeveralDevicesGivesTheHashOfOne) {
    std::mt19937 generator(7);
    const auto dice = [&] { return static_cast<std::uint64_t>(generator()); };
    for (const auto& [x, z] :
         {std::pair{Boundary::torus, Boundary::torus}, {Boundary::open, Boundary::reflect}, {Boundary::fixed, Boundary::open}}) {
        const auto keys = geometry("cell", {x == Boundary::torus ? 64 : 50, 7, 19, x, Boundary::torus, z}, 3);
        WorldUnderTest straight(test_model("reversible"), keys, {"cpu", 1, {}});
        straight.step_to(40);
        const auto prepared = bound("reversible", keys);
        for (const bool own_memory : {false, true}) {
            auto distribution = cut_anywhere(prepared.setup, 3, dice);
            if (own_memory) give_own_memory(prepared.setup, distribution, 3, 3);
            const auto setup = arranged(prepared.setup, distribution);
            const auto devices = open_devices(std::vector<std::string>(3, GetParam()), 1);
            ThreadPool pool(1);
            Simulation simulation(setup, pointers_to(devices), compiler(), pool);
            const auto programs = programs_for(setup, fusible_sequences(setup), word_march_view(1, 2, 4));
            ASSERT_EQ(programs.size(), 1U);
            simulation.fuse(programs, compiler());
            simulation.advance(40, [](std::uint64_t) { return true; });
            EXPECT_EQ(simulation.hash(), straight.hash()) << keys[1] << (own_memory ? ", own memory" : "");
            EXPECT_GT(simulation.fused_steps(), 20U) << keys[1] << (own_memory ? ", own memory" : "");
        }
    }
}

TEST_P(WordMarch, SaysWhatDoesNotFit) {
    const auto volume = [](int nx) { return geometry("cell", reference::block(nx, 6, 8, Boundary::torus), 3); };
    EXPECT_EQ(obstacle_of(volume(64), word_march_view(2, 1, 2)), "");
    EXPECT_EQ(obstacle_of(volume(64), word_march_view(4, 1, 2)), "rows of 2 words cannot be divided among threads of 4");
    EXPECT_EQ(obstacle_of(volume(65), word_march_view(1, 1, 2)), "a torus of 65 places along x cannot be divided into words of 32 places");
    EXPECT_EQ(obstacle_of(geometry("cell", reference::plane(64, 6, Boundary::torus)), word_march_view(1, 1, 2)),
              "words are marched through on grids of three dimensions");
    EXPECT_EQ(obstacle_of(volume(64) + std::vector<std::string>{"phase=[{callAll=\"cell.tick\"},{callAll=\"cell.tick\"}]"},
                          word_march_view(1, 1, 2)),
              "words of three dimensions are for steps of one call");
}

TESSERA_ON_EVERY_DEVICE(WordMarch);

} // namespace
} // namespace tessera::test::word_march_test
