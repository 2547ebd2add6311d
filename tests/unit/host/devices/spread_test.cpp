// Which memory the devices of a run have: what the run file says, else what they can.
#include "device_runtime/devices.hpp"
#include "device_runtime/error.hpp"
#include "host/devices/spread.hpp"
#include "host/prepare/prepare.hpp"
#include "jit/cache.hpp"
#include "tests/test_data.hpp"
#include "tests/unit/device_runtime/shuffling_device.hpp"
#include "tests/unit/device_runtime/test_devices.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tessera::spread_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string life = "plugins/life/life.cu";

class ChooseMemory : public ::testing::Test {
protected:
    // Of two CPUs and one that reaches neither, nor is reached; how many of them a test wants, from the first on.
    const Distribution& chosen(const std::vector<std::string>& keys, std::size_t devices, const std::string& model = life) {
        return chosen(keys, {all_.begin(), all_.begin() + static_cast<std::ptrdiff_t>(devices)}, model);
    }
    const Distribution& chosen(const std::vector<std::string>& keys, const std::vector<Device*>& devices, const std::string& model = life) {
        RunRequest request{test_shipped(model).string(), keys, {}};
        request.on_one_cpu = false;
        prepared_ = prepare(request, compiler_);
        setup_ = spread(prepared_.setup, devices);
        return setup_.distribution();
    }
    std::string error(const std::vector<std::string>& keys, std::size_t devices, const std::string& model = life) {
        try {
            (void)chosen(keys, devices, model);
        } catch (const Error& thrown) {
            return thrown.what();
        }
        return "none";
    }

private:
    jit::Cache cache_;
    jit::Compiler compiler_{cache_};
    Prepared prepared_;
    tessera::Setup setup_;
    std::vector<std::unique_ptr<Device>> cpus_ = open_devices({"cpu", "cpu"}, 2);
    test::ShufflingDevice apart_{open_device("cpu", 1), std::make_shared<test::Shuffle>(1)};
    std::vector<Device*> all_{cpus_[0].get(), cpus_[1].get(), &apart_};
};

TEST_F(ChooseMemory, IsWhatTheRunFileSays) {
    EXPECT_FALSE(chosen({}, 2).own_memory);
    EXPECT_FALSE(chosen({"run.memory=\"shared\""}, 2).own_memory);
    const auto& own = chosen({"run.memory=\"own\"", "schedule.halo=3"}, 2);
    EXPECT_TRUE(own.own_memory);
    EXPECT_EQ(own.steps_a_cycle, 3u);
    EXPECT_THAT(own.islands, ElementsAre(0, 0));
    EXPECT_FALSE(chosen({"run.memory=\"own\""}, 1).own_memory) << "one device has nobody to copy from";
}

TEST_F(ChooseMemory, OfDevicesThatDoNotReachEachOtherIsTheirOwn) {
    const auto& found = chosen({}, 3);
    EXPECT_TRUE(found.own_memory);
    EXPECT_THAT(found.islands, ElementsAre(0, 0, 1));
    EXPECT_TRUE(found.reaches(0, 1));
    EXPECT_FALSE(found.reaches(1, 2));
}

TEST_F(ChooseMemory, TransportByTheHostMakesThemIslands) {
    const auto& found = chosen({"run.transport=\"host\""}, 3);
    EXPECT_TRUE(found.own_memory);
    EXPECT_THAT(found.islands, ElementsAre(0, 1, 2));
}

TEST_F(ChooseMemory, ManagedIsSharedAndMigrates) {
    const auto& found = chosen({"run.memory=\"managed\""}, 2);
    EXPECT_TRUE(found.migrating);
    EXPECT_FALSE(found.own_memory);
    EXPECT_FALSE(chosen({}, 2).migrating);
    EXPECT_THAT(error({"run.memory=\"managed\"", "places.cell.size=[1048576,524288]"}, 2),
                AllOf(HasSubstr("--set run.memory=\"managed\": 1024.1 GiB of columns are too many to migrate (a device has "),
                      HasSubstr(" free, and half of that has to stay free) set run.memory = \"shared\", or make the grid smaller")));
}

TEST_F(ChooseMemory, GhostsAreForAsManySteps) {
    const auto& said = chosen({"run.memory=\"own\"", "schedule.halo=3"}, 2);
    EXPECT_EQ(said.steps_of_ghosts, 3u);
    const auto& found = chosen({"run.memory=\"own\"", "places.cell.size=[64,40]"}, 2);
    EXPECT_LE(found.steps_a_cycle, found.steps_of_ghosts);
    EXPECT_EQ(found.steps_of_ghosts, 10u) << "of stripes of 20 rows half";
}

