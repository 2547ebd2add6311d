// How kernels of places go over them, and what their text says of a run.
#include "host/generate/kernel_source.hpp"
#include "host/generate/march.hpp"
#include "tests/support/hand_made.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <set>
#include <string>
#include <tuple>

namespace tessera::test::kernel_source_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

CollectionSetup grid(int dimensions, const Extents& size) {
    CollectionSetup collection;
    collection.name = "cell";
    collection.dimensions = dimensions;
    collection.size = size;
    return collection;
}

// ---- launches

// Tiles as they are drawn over the places of some rows, each once.
std::int64_t tiles_over(const CollectionSetup& collection, const RowRange& band, std::int64_t width, std::int64_t height) {
    std::set<std::tuple<std::int64_t, std::int64_t, std::int64_t>> tiles;
    const bool is_volume = collection.dimensions == 3;
    for (auto row = band.first; row < band.end; ++row)
        for (std::int64_t y = 0; y < (is_volume ? collection.size[1] : 1); ++y)
            for (std::int64_t x = 0; x < collection.size[0]; ++x)
                tiles.emplace(x / width, is_volume ? y / height : (row - band.first) / height, is_volume ? row : 0);
    return static_cast<std::int64_t>(tiles.size());
}

TEST(LaunchShapes, CoverEachPlaceOfTheRowsWithATile) {
    EXPECT_TRUE(rc::check("of any grid and view", [] {
        const auto size = [](std::int64_t most) { return *rc::gen::inRange<std::int64_t>(1, most); };
        const int dimensions = *rc::gen::inRange(1, 4);
        const auto collection = grid(dimensions, {size(300), dimensions > 1 ? size(20) : 1, dimensions > 2 ? size(6) : 1});
        const auto rows = collection.whole().end;
        const auto first = *rc::gen::inRange<std::int64_t>(0, rows);
        const RowRange band{first, *rc::gen::inRange<std::int64_t>(first + 1, rows + 1)};
        ViewChoice view;
        view.kind = *rc::gen::element(ViewChoice::Kind::direct, ViewChoice::Kind::window);
        view.width = *rc::gen::element(32, 64);
        view.cells = *rc::gen::element(1, 2, 4);
        view.rows = *rc::gen::element(1, 2, 4, 8);
        view.lanes = *rc::gen::element(32, 64, 128);
        const bool slides = view.kind == ViewChoice::Kind::window;
        const auto shape = launch_shape(collection, view, band);
        RC_ASSERT(shape.items == (slides ? tiles_over(collection, band, view.cells * view.lanes, view.rows)
                                         : tiles_over(collection, band, view.width, 1)));
        // A block has 128 threads, which are those of so many tiles; none has nothing to do.
        const auto a_block = 128 / (slides ? view.lanes : view.width);
        RC_ASSERT(shape.block[0] == 128u);
        RC_ASSERT(shape.grid[0] * a_block >= shape.items);
        RC_ASSERT((shape.grid[0] - 1) * a_block < shape.items);
    }));
}

// A block of a march is 128 threads, in rows of as many as the view has lanes.
TEST(LaunchShapes, OfAMarchCoverEachPlaceWithAThread) {
    EXPECT_TRUE(rc::check("of any volume and shape", [] {
        const auto size = [](std::int64_t most) { return *rc::gen::inRange<std::int64_t>(1, most); };
        const auto collection = grid(3, {size(300), size(50), size(20)});
        const auto first = *rc::gen::inRange<std::int64_t>(0, collection.size[2]);
        const RowRange band{first, *rc::gen::inRange<std::int64_t>(first + 1, collection.size[2] + 1)};
        const auto view = march_view(collection, *rc::gen::element(1, 2, 4, 16), *rc::gen::element(1, 2, 3), *rc::gen::element(1, 2, 8));
        RC_ASSERT(128 % view.lanes == 0);
        std::set<std::tuple<std::int64_t, std::int64_t, std::int64_t>> blocks;
        for (auto z = band.first; z < band.end; ++z)
            for (std::int64_t y = 0; y < collection.size[1]; ++y)
                for (std::int64_t x = 0; x < collection.size[0]; ++x)
                    blocks.emplace(x / (view.cells * view.lanes), y / (view.rows * (128 / view.lanes)), (z - band.first) / view.planes);
        const auto shape = launch_shape(collection, view, band);
        RC_ASSERT(shape.items == static_cast<std::int64_t>(blocks.size()));
        RC_ASSERT(shape.grid[0] == blocks.size());
        RC_ASSERT(shape.block[0] == 128u);
    }));
}

