// Frames that devices make of a state against plain loops over the values that the host reads: every type, every reduction, any part of a
// grid at any scale, on one device and on several that have stripes of it.
#include "host/execute/kernel_image.hpp"
#include "host/outputs/colour_map.hpp"
#include "jit/nvrtc.hpp"
#include "tests/conformance/samples.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace tessera::test {
namespace {

// What a byte should be, before it is rounded: 255 for no number.
double step_of(double value, const FrameValues& shown) {
    if (!std::isfinite(value)) return 255;
    if (!(shown.high > shown.low)) return value > shown.low ? 254 : 0;
    return (value - shown.low) / (shown.high - shown.low) * 254;
}
double clamped(double step) { return step == 255 ? 255 : std::clamp(step, 0.0, 254.0); }

// Of a pixel, by a loop over its places. Of wide types the mean is one of colours.
double expected_step(const FrameView& view, const FrameValues& shown, const Layout& layout, const std::vector<double>& values,
                     std::int64_t px, std::int64_t py) {
    const auto& size = layout.size;
    const bool is_wide = size_of(layout.type) == 8 || layout.type == Scalar::f32;
    double sum = 0, held = 0, best = shown.by == frame_reduction::largest ? -INFINITY : INFINITY;
    int count = 0;
    const bool nearest = shown.by == frame_reduction::nearest;
    for (std::int64_t z = view.first; z < (nearest ? view.first + 1 : view.end); ++z)
        for (std::int64_t dy = 0; dy < (nearest ? 1 : view.across); ++dy)
            for (std::int64_t dx = 0; dx < (nearest ? 1 : view.across); ++dx) {
                Extents at{};
                at[view.axes[0]] = view.x + px * view.across + dx;
                at[view.axes[1]] = view.y + py * view.across + dy;
                at[view.axes[2]] = z;
                if (at[0] >= size[0] || at[1] >= size[1] || at[2] >= size[2]) continue;
                const double value = values[static_cast<std::size_t>((at[2] * size[1] + at[1]) * size[0] + at[0])];
                if (!std::isfinite(value)) continue;
                sum += value, ++count;
                held += std::clamp(step_of(value, shown), -262144.0, 262144.0); // as far as colours are told apart
                best = shown.by == frame_reduction::largest ? std::max(best, value) : std::min(best, value);
                if (nearest) best = value;
            }
    if (count == 0) return 255;
    return clamped(shown.by != frame_reduction::mean ? step_of(best, shown) : is_wide ? held / count : step_of(sum / count, shown));
}

FrameView random_view(const CollectionSetup& places, std::mt19937& dice) {
    FrameView view;
    constexpr std::array<std::size_t, 3> all_axes[] = {{0, 1, 2}, {0, 2, 1}, {1, 2, 0}};
    if (places.dimensions == 3) view.axes = all_axes[dice() % 3];
    const auto &nx = places.size[view.axes[0]], &ny = places.size[view.axes[1]], &nz = places.size[view.axes[2]];
    view.x = below(dice, nx), view.y = below(dice, ny);
    view.across = 1 + below(dice, dice() % 3 == 0 ? 12 : 4);
    view.width = 1 + below(dice, (nx - view.x + view.across - 1) / view.across);
    view.height = 1 + below(dice, (ny - view.y + view.across - 1) / view.across);
    if (dice() % 4 == 0)
        view.x = view.y = 0, view.width = (nx + view.across - 1) / view.across, view.height = (ny + view.across - 1) / view.across;
    view.first = below(dice, nz), view.end = dice() % 2 == 0 ? view.first + 1 : nz;
    if (dice() % 3 == 0) view.first = 0;
    return view;
}

class Frames : public ::testing::TestWithParam<std::string> {
protected:
    Prepared prepared(const std::string& size) { return samples_of(folder_.write("samples.cu", every_type).string(), size); }
    void expect_frames(Shown& run, std::uint32_t seed) {
        const auto& setup = run.setup();
        std::mt19937 dice(seed);
        const auto id = setup.collections.ids().front();
        for (std::size_t member = 0; member < 11; ++member) {
            const auto column = setup.column_of(id, member);
            const auto values = fill(run.simulation(), setup, column, static_cast<std::uint32_t>(dice()));
            const auto places = static_cast<std::ptrdiff_t>(setup.collections[id].places());
            for (int i = 0; i < 24; ++i) {
                FrameValues shown{
                    column, setup[column].layout.elements - 1, frame_reduction{i % 4}, -10.0 + static_cast<double>(below(dice, 20)), 0,
                    false};
                shown.high = shown.low + static_cast<double>(below(dice, 5) * below(dice, 60));
                auto view = random_view(setup.collections[id], dice);
                if (shown.by == frame_reduction::nearest) view.end = view.first + 1;
                expect_frame(run, view, shown, {values.end() - places, values.end()});
            }
            expect_ends(run, column, {values.end() - places, values.end()});
        }
    }
    void expect_frame(Shown& run, const FrameView& view, const FrameValues& shown, const std::vector<double>& values) {
        const auto picture = run.frames().places(view, shown);
        ASSERT_EQ(picture.size(), static_cast<std::size_t>(view.width * view.height));
        const auto& layout = run.setup()[shown.column].layout;
        for (std::int64_t py = 0; py < view.height; ++py)
            for (std::int64_t px = 0; px < view.width; ++px) {
                const auto byte = static_cast<unsigned char>(picture[static_cast<std::size_t>(py * view.width + px)]);
                const double expected = expected_step(view, shown, layout, values, px, py);
                ASSERT_LE(std::abs(byte - expected), expected == 255 ? 0 : 0.502)
                    << run.setup().name_of(shown.column) << ", reduction " << static_cast<int>(shown.by) << ", pixel " << px << ", " << py
                    << " of " << view.width << " x " << view.height << " from " << view.x << ", " << view.y << ", " << view.across
                    << " places each, along " << view.axes[2] << " from " << view.first << " to " << view.end << ", from " << shown.low
                    << " to " << shown.high;
            }
    }
    void expect_ends(Shown& run, ColumnId column, std::vector<double> values) {
        values.erase(std::remove_if(values.begin(), values.end(), [](double value) { return !std::isfinite(value); }), values.end());
        const auto ends = run.frames().ends(column, run.setup()[column].layout.elements - 1);
        ASSERT_TRUE(ends.has_value());
        EXPECT_EQ(ends->low, *std::min_element(values.begin(), values.end()));
        EXPECT_EQ(ends->high, *std::max_element(values.begin(), values.end()));
    }

