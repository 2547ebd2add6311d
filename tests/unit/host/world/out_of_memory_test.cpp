// Columns that one of several devices has no room for: GPUs of the stand-in driver.
#include "device_runtime/error.hpp"
#include "tests/support/stripes.hpp"
#include "tests/support/world_under_test.hpp"
#include "tests/unit/device_runtime/test_devices.hpp"

#include <gmock/gmock.h>

namespace tessera::test::out_of_memory_test {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class OutOfMemory : public ::testing::Test {
protected:
    void SetUp() override {
        if (!built_with_cuda()) GTEST_SKIP() << "this build has no CUDA support";
        NEEDS_COMPILER();
        devices_ = open_devices({"cuda:0", "cuda:1"}, 0, search_fake());
        for (const auto& device : devices_) queues_.push_back(device->queue());
    }
    // What making the columns of Life says: two of a MiB a stripe.
    std::string told() {
        const auto prepared = prepare({plugin("life"), {"places.cell.size=[1022,2048]"}, {}}, compiler());
        const auto setup = over_cpus(prepared.setup, 2);
        ThreadPool pool(1);
        const auto before = live_objects_of_fake();
        try {
            const World world(setup, {{devices_[0].get(), queues_[0].get()}, {devices_[1].get(), queues_[1].get()}}, pool);
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), Failure::memory);
            EXPECT_EQ(live_objects_of_fake(), before) << "something was not given back";
            return error.what();
        }
        return "none";
    }

    const Setting two_{"FAKE_CUDA_DEVICES", "2"}, small_{"FAKE_CUDA_MEMORY", "12"};
    std::vector<std::unique_ptr<Device>> devices_;
    std::vector<std::unique_ptr<Queue>> queues_;
};

TEST_F(OutOfMemory, IsSeenBeforeAnythingIsAllocated) {
    EXPECT_EQ(told(), "none");
    const auto taken = devices_[1]->allocate(std::size_t{11} << 20); // six pages, all
    EXPECT_THAT(told(), AllOf(StartsWith("life needs 0.00 GiB on cuda:1 and cuda:1 has 0.00 GiB free"), HasSubstr("cell.alive"),
                              EndsWith("make the grid smaller, or use more devices, or one with more memory")));
}

TEST_F(OutOfMemory, NamesTheDeviceAndWhatItHas) {
    const Setting full("FAKE_CUDA_FAIL", "cuMemCreate:2@1");
    EXPECT_THAT(told(), AllOf(StartsWith("cuda:1 could not allocate 2 MiB (it has 12 MiB free of 12 MiB)"),
                              EndsWith("make the grid smaller, or use more devices, or one with more memory")));
}

} // namespace
} // namespace tessera::test::out_of_memory_test
