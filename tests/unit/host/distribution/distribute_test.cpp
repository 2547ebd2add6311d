// Where a run is made, by a machine's numbers alone: no device is asked, and none has to be here.
#include "device_runtime/error.hpp"
#include "host/distribution/distribute.hpp"
#include "host/distribution/halo.hpp"
#include "tests/support/states.hpp"
#include "tests/support/stripes.hpp"
#include "tests/support/world_under_test.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <future>
#include <thread>

namespace tessera::test::distribute_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

Prepared life(const std::vector<std::string>& keys = {}) {
    return prepare({plugin("life"), keys + std::vector<std::string>{"output=[]", "run.steps=100"}, {}}, compiler());
}

// Of a machine that was asked, though nobody was: devices of these names, all of which share memory.
Machine machine_of(const std::vector<std::string>& names) {
    auto machine = sharing_machine(names);
    machine.is_assumed = false;
    return machine;
}
void part(Machine& machine, std::size_t a, std::size_t b) {
    machine.pair(a, b) = machine.pair(b, a) = {false, "the two do not share memory", false};
}

std::string refusal(const Prepared& prepared, const Machine& machine) {
    try {
        (void)distribute(prepared.setup, machine);
    } catch (const Error& error) {
        return error.what();
    }
    return "none";
}

TEST(Distribute, OverOneDeviceLeavesTheSetupAsItIs) {
    const auto [distribution, remarks] = distribute(life().setup, machine_of({"cpu"}));
    EXPECT_EQ(distribution, Distribution{});
    EXPECT_THAT(remarks, IsEmpty());
}

TEST(Distribute, DevicesThatShareAreInOneRange) {
    const auto prepared = life({"places.cell.size=[8,9]"});
    const auto [distribution, remarks] = distribute(prepared.setup, machine_of({"cpu", "cpu", "cpu"}));
    EXPECT_THAT(distribution.stripes, ElementsAre(ElementsAre(RowRange{0, 3}, RowRange{3, 6}, RowRange{6, 9})));
    EXPECT_THAT(distribution.owners, ElementsAre(Owner{0, 0}, Owner{0, 1}, Owner{0, 2}));
    EXPECT_FALSE(distribution.own_memory || distribution.migrating);
    EXPECT_THAT(remarks, IsEmpty());
}

// The first two share, as do the last two, and the second with the third; whoever does not share with all of an island is of the next.
TEST(Distribute, IslandsAreOfDevicesThatAllShare) {
    auto machine = machine_of({"cuda:0", "cuda:1", "cuda:2", "cuda:3"});
    part(machine, 0, 2);
    part(machine, 0, 3);
    part(machine, 1, 3);
    machine.exchange = {1e-5, 1e12};
    const auto [distribution, remarks] = distribute(life().setup, machine);
    EXPECT_TRUE(distribution.own_memory);
    EXPECT_THAT(distribution.islands, ElementsAre(0, 0, 1, 1));
    EXPECT_THAT(remarks, ElementsAre(Remark{Remark::Level::info, "each device has memory of its own, and rows go by way of the host if "
                                                                 "necessary: the two do not share memory"}));
}

// As the closed form of halo_test has it, by numbers that are given; a distribution without them exchanges rows each step.
TEST(Distribute, ACycleIsAsLongAsPays) {
    const auto prepared = life({"run.memory=\"own\"", "places.cell.size=[1000,1000]"});
    auto machine = machine_of({"cpu", "cpu"});
    EXPECT_EQ(exchange_wanted(prepared.setup, machine), ExchangeWanted::direct);
    machine.exchange = {1e-4, 1e9};
    const auto costs = halo_costs(prepared.setup, divided(prepared.setup, 2), *machine.exchange, 0);
    const auto [distribution, remarks] = distribute(prepared.setup, machine);
    EXPECT_EQ(distribution.steps_a_cycle, steps_that_pay(costs));
    EXPECT_GT(distribution.steps_a_cycle, 1u);
    EXPECT_GE(distribution.steps_of_ghosts, distribution.steps_a_cycle);
    machine.exchange.reset();
    EXPECT_EQ(distribute(prepared.setup, machine).distribution.steps_a_cycle, 1u);
}

TEST(Distribute, AnExchangeIsMeasuredWhereItCounts) {
    const auto cpus = machine_of({"cpu", "cpu"});
    const auto wanted = [](const Prepared& prepared, const Machine& machine) { return exchange_wanted(prepared.setup, machine); };
    EXPECT_EQ(wanted(life(), cpus), ExchangeWanted::none) << "who share exchange nothing";
    EXPECT_EQ(wanted(life(), cpus_apart(2)), ExchangeWanted::by_host);
    EXPECT_EQ(wanted(life({"run.transport=\"host\""}), cpus), ExchangeWanted::by_host);
    EXPECT_EQ(wanted(life({"run.memory=\"own\"", "schedule.halo=3"}), cpus), ExchangeWanted::none) << "the run file says how often";
    EXPECT_EQ(wanted(life({"run.memory=\"own\""}), machine_of({"cpu"})), ExchangeWanted::none);
}