    TemporaryFolder folder_;
};

TEST_P(Frames, OfRandomGridsAreThoseOfALoop) {
    std::uint32_t seed = 1;
    std::mt19937 dice(5);
    for (const std::string size : {"[37,29]", "[13,11,9]", "[50]"}) {
        const auto of = prepared(size);
        for (const std::size_t partitions : {1, 2, 3}) {
            if (size == "[50]" && partitions > 1) continue; // one row
            SCOPED_TRACE(size + " on " + std::to_string(partitions));
            Shown run(of, cut_anywhere(of.setup, partitions, dice), GetParam());
            expect_frames(run, seed++);
            if (HasFatalFailure()) return;
        }
    }
}

TEST_P(Frames, OfPartitionsInTheirOwnMemoryAreThoseOfALoop) {
    std::mt19937 dice(6);
    for (const std::string size : {"[37,29]", "[13,11,9]"}) {
        const auto of = prepared(size);
        Shown run(of, in_own_memory(of.setup, cut_anywhere(of.setup, 3, dice), 1, 1), GetParam());
        expect_frames(run, 9);
        if (HasFatalFailure()) return;
    }
}

TEST_P(Frames, OfCategoriesHaveTheColoursOfPictures) {
    const auto of = prepared("[37,29]");
    Shown run(of, {}, GetParam());
    const auto column = of.setup.column_of(of.setup.collections.ids().front(), 10);
    const auto values = fill(run.simulation(), of.setup, column, 3);
    FrameView view;
    view.width = 37, view.height = 29;
    const auto picture = run.frames().places(view, {column, 0, frame_reduction::nearest, 0, 1, true});
    for (std::size_t i = 0; i < values.size(); ++i)
        ASSERT_EQ(static_cast<unsigned char>(picture[i]), std::isfinite(values[i]) ? category_entry(values[i]) : 255) << values[i];
}

// Of all collections, those that come last on top: by the agents that the host finds.
void expect_agents_in_frames(Shown& run, std::mt19937& dice) {
    const auto& setup = run.setup();
    std::vector<std::optional<CollectionId>> agents;
    for (const auto id : setup.collections.ids())
        if (setup.collections[id].agents) agents.emplace_back(id);
    agents.insert(agents.begin() + 1, std::nullopt);
    const auto& grid = setup.collections[*agents.front()];
    for (int i = 0; i < 12; ++i) {
        const auto view = random_view(grid, dice);
        const std::int64_t fine = 1 + below(dice, 3), width = view.width * fine, height = view.height * fine;
        std::string expected(static_cast<std::size_t>(width * height), '\0');
        for (std::size_t k = 0; k < agents.size(); ++k) {
            if (!agents[k]) continue;
            const auto& space = setup.collections[*agents[k]].agents->space;
            const auto table = find_agents(setup, *agents[k], run.simulation().reader());
            for (std::size_t agent = 0; agent < table.size(); ++agent) {
                const auto place = place_of(grid, table.places[agent]);
                std::array<double, 3> at{};
                for (std::size_t axis = 0; axis < 3; ++axis) {
                    at[axis] = static_cast<double>(place[axis]);
                    if (!space || axis >= static_cast<std::size_t>(grid.dimensions)) continue;
                    const auto bytes =
                        agent_values(setup, setup.positions_of(*agents[k]), static_cast<int>(axis), table, run.simulation().reader());
                    with_type(space->number, [&](auto value) {
                        std::memcpy(&value, bytes.data() + agent * sizeof value, sizeof value);
                        at[axis] = static_cast<double>(value) / space->extent[axis] * static_cast<double>(grid.size[axis]);
                    });
                }
                if (place[view.axes[2]] < view.first || place[view.axes[2]] >= view.end) continue;
                const auto pixel = [&](std::size_t axis, std::int64_t first) {
                    return std::floor((at[axis] - static_cast<double>(first)) / static_cast<double>(view.across) *
                                      static_cast<double>(fine));
                };
                const double px = pixel(view.axes[0], view.x), py = pixel(view.axes[1], view.y);
                if (px < 0 || py < 0 || px >= static_cast<double>(width) || py >= static_cast<double>(height)) continue;
                auto& byte = expected[static_cast<std::size_t>(py) * static_cast<std::size_t>(width) + static_cast<std::size_t>(px)];
                byte = static_cast<char>(std::max<int>(byte, static_cast<int>(k + 1)));
            }
        }
        ASSERT_EQ(run.frames().agents(view, agents, fine), expected) << i;
    }
}

TEST_P(Frames, ShowAgentsInSlotsInListsAndInSpace) {
    struct Case {
        std::string model;
        std::vector<std::string> keys;
    };
    const Case cases[] = {
        {test_model("hares_and_foxes"), {"places.land.size=[37,43]", "agents.hare.count=500", "agents.fox={count=60,capacity=3}"}},
        {test_model("families"),
         {"places.land.size=[31,45]", "agents.hare={count=500,capacity=\"unlimited\",reserve=40000}", "agents.fox.capacity=\"unlimited\""}},
        {plugin("boids"), {"agents.bird.count=900"}},
        {plugin("circles"), {"agents.circle.count=700"}}};
    std::mt19937 dice(8);
    for (const auto& [model, keys] : cases)
        for (const std::size_t partitions : {1, 3}) {
            auto all = keys;
            all.insert(all.end(), {"output=[]", "run.steps=23"});
            const auto of = prepare(for_any_devices({model, all, {}}), compiler());
            SCOPED_TRACE(model + " " + keys.front() + " on " + std::to_string(partitions));
            Shown run(of, cut_anywhere(of.setup, partitions, dice), GetParam());
            run.simulation().advance(5, [](std::uint64_t) { return true; });
            expect_agents_in_frames(run, dice);
            if (testing::Test::HasFatalFailure()) return;
        }
}

TESSERA_ON_EVERY_DEVICE(Frames);

// For GPUs too, where there is none, as long as NVRTC is installed.
TEST(FramesOfGpus, Compile) {
    try {
        (void)jit::Nvrtc::find();
    } catch (const Error& error) {
        GTEST_SKIP() << error.what();
    }
    jit::Target target;
    target.kind = jit::Target::Kind::cuda;
    target.architecture = "sm_90";
    const auto image = compiler().compile(frame_job(target));
    const std::string bytes(reinterpret_cast<const char*>(image.bytes.data()), image.bytes.size());
    for (const std::string kernel : {"places", "ends", "slots", "list", "pack"})
        EXPECT_NE(bytes.find("tessera_frame_" + kernel), std::string::npos) << kernel;
}

} // namespace
} // namespace tessera::test
