// One run over several devices: the bits of a run on one, however the grids are cut.
// sanitizers: thread
#include "device_runtime/devices.hpp"
#include "device_runtime/error.hpp"
#include "host/execute/simulation.hpp"
#include "host/views/candidates.hpp"
#include "host/views/packing.hpp"
#include "tests/support/compilers.hpp"
#include "tests/support/leaving_out.hpp"
#include "tests/support/sanitizers.hpp"
#include "tests/support/states.hpp"
#include "tests/support/stripes.hpp"
#include "tests/support/world_under_test.hpp"
#include "tests/unit/device_runtime/shuffling_device.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <set>

namespace tessera::test::partitions_test {
namespace {

struct Case {
    const char* name;
    std::string model;
    std::vector<std::string> keys;
};

// CPUs whose queues run in an order that is drawn, any that their marks allow; and all devices of this machine, where there are several.
const std::string shuffled = "shuffled", mixed = "mixed";

// Those whose partitions share a range of addresses, and are made of one image.
std::vector<std::string> devices_alike() {
    auto names = devices();
    if (!threads_are_watched) names.push_back(shuffled); // it is for one thread
    return names;
}
std::vector<std::string> devices_and_more() {
    auto names = devices_alike();
    if (devices().size() > 1) names.push_back(mixed);
    return names;
}

class Partitions : public ::testing::TestWithParam<std::tuple<std::string, Case>> {
protected:
    static constexpr std::uint64_t steps = 23;

    Partitions()
        : prepared_(prepare(
              for_any_devices({of().model, of().keys + std::vector<std::string>{"output=[]", "run.steps=" + std::to_string(steps)}, {}}),
              compiler())) {}

    static const Case& of() { return std::get<1>(GetParam()); }

    // The thread sanitizer, by which a run takes ten times as long, looks at threads that meet and not at where a grid is cut.
    static std::vector<std::size_t> counts() {
        if (threads_are_watched) return {3};
        return {2, 3, 5, 8};
    }

    void expect_state_of_one(bool own_memory) {
        const auto expected = hash_of();
        for (const std::size_t partitions : counts())
            for (int again = 0; again < (threads_are_watched ? 1 : 2); ++again) {
                auto distribution = cut_anywhere(prepared_.setup, partitions, dice_);
                const auto cycle = prepared_.setup.has_agents() ? 1 : 1 + static_cast<std::uint64_t>(dice_()) % 16;
                if (own_memory) give_own_memory(prepared_.setup, distribution, cycle, cycle);
                ASSERT_EQ(hash_of(distribution), expected)
                    << partitions << " partitions, " << again << ", exchanges every " << distribution.steps_a_cycle << " steps";
            }
    }

    // The hash behind the steps and what became of agents, on as many devices of the name as there are partitions; advanced in several
    // calls. With `fused`, by a view of several steps that is drawn.
    std::vector<std::uint64_t> hash_of(Distribution distribution = {}, bool fused = false) {
        const auto devices = open(distribution.partitions());
        if (distribution.own_memory) draw_islands(distribution, pointers_to(devices));
        const auto setup = arranged(prepared_.setup, std::move(distribution));
        ThreadPool pool(1);
        Simulation simulation(setup, pointers_to(devices), compiler(), pool);
        if (fused) fuse(simulation, setup, devices.front()->info());
        for (const std::uint64_t until : {std::uint64_t{1}, std::uint64_t{3}, std::uint64_t{12}, steps})
            simulation.advance(until, [](std::uint64_t) { return true; });
        std::vector<std::uint64_t> all{simulation.hash()};
        for (const auto id : setup.collections.ids())
            if (setup.collections[id].agents) {
                const auto counts = simulation.counters(id);
                all.insert(all.end(), {counts.born, counts.died, counts.moved, counts.refused_moves, counts.refused_births});
            }
        return all;
    }

    void fuse(Simulation& simulation, const tessera::Setup& setup, const DeviceInfo& device) {
        const auto sequences = fusible_sequences(setup);
        if (sequences.empty()) return;
        // Of bits too, on a GPU, where the functions' compiler allows it.
        const int bits = device.kind == DeviceKind::cuda ? packing_of(setup, sequences.front(), simulation.reader()).bits : 0;
        if (bits > 0 && dice_() % 2 == 0) try {
                return fuse_by_any(possible_views(setup, sequences.front(), device, bits), sequences, simulation, setup);
            } catch (const Error&) {}
        fuse_by_any(possible_views(setup, sequences.front(), device, 0), sequences, simulation, setup);
    }
    void fuse_by_any(const std::vector<FusedView>& views, const std::vector<CallSequence>& sequences, Simulation& simulation,
                     const tessera::Setup& setup) {
        if (views.empty()) return;
        const auto& view = views[dice_() % views.size()];
        simulation.fuse(programs_for(setup, sequences, view), compiler());
        fused_.insert(to_string(view));
    }

