// What kernels of agents are told of their collections, and how they are launched.
#include "host/generate/agent_source.hpp"
#include "tests/support/hand_made.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace tessera::test::agent_source_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

model::AgentUse agent_use(std::size_t row, int reach) {
    model::AgentUse use;
    use.row = row;
    for (std::size_t dims = 0; dims < 3; ++dims)
        for (std::size_t axis = 0; axis <= dims; ++axis) use.low[dims][axis] = use.high[dims][axis] = reach;
    return use;
}

// Hares that eat grass, hop, and have children; cells that count them.
HandMade toy() {
    HandMade toy;
    const auto cell = toy.places("Cell", {hand_made_member("grass"), hand_made_member("hares", Scalar::i32)});
    const auto hare = toy.agents("Hare", cell, {hand_made_member("fat"), hand_made_member("age", Scalar::u16)});
    auto& hop = toy.function(hare, "hop", {{"fat", changing()}});
    hop.accesses.push_back({cell, 0, looking({1, 1, 0})});
    hop.agent_uses = {agent_use(hare, 1), agent_use(hare, 2)};
    hop.agent_uses[0].moves = true;
    hop.agent_uses[1].spawns = true;
    hop.agent_uses[1].most = 2;
    toy.function(hare, "age", {{"age", changing()}});
    toy.function(cell, "count", {{"hares", writing()}}).agent_uses = {agent_use(hare, 3)};
    toy.description.functions.back().agent_uses[0].counts = true;
    return toy;
}
Setup setup_of(const std::string& size, const std::string& capacity) {
    return toy().bind({"places.cell.size = " + size, "agents.hare.count = 20", "agents.hare.capacity = " + capacity});
}
const KernelSetup& kernel(const Setup& setup, const std::string& name) {
    for (const auto& each : setup.kernels)
        if (each.name == name && each.is_function()) return each;
    throw std::runtime_error("no such kernel");
}
const KernelSetup& part(const Setup& setup, const std::string& name) {
    for (const auto& each : setup.kernels)
        if (each.kind->name() == name) return each;
    throw std::runtime_error("no such kernel");
}

LaunchShape shape_of(const Setup& setup, const KernelSetup& kernel, const RowRange& rows) {
    return kernel.kind->shape(setup, kernel, rows);
}

TEST(AgentsText, SaysInWhichColumnsEachRoleIs) {
    const auto slots = agents_source(setup_of("[40, 30]", "2")), list = agents_source(setup_of("[40, 30]", "\"unlimited\""));
    EXPECT_THAT(slots, HasSubstr("code = 2, mark = 3, id = 4, place = -1, start = -1, coming = -1, order = -1, sum = -1, target = -1, "
                                 "arrived = -1, count = -1, rank = -1, next = -1, position = -1, aim "
                                 "= -1, goal = -1, claim = -1, refused_births = -1;"));
    EXPECT_THAT(slots, AllOf(HasSubstr("is_list = false, is_ordered = false;"), HasSubstr("capacity = 2, most_on_place = 2;"),
                             HasSubstr("low = {1, 1, 0}, high = {1, 1, 0};"),
                             HasSubstr("using movers = tessera::function_list<tessera_model::Hare_hop>;")));
    EXPECT_THAT(list, AllOf(HasSubstr("is_list = true, is_ordered = false;"),
                            HasSubstr("place = 5, start = 6, coming = 7, order = 8, sum = 9, target = 10, arrived = 11,"),
                            HasSubstr("log = -1, flags = ")));
    EXPECT_EQ(agents_source(toy().bind({"places.cell.size = [4, 4]", "agents.hare.count = 1"})).find("struct tessera_agents_of_hare;"),
              agents_source(toy().bind({"places.cell.size = [4, 4]", "agents.hare.count = 1"})).find("struct tessera_agents_of_hare"));
}

TEST(AgentsText, SaysWhereChildrenAreAskedFor) {
    const auto setup = setup_of("[40, 30]", "2");
    const auto& source = setup.collections[CollectionId(1)].agents->sources.at(0);
    EXPECT_THAT(agents_source(setup),
                AllOf(HasSubstr("struct tessera_births_0_of_hare {"), HasSubstr("using function = tessera_model::Hare_hop;"),
                      HasSubstr("column = " + std::to_string(source.column) +
                                ", parents = 2, calls = 2, order = 2, phase = 1, log = -1, flags = -1;"),
                      HasSubstr("first_birth_request = 0;"), HasSubstr("low = {2, 2, 0}, high = {2, 2, 0};"),
                      HasSubstr("birth_phases[] = {{4, 1, 0, 4294967295u}, };")));
}