TEST(Distribute, WhatMigratesHasRoomForTwice) {
    const auto prepared = life({"run.memory=\"managed\"", "places.cell.size=[1022,1024]"});
    auto machine = machine_of({"cuda:0", "cuda:1"});
    EXPECT_TRUE(distribute(prepared.setup, machine).distribution.migrating);
    machine.devices[1].free_memory = 3 << 20;
    EXPECT_THAT(refusal(prepared, machine), HasSubstr("of columns are too many to migrate (a device has 3 MiB free, and half of that"));
}

TEST(Distribute, WhoGoesAnywhereNeedsAtomicOperations) {
    const auto nomads = prepare(for_any_devices({test_model("nomads"), {"output=[]"}, {}}), compiler());
    auto machine = machine_of({"cuda:0", "cuda:1"});
    EXPECT_EQ(refusal(nomads, machine), "none");
    machine.pair(1, 0).is_atomic = false;
    EXPECT_THAT(refusal(nomads, machine), HasSubstr("nomad cannot go anywhere on cuda:1 and cuda:0 (atomic operations of cuda:1 on the"));
    EXPECT_EQ(refusal(life(), machine), "none") << "which needs none";
    machine.is_assumed = true;
    EXPECT_EQ(refusal(nomads, machine), "none") << "nobody knows";
}

TEST(Distribute, AgentsWhoGoAnywhereStayOnOneDeviceOfTwoApart) {
    const auto nomads = prepare(for_any_devices({test_model("nomads"), {"output=[]"}, {}}), compiler());
    auto machine = machine_of({"cuda:0", "cuda:1"});
    part(machine, 0, 1);
    const auto [distribution, remarks] = distribute(nomads.setup, machine);
    ASSERT_EQ(remarks.size(), 2u);
    EXPECT_EQ(remarks[0].level, Remark::Level::warning);
    EXPECT_THAT(remarks[0].text, AllOf(StartsWith("one device makes all of land (nomad is on it: one of their functions goes anywhere; "),
                                       EndsWith("the two do not share memory)")));
    const auto whole = nomads.setup.collections.front().whole();
    EXPECT_THAT(distribution.stripes.front(), ElementsAre(whole, RowRange{whole.end, whole.end}));
    EXPECT_EQ(distribution.steps_a_cycle, 1u);
    EXPECT_EQ(distribution.steps_of_ghosts, 1u);
}

TEST(Distribute, SaysWhichDevicesMakeNothing) {
    const auto remarks_on = [](const Prepared& prepared, const Machine& machine) {
        std::vector<std::string> texts;
        for (const auto& remark : distribute(prepared.setup, machine).remarks)
            if (remark.level == Remark::Level::warning) texts.push_back(remark.text);
        return texts;
    };
    const auto three = machine_of({"cpu", "cpu", "cpu"});
    EXPECT_THAT(remarks_on(life({"places.cell.size=[9,1]"}), three),
                ElementsAre("one device makes all of cell (it has 1 row, and a grid is cut between rows)"));
    EXPECT_THAT(remarks_on(life({"places.cell.size=[9,2]"}), three),
                ElementsAre("2 devices make cell (it has 2 rows, and a grid is cut between rows)"));
    EXPECT_THAT(remarks_on(life({"places.cell.size=[9,3]"}), three), ElementsAre());
    const auto network = [](int persons) {
        return prepare(for_any_devices({plugin("sir_network"), {"output=[]", "places.person.count=" + std::to_string(persons)}, {}}),
                       compiler());
    };
    EXPECT_THAT(remarks_on(network(300), three),
                ElementsAre("one device makes all of person (it has 300 places, and devices share them in multiples of 1024)"));
    EXPECT_THAT(remarks_on(network(1500), three),
                ElementsAre("2 devices make person (it has 1500 places, and devices share them in multiples of 1024)"));
    const auto small = network(600), smaller = network(300);
    for (const auto* prepared : {&small, &smaller}) {
        const auto made = distribute(prepared->setup, three);
        EXPECT_THAT(made.distribution.stripes.front(), ElementsAre(RowRange{0, 1}, RowRange{1, 1}, RowRange{1, 1}))
            << "the first device makes it";
    }
    const auto rod = prepare(for_any_devices({plugin("heat2d"), {"output=[]", "places.plate.size=[64]"}, {}}), compiler());
    EXPECT_THAT(remarks_on(rod, three),
                ElementsAre("one device makes all of plate (it has one dimension, and a grid is cut along its second or third)"));
}