    std::vector<std::unique_ptr<Device>> open(std::size_t count) {
        const auto& name = std::get<0>(GetParam());
        if (name == mixed) {
            std::vector<std::string> names;
            for (std::size_t p = 0; p < count; ++p) names.push_back(test::devices()[(count + p) % test::devices().size()]);
            return open_devices(names, 2);
        }
        if (name != shuffled) return open_devices(std::vector<std::string>(count, name), 2);
        auto devices = open_devices(std::vector<std::string>(count, "cpu"), 1);
        if (count == 1) devices.front() = lone_.in_front_of(std::move(devices.front())); // as one GPU is given rounds before they are made
        const auto shuffle = std::make_shared<Shuffle>(static_cast<unsigned>(dice_()));
        for (auto& device : devices) device = std::make_unique<ShufflingDevice>(std::move(device), shuffle);
        return devices;
    }

    // Rows go by way of the host between some that reach each other, too.
    void draw_islands(Distribution& distribution, const std::vector<Device*>& devices) {
        auto& islands = distribution.islands;
        for (std::size_t p = 0; p < devices.size(); ++p) {
            auto island = static_cast<std::size_t>(dice_()) % 3;
            for (std::size_t q = 0; q < p; ++q)
                if (islands[q] == island && !devices[p]->reaches(*devices[q])) island = 3 + p;
            islands.push_back(island);
        }
    }

