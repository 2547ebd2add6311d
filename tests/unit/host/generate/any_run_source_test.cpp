// Kernels that go with any run: which there are, for whom they are, and what they are told.
#include "host/generate/any_run_source.hpp"
#include "host/prepare/any_run.hpp"
#include "kernels/launch/geometry.hpp"
#include "tests/support/hand_made.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>

namespace tessera::test::any_run_source_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

HandMade toy() {
    HandMade toy;
    const auto cell = toy.places("Cell", {hand_made_member("heat"), hand_made_member("flows", Scalar::f32, 30)});
    const auto lake = toy.places("Lake", {hand_made_member("depth")});
    toy.function(cell, "warm", {{"heat", and_writes(looking({1, 1, 0}))}});
    toy.function(cell, "flow", {{"flows", changing()}});
    auto up = and_writes(looking({0, 0, 1}));
    for (auto& low : up.low) low[2] = 1; // whatever the dimensions
    toy.function(cell, "climb", {{"heat", up}});
    toy.function(lake, "fill", {{"depth", changing()}});
    toy.description.values = {{"total", "", Scalar::f64}};
    return toy;
}
const std::string phases = R"(phase = [{callAll="cell.warm"}, {callAll="north.warm"}, {callAll="cell.flow"}, {callAll="lake.fill"}])";
Bound run_of(const std::vector<std::string>& more = {}, const HandMade& of = toy()) {
    std::vector<std::string> keys{"places.cell.size = [10, 6]",   "places.north.size = [7, 3]",
                                  "places.north.type = \"cell\"", "places.north.boundary = [\"fixed\", \"open\"]",
                                  "places.lake.size = [5]",       phases};
    keys.insert(keys.end(), more.begin(), more.end());
    return of.bound(keys, Functions::called);
}
Setup setup_of(const std::vector<std::string>& more = {}) { return run_of(more).setup; }
// A setup that has functions of all dimensions.
Setup any_of(const HandMade& of = toy()) {
    return for_any_run(of.bound(
        {"places.cell.size = [10, 6, 4]", "places.north.size = [7, 3, 2]", "places.north.type = \"cell\"", "places.lake.size = [5]"},
        Functions::all));
}

TEST(AnyRun, HasEachFunctionOfARowOnceAsFarAsTheDimensionsGo) {
    const auto any = any_of();
    const std::string type = "tessera_model::Cell_";
    const auto warm = "TESSERA_ENTRY(tessera_any_run_0, " + type + "warm, call_rows<" + type + "warm, tessera_closed_grid>)\n";
    const auto plane = any_run_epilogue(any, 0, 2, false), volume = any_run_epilogue(any, 0, 3, false),
               line = any_run_epilogue(any, 0, 1, false);
    EXPECT_THAT(plane, AllOf(HasSubstr(warm), HasSubstr("TESSERA_ENTRY(tessera_any_run_0_open, " + type + "warm, call_rows<" + type +
                                                        "warm, tessera_open_grid>)\n")));
    EXPECT_EQ(plane.find(warm), plane.rfind(warm)) << "there are two collections of the row";
    EXPECT_THAT(plane, Not(HasSubstr("climb")));
    EXPECT_THAT(volume, AllOf(HasSubstr("climb"), HasSubstr("static constexpr int dims = 3;")));
    EXPECT_THAT(line, AllOf(Not(HasSubstr(type + "climb")), Not(HasSubstr("Lake_fill"))));
    EXPECT_THAT(any_run_epilogue(any, 1, 1, false), AllOf(HasSubstr("Lake_fill"), Not(HasSubstr("_open,"))))
        << "it looks at nothing beyond";
}

TEST(AnyRun, HasNothingOfARowWithoutFunctions) {
    auto none = toy();
    none.description.functions.pop_back();
    EXPECT_EQ(any_run_epilogue(any_of(none), 1, 1, false), "");
}

TEST(AnyRun, GoesOverRowsOnACpuUnlessACallHasTooManyInHand) {
    const auto any = any_of();
    const auto cpu = any_run_epilogue(any, 0, 2, false), gpu = any_run_epilogue(any, 0, 2, true);
    EXPECT_THAT(cpu, HasSubstr("call_direct<tessera_model::Cell_flow, tessera_closed_grid, 64>"));
    EXPECT_THAT(gpu, AllOf(HasSubstr("call_direct<tessera_model::Cell_warm, tessera_open_grid, 64>"), Not(HasSubstr("call_rows"))));
    for (const auto& kernel : any.kernels)
        for (const bool cuda : {false, true}) {
            const auto view = any_run_view(any, kernel, cuda);
            EXPECT_EQ(view.kind, cuda || kernel.name.ends_with(".flow") ? ViewChoice::Kind::direct : ViewChoice::Kind::rows) << kernel.name;
            EXPECT_EQ(view.width, 64);
        }
}

