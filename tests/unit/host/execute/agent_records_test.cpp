// What agents tell of themselves on several partitions, and the words for what they did wrong.
#include "host/execute/agent_records.hpp"
#include "host/execute/faults.hpp"
#include "host/world/outgrown_room.hpp"
#include "tests/support/hand_made.hpp"
#include "tests/support/hand_made_partitions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

namespace tessera::test::agent_records_test {
namespace {

using ::testing::HasSubstr;

// Hares that go and have hares, and foxes. In space where `space` says so.
tessera::Setup setup_of(const std::string& capacity = "1", const std::string& on_edge = "error", bool space = false) {
    HandMade toy;
    const auto cell = toy.places("Cell", {hand_made_member("grass")});
    const auto hare = toy.agents("Hare", cell, {hand_made_member("fat")});
    const auto fox = toy.agents("Fox", cell, {});
    if (space) toy.description.rows[hare].position = Scalar::f32;
    model::AgentUse moves;
    moves.row = hare;
    moves.moves = true;
    for (auto& low : moves.low) low[0] = 1;
    auto births = moves;
    births.moves = false;
    births.spawns = true;
    births.most = 1;
    toy.function(hare, "hop", {{"fat", changing()}}).agent_uses = {moves, births};
    toy.function(fox, "rest", {});
    std::vector<std::string> keys{"places.cell.size = [8, 6]", "agents.hare.count = 3", "agents.fox.count = 2",
                                  R"(phase = [{callAll="hare.hop"}, {callAll="fox.rest"}, {manageAll="*"}])"};
    if (!space) keys.push_back("agents.hare.capacity = " + capacity);
    keys.push_back("agents.hare.on_edge = \"" + on_edge + "\"");
    return toy.bind(keys);
}
const CollectionId hares(1), foxes(2);

class AgentRecords : public ::testing::Test {
protected:
    AgentRecords() : setup_(setup_of()) { make_agent_records(of_.partitions, setup_); }
    [[nodiscard]] Partitions& partitions() { return of_.partitions; }
    [[nodiscard]] tessera::AgentRecords at(std::size_t partition, CollectionId agents) {
        return records_of(partitions()[partition], setup_, agents);
    }
    void fault(std::size_t partition, std::uint64_t step, std::uint64_t phase, agent_fault what, std::uint64_t id) {
        at(partition, hares).faults->launch = launch_number(step, phase);
        at(partition, hares).faults->ids[what] = id;
    }