    WatchedCompiler watched_{};
    Prepared prepared_;
    LeavingOut lone_{};
    std::mt19937 dice_{7};
    std::set<std::string> fused_; // views that were drawn
};

using PartitionsOfOneRange = Partitions; // of addresses
using PartitionsOfRule = Partitions;
using FusedPartitions = Partitions;

TEST_P(PartitionsOfOneRange, OfAnyNumberAndCutsHaveTheStateOfOne) { expect_state_of_one(false); }

// Rows beyond those around its stripe are no memory of a partition, and those around it come by copies alone.
TEST_P(Partitions, WithMemoryOfTheirOwnHaveTheStateOfOne) { expect_state_of_one(true); }

// As a run divides it: what one device has to make stays together.
TEST_P(PartitionsOfRule, HaveTheStateOfOne) {
    const auto expected = hash_of();
    for (const std::size_t partitions : {2, 3})
        ASSERT_EQ(hash_of(divided(prepared_.setup, partitions)), expected) << partitions << " partitions";
}

TEST_P(PartitionsOfOneRange, WhosePagesMigrateHaveTheStateOfOne) {
    const auto expected = hash_of();
    auto distribution = cut_anywhere(prepared_.setup, 3, dice_);
    distribution.migrating = true;
    EXPECT_EQ(hash_of(distribution), expected);
}

// In memory of their own beside agents partitions exchange rows each step, and nothing is fused; there they share their memory.
TEST_P(FusedPartitions, HaveTheStateOfOneStepAtATime) {
    const auto expected = hash_of();
    for (const std::size_t partitions : {2, 3}) {
        auto distribution = cut_anywhere(prepared_.setup, partitions, dice_);
        if (!prepared_.setup.has_agents()) give_own_memory(prepared_.setup, distribution, 1 + static_cast<std::uint64_t>(dice_()) % 16, 16);
        ASSERT_EQ(hash_of(distribution, true), expected) << partitions << " partitions, " << ::testing::PrintToString(fused_)
                                                         << ", exchanges every " << distribution.steps_a_cycle << " steps";
    }
    EXPECT_FALSE(fused_.empty());
}

// Somebody else comes to where the parent's id still stands, in what another partition knows of that place.
TEST(PartitionsWithMemoryOfTheirOwn, TellParentsWhoAreRefusedTheWayBack) {
    const WatchedCompiler watched;
    const auto prepared = prepare(for_any_devices({test_model("returners"), {"output=[]"}, {}}), compiler());
    for (std::int64_t cut = 1; cut < 6; ++cut) {
        const auto setup = arranged(prepared.setup, in_own_memory(prepared.setup, cut_at(prepared.setup, {cut}), 1, 1));
        const auto devices = open_devices({"cpu", "cpu"}, 1);
        ThreadPool pool(1);
        Simulation simulation(setup, pointers_to(devices), compiler(), pool);
        simulation.advance(3, [](std::uint64_t) { return true; });
        const auto guests = *setup.find_collection("guest");
        const auto table = find_agents(setup, guests, simulation.reader());
        EXPECT_EQ(table.places, (std::vector<std::int64_t>{2, 3})) << "cut at " << cut;
        const auto told = agent_values(setup, setup.column_of(guests, 1), 0, table, simulation.reader());
        std::int32_t second = 0;
        std::memcpy(&second, told.data() + sizeof(second), sizeof(second));
        EXPECT_EQ(second, 1) << "cut at " << cut;
    }
}

// Models of which steps are fused on every device, those on a GPU alone, and those that make one step at a time.
std::vector<Case> fusible() {
    return {Case{"torus",
                 plugin("life"),
                 {"places.cell.size=[37,23]", "places.cell.boundary=\"torus\"", "places.cell.init.alive={random=0.4}"}},
            Case{"draws", test_model("random_walk_field"), {"places.field.size=[29,31]"}},
            Case{"fixed", plugin("wave2d"), {"places.wave.size=[41,19]", "places.wave.init.now={random=\"uniform\",low=-1,high=1}"}},
            Case{"mirrors", test_model("mirrors"), {}},
            Case{"array_members", plugin("leadership"), {"places.person.size=[33,17]"}},
            Case{"open", test_model("ribbons"), {}},
            Case{"one_row", test_model("rule110"), {}},
            Case{"names_that_change", test_model("reversible"), {}},
            Case{"beside_agents", test_model("dunes"), {"places.sand.size=[61,37]"}}};
}
std::vector<Case> fusible_on_a_gpu() { return {Case{"planes", test_model("crystal"), {}}}; }
std::vector<Case> made_singly() {
    return {Case{"agents",
                 test_model("hares_and_foxes"),
                 {"places.land.size=[37,43]", "agents.hare.count=500", "agents.fox={count=60,capacity=3}"}},
            Case{"agents_in_planes",
                 test_model("hares_and_foxes"),
                 {"places.land={size=[11,9,17],boundary=[\"torus\",\"open\",\"torus\"]}",
                  "agents.hare={count=700,capacity=2,on_edge=\"refuse\"}", "agents.fox={count=60,on_edge=\"refuse\"}"}},
            Case{"families", test_model("families"), {"places.land.size=[31,45]", "agents.hare={count=500,capacity=2}"}},
            Case{"anywhere", test_model("nomads"), {"places.land.size=[29,41]", "agents.nomad={count=500,capacity=2,on_edge=\"refuse\"}"}},
            Case{"anywhere_in_planes",
                 test_model("nomads"),
                 {"places.land={size=[7,6,15],boundary=\"reflect\"}", "agents.nomad={count=300,capacity=1,on_edge=\"refuse\"}"}},
            Case{"agents_who_know_nothing", test_model("sparks"), {"places.ash.size=[33,41]", "agents.spark.count=700"}},
            Case{"list",
                 test_model("hares_and_foxes"),
                 {"places.land.size=[37,43]", "agents.hare={count=500,capacity=\"unlimited\"}",
                  "agents.fox={count=60,capacity=\"unlimited\",on_edge=\"refuse\"}"}},
            Case{"children_in_a_list",
                 test_model("families"),
                 {"places.land.size=[31,45]", "agents.hare={count=500,capacity=\"unlimited\",reserve=40000}",
                  "agents.fox.capacity=\"unlimited\""}},
            Case{"space", plugin("boids"), {"agents.bird.count=900"}},
            Case{"space_in_planes", plugin("circles"), {"agents.circle.count=700"}},
            Case{"reduces_of_a_list", test_model("auction"), {"places.stall.size=[31,43]", "agents.bidder.capacity=\"unlimited\""}},
            Case{"uniforms", test_model("tides"), {"places.shore.size=[37,23]"}},
            Case{"uniforms_of_steps", test_model("tides"), {"places.shore.size=[37,23]", "phase=[{callAll='shore.flood'}]"}},
            Case{"reduces", test_model("furnace"), {"places.plate={size=[37,23],boundary=[\"torus\",\"reflect\"]}"}},
            Case{"reduces_of_agents", test_model("auction"), {"places.stall.size=[31,43]"}}};
}
// Along links that stay, everybody reads everywhere.
std::vector<Case> along_links() {
    return {Case{"links", plugin("sir_network"), {"places.person={count=9000,init.state={random=0.02}}"}},
            Case{"sums_along_links",
                 plugin("kuramoto"),
                 {"places.oscillator.count=5000", "links.coupling.generate={rule='random',links=40000}"}},
            Case{"functions_of_links",
                 test_model("knots"),
                 {"places.knot.count=4000", "places.peg.count=3000", "links.tie.generate={rule='random',links=9000}",
                  "links.line.generate={rule='random',links=6000}",
                  "phase=[{callAll='tie.strain'},{callAll='line.strain'},{callAll='knot.look'},{callAll='peg.look'}]"}},
            Case{"twins_among_links",
                 test_model("knots"),
                 {"places.knot.count=4000", "places.peg.count=3000", "links.tie={generate={rule='random',links=9000},parallel=true}",
                  "links.line={generate={rule='random',links=6000},parallel=true}",
                  "phase=[{callAll='tie.strain'},{callAll='line.strain'},{callAll='knot.look'},{callAll='peg.look'}]"}},
            Case{"links_and_a_repeat", plugin("social_net"), {"places.person.count=3000"}},
            Case{"links_of_a_grid", test_model("waterworks"), {"places.pump.count=4000", "schedule.exchange=\"auto\""}},
            Case{"links_and_neighbours",
                 plugin("town"),
                 {"places.house={size=[23,31],boundary=[\"torus\",\"torus\"]}", "links.telephone.generate={rule='random',links=90}"}},
            Case{"most_links_at_few_places",
                 plugin("sir_network"),
                 {"places.person={count=7000,init.state={random=0.02}}", "links.contact.generate={rule='preferential',degree=3}"}}};
}
// Where one partition makes all that links join.
std::vector<Case> of_one_partition() {
    return {Case{"links_that_are_sent_along",
                 plugin("izhikevich"),
                 {"places.neuron.count=4000", "links.synapse.generate={rule='random',links=60000}"}},
            Case{"links_that_change", plugin("opinion"), {"places.person.count=4000"}},
            Case{"links_of_agents", test_model("encounters"), {"places.square.size=[9,21]"}},
            Case{"agents_along_links",
                 plugin("traffic"),
                 {"places.crossing.count=6144", "links.road.generate={rule='grid',size=[96,64]}", "agents.car.count=9000"}}};
}
std::vector<Case> all_cases() {
    auto all = fusible();
    for (const auto& others : {fusible_on_a_gpu(), made_singly(), along_links()}) all.insert(all.end(), others.begin(), others.end());
    return all;
}
std::vector<std::string> gpus() {
    auto names = devices();
    std::erase(names, "cpu");
    return names;
}

std::string name_of(const ::testing::TestParamInfo<Partitions::ParamType>& tested) {
    auto name = std::get<0>(tested.param) + "_" + std::get<1>(tested.param).name;
    std::replace(name.begin(), name.end(), ':', '_');
    return name;
}

INSTANTIATE_TEST_SUITE_P(Models, Partitions, ::testing::Combine(::testing::ValuesIn(devices_and_more()), ::testing::ValuesIn(all_cases())),
                         name_of);
INSTANTIATE_TEST_SUITE_P(ModelsOfOne, Partitions,
                         ::testing::Combine(::testing::ValuesIn(devices_and_more()), ::testing::ValuesIn(of_one_partition())), name_of);
INSTANTIATE_TEST_SUITE_P(ModelsOfOne, PartitionsOfRule,
                         ::testing::Combine(::testing::ValuesIn(devices_alike()), ::testing::ValuesIn(of_one_partition())), name_of);
INSTANTIATE_TEST_SUITE_P(Models, PartitionsOfOneRange,
                         ::testing::Combine(::testing::ValuesIn(devices_alike()), ::testing::ValuesIn(all_cases())), name_of);
INSTANTIATE_TEST_SUITE_P(Models, FusedPartitions, ::testing::Combine(::testing::ValuesIn(devices_alike()), ::testing::ValuesIn(fusible())),
                         name_of);
INSTANTIATE_TEST_SUITE_P(ModelsOfGpus, FusedPartitions,
                         ::testing::Combine(::testing::ValuesIn(gpus()), ::testing::ValuesIn(fusible_on_a_gpu())), name_of);

} // namespace
} // namespace tessera::test::partitions_test