TEST(AnyRun, HasASecondEntryPointForOpenBoundaries) {
    const auto setup = setup_of({R"(output = [])"});
    std::vector<std::string> symbols;
    for (const auto& kernel : setup.kernels) symbols.push_back(kernel.name + " " + any_run_symbol(setup, kernel));
    EXPECT_THAT(symbols, ::testing::ElementsAre("cell.warm tessera_any_run_0", "north.warm tessera_any_run_0_open",
                                                "cell.flow tessera_any_run_1", "lake.fill tessera_any_run_3"));
    EXPECT_EQ(any_run_symbol(toy().bind({"places.cell.size = [4, 4]", R"(phase = [{reduce={total='sum(cell.heat)'}}])"}),
                             toy().bind({"places.cell.size = [4, 4]", R"(phase = [{reduce={total='sum(cell.heat)'}}])"}).kernels.front()),
              "tessera_any_reduce");
}

TEST(AnyRun, IsNotForAgentsFastFloatsAndOtherViews) {
    EXPECT_EQ(obstacle_to_any_run(setup_of()), "");
    EXPECT_EQ(obstacle_to_any_run(setup_of({"run.float = \"fast\""})), "run.float is \"fast\"");
    EXPECT_EQ(obstacle_to_any_run(setup_of({"schedule.view = \"direct\""})), "schedule.view is not automatic");
    auto with_agents = toy();
    with_agents.function(with_agents.agents("Hare", 0, {}), "rest", {});
    const auto run = run_of({"agents.hare.count = 2", "agents.hare.on = \"cell\""}, with_agents);
    EXPECT_EQ(obstacle_to_any_run(run.setup), "it has agents");
    EXPECT_EQ(what_fails([&] { (void)for_any_run(run); }),
              "toy cannot be built without its source for any run (it has agents) name the runs of the library with --for");
}

TEST(AnyRun, PassesAllParametersAndRefusesOneOfAnAccessList) {
    auto reads = toy();
    model::Parameter far;
    far.name = "far";
    far.type = Scalar::i32;
    far.initial = bytes_in<std::int32_t>({2});
    reads.description.parameters.push_back(far);
    const auto any = for_any_run(run_of({}, reads));
    EXPECT_FALSE(is_baked(any, any.description().parameters.front()));
    EXPECT_THAT(any_run_epilogue(any, 0, 2, false), HasSubstr("TESSERA_PASSED(far) = args.p0"));
    reads.description.functions[0].access = "reads<&Cell::heat, within<far>>";
    EXPECT_THAT(what_fails([&] { (void)for_any_run(run_of({}, reads)); }),
                HasSubstr("the parameter far stands in an access list, which has to be known then"));
}

TEST(AnyRun, IsToldTheGeometryOfEachCollection) {
    const auto setup = setup_of();
    const auto& north = setup.collections[CollectionId(1)];
    const auto bytes = geometry_bytes(setup, north);
    ASSERT_EQ(bytes.size(), sizeof(geometry_header) + 2 * sizeof(column_layout));
    geometry_header header;
    column_layout columns[2];
    std::memcpy(&header, bytes.data(), sizeof(header));
    std::memcpy(columns, bytes.data() + sizeof(header), sizeof(columns));
    EXPECT_THAT(header.size, ::testing::ElementsAre(7, 3, 1));
    EXPECT_THAT(header.rule, ::testing::ElementsAre(boundary::fixed, boundary::open, boundary::open));
    EXPECT_EQ(header.pieces, 1);
    EXPECT_EQ(header.rows_are_sent, 0);
    for (std::size_t c = 0; c < 2; ++c) {
        const auto& layout = north.columns[c].layout;
        EXPECT_EQ(columns[c].row, layout.row);
        EXPECT_EQ(columns[c].plane, layout.plane);
        EXPECT_EQ(columns[c].element, layout.element);
        for (std::size_t axis = 0; axis < 3; ++axis) EXPECT_EQ(columns[c].ghost[axis], layout.ghost[axis]);
    }
    EXPECT_EQ(columns[0].ghost[1], 1);
    const auto own = over_devices(setup, 2, 1);
    std::memcpy(&header, geometry_bytes(own, own.collections[CollectionId(1)]).data(), sizeof(header));
    EXPECT_EQ(header.rows_are_sent, 1);
}

} // namespace
} // namespace tessera::test::any_run_source_test
