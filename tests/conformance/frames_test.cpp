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

namespace tessera::test::frames_test {
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

bool is_same_point(const frame_point& a, const frame_point& b) {
    return a.id == b.id && a.number == b.number && a.shade == b.shade && a.x == b.x && a.y == b.y && a.z == b.z;
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

TEST_P(Frames, OfVolumesArePlacesAboveTheLowerEnd) {
    std::mt19937 dice(7);
    for (const std::size_t partitions : {1, 3}) {
        const auto of = prepared("[13,11,9]");
        Shown run(of, cut_anywhere(of.setup, partitions, dice), GetParam());
        for (const std::size_t member : {0, 4, 10}) {
            const auto column = of.setup.column_of(of.setup.collections.ids().front(), member);
            const auto values = fill(run.simulation(), of.setup, column, 3);
            const FrameValues shown{column, 0, frame_reduction::nearest, 0, 60, member == 4};
            std::vector<frame_point> expected;
            for (std::size_t i = 0; i < values.size(); ++i) {
                const auto shade =
                    shown.categorical ? static_cast<std::uint8_t>(category_entry(values[i])) : frame_byte(values[i], 0, 254.0 / 60);
                const auto at = [](std::size_t place) { return static_cast<float>(place) + 0.5F; };
                if (shade != 0 && shade != 255) expected.push_back({i, at(i % 13), at(i / 13 % 11), at(i / 143), 0, shade, {}});
            }
            const auto made = run.frames().points_of_places(shown, expected.size());
            EXPECT_TRUE(std::equal(made.points.begin(), made.points.end(), expected.begin(), expected.end(), is_same_point)) << member;
            EXPECT_LE(run.frames().points_of_places(shown, 100).points.size(), 100U);
        }
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

// An agent as the host finds it: where it is, and the value by which it is coloured.
struct FoundAgent {
    std::uint64_t id;
    Extents place;
    std::array<double, 3> corner, middle; // in places: the corner of its place, or its middle; in space itself
    double value;
};

std::vector<FoundAgent> found_agents(Shown& run, CollectionId id, const FrameShade& shade) {
    const auto& setup = run.setup();
    const auto& grid = setup.collections[id];
    const auto& space = grid.agents->space;
    const auto reader = run.simulation().reader();
    const auto table = find_agents(setup, id, reader);
    const auto numbers_of = [&](ColumnId column, int element) {
        const auto bytes = agent_values(setup, column, element, table, reader);
        std::vector<double> numbers;
        with_type(setup[column].layout.type, [&](auto value) {
            for (std::size_t at = 0; at < bytes.size(); at += sizeof value) {
                std::memcpy(&value, bytes.data() + at, sizeof value);
                numbers.push_back(static_cast<double>(value));
            }
        });
        return numbers;
    };
    const auto values = numbers_of(shade.column, shade.element);
    std::vector<FoundAgent> all;
    for (std::size_t agent = 0; agent < table.size(); ++agent) {
        const auto place = place_of(grid, table.places[agent]);
        FoundAgent found{table.ids[agent], place, {}, {}, values[agent]};
        for (std::size_t axis = 0; axis < 3; ++axis) {
            found.corner[axis] = static_cast<double>(place[axis]);
            found.middle[axis] = found.corner[axis] + 0.5;
        }
        all.push_back(found);
    }
    for (std::size_t axis = 0; space && axis < static_cast<std::size_t>(grid.dimensions); ++axis) {
        const auto positions = numbers_of(setup.positions_of(id), static_cast<int>(axis));
        for (std::size_t agent = 0; agent < all.size(); ++agent)
            all[agent].corner[axis] = all[agent].middle[axis] =
                positions[agent] / space->extent[axis] * static_cast<double>(grid.size[axis]);
    }
    return all;
}

// The pixel in which it is, of `fine` a pixel of the view; nothing: it is out of sight.
std::optional<std::size_t> pixel_of(const FoundAgent& agent, const FrameView& view, std::int64_t fine) {
    if (agent.place[view.axes[2]] < view.first || agent.place[view.axes[2]] >= view.end) return std::nullopt;
    const auto pixel = [&](std::size_t axis, std::int64_t first) {
        return std::floor((agent.corner[axis] - static_cast<double>(first)) / static_cast<double>(view.across) * static_cast<double>(fine));
    };
    const double px = pixel(view.axes[0], view.x), py = pixel(view.axes[1], view.y);
    if (px < 0 || py < 0 || px >= static_cast<double>(view.width * fine) || py >= static_cast<double>(view.height * fine))
        return std::nullopt;
    return static_cast<std::size_t>(py) * static_cast<std::size_t>(view.width * fine) + static_cast<std::size_t>(px);
}

std::uint8_t shade_of(const FoundAgent& agent, const std::optional<FrameShade>& shade) {
    if (!shade) return 0;
    if (shade->categorical) return static_cast<std::uint8_t>(category_entry(agent.value));
    return frame_byte(agent.value, shade->low, frame_scale(shade->low, shade->high));
}

// Of all collections, those that come last on top, some in colours by a member: by the agents that the host finds.
void expect_agents_in_frames(Shown& run, std::mt19937& dice) {
    const auto& setup = run.setup();
    std::vector<std::optional<CollectionId>> ids;
    for (const auto id : setup.collections.ids())
        if (setup.collections[id].agents) ids.emplace_back(id);
    ids.insert(ids.begin() + 1, std::nullopt);
    std::vector<std::vector<FoundAgent>> found(ids.size());
    ShownAgents agents(ids.size());
    for (std::size_t k = 0; k < ids.size(); ++k) {
        if (!ids[k]) continue;
        const FrameShade shade{setup.column_of(*ids[k], 0), 0, -1, 7, k == 2};
        found[k] = found_agents(run, *ids[k], shade);
        agents[k] = FrameAgents{*ids[k], shade};
        const auto ends = run.frames().ends(shade.column, 0);
        const auto by_value = [](const FoundAgent& a, const FoundAgent& b) { return a.value < b.value; };
        const auto [least, most] = std::minmax_element(found[k].begin(), found[k].end(), by_value);
        ASSERT_EQ(ends.has_value(), !found[k].empty());
        if (!ends) continue;
        ASSERT_EQ(ends->low, least->value);
        ASSERT_EQ(ends->high, most->value);
    }
    for (int i = 0; i < 12; ++i) {
        const auto view = random_view(setup.collections[*ids.front()], dice);
        const std::int64_t fine = 1 + below(dice, 3);
        auto shown = agents;
        if (i % 3 == 0) shown[0]->shade.reset();
        const bool any_shade = std::any_of(shown.begin(), shown.end(), [](const auto& each) { return each && each->shade; });
        const auto pixels = static_cast<std::size_t>(view.width * view.height * fine * fine);
        AgentPixels expected{std::string(pixels, '\0'), std::string(any_shade ? pixels : 0, '\0')};
        std::vector<frame_point> points;
        for (std::size_t k = 0; k < shown.size(); ++k)
            for (const auto& agent : found[k]) {
                const auto shade = shade_of(agent, shown[k]->shade);
                const auto at = [&](std::size_t axis) { return static_cast<float>(agent.middle[axis]); };
                if (pixel_of(agent, view, 1))
                    points.push_back({agent.id, at(0), at(1), at(2), static_cast<std::uint8_t>(k + 1), shade, {}});
                const auto pixel = pixel_of(agent, view, fine);
                if (!pixel) continue;
                auto& number = expected.numbers[*pixel];
                const bool is_first = static_cast<std::size_t>(static_cast<unsigned char>(number)) < k + 1;
                number = static_cast<char>(k + 1);
                if (!any_shade) continue;
                auto& best = expected.shades[*pixel];
                if (is_first || static_cast<unsigned char>(best) < shade) best = static_cast<char>(shade);
            }
        const auto made = run.frames().agents(view, shown, fine);
        ASSERT_EQ(made.numbers, expected.numbers) << i;
        ASSERT_EQ(made.shades, expected.shades) << i;
        const auto all = run.frames().points(view, shown, points.size(), PointChoice::all);
        ASSERT_TRUE(all.has_value());
        ASSERT_TRUE(std::equal(all->points.begin(), all->points.end(), points.begin(), points.end(), is_same_point)) << i;
        if (points.empty()) continue;
        EXPECT_FALSE(run.frames().points(view, shown, points.size() - 1, PointChoice::all));
        const auto most = std::max<std::size_t>(points.size() / 2, 1);
        const auto some = run.frames().points(view, shown, most, PointChoice::some),
                   again = run.frames().points(view, shown, most, PointChoice::some);
        EXPECT_EQ(some->all, points.size());
        EXPECT_LE(some->points.size(), most);
        EXPECT_GE(some->points.size() + 100, most / 2) << "about so many";
        EXPECT_TRUE(std::equal(some->points.begin(), some->points.end(), again->points.begin(), again->points.end(), is_same_point));
        for (const auto& point : some->points)
            EXPECT_TRUE(std::any_of(points.begin(), points.end(), [&](const auto& each) { return is_same_point(each, point); }));
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
            if (::testing::Test::HasFatalFailure()) return;
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
    const auto image = compiler().compile(frame_job(target, ~std::uint32_t{0}));
    const std::string bytes(reinterpret_cast<const char*>(image.bytes.data()), image.bytes.size());
    for (const std::string kernel : {"places", "ends", "slots", "list", "volume", "pack"})
        EXPECT_NE(bytes.find("tessera_frame_" + kernel), std::string::npos) << kernel;
}

} // namespace
} // namespace tessera::test::frames_test
