// Grids of more than 2^31, and of more than 2^32, places: the arithmetic that finds them, in every view, at the far end of the grid.
// optimise: yes
#include "tests/conformance/philox.hpp"
#include "tests/reference/life.hpp"
#include "tests/reference/rule110.hpp"
#include "tests/support/sparse_grid.hpp"
#include "tests/support/states.hpp"

#include <gtest/gtest.h>

namespace tessera::test::large_grid_test {
namespace {

struct View {
    ViewChoice choice;
    std::int64_t wide, high; // places of an item; 0 wide: a whole row
};
const View rows{{ViewChoice::Kind::rows, 64, 4, 8, 32}, 0, 1};
const View direct{{ViewChoice::Kind::direct, 64, 4, 8, 32}, 64, 1};
const View window{{ViewChoice::Kind::window, 64, 4, 2, 32}, 128, 2};

// How many of the last items cover the last `count` rows and perhaps some before.
std::int64_t items_of(const View& view, std::int64_t nx, std::int64_t count) {
    return (view.wide == 0 ? 1 : (nx + view.wide - 1) / view.wide) * (count / view.high + 1);
}

TEST(LargeGrid, LifeInTheFarCorner) {
    constexpr std::int64_t n = 65539, across = 70, down = 8; // more than 2^32 places, of which these are looked at
    const auto shape = reference::plane(across, down, Boundary::open);
    const auto start = random_cells(shape);
    const auto expected = reference::life_step(start, shape);
    for (const auto& view : {rows, direct, window}) {
        SparseGrid grid(plugin("life"), geometry("cell", reference::plane(n, n, Boundary::open)), view.choice);
        const auto cell = [&](SparseGrid::Side side, std::int64_t x, std::int64_t y) -> std::uint8_t& {
            return grid.at<std::uint8_t>("alive", side, n - across + x, n - down + y);
        };
        for (std::int64_t y = 0; y < down; ++y)
            for (std::int64_t x = 0; x < across; ++x) cell(SparseGrid::in, x, y) = start[shape.index(x, y)];
        grid.call_last("tick", items_of(view, n, down));
        for (std::int64_t y = 1; y < down; ++y) // the first row and column have neighbours that the small grid lacks
            for (std::int64_t x = 1; x < across; ++x)
                ASSERT_EQ(cell(SparseGrid::out, x, y), expected[shape.index(x, y)]) << to_string(view.choice) << " at " << x << ", " << y;
    }
}

// The ends of a line of more than 2^31 places are each other's neighbours.
TEST(LargeGrid, Rule110AcrossTheSeam) {
    constexpr std::int64_t n = (std::int64_t{1} << 31) + 5, half = 40;
    const auto shape = reference::line(2 * half, Boundary::fixed);
    const auto start = random_cells(shape);
    const auto expected = reference::rule110_step(start, shape);
    for (const auto& view : {direct, window, rows}) {
        SparseGrid grid(test_model("rule110"),
                        {"places.cell.size=[" + std::to_string(n) + "]", "places.cell.boundary=\"torus\"", "places.cell.init.on=0"},
                        view.choice);
        const auto place = [](std::int64_t i) { return (i + n - half) % n; }; // the middle of `start` is the seam
        for (std::int64_t i = 0; i < 2 * half; ++i)
            grid.at<std::uint8_t>("on", SparseGrid::in, place(i)) = start[static_cast<std::size_t>(i)];
        grid.at<std::uint8_t>("on", SparseGrid::in, -1) = start[half - 1];
        grid.at<std::uint8_t>("on", SparseGrid::in, n) = start[half];
        grid.call_first("tick", 1);
        grid.call_last("tick", 2); // the last one may have few places
        for (std::int64_t i = 1; i + 1 < 2 * half; ++i)
            ASSERT_EQ(grid.at<std::uint8_t>("on", SparseGrid::out, place(i)), expected[static_cast<std::size_t>(i)])
                << to_string(view.choice) << " at " << place(i);
        EXPECT_EQ(grid.at<std::uint8_t>("on", SparseGrid::out, -1), expected[half - 1]) << "the ghost to the left of place 0";
        EXPECT_EQ(grid.at<std::uint8_t>("on", SparseGrid::out, n), expected[half]) << "the ghost behind the last place";
    }
}

// A place's number, which its random numbers belong to, has more than 32 bits.
TEST(LargeGrid, DrawsByNumbersOf64Bits) {
    constexpr std::int64_t n = 140001;
    constexpr std::uint64_t step = 7;
    const auto key = key_of(3, "field.turn", 0);
    for (const auto& view : {rows, direct, window}) {
        SparseGrid grid(test_model("random_walk_field"), geometry("field", reference::plane(n, n, Boundary::torus)), view.choice);
        grid.call_last("turn", items_of(view, n, 2), step, key);
        for (std::int64_t y = n - 2; y < n; ++y)
            for (std::int64_t x = 0; x < n; x += 97) {
                Stream stream(key, number_of(x, y, n), step);
                ASSERT_EQ(grid.at<std::uint8_t>("heading", SparseGrid::in, x, y), stream.below(5))
                    << to_string(view.choice) << " at " << x << ", " << y;
            }
    }
}

} // namespace
} // namespace tessera::test::large_grid_test