// Which argument each column is, in the order of the columns.
TEST(AgentCallText, FindsColumnsAmongTheArguments) {
    const auto setup = setup_of("[40, 30]", "2");
    const auto text = agent_call_source(setup, kernel(setup, "hare.age"));
    // It names `age`, and then codes, marks and ids.
    EXPECT_THAT(text, AllOf(HasSubstr("struct tessera_call_of_tessera_4_hare_age {"),
                            HasSubstr("using function = tessera_model::Hare_age;"), HasSubstr("static constexpr int columns = 4;"),
                            HasSubstr("arguments[] = {-1, 0, 1, 2, 3, -1, -1"), HasSubstr("ground[] = {-1, -1}"),
                            HasSubstr("TESSERA_AGENTS(tessera_4_hare_age, tessera_call_of_tessera_4_hare_age, call_agents)\n")));
    const auto hops = agent_call_source(setup, kernel(setup, "hare.hop"));
    EXPECT_THAT(
        hops, AllOf(HasSubstr("ground[] = {1, -1}, reach[3] = {2, 2, 0}"), HasSubstr("struct asked_hare {"), Not(HasSubstr("seen_hare"))));
    const auto counts = agent_call_source(setup, kernel(setup, "cell.count"));
    EXPECT_THAT(counts, AllOf(HasSubstr("struct seen_hare {"), HasSubstr("using agents = void;"), HasSubstr("reach[3] = {3, 3, 0}"),
                              HasSubstr("call_places)\n"), Not(HasSubstr("asked_hare"))));
    EXPECT_THAT(agent_call_source(setup, part(setup, "births")),
                AllOf(HasSubstr("using source = tessera_births_0_of_hare;"), HasSubstr("settle_births)\n")));
    EXPECT_THAT(agent_call_source(setup, part(setup, "move_requests")),
                AllOf(HasSubstr("reach[3] = {2, 2, 0}"), HasSubstr("settle_move_requests)\n")))
        << "twice as far as anybody goes";
}

TEST(AgentLaunches, OfPlacesHaveAThreadEach) {
    const auto setup = setup_of("[40, 30]", "2");
    const auto shape = shape_of(setup, kernel(setup, "cell.count"), {10, 25});
    EXPECT_EQ(shape.items, 15);
    EXPECT_EQ(shape.block[0], 256u);
    EXPECT_EQ(shape.grid[0], 3u) << "600 places";
    EXPECT_EQ(shape_of(setup_of("[40, 30, 20]", "2"), kernel(setup, "cell.count"), {10, 12}).items, 2 * 30);
}

// Items are lines of each slot's plane; blocks go over cells, ghosts and gaps among them.
TEST(AgentLaunches, OfSlotsGoOverAllOfThem) {
    const auto setup = setup_of("[40, 30]", "3");
    const auto& codes = setup[setup.codes_of(CollectionId(1))].layout;
    const auto call = shape_of(setup, kernel(setup, "hare.age"), {4, 14});
    EXPECT_EQ(call.items, 3 * 10);
    const auto blocks_of = [&](std::int64_t rows, const Layout& layout) {
        const std::int64_t cells = rows * layout.row;
        return layout.elements * ((cells + 256 * 2 - 1) / (256 * 2)); // two cells a thread of a small grid
    };
    EXPECT_EQ(call.grid[0], blocks_of(10, codes));
    const auto& source = setup.collections[CollectionId(1)].agents->sources.at(0);
    const auto& requests = setup[setup.column_of(CollectionId(1), source.column)].layout;
    EXPECT_EQ(requests.elements, 3 * 2) << "two children of each slot";
    const auto births = shape_of(setup, part(setup, "births"), {4, 14});
    EXPECT_EQ(births.items, requests.elements * 10);
    const auto both = shape_of(setup, part(setup, "slots_and_birth_requests"), {4, 14});
    EXPECT_EQ(both.items, (3 + requests.elements) * 10);
    EXPECT_EQ(both.grid[0], blocks_of(10, codes) + blocks_of(10, requests));
}

TEST(AgentLaunches, OfAListGoOverItsRoom) {
    const auto setup = toy().bind(
        {"places.cell.size = [40, 30]", "agents.hare.count = 20", "agents.hare.capacity = \"unlimited\"", "agents.hare.reserve = 5000"});
    const RowRange all{0, 30};
    const auto call = shape_of(setup, kernel(setup, "hare.age"), all);
    EXPECT_EQ(call.items, 5) << "chunks of 1024";
    EXPECT_EQ(call.block[0], 128u);
    EXPECT_EQ(call.grid[0], 40u);
    const auto entering = shape_of(setup, part(setup, "enter_agents"), all);
    EXPECT_EQ(entering.block[0], 256u);
    EXPECT_EQ(entering.grid[0], 20u);
    const auto starts = shape_of(setup, part(setup, "find_starts"), all);
    EXPECT_EQ(starts.items, 5) << "1200 places, 256 a block";
    EXPECT_EQ(starts.grid[0], 5u);
    const auto requests = shape_of(setup, part(setup, "count_birth_requests"), all);
    EXPECT_EQ(requests.items, 1) << "two of each agent, in words of 16";
    EXPECT_EQ(requests.grid[0], 3u);
}

} // namespace
} // namespace tessera::test::agent_source_test