TEST_F(ChooseMemory, WhatIsOfNoUseIsRefused) {
    EXPECT_EQ(error({"run.memory=\"shared\"", "schedule.halo=2"}, 2),
              "--set schedule.halo=2: no rows can be exchanged every 2 steps (the devices share one range of addresses) set run.memory = "
              "\"own\", or leave out `schedule.halo`");
    EXPECT_EQ(error({"run.memory=\"shared\"", "run.transport=\"host\""}, 2),
              "--set run.transport=\"host\": no rows are transported (the devices share one range of addresses) set run.memory = \"own\", "
              "or leave out `run.transport`");
}

// Agents are known around a stripe only once the others have made them.
TEST_F(ChooseMemory, OfAgentsHasGhostsForOneStep) {
    const std::string model = "plugins/random_walk/random_walk.cu";
    const auto& found = chosen({"run.memory=\"own\""}, 2, model);
    EXPECT_TRUE(found.own_memory);
    EXPECT_EQ(found.steps_a_cycle, 1u);
    EXPECT_EQ(found.steps_of_ghosts, 1u);
    EXPECT_EQ(error({"run.memory=\"own\"", "schedule.halo=2"}, 2, model),
              "--set schedule.halo=2: no rows can be exchanged every 2 steps (agents on the places around a device's own are known only "
              "after an exchange of rows) leave out `schedule.halo`");
}

// Over PCIe GPUs may reach each other's memory without that.
TEST_F(ChooseMemory, WhoGoesAnywhereNeedsAtomicOperations) {
    if (!built_with_cuda()) GTEST_SKIP() << "this build has no CUDA support";
    NEEDS_COMPILER();
    const std::string schelling = "plugins/schelling/schelling.cu";
    const test::Setting two("FAKE_CUDA_DEVICES", "2");
    const auto gpus = open_devices({"cuda:0", "cuda:1"}, 0, test::search_fake());
    EXPECT_FALSE(chosen({}, pointers_to(gpus), schelling).own_memory);
    const test::Setting without("FAKE_CUDA_ATOMICS", "0");
    EXPECT_FALSE(chosen({}, pointers_to(gpus), "plugins/sugarscape/sugarscape.cu").own_memory) << "which needs none";
    EXPECT_FALSE(chosen({"agents.person.capacity=\"unlimited\""}, pointers_to(gpus), schelling).own_memory) << "a list is made by one";
    try {
        (void)chosen({}, pointers_to(gpus), schelling);
        ADD_FAILURE() << "nothing was refused";
    } catch (const Error& error) {
        EXPECT_THAT(error.what(),
                    HasSubstr("person cannot go anywhere on cuda:0 and cuda:1 (atomic operations of cuda:0 on the other's memory "
                              "are not atomic, as over PCIe) name GPUs with NVLink between them, or one device"));
    }
}

// GPUs of the stand-in driver, which say that they reach each other's memory, and cannot map it.
TEST_F(ChooseMemory, AMappingThatIsRefusedIsFoundBeforeAnythingIsMade) {
    if (!built_with_cuda()) GTEST_SKIP() << "this build has no CUDA support";
    NEEDS_COMPILER();
    const test::Setting two("FAKE_CUDA_DEVICES", "2");
    const test::Setting refused("FAKE_CUDA_PEERS", "2");
    const auto gpus = open_devices({"cuda:0", "cuda:1"}, 0, test::search_fake());
    const auto& found = chosen({"schedule.halo=2"}, pointers_to(gpus));
    EXPECT_TRUE(found.own_memory);
    EXPECT_THAT(found.islands, ElementsAre(0, 1));
    try {
        (void)chosen({"run.memory=\"shared\""}, pointers_to(gpus));
        ADD_FAILURE() << "nothing was refused";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), Failure::device);
        EXPECT_THAT(error.what(), ::testing::StartsWith("\"cuda:0\" and \"cuda:1\" cannot share memory (they are said to reach each "
                                                        "other's, and yet: cuda:0 could not allocate 2 MiB"));
        EXPECT_THAT(error.what(), ::testing::EndsWith("set run.memory = \"own\""));
    }
}

} // namespace
} // namespace tessera::spread_test