TEST(LaunchShapes, OfRowsAreARowAnItemOrAPieceOfOne) {
    const ViewChoice rows;
    EXPECT_EQ(launch_shape(grid(2, {10, 900, 1}), rows, {100, 350}).items, 250);
    EXPECT_EQ(launch_shape(grid(3, {10, 30, 40}), rows, {5, 9}).items, 4 * 30);
    EXPECT_EQ(launch_shape(grid(1, {1 << 20, 1, 1}), rows, {0, 1}).items, 256);
}

TEST(RowPieces, GiveEveryThreadSomeAndNoneTooFew) {
    EXPECT_EQ(row_pieces(grid(2, {1 << 20, 256, 1})), 1);
    EXPECT_EQ(row_pieces(grid(2, {1 << 20, 100, 1})), 3);
    EXPECT_EQ(row_pieces(grid(3, {1 << 20, 10, 10})), 3) << "rows are those of all planes";
    EXPECT_EQ(row_pieces(grid(1, {40960, 1, 1})), 10) << "no piece has fewer than 4096 places";
    EXPECT_EQ(row_pieces(grid(1, {4095, 1, 1})), 1);
}

// ---- views

TEST(Views, AreAsWideAsTheGrid) {
    EXPECT_EQ(direct_view(grid(2, {20, 9, 1})).width, 32);
    EXPECT_EQ(direct_view(grid(2, {32, 9, 1})).width, 32);
    EXPECT_EQ(direct_view(grid(2, {33, 9, 1})).width, 64);
    EXPECT_EQ(direct_view(grid(2, {5000, 9, 1})).width, 64);
    EXPECT_EQ(window_view(grid(2, {128, 9, 1}), 4, 2).lanes, 32);
    EXPECT_EQ(window_view(grid(2, {129, 9, 1}), 4, 2).lanes, 64);
    EXPECT_EQ(window_view(grid(2, {5000, 9, 1}), 1, 2).lanes, 128);
}

TEST(Views, AreSaidInWords) {
    EXPECT_EQ(to_string(ViewChoice{}), "rows");
    EXPECT_EQ(to_string(direct_view(grid(2, {20, 9, 1}))), "direct");
    EXPECT_EQ(to_string(window_view(grid(2, {20, 9, 1}), 4, 8)), "window, 4 x 8 places a thread");
    EXPECT_EQ(to_string(march_view(grid(3, {20, 9, 5}), 4, 1, 8)), "march, 4 x 1 x 8 places a thread");
    EXPECT_EQ(to_string(march_view(grid(3, {20, 9, 5}), 16, 2, 8, 3)),
              "march, 16 x 2 x 8 places a thread, 4 bytes at once up to a value of 3");
    ViewChoice agents;
    agents.kind = ViewChoice::Kind::agents;
    EXPECT_EQ(to_string(agents), "agents");
}

// A cell with a member of each kind, and functions that hold more or less of it.
HandMade toy() {
    HandMade toy;
    const auto cell = toy.places("Cell", {hand_made_member("heat"), hand_made_member("mass", Scalar::f64),
                                          hand_made_member("alive", Scalar::boolean), hand_made_member("flows", Scalar::f32, 30)});
    toy.function(cell, "warm", {{"heat", and_writes(looking({1, 1, 0}))}});
    toy.function(cell, "weigh", {{"mass", and_writes(looking({1, 1, 0}))}});
    toy.function(cell, "live", {{"alive", and_writes(looking({1, 1, 0}))}});
    toy.function(cell, "flow", {{"flows", changing()}});
    toy.function(cell, "scan", {{"heat", looking({8, 8, 0})}, {"alive", writing()}});
    toy.function(cell, "start", {{"heat", writing()}}).is_init = true;
    return toy;
}
Setup setup_of(const std::string& size, const std::vector<std::string>& more = {}) {
    std::vector<std::string> keys{"places.cell.size = " + size};
    keys.insert(keys.end(), more.begin(), more.end());
    return toy().bind(keys);
}
ViewChoice view_of(const Setup& setup, const std::string& function, bool cuda) {
    for (const auto& kernel : setup.kernels)
        if (kernel.name == "cell." + function) return choose_view(setup, kernel, cuda);
    throw std::runtime_error("no such function");
}

