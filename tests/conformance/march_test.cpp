// Kernels that march along the last axis, one place or several bytes at a time: the bits of the CPU's rows and of a plain loop, for any
// shape, size, boundary and values, on one device and on several.
#include "host/generate/march.hpp"
#include "tests/conformance/moss.hpp"
#include "tests/reference/life3d.hpp"
#include "tests/support/compilers.hpp"
#include "tests/support/states.hpp"
#include "tests/support/stripes.hpp"
#include "tests/support/world_under_test.hpp"

#include <gtest/gtest.h>

#include <random>

namespace tessera::test::march_test {
namespace {

ViewChoice shaped(int cells, int rows, int planes, int lanes, int small) {
    ViewChoice view{ViewChoice::Kind::march, 64, cells, rows, lanes};
    view.planes = planes;
    view.small = small;
    return view;
}

class March : public OnDevice {
protected:
    // Moss, three steps from these values, is that of the plain loop.
    static void expect_moss(const Shape& shape, const ViewChoice& view, unsigned most, unsigned rare, int dims = 3) {
        const TemporaryFolder folder;
        const auto model = folder.write("moss.cu", dims == 3 ? std::string(moss_text) : flat_moss_text());
        Moss moss{random_bytes(shape, most, rare, 3), random_bytes(shape, 255, 255, 4), random_bytes(shape, most, most, 6),
                  random_bytes(shape, 1, 1, 5)};
        constexpr std::uint8_t outside = 2;
        GivenValues given;
        auto keys = geometry("moss", shape, dims) + std::vector{given.key("moss", "age", moss.age, shape, dims),
                                                                given.key("moss", "wind", moss.wind, shape, dims),
                                                                given.key("moss", "wet", moss.wet, shape, dims)};
        if (shape.x == Boundary::fixed || shape.y == Boundary::fixed || shape.z == Boundary::fixed)
            keys.push_back("places.moss.outside.age=" + std::to_string(outside));
        auto options = on_this();
        options.view = view;
        WorldUnderTest world(model.string(), keys, options);
        for (std::uint64_t step = 1; step <= 3; ++step) {
            moss = grown(moss, shape, outside, dims);
            world.step_to(step);
            const auto what = to_string(view) + ", values up to " + std::to_string(rare);
            expect_same(world.values<std::uint8_t>("moss", "age"), moss.age, shape, what.c_str());
            expect_same(world.values<std::uint8_t>("moss", "near"), moss.near, shape, what.c_str());
            expect_same(bools_of(world.read("moss", "wet")), moss.wet, shape, what.c_str());
        }
    }
    static std::vector<std::uint8_t> bools_of(const Array& array) {
        std::vector<std::uint8_t> values;
        for (const bool value : array.data<bool>()) values.push_back(value ? 1 : 0);
        return values;
    }
    static std::uint64_t hash_of(const std::string& model, const std::vector<std::string>& keys, const Options& options) {
        WorldUnderTest world(model, keys, options);
        world.step_to(8);
        return world.hash();
    }
    // Behind some steps, by marches of these shapes: the hash of the CPU's rows.
    static void expect_same_hash(const std::string& model, const std::vector<std::string>& keys, const std::vector<ViewChoice>& views) {
        const auto expected = hash_of(model, keys, {"cpu", 1, {}});
        for (const auto& view : views) {
            auto options = on_this();
            options.view = view;
            EXPECT_EQ(hash_of(model, keys, options), expected) << model << ", " << keys.front() << ", " << to_string(view);
        }
    }

private:
    QuickCompiler quick_{};
};

TEST_P(March, OfBytesIsThatOfAPlainLoop) {
    for (const auto boundary : boundaries) {
        const auto shape = reference::block(21, 13, 7, boundary);
        expect_moss(shape, shaped(16, 2, 8, 8, 3), 1, 1);
        expect_moss(shape, shaped(4, 1, 3, 16, 3), 3, 255);
    }
    expect_moss({33, 6, 9, Boundary::torus, Boundary::reflect, Boundary::open}, shaped(8, 2, 4, 8, 3), 200, 255);
    expect_moss({16, 9, 5, Boundary::open, Boundary::fixed, Boundary::torus}, shaped(16, 4, 2, 8, 3), 2, 40);
    expect_moss({64, 4, 8, Boundary::reflect, Boundary::torus, Boundary::fixed}, shaped(16, 2, 8, 8, 3), 3, 4);
}

TEST_P(March, OfBytesOnAPlaneIsThatOfAPlainLoop) {
    for (const auto boundary : boundaries) {
        expect_moss(reference::block(37, 23, 1, boundary), shaped(16, 1, 8, 32, 3), 3, 255, 2);
    }
    expect_moss({64, 19, 1, Boundary::torus, Boundary::reflect, Boundary::open}, shaped(16, 1, 4, 32, 3), 3, 30, 2);
    expect_moss({48, 5, 1, Boundary::open, Boundary::torus, Boundary::open}, shaped(8, 1, 16, 128, 3), 200, 255, 2);
    expect_moss({2, 3, 1, Boundary::torus, Boundary::torus, Boundary::torus}, shaped(16, 1, 8, 32, 3), 3, 255, 2);
    expect_moss({1, 2, 1, Boundary::reflect, Boundary::torus, Boundary::torus}, shaped(16, 1, 8, 32, 3), 3, 255, 2);
}

// Places that are their own neighbours, and threads with more rows, planes and places than there are.
TEST_P(March, OfBytesGoesAroundTinyGrids) {
    for (const auto& shape : {reference::block(1, 1, 1, Boundary::torus), reference::block(3, 1, 2, Boundary::reflect),
                              reference::block(2, 5, 1, Boundary::torus), reference::block(5, 2, 3, Boundary::open)})
        expect_moss(shape, shaped(16, 2, 8, 8, 3), 3, 255);
}

TEST_P(March, OfOnePlaceGivesTheHashOfRows) {
    const std::vector views{shaped(4, 1, 4, 32, 0), shaped(2, 2, 8, 8, 0), shaped(1, 3, 1, 16, 0)};
    for (const auto boundary : boundaries) {
        expect_same_hash(test_model("crystal"), geometry("atom", reference::block(21, 13, 7, boundary), 3), views);
        expect_same_hash(test_model("life3d"), geometry("cell", reference::block(16, 6, 9, boundary), 3), {shaped(4, 2, 8, 8, 0)});
    }
    expect_same_hash(test_model("crystal"), geometry("atom", {9, 2, 5, Boundary::torus, Boundary::open, Boundary::reflect}, 3), views);
    expect_same_hash(test_model("crystal"), geometry("atom", {8, 7, 3, Boundary::open, Boundary::torus, Boundary::fixed}, 3), views);
}

// A bar that is warmed by a source that goes round: what depends on the step alone is a sine and a cosine.
TEST_P(March, KnowsTheNumberOfTheStep) {
    const TemporaryFolder folder;
    const auto model = folder.write("bar.cu", R"(#include <tessera/model.hpp>
struct Bar {
    float heat = 1;
    double flow = 0;
};
TESSERA_PLACE(Bar, heat, flow);
TESSERA_CALL(Bar, warm, around<von_neumann, &Bar::heat>, writes<&Bar::heat>, sets<&Bar::flow>) {
    const float angle = 0.01f * static_cast<float>(self.step), x = 4 + 3 * cos(angle) - static_cast<float>(self.position.x);
    const float sum = self.sum(von_neumann, &Bar::heat) + (self.exists(above) ? 0.5f : 0.25f);
    self.flow = static_cast<double>(self.heat) - self.at(below).heat;
    self.heat += 0.1f * (sum - 6 * self.heat) + (x * x < 1 ? sin(angle) : self.random.uniform());
}
TESSERA_MODEL(bar, "a source that moves");
TESSERA_DEFAULTS("phase = [{ exchangeAll = \"bar\" }, { callAll = \"bar.warm\" }]");
)");
    for (const auto& shape : {reference::block(17, 5, 9, Boundary::open), reference::block(12, 6, 8, Boundary::torus)})
        expect_same_hash(model.string(), geometry("bar", shape, 3), {shaped(2, 1, 4, 16, 0), shaped(4, 2, 3, 8, 0)});
}

// Stripes of planes, some thinner than a thread's planes, in one memory and in several.
TEST_P(March, OverSeveralDevicesGivesTheHashOfOne) {
    std::mt19937 generator(7);
    const auto dice = [&] { return static_cast<std::uint64_t>(generator()); };
    const auto check = [&](const std::string& model, const std::vector<std::string>& keys, const std::vector<ViewChoice>& shapes) {
        const auto expected = hash_of(model, keys, {"cpu", 1, {}});
        const auto prepared = prepare({model, keys + std::vector<std::string>{"output=[]", "run.steps=8"}, {}}, compiler());
        for (const auto& view : shapes)
            for (const bool own_memory : {false, true}) {
                auto distribution = cut_anywhere(prepared.setup, 3, dice);
                if (own_memory) give_own_memory(prepared.setup, distribution, 3, 3);
                const auto setup = arranged(prepared.setup, distribution);
                const auto devices = open_devices(std::vector<std::string>(3, GetParam()), 1);
                ThreadPool pool(1);
                Simulation simulation(setup, pointers_to(devices), compiler(), pool, std::vector<ViewChoice>(setup.kernels.size(), view));
                simulation.advance(8, [](std::uint64_t) { return true; });
                EXPECT_EQ(simulation.hash(), expected) << model << ", " << to_string(view) << (own_memory ? ", own memory" : "");
            }
    };
    check(test_model("life3d"), geometry("cell", reference::block(21, 13, 17, Boundary::torus), 3),
          {shaped(16, 2, 8, 8, 1), shaped(4, 1, 4, 8, 0)});
    check("life", geometry("cell", reference::block(50, 43, 1, Boundary::torus), 2), {shaped(16, 1, 8, 32, 1)});
    check(test_model("crystal"), geometry("atom", {9, 6, 19, Boundary::open, Boundary::reflect, Boundary::open}, 3),
          {shaped(4, 1, 4, 8, 0)});
}

// The engine's own choice, of functions of each kind.
TEST(MarchIsChosen, WhereOtherPlanesAreSeenOnAGpu) {
    const auto view_of = [](const std::string& model, const std::vector<std::string>& keys, std::size_t kernel) {
        const auto prepared = prepare({model, keys + std::vector<std::string>{"output=[]", "run.steps=8"}, {}}, compiler());
        return choose_view(prepared.setup, prepared.setup.kernels[KernelId(kernel)], true);
    };
    const auto large = geometry("cell", reference::block(256, 256, 256, Boundary::torus), 3);
    EXPECT_EQ(view_of(test_model("life3d"), large, 0), shaped(16, 2, 4, 16, 3));
    EXPECT_EQ(view_of("life", geometry("cell", reference::block(8192, 8192, 1, Boundary::torus), 2), 0), shaped(16, 1, 4, 128, 3));
    EXPECT_EQ(view_of("life", geometry("cell", reference::block(500, 500, 1, Boundary::torus), 2), 0).kind, ViewChoice::Kind::window);
    EXPECT_EQ(view_of(test_model("life3d"), geometry("cell", reference::block(64, 64, 64, Boundary::torus), 3), 0), shaped(8, 1, 1, 8, 3));
    const TemporaryFolder folder;
    EXPECT_EQ(view_of(folder.write("moss.cu", moss_text).string(), geometry("moss", reference::block(200, 100, 300, Boundary::open), 3), 0),
              shaped(16, 2, 4, 16, 3));
}

TESSERA_ON_EVERY_DEVICE(March);

} // namespace
} // namespace tessera::test::march_test
