// Random models of links beside plain loops, for any threads and partitions.
#pragma once

#include "device_runtime/devices.hpp"
#include "host/execute/simulation.hpp"
#include "tests/conformance/random_links.hpp"
#include "tests/support/stripes.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/world_under_test.hpp"

#include <gtest/gtest.h>

#include <random>

namespace tessera::test::random_links {

inline constexpr std::uint64_t steps = 5;

inline Links links_of(const WorldUnderTest& world, const std::string& name) {
    const auto& setup = world.setup();
    const auto id = require_collection(setup, name, {});
    if (setup.collections[id].places() == 0) return {};
    const auto first = setup.column_of(id, Role::link_end);
    const auto ends = [&](std::size_t end) {
        const auto read = world.simulation().read(ColumnId(first.index() + end));
        const auto values = read.data<std::int32_t>();
        return std::vector<std::int32_t>(values.begin(), values.end());
    };
    return {ends(0), ends(1), {}, {}};
}

// Of three partitions; each makes some. They share their memory, or have their own, of which the last is out of reach.
inline std::uint64_t hash_of_partitions(const std::string& path, bool sends, unsigned seed, bool own_memory) {
    const auto prepared = prepare(for_any_devices({path, {"output=[]", fmt::format("run.steps={}", steps)}, {}}), compiler());
    std::mt19937 dice(seed);
    auto distribution = sends ? divided(prepared.setup, 3) : cut_anywhere(prepared.setup, 3, dice);
    if (own_memory) {
        give_own_memory(prepared.setup, distribution, 1, 1);
        distribution.islands = {0, 0, 1};
    }
    const auto setup = arranged(prepared.setup, std::move(distribution));
    const auto devices = open_devices({"cpu", "cpu", "cpu"}, 3);
    ThreadPool pool(1);
    Simulation simulation(setup, pointers_to(devices), compiler(), pool);
    simulation.advance(steps, [](std::uint64_t) { return true; });
    return simulation.hash();
}

inline void is_as_by_loops(const std::string& device, unsigned number) {
    SCOPED_TRACE(fmt::format("model {}", number));
    const TemporaryFolder folder;
    Model model(number);
    model.draw_links();
    const auto path = folder.write("drawn.cu", model.source()).string();
    WorldUnderTest world(path, {}, {device, usable_threads(), {}});
    auto expected = model.begin(links_of(world, "tie"), links_of(world, "arc"));
    for (std::uint64_t k = 0; k < steps; ++k) {
        model.make_step(expected, k);
        world.step_to(k + 1);
        for (const auto& [name, values] : {std::pair{"a", &expected.a}, {"b", &expected.b}, {"got", &expected.got}})
            ASSERT_EQ(world.values<Word>("node", name), *values) << name << " behind step " << k << "\n" << model.source();
        for (const auto& [name, links] : {std::pair{"tie", &expected.ties}, {"arc", &expected.arcs}}) {
            if (links->w.empty()) continue;
            ASSERT_EQ(world.values<Word>(name, "w"), links->w) << name << " behind step " << k << "\n" << model.source();
            ASSERT_EQ(world.values<Word>(name, "v"), links->v) << name << " behind step " << k << "\n" << model.source();
        }
    }
    if (device != "cpu") return;
    WorldUnderTest alone(path, {}, {device, 1, {}});
    alone.step_to(steps);
    EXPECT_EQ(alone.hash(), world.hash()) << "one thread\n" << model.source();
    if (model.sends() && model.places() <= 2048) return; // a run with a row for each device alone asks one of them to make all
    for (const bool own_memory : {false, true})
        EXPECT_EQ(hash_of_partitions(path, model.sends(), number, own_memory), world.hash())
            << "three partitions, " << (own_memory ? "with memory of their own\n" : "in one range\n") << model.source();
}

} // namespace tessera::test::random_links
