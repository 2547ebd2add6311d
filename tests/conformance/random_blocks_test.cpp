// Models that draw once a place and step, in every view, against plain loops with a Philox of their own: four neighbours in x share a
// block, however the places are dealt to threads.
// optimise: yes
#include "tests/conformance/fused_views.hpp"
#include "tests/conformance/philox.hpp"

#include <gtest/gtest.h>

namespace tessera::test::random_blocks_test {
namespace {

constexpr std::uint64_t seed = 17;

struct Spins {
    Shape shape;
    std::vector<std::uint8_t> up;

    void sweep(std::uint64_t step, int colour) {
        const auto key = key_of(seed, colour == 0 ? "spin.black" : "spin.white", 0);
        const auto before = up;
        for (std::int64_t y = 0; y < shape.ny; ++y)
            for (std::int64_t x = colour != y % 2; x < shape.nx; x += 2) {
                auto& spin = up[shape.index(x, y)];
                int up_around = 0;
                for (const auto& [dx, dy] : {std::pair(-1, 0), std::pair(1, 0), std::pair(0, -1), std::pair(0, 1)})
                    up_around += reference::look<std::uint8_t>(before, shape, x + dx, y + dy, 0, 0, 0).value;
                const int same = spin != 0 ? up_around : 4 - up_around;
                const float chance = same == 4 ? 0.02944f : same == 3 ? 0.17157f : 1.0f;
                if (Stream(key, number_of(x, y, shape.nx), step).uniform() < chance) spin ^= 1;
            }
    }
};

struct People {
    Shape shape;
    std::vector<std::uint8_t> ill, immune;

    void day(std::uint64_t step) {
        const auto key = key_of(seed, "person.day", 0);
        const auto before = ill;
        for (std::int64_t y = 0; y < shape.ny; ++y)
            for (std::int64_t x = 0; x < shape.nx; ++x) {
                const auto i = shape.index(x, y);
                int danger = 0;
                for (std::int64_t dy = -1; dy <= 1; ++dy)
                    for (std::int64_t dx = -1; dx <= 1; ++dx)
                        if (dx != 0 || dy != 0) danger += reference::look<std::uint8_t>(before, shape, x + dx, y + dy, 0, 0, 0).value;
                const float fate = Stream(key, number_of(x, y, shape.nx), step).uniform();
                if (before[i] != 0) {
                    ill[i] = fate >= 0.2f;
                    if (ill[i] == 0) immune[i] = 30;
                } else {
                    ill[i] = immune[i] == 0 && fate < static_cast<float>(danger) * 0.08f;
                    if (immune[i] > 0) --immune[i];
                }
            }
    }
};

// A width that is a multiple of four, and one that is not; in both, edges and what is within.
std::vector<Shape> shapes(Boundary boundary) {
    return {{272, 18, 1, boundary, Boundary::torus}, {61, 23, 1, Boundary::torus, Boundary::open}};
}
std::vector<FusedView> several_steps() {
    return {blocks_view(3, 64, 8), pipeline_view(3, 2, 8), pipeline_view(2, 4, 16),
            patch_view(3, 2, 4),   patch_view(2, 4, 4),    tile_view(2, 32, 8)};
}
std::vector<std::optional<ViewChoice>> views() {
    using Kind = ViewChoice::Kind;
    return {std::nullopt, ViewChoice{Kind::direct, 32, 4, 8, 32}, ViewChoice{Kind::window, 64, 2, 4, 32},
            ViewChoice{Kind::window, 64, 4, 8, 32}};
}

class RandomBlocks : public OnDevice {
protected:
    // `check` after so many steps in every view, of single steps and of several.
    void in_every_view(const std::string& model, const std::vector<std::string>& keys, const Shape& shape, std::uint64_t steps,
                       const std::function<void(const WorldUnderTest&)>& check) {
        const auto all = keys + std::vector<std::string>{"run.seed=" + std::to_string(seed)};
        for (const auto& view : views()) {
            SCOPED_TRACE(std::to_string(shape.nx) + " places across, " + (view ? to_string(*view) : "as chosen"));
            auto options = on_this();
            options.view = view;
            WorldUnderTest world(model, all, options);
            world.step_to(steps);
            check(world);
        }
        const auto fused = several_steps();
        for (std::size_t i = 0; i < fused.size(); ++i) {
            if (shape.nx % 4 != 0 && i % 2 == 1 && !thorough()) continue; // a width that no block ends with: one of each class
            const auto& view = fused[i];
            if (view.of->is_for_cpu() && GetParam() != "cpu") continue;
            SCOPED_TRACE(std::to_string(shape.nx) + " places across, " + to_string(view));
            WorldUnderTest world(model, all, on_this());
            if (!world.fuse(view).empty()) continue;
            world.step_to(steps);
            check(world);
            ++fused_;
        }
    }
    int fused_ = 0; // views that fitted

private:
    QuickCompiler quick_;
};

TEST_P(RandomBlocks, SpinsDrawTheirPlacesNumbers) {
    for (const auto& shape : shapes(Boundary::torus)) {
        Spins spins{shape, random_cells(shape, 5)};
        GivenValues given;
        const auto keys = geometry("spin", shape) + std::vector<std::string>{given.key("spin", "up", spins.up, shape)};
        for (std::uint64_t step = 0; step < 12; ++step) spins.sweep(step, 0), spins.sweep(step, 1);
        in_every_view(test_model("ising"), keys, shape, 12,
                      [&](const WorldUnderTest& world) { expect_same(world.values<std::uint8_t>("spin", "up"), spins.up, shape, "up"); });
    }
    EXPECT_GE(fused_, GetParam() == "cpu" ? 7 : 5);
}

TEST_P(RandomBlocks, PeopleDrawTheirPlacesNumbers) {
    for (const auto& shape : shapes(Boundary::open)) {
        People people{shape, random_cells(shape, 6), std::vector<std::uint8_t>(shape.count(), 0)};
        GivenValues given;
        const auto keys = geometry("person", shape) + std::vector<std::string>{given.key("person", "ill", people.ill, shape)};
        for (std::uint64_t step = 0; step < 12; ++step) people.day(step);
        in_every_view(test_model("epidemic"), keys, shape, 12, [&](const WorldUnderTest& world) {
            expect_same(world.values<std::uint8_t>("person", "ill"), people.ill, shape, "ill");
            expect_same(world.values<std::uint8_t>("person", "immune"), people.immune, shape, "immune");
        });
    }
    EXPECT_GE(fused_, GetParam() == "cpu" ? 7 : 5);
}

TESSERA_ON_EVERY_DEVICE(RandomBlocks);

} // namespace
} // namespace tessera::test::random_blocks_test
