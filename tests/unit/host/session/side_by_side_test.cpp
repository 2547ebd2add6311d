// Two runs of one process at the same time: each comes to the state that it comes to alone.
// sanitizers: address, thread
#include "host/run/run_to_end.hpp"
#include "host/session/session.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/world_under_test.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <thread>
#include <vector>

namespace tessera::test::side_by_side_test {
namespace {

std::vector<std::string> keys(const char* r, int seed) {
    return {"places.plate.size=[64,48]", std::string("params.r=") + r, "run.seed=" + std::to_string(seed)};
}

// With parameters that are passed and not compiled in, so that both are made by the same library of the cache.
std::uint64_t hash_of_run(const char* r, int seed, const std::filesystem::path& out) {
    auto all = keys(r, seed);
    all.insert(all.end(), {"output=[]", "run.steps=400", "run.devices=\"cpu\"", "run.bake=false", "schedule.tune=\"off\""});
    const auto prepared = prepare({plugin("heat2d"), all, {}}, compiler());
    std::vector<std::unique_ptr<Device>> devices;
    devices.push_back(open_device("cpu", 1));
    Session session(std::move(devices), 1, compiler());
    RunOptions options;
    options.out = out;
    options.quiet = true;
    return *run(prepared, session, options).report.state_hash;
}

std::uint64_t hash_alone(const char* r, int seed) {
    WorldUnderTest world(plugin("heat2d"), keys(r, seed));
    world.step_to(400);
    return world.hash();
}

TEST(RunsSideBySide, HaveParametersOfTheirOwn) {
    const TemporaryFolder folder;
    constexpr const char* r[] = {"0.05", "0.25"};
    std::uint64_t hashes[2] = {};
    (void)hash_of_run(r[0], 1, folder.path() / "compiled"); // so that both load the same file at the same time
    std::vector<std::thread> threads;
    for (int i = 0; i < 2; ++i) threads.emplace_back([&, i] { hashes[i] = hash_of_run(r[i], i + 1, folder.path() / std::to_string(i)); });
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(hashes[0], hash_alone(r[0], 1));
    EXPECT_EQ(hashes[1], hash_alone(r[1], 2));
    EXPECT_NE(hashes[0], hashes[1]);
}

// Stepped by turns, in one thread.
TEST(RunsSideBySide, MayTakeTurns) {
    const auto prepared = [](const char* r) {
        auto all = keys(r, 1);
        all.insert(all.end(), {"output=[]", "run.steps=9", "run.devices=\"cpu\"", "run.bake=false"});
        return prepare({plugin("heat2d"), all, {}}, compiler());
    };
    const auto first = prepared("0.1"), second = prepared("0.2");
    const auto device = open_device("cpu", 1);
    ThreadPool pool(1);
    Simulation one(first.setup, *device, compiler(), pool), other(second.setup, *device, compiler(), pool);
    for (std::uint64_t step = 1; step <= 9; ++step)
        for (auto* each : {&one, &other}) each->advance(step, [](std::uint64_t) { return true; });
    const auto alone = [](const char* r) {
        WorldUnderTest world(plugin("heat2d"), keys(r, 1));
        world.step_to(9);
        return world.hash();
    };
    EXPECT_EQ(one.hash(), alone("0.1"));
    EXPECT_EQ(other.hash(), alone("0.2"));
}

// A parameter that is passed and not compiled in may change while a run goes on.
TEST(Parameters, ChangeBetweenTwoStepsWithoutCompiling) {
    const auto bytes_of = [](float value) {
        std::vector<std::byte> bytes(sizeof(value));
        std::memcpy(bytes.data(), &value, sizeof(value));
        return bytes;
    };
    WorldUnderTest cold(plugin("heat2d"), keys("0.05", 1)), world(plugin("heat2d"), [] {
        auto all = keys("0.25", 1);
        all.emplace_back("run.bake=false");
        return all;
    }());
    ASSERT_EQ(world.fuse(blocks_view(2, 32, 16)), "");
    world.step_to(20);
    const auto half = world.simulation().snapshot();
    world.simulation().set_parameter("r", bytes_of(0.05f));
    world.step_to(41);
    EXPECT_GT(world.simulation().fused_steps(), 30U);

    ThreadPool pool(1);
    const auto device = open_device("cpu", 1);
    Simulation straight(cold.setup(), *device, compiler(), pool, {}, &half);
    straight.advance(41, [](std::uint64_t) { return true; });
    EXPECT_EQ(world.hash(), straight.hash());

    EXPECT_THROW(world.simulation().set_parameter("rate", bytes_of(1)), Error) << "there is none";
    EXPECT_THROW(world.simulation().set_parameter("r", {}), Error) << "no float";
    EXPECT_THROW(cold.simulation().set_parameter("r", bytes_of(0.1f)), Error) << "a constant of the code";
}

} // namespace
} // namespace tessera::test::side_by_side_test