TEST(ChosenViews, OfACpuAreRowsUnlessOneCallHasTooManyInHand) {
    const auto setup = setup_of("[1000, 1000]");
    EXPECT_EQ(view_of(setup, "warm", false).kind, ViewChoice::Kind::rows);
    EXPECT_EQ(view_of(setup, "start", false).kind, ViewChoice::Kind::rows);
    EXPECT_EQ(view_of(setup, "flow", false).kind, ViewChoice::Kind::direct) << "30 elements";
}

TEST(ChosenViews, OfAGpuSlideOverMoreRowsWhereThereAreThreadsEnough) {
    const auto large = setup_of("[8192, 8192]"), small = setup_of("[256, 256]"), flat = setup_of("[4000000, 3]");
    EXPECT_EQ(view_of(large, "warm", true), window_view(large.collections.front(), 4, 4)) << "beyond its cache";
    EXPECT_EQ(view_of(large, "weigh", true), window_view(large.collections.front(), 2, 4)) << "of 8 bytes two places fit";
    EXPECT_EQ(view_of(large, "live", true), window_view(large.collections.front(), 4, 8)) << "of bytes nothing is in flight for long";
    EXPECT_EQ(view_of(small, "warm", true), window_view(small.collections.front(), 4, 1)) << "else there would be too few threads";
    EXPECT_EQ(view_of(flat, "live", true), window_view(flat.collections.front(), 4, 3)) << "no more than there are";
}

TEST(ChosenViews, OfAGpuMarchAlongZWhereFunctionsSeeOtherPlanes) {
    HandMade toy;
    const auto cell =
        toy.places("Cell", {hand_made_member("heat"), hand_made_member("mass", Scalar::f64), hand_made_member("alive", Scalar::u8)});
    toy.function(cell, "warm", {{"heat", and_writes(looking({1, 1, 1}))}});
    toy.function(cell, "weigh", {{"mass", and_writes(looking({1, 1, 1}))}});
    toy.function(cell, "live", {{"alive", and_writes(looking({1, 1, 1}))}});
    toy.function(cell, "flat", {{"heat", and_writes(looking({1, 1, 0}))}});
    toy.function(cell, "far", {{"heat", and_writes(looking({4, 4, 4}))}});
    const auto large = toy.bind({"places.cell.size = [256, 256, 256]"}), small = toy.bind({"places.cell.size = [40, 40, 40]"});
    const auto& of = large.collections.front();
    EXPECT_EQ(view_of(large, "warm", true), march_view(of, 4, 1, 4));
    EXPECT_EQ(view_of(large, "weigh", true), march_view(of, 2, 1, 4));
    EXPECT_EQ(view_of(large, "live", true), march_view(of, 4, 2, 8)) << "its text is not known, so one place at a time";
    EXPECT_EQ(view_of(small, "warm", true), march_view(small.collections.front(), 4, 1, 1)) << "else there would be too few threads";
    EXPECT_EQ(view_of(large, "flat", true).kind, ViewChoice::Kind::window) << "no other plane is seen";
    EXPECT_EQ(view_of(large, "far", true).kind, ViewChoice::Kind::direct) << "9 x 9 x 9 floats";
    EXPECT_EQ(view_of(large, "warm", false).kind, ViewChoice::Kind::rows);
    EXPECT_EQ(march_view(of, 16, 2, 4).lanes, 16) << "16 x 16 places are a row";
    EXPECT_EQ(march_view(small.collections.front(), 16, 2, 4).lanes, 8);
}

TEST(ChosenViews, OfAGpuAreDirectWhereRegistersDoNotLast) {
    const auto setup = setup_of("[8192, 8192]");
    EXPECT_EQ(view_of(setup, "scan", true).kind, ViewChoice::Kind::direct) << "17 x 17 floats";
    EXPECT_EQ(view_of(setup, "start", true).kind, ViewChoice::Kind::direct) << "called once, and compiled for it";
    EXPECT_EQ(view_of(setup, "flow", true), window_view(setup.collections.front(), 1, 4)) << "60 of them";
}

TEST(ChosenViews, AreTheRunFiles) {
    const auto direct = setup_of("[1000, 1000]", {"schedule.view = \"direct\""}),
               window = setup_of("[1000, 1000]", {"schedule.view = \"window\""});
    for (const bool cuda : {false, true}) {
        EXPECT_EQ(view_of(direct, "warm", cuda).kind, ViewChoice::Kind::direct);
        EXPECT_EQ(view_of(window, "warm", cuda).kind, ViewChoice::Kind::window);
        EXPECT_EQ(view_of(window, "scan", cuda).kind, ViewChoice::Kind::direct) << "it would not fit";
    }
}