// Two GPUs took two to four times as long as one for walkers of unlimited capacity.
TEST(Distribute, SaysThatListsAreSlowerOnSeveralGpus) {
    const auto walkers = [](const std::string& capacity) {
        return prepare(for_any_devices({plugin("random_walk"), {"output=[]", "agents.walker.capacity=" + capacity}, {}}), compiler());
    };
    const auto list = walkers("\"unlimited\""), slots = walkers("8");
    const auto gpus = machine_of({"cuda:0", "cuda:1"});
    EXPECT_THAT(
        distribute(list.setup, gpus).remarks,
        ElementsAre(Remark{Remark::Level::warning,
                           "agents of walker take longer on 2 devices than on one (they stand in one list, which one device rebuilds "
                           "while the others wait) use run.devices = \"cuda:0\""}));
    EXPECT_THAT(distribute(slots.setup, gpus).remarks, ElementsAre());
    EXPECT_THAT(distribute(list.setup, machine_of({"cpu", "cpu"})).remarks, ElementsAre()) << "they share the threads";
    EXPECT_THAT(distribute(list.setup, machine_of({"cuda:1"})).remarks, ElementsAre());
}

// Those that are to share and cannot are refused by what was found out; of an assumed machine nothing was.
TEST(Distribute, NothingIsRefusedForWhatIsAssumed) {
    const auto prepared = life({"run.memory=\"shared\""});
    auto machine = machine_of({"cpu", "cuda:0"});
    part(machine, 0, 1);
    EXPECT_EQ(refusal(prepared, machine), "the two do not share memory");
    EXPECT_EQ(refusal(prepared, assumed_machine({"cpu", "cuda:0"})), "none");
    const auto halo = life({"schedule.halo=3"});
    EXPECT_THAT(refusal(halo, machine_of({"cuda:0", "cuda:1"})), HasSubstr("no rows can be exchanged every 3 steps (the devices share"));
    EXPECT_EQ(refusal(halo, assumed_machine({"cuda:0", "cuda:1"})), "none");
    EXPECT_THAT(refusal(life({"places.cell.cuts=[5]"}), assumed_machine({"cpu"})), HasSubstr("`places.cell.cuts` makes 2 stripes"))
        << "whatever the devices are";
}

TEST(Distribute, AssumedGpusAndCpusHaveMemoryOfTheirOwn) {
    const auto prepared = life();
    EXPECT_TRUE(distribute(prepared.setup, assumed_machine({"cpu", "cuda:0"})).distribution.own_memory);
    for (const std::string name : {"cpu", "cuda:0"})
        EXPECT_FALSE(distribute(prepared.setup, assumed_machine({name, name})).distribution.own_memory) << name;
    EXPECT_FALSE(distribute(prepared.setup, sharing_machine({"cpu", "cuda:0"})).distribution.own_memory);
}

TEST(Distribute, SpeedsMoveTheCutsThatAreMeasured) {
    const std::vector<std::string> keys{"places.cell.size=[8,30]", "run.devices=[\"cpu\",\"cpu\"]"};
    const auto measured = life(keys + std::vector<std::string>{"places.cell.cuts=\"measured\""});
    const auto machine = machine_of({"cpu", "cpu"});
    EXPECT_THAT(distribute(measured.setup, machine).distribution.stripes.front(), ElementsAre(RowRange{0, 15}, RowRange{15, 30}));
    const auto [distribution, remarks] = distribute(measured.setup, machine, {2, 1});
    EXPECT_THAT(distribution.stripes.front(), ElementsAre(RowRange{0, 20}, RowRange{20, 30}));
    EXPECT_THAT(remarks, ElementsAre(Remark{Remark::Level::info, "cuts of cell are measured: 20"}));
    EXPECT_THAT(distribute(life(keys).setup, machine, {2, 1}).distribution.stripes.front(), ElementsAre(RowRange{0, 15}, RowRange{15, 30}));
}

// ---- several processes, of which each knows the numbers of all

// Two devices of each of two processes, which share memory with those of their own process alone.
Machine machine_of_two_processes() {
    auto machine = machine_of({"cpu", "cpu", "cpu", "cpu"});
    machine.devices[0].owner = {0, 0};
    machine.devices[1].owner = {0, 1};
    machine.devices[2].owner = {1, 0};
    machine.devices[3].owner = {1, 1};
    for (const std::size_t a : {0, 1})
        for (const std::size_t b : {2, 3}) part(machine, a, b);
    machine.exchange = {3e-5, 2e10};
    return machine;
}

