// How many GPUs a run takes that leaves it to the program: GPUs of the stand-in driver.
#include "device_runtime/devices.hpp"
#include "host/devices/choose_devices.hpp"
#include "tests/support/world_under_test.hpp"
#include "tests/unit/device_runtime/test_devices.hpp"

#include <gmock/gmock.h>

namespace tessera::choose_devices_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ChooseDevices : public ::testing::Test {
protected:
    void SetUp() override {
        if (!built_with_cuda()) GTEST_SKIP() << "this build has no CUDA support";
        NEEDS_COMPILER();
    }
    // For a grid of so many places and the run file's other keys, on so many GPUs.
    static ChosenDevices chosen(const std::string& size, const std::string& gpus, std::vector<std::string> keys = {}) {
        const test::Setting count("FAKE_CUDA_DEVICES", gpus);
        keys.push_back("places.cell.size=" + size);
        const auto prepared = prepare({test::plugin("life"), keys, {}}, test::compiler());
        return choose_gpus(prepared.setup, test::search_fake());
    }
};

TEST_F(ChooseDevices, EachGpuHasEnoughPlaces) {
    const auto one = chosen("[4096,2047]", "4");
    EXPECT_THAT(one.names, ElementsAre("cuda:0"));
    EXPECT_EQ(one.why, "the first GPU: two would have fewer than 4194304 places each");
    const auto two = chosen("[4096,2048]", "4");
    EXPECT_THAT(two.names, ElementsAre("cuda:0", "cuda:1"));
    EXPECT_EQ(two.why, "2 equal GPUs: each has at least 4194304 places");
    EXPECT_THAT(chosen("[4096,8192]", "4").names, ElementsAre("cuda:0", "cuda:1", "cuda:2", "cuda:3"));
    EXPECT_THAT(chosen("[4096,8192]", "3").names, ElementsAre("cuda:0", "cuda:1", "cuda:2"));
    EXPECT_THAT(chosen("[4194304,3]", "4").names, ElementsAre("cuda:0", "cuda:1", "cuda:2")) << "no more than there are rows";
    EXPECT_EQ(chosen("[4096,8192]", "1").why, "the only GPU");
}

TEST_F(ChooseDevices, AsManyAsAreNeededForTheMemory) {
    const test::Setting small("FAKE_CUDA_MEMORY", "4"); // MiB; two buffers of a byte a place
    const auto two = chosen("[2048,1500]", "4");
    EXPECT_THAT(two.names, ElementsAre("cuda:0", "cuda:1"));
    EXPECT_EQ(two.why, "2 equal GPUs: fewer have no room for the grids");
    EXPECT_THAT(chosen("[2048,2500]", "4").names, ElementsAre("cuda:0", "cuda:1", "cuda:2"));
    EXPECT_THAT(chosen("[2048,9000]", "4").names, ElementsAre("cuda:0", "cuda:1", "cuda:2", "cuda:3")) << "which is told when it is made";
}

TEST_F(ChooseDevices, ThoseThatDifferOrDoNotShareMemoryArePassedOver) {
    {
        const test::Setting unlike("FAKE_CUDA_UNLIKE", "1");
        EXPECT_THAT(chosen("[4096,8192]", "4").names, ElementsAre("cuda:0", "cuda:2", "cuda:3"));
        const auto alone = chosen("[4096,8192]", "2");
        EXPECT_THAT(alone.names, ElementsAre("cuda:0"));
        EXPECT_EQ(alone.why, "the first GPU: no other is equal to it and shares memory with it");
    }
    for (const std::string refused : {"0", "2"}) { // to reach each other's memory, and to map it
        const test::Setting peers("FAKE_CUDA_PEERS", refused);
        EXPECT_THAT(chosen("[4096,8192]", "4").names, ElementsAre("cuda:0"));
    }
}

TEST_F(ChooseDevices, OneThatAnotherProgramHoldsIsPassedOver) {
    const test::Setting held("FAKE_CUDA_FAIL", "cuMemCreate:46@1");
    EXPECT_THAT(chosen("[4096,8192]", "3").names, ElementsAre("cuda:0", "cuda:2"));
}

TEST_F(ChooseDevices, CutsAreForDevicesThatAreNamed) {
    EXPECT_THAT(chosen("[4096,8192]", "2", {"places.cell.cuts=[4096]"}).why, HasSubstr("cuts are for devices that are named"));
}

// Links that stay are shared like grids; those that change are made by one device.
TEST_F(ChooseDevices, PlacesWithLinksCountWhereDevicesShareThem) {
    const test::Setting count("FAKE_CUDA_DEVICES", "4");
    const auto chosen_for = [](const std::string& model, const std::string& links) {
        const auto prepared = prepare(test::for_any_devices({test::plugin(model),
                                                             {"places.person.count=8388608", "output=[]", "run.steps=1",
                                                              "links." + links + ".generate={rule='random',links=9}"},
                                                             {}}),
                                      test::compiler());
        return choose_gpus(prepared.setup, test::search_fake()).names;
    };
    EXPECT_THAT(chosen_for("sir_network", "contact"), ElementsAre("cuda:0", "cuda:1"));
    EXPECT_THAT(chosen_for("opinion", "friend"), ElementsAre("cuda:0"));
}

TEST_F(ChooseDevices, WhatTheRunFileNamesIsTaken) {
    const auto prepared = prepare({test::plugin("life"), {"run.devices=[\"cpu\",\"cpu\"]"}, {}}, test::compiler());
    const auto named = choose_devices(prepared.setup);
    EXPECT_THAT(named.names, ElementsAre("cpu", "cpu"));
    EXPECT_EQ(named.why, "");
}

} // namespace
} // namespace tessera::choose_devices_test