    HandMadePartitions of_{3};
    tessera::Setup setup_;
};

TEST_F(AgentRecords, HaveCountersForEachCollection) {
    at(0, hares).counters->born = 3;
    at(2, hares).counters->born = 4;
    at(1, hares).counters->refused_births = 7;
    at(1, foxes).counters->died = 5;
    at(2, foxes).counters->moved = 6;
    at(0, foxes).counters->refused_moves = 8;
    EXPECT_EQ(counters_of(partitions(), setup_, hares).born, 7u);
    EXPECT_EQ(counters_of(partitions(), setup_, hares).refused_births, 7u);
    EXPECT_EQ(counters_of(partitions(), setup_, hares).died, 0u);
    EXPECT_EQ(counters_of(partitions(), setup_, foxes).died, 5u);
    EXPECT_EQ(counters_of(partitions(), setup_, foxes).moved, 6u);
    EXPECT_EQ(counters_of(partitions(), setup_, foxes).refused_moves, 8u);
    EXPECT_EQ(counters_of(partitions(), setup_, foxes).born, 0u);
}

TEST_F(AgentRecords, TakeUpWhatWasCountedBefore) {
    at(2, hares).counters->born = 4;
    at(1, foxes).counters->born = 9;
    set_counters(partitions(), setup_, hares, {10, 11, 12, 13, 14});
    const auto counted = counters_of(partitions(), setup_, hares);
    EXPECT_EQ(counted.born, 10u);
    EXPECT_EQ(counted.died, 11u);
    EXPECT_EQ(counted.moved, 12u);
    EXPECT_EQ(counted.refused_moves, 13u);
    EXPECT_EQ(counted.refused_births, 14u);
    EXPECT_EQ(counters_of(partitions(), setup_, foxes).born, 9u);
}

TEST_F(AgentRecords, HaveNoFaultAtFirst) { EXPECT_FALSE(find_agent_fault(partitions(), setup_)); }

TEST_F(AgentRecords, TellTheFirstFaultOfTheLeastId) {
    fault(0, 9, 1, migrates_off_grid, 4);
    auto found = find_agent_fault(partitions(), setup_);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->phase, PhaseId(0));
    EXPECT_EQ(found->step, 9u);
    EXPECT_EQ(found->id, 4u);
    EXPECT_EQ(found->what, migrates_off_grid);
    fault(1, 8, 3, spawns_too_many, 70); // a step before
    found = find_agent_fault(partitions(), setup_);
    EXPECT_EQ(found->step, 8u);
    EXPECT_EQ(found->phase, PhaseId(2));
    EXPECT_EQ(found->id, 70u);
    fault(2, 8, 2, migrates_undeclared, 90); // a phase before
    EXPECT_EQ(find_agent_fault(partitions(), setup_)->phase, PhaseId(1));
    fault(1, 8, 2, spawns_off_grid, 60); // of the same
    found = find_agent_fault(partitions(), setup_);
    EXPECT_EQ(found->id, 60u);
    EXPECT_EQ(found->what, spawns_off_grid);
}

// ---- words

// Of a state in which hare 5 is on place 11, which is (3, 1).
std::string told(const tessera::Setup& setup, PhaseId phase, std::uint64_t id, agent_fault what) {
    const auto read = [&](ColumnId column, int, const PlaceRange& places, std::byte* into) {
        const auto bytes = size_of(setup[column].layout.type);
        if (places.count() == 0) return;
        std::memset(into, 0, static_cast<std::size_t>(places.count()) * bytes);
        if (places.first > 11 || places.first + places.count() <= 11 || setup.columns[column].collection != hares) return;
        const std::uint64_t value = setup[column].role == Role::id ? 5 : 1;
        std::memcpy(into + static_cast<std::size_t>(11 - places.first) * bytes, &value, bytes);
    };
    return what_fails([&] { tell_fault(setup, AgentFault{phase, 9, id, what}, read); });
}

TEST(AgentFaults, SayWhoWhereAndWhen) {
    const auto setup = setup_of();
    const auto said = [&](agent_fault what, std::uint64_t id = 5) { return told(setup, PhaseId(0), id, what); };
    EXPECT_EQ(said(migrates_off_grid), "hare 5 on place (3, 1) goes off the grid in step 9, callAll hare.hop (only a torus continues on "
                                       "the other side) ask site.free() or self.position first, or set agents.hare.on_edge = \"refuse\"");
    EXPECT_THAT(said(migrates_off_grid, 6), ::testing::StartsWith("hare 6 goes off the grid in step 9")) << "nobody is found";
    EXPECT_EQ(said(migrates_undeclared),
              "hare 5 on place (3, 1) goes to a place that is not allowed in step 9, callAll hare.hop (the offset is not in `moves` of the "
              "function's access list) widen moves<NEIGHBOURHOOD>, or go elsewhere");
    EXPECT_EQ(said(spawns_off_grid), "hare 5 on place (3, 1) has a child off the grid in step 9, callAll hare.hop (only a torus continues "
                                     "on the other side) ask self.position first, or set agents.hare.on_edge = \"refuse\"");
    EXPECT_EQ(said(spawns_too_many), "hare 5 on place (3, 1) has more children than allowed in step 9, callAll hare.hop (the access list "
                                     "has the maximum for one call) write spawns<AGENT, NEIGHBOURHOOD, MOST> with a larger number");
    EXPECT_THAT(said(spawns_undeclared), HasSubstr("has a child on a place that is not allowed in step 9"));
    EXPECT_THAT(told(setup, PhaseId(2), 5, births_too_often), HasSubstr("the ids for births are used up in step 9, manageAll *"));
    EXPECT_THAT(told(setup, PhaseId(2), 5, births_too_many), HasSubstr("too many agents are born on one place in step 9, manageAll *"));
}

// Of several devices the others may have gone on.
TEST(AgentFaults, SayNoPlaceThatIsNotCertain) {
    const auto setup = over_devices(setup_of(), 2);
    EXPECT_THAT(told(setup, PhaseId(0), 5, migrates_off_grid), HasSubstr("hare 5 on place (3, 1) goes"));
    EXPECT_THAT(told(over_devices(setup_of(), 2, 1), PhaseId(0), 5, migrates_off_grid), HasSubstr("hare 5 goes"));
}

TEST(AgentFaults, OfAgentsInSpaceAreToldInPositions) {
    const auto setup = setup_of("", "error", true);
    const auto said = [&](agent_fault what) { return told(setup, PhaseId(0), 6, what); };
    EXPECT_THAT(said(migrates_off_grid), HasSubstr("keep within 0 and self.extent, or set agents.hare.on_edge"));
    EXPECT_THAT(said(migrates_undeclared), HasSubstr("goes further than allowed in step 9"));
    EXPECT_THAT(said(migrates_to_no_number), HasSubstr("hare 6 goes to a position that is not a number in step 9"));
    EXPECT_THAT(said(spawns_at_no_number), HasSubstr("hare 6 has a child at a position that is not a number in step 9"));
    EXPECT_THAT(said(spawns_undeclared), HasSubstr("has a child further away than allowed in step 9"));
}

TEST(AgentFaults, OfNoRoomSayHowManyThereWouldBe) {
    const auto setup = setup_of("\"unlimited\"");
    try {
        tell_fault(setup, AgentFault{PhaseId(2), 9, 70000, outgrows_room}, {});
    } catch (const OutgrownRoom& error) {
        EXPECT_EQ(error.wanted(setup, hares), 70000u);
        EXPECT_THAT(error.what(), HasSubstr("in step 9, manageAll *"));
    }
}

// A kernel that a processor has stopped.
TEST(KernelFaults, NameTheFunctionsOfTheEntryPoint) {
    HandMade toy;
    const auto cell = toy.places("Cell", {hand_made_member("a")});
    toy.function(cell, "tick", {{"a", changing()}});
    const auto setup = toy.bind({"places.cell.size = [8]", "places.north.size = [8]", "places.north.type = \"cell\""});
    const auto said = [&](const std::string& symbol) {
        return what_fails([&] { tell_fault(setup, Partitions{}, KernelFault(symbol, 0, Ending::no_result), 7); });
    };
    EXPECT_THAT(said("tessera_5_north_tick"), ::testing::StartsWith("north.tick divided an integer by zero in step 7"));
    EXPECT_THAT(said("tessera_any_run_0"), ::testing::StartsWith("cell.tick or north.tick divided an integer by zero in step 7"));
    EXPECT_THAT(said("tessera_else"), ::testing::StartsWith("tessera_else divided"));
}

} // namespace
} // namespace tessera::test::agent_records_test