// Each row of each grid that a process makes by this distribution.
std::vector<std::pair<std::size_t, std::int64_t>> rows_of_process(const tessera::Setup& setup, std::size_t process) {
    std::vector<std::pair<std::size_t, std::int64_t>> rows;
    for (const auto partition : partitions_of(setup.distribution(), process))
        for (const auto id : setup.collections.ids())
            for (auto row = setup.stripe(id, partition).first; row < setup.stripe(id, partition).end; ++row)
                rows.emplace_back(id.index(), row);
    return rows;
}

TEST(Distribute, TwoProcessesComeToTheSame) {
    const std::vector<std::string> keys{"places.cell.size=[40,61]", "places.cell.cuts=\"measured\"",
                                        "run.devices=[\"cpu\",\"cpu\",\"cpu\",\"cpu\"]", "run.weights=[3,1,2,1]"};
    const auto first = life(keys), second = life(keys); // each has read the run file for itself
    struct Numbers {
        Machine machine;
        std::vector<double> speeds;
    };
    std::promise<Numbers> sent;
    std::promise<tessera::Setup> found;
    std::thread other([&second, numbers = sent.get_future(), &found]() mutable {
        const auto [machine, speeds] = numbers.get();
        found.set_value(arranged(second.setup, distribute(second.setup, machine, speeds).distribution));
    });
    const Numbers numbers{machine_of_two_processes(), {1, 3, 2, 5}};
    sent.set_value(numbers);
    const auto here = arranged(first.setup, distribute(first.setup, numbers.machine, numbers.speeds).distribution);
    other.join();
    const auto there = found.get_future().get();

    EXPECT_EQ(here.distribution(), there.distribution());
    EXPECT_THAT(here.distribution().islands, ElementsAre(0, 0, 1, 1));
    EXPECT_THAT(partitions_of(here.distribution(), 0), ElementsAre(0, 1));
    EXPECT_THAT(partitions_of(there.distribution(), 1), ElementsAre(2, 3));
    auto rows = rows_of_process(here, 0);
    const auto others = rows_of_process(there, 1);
    EXPECT_FALSE(rows.empty() || others.empty());
    rows.insert(rows.end(), others.begin(), others.end());
    std::sort(rows.begin(), rows.end());
    ASSERT_EQ(rows.size(), 61u);
    for (std::size_t row = 0; row < rows.size(); ++row) EXPECT_EQ(rows[row], std::pair(std::size_t{0}, static_cast<std::int64_t>(row)));
}

// ---- setups over devices

TEST(Arranged, FramesAreAsWideAsTheSteps) {
    const auto prepared = life({"run.memory=\"own\"", "schedule.halo=3", "places.cell.size=[40,60]"});
    const auto rows = [](const tessera::Setup& setup) { return setup.collections.front().columns.front().layout.ghost; };
    EXPECT_THAT(rows(prepared.setup), ElementsAre(1, 1, 0));
    EXPECT_THAT(rows(over_cpus_apart(prepared.setup, 2)), ElementsAre(1, 4, 0)) << "three steps, and one is fetched and not used";
    EXPECT_THAT(rows(over_cpus(life({"places.cell.size=[40,60]"}).setup, 2)), ElementsAre(1, 1, 0));
}

TEST(Arranged, RefusesADistributionOfAnotherRun) {
    const auto one = life(), two = prepare(for_any_devices({plugin("sugarscape"), {"output=[]"}, {}}), compiler());
    EXPECT_THROW((void)arranged(one.setup, divided(two.setup, 2)), Error);
    auto alone = divided(one.setup, 1);
    alone.own_memory = true;
    EXPECT_THROW((void)arranged(one.setup, alone), Error);
}

TEST(BoundAgain, LosesNothing) {
    RunRequest request{plugin("life"), {"output=[]"}, {}};
    request.debug = true;
    auto prepared = prepare(request, compiler(), Functions::all);
    prepared.setup.bytes_at_a_time = 12345;
    const auto again = bound_again(over_cpus(prepared.setup, 2), prepared.run_file).setup;
    EXPECT_TRUE(again.modes().debug);
    EXPECT_FALSE(again.modes().checked);
    EXPECT_EQ(again.functions(), prepared.setup.functions());
    EXPECT_EQ(again.bytes_at_a_time, 12345u);
    EXPECT_EQ(again.kernels.size(), prepared.setup.kernels.size());
    EXPECT_EQ(again.distribution(), Distribution{}) << "it is distributed again, for its grids may be others";
}

} // namespace
} // namespace tessera::test::distribute_test