// ---- text

HandMade with_parameters() {
    HandMade toy;
    const auto cell = toy.places("Cell", {hand_made_member("heat")});
    toy.function(cell, "warm", {{"heat", changing()}}).access = "reads<&Cell::heat, within<far>>, writes<&Cell::heat>";
    const auto parameter = [&](const std::string& name, Scalar type, std::vector<std::byte> initial) {
        model::Parameter made;
        made.name = name;
        made.type = type;
        made.initial = std::move(initial);
        toy.description.parameters.push_back(made);
    };
    parameter("rate", Scalar::f32, bytes_in<float>({0.5f}));
    parameter("far", Scalar::i32, bytes_in<std::int32_t>({3}));
    parameter("f", Scalar::u8, bytes_in<std::uint8_t>({7}));
    toy.description.parameters[2].scope = "inner";
    toy.description.values = {{"total", "", Scalar::f64}, {"rest", "", Scalar::i32}};
    return toy;
}
Setup with_parameters(bool baked) {
    return with_parameters().bind(
        {"places.cell.size = [8, 8]", std::string("run.bake = ") + (baked ? "true" : "false"), "params.rate = 0.25"});
}

TEST(ParameterText, HasTheRunsValuesAsConstants) {
    const auto text = parameter_macros(with_parameters(true));
    EXPECT_THAT(text, AllOf(HasSubstr("#define TESSERA_KIND_rate BAKED\n#define TESSERA_VALUE_rate static_cast<float>(0x1p-2)\n"),
                            HasSubstr("#define TESSERA_KIND_far BAKED\n"),
                            HasSubstr("#define TESSERA_SLOT_total 0\n#define TESSERA_SLOT_rest 1\n")));
    EXPECT_EQ(parameters_source(with_parameters(true)), "");
}

// But for what an access list names, by the whole of its name.
TEST(ParameterText, PassesWhatIsNotBaked) {
    const auto setup = with_parameters(false);
    const auto text = parameter_macros(setup);
    EXPECT_THAT(text, AllOf(HasSubstr("#define TESSERA_KIND_rate PASSED\n"), Not(HasSubstr("TESSERA_VALUE_rate")),
                            HasSubstr("#define TESSERA_KIND_far BAKED\n"), HasSubstr("TESSERA_VALUE_far"),
                            HasSubstr("#define TESSERA_KIND_f PASSED\n")));
    EXPECT_EQ(parameters_source(setup), R"(struct tessera_parameters {
    alignas(8) float p0;
    alignas(8) std::int32_t p1;
    alignas(8) std::uint8_t p2;
};
TESSERA_TASK(tessera_set_parameters, tessera_parameters, tessera_model::TESSERA_PASSED(rate) = args.p0; tessera_model::inner::TESSERA_PASSED(f) = args.p2; )
)");
}

TEST(GridText, HasTheGeometryOfTheGrid) {
    HandMade toy;
    const auto cell = toy.places("Cell", {hand_made_member("heat"), hand_made_member("flows", Scalar::f64, 2)});
    toy.function(cell, "warm", {{"heat", and_writes(looking({1, 2, 0}))}, {"flows", changing()}});
    const auto setup = toy.bind({"places.cell.size = [40, 9]", "places.cell.boundary = [\"torus\", \"reflect\"]"});
    const std::string expected = R"(struct tessera_grid_of_cell {
    static constexpr int dims = 2;
    static constexpr std::int64_t size[3] = {40l, 9l, 1l};
    static constexpr tessera::boundary rule[3] = {tessera::boundary::torus, tessera::boundary::reflect, tessera::boundary::open};
    static constexpr std::int64_t pieces = 1;
    static constexpr bool in_bands = false;
    static constexpr bool rows_are_sent = false;
    static constexpr tessera::column_layout columns[] = {
        {64l, 832l, 832l, {1, 2, 0}},
        {48l, 432l, 432l, {0, 0, 0}},
    };
};
)";
    EXPECT_EQ(grid_source(setup, setup.collections.front()), expected)
        << "rows of 42 floats take two lines of 32, those of 40 doubles three of 16";
    const auto own = over_devices(setup, 2, 1);
    const auto text = grid_source(own, own.collections.front());
    EXPECT_THAT(text, AllOf(HasSubstr("in_bands = true"), HasSubstr("rows_are_sent = true")));
}

TEST(GridText, OfPlacesThatKnowNothingHasAColumnStill) {
    HandMade toy;
    toy.function(toy.places("Void", {}), "rest", {});
    const auto setup = toy.bind({"places.void.size = [4]"});
    EXPECT_THAT(grid_source(setup, setup.collections.front()), HasSubstr("columns[] = {\n        {},\n    };\n"));
}

TEST(GridText, SaysWhatIsBeyondAFixedAndAnOpenBoundary) {
    HandMade toy;
    auto heat = hand_made_member("heat", Scalar::f32, 2);
    heat.initial = bytes_in<float>({1, 2});
    toy.function(toy.places("Cell", {heat, hand_made_member("alive", Scalar::boolean)}), "warm", {});
    const auto setup = toy.bind({"places.cell.size = [4, 4]", "places.cell.boundary = \"fixed\"", "places.cell.outside.heat = [0.5, -3]",
                                 "places.cell.outside.alive = 1"});
    EXPECT_EQ(beyond_source(setup.collections.front()), R"(template<> struct tessera::beyond<tessera_grid_of_cell, 0> {
    static constexpr float outside[] = {static_cast<float>(0x1p-1), static_cast<float>(-0x1.8p+1), }, missing[] = {static_cast<float>(0x1p+0), static_cast<float>(0x1p+1), };
};
template<> struct tessera::beyond<tessera_grid_of_cell, 1> {
    static constexpr bool outside[] = {true, }, missing[] = {false, };
};
)");
}

TEST(KernelText, HasAnEntryPointAKernelByItsView) {
    auto setup = setup_of("[1000, 1000]");
    std::vector<ViewChoice> views(setup.kernels.size());
    const auto number = [&](const std::string& name) {
        for (const auto id : setup.kernels.ids())
            if (setup.kernels[id].name == name) return id.index();
        return setup.kernels.size();
    };
    views.at(number("cell.warm")) = window_view(setup.collections.front(), 2, 8);
    views.at(number("cell.flow")) = direct_view(setup.collections.front());
    const auto text = kernel_epilogue(setup, views);
    const std::string type = "tessera_model::Cell_", grid = "tessera_grid_of_cell";
    EXPECT_THAT(
        text, HasSubstr("TESSERA_ENTRY(tessera_4_cell_warm, " + type + "warm, call_window<" + type + "warm, " + grid + ", 2, 8, 128>)\n"));
    EXPECT_THAT(text, HasSubstr("TESSERA_ENTRY(tessera_4_cell_flow, " + type + "flow, call_direct<" + type + "flow, " + grid + ", 64>)\n"));
    EXPECT_THAT(text, HasSubstr("TESSERA_ENTRY(tessera_4_cell_live, " + type + "live, call_rows<" + type + "live, " + grid + ">)\n"));
    for (const std::string view : {"rows", "direct", "window"})
        EXPECT_THAT(text, HasSubstr("#include <tessera/kernels/places/" + view + ".hpp>\n"));
    EXPECT_THAT(kernel_epilogue(setup, std::vector<ViewChoice>(setup.kernels.size())), Not(HasSubstr("window.hpp")));
}

TEST(KernelText, IncludesNoMoreOfTheSdkThanTheModelNames) {
    auto toy = kernel_source_test::toy();
    toy.source.main = {"toy.cu", "struct Cell { float heat; };\n", "toy.cu"};
    const auto prelude = [&] { return kernel_prelude(toy.bind({"places.cell.size = [8, 8]"})); };
    EXPECT_THAT(prelude(), AllOf(HasSubstr("#define TESSERA_WITHOUT_MATH 1\n"), HasSubstr("#define TESSERA_WITHOUT_AGENTS 1\n")));
    toy.source.main.text += "float f(float x) { return sqrt(x); }\n";
    EXPECT_THAT(prelude(), AllOf(Not(HasSubstr("WITHOUT_MATH")), HasSubstr("WITHOUT_AGENTS")));
    toy.source.main.text += "TESSERA_AGENT(Hare, Cell);\n";
    EXPECT_THAT(prelude(), AllOf(Not(HasSubstr("WITHOUT_AGENTS")), HasSubstr("WITHOUT_LINKS")));
    toy.source.main.text += "TESSERA_LINK(Trail, between<Cell>);\n";
    EXPECT_THAT(prelude(), Not(HasSubstr("WITHOUT")));
}

} // namespace
} // namespace tessera::test::kernel_source_test
