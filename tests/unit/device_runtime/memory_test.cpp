// Ranges of addresses with memory of several devices behind them, on CPUs and on GPUs behind the stand-in driver.
#include "device_runtime/error.hpp"
#include "unit/device_runtime/test_devices.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

namespace tessera::memory_test {
namespace {

using ::testing::HasSubstr;

class SharedMemory : public ::testing::TestWithParam<std::string> {
protected:
    void SetUp() override {
        if (GetParam() == "cuda") {
            if (!built_with_cuda()) GTEST_SKIP() << "this build has no CUDA support";
            devices = open_devices({"cuda:0", "cuda:1", "cuda:1"}, 0, test::search_fake());
        } else {
            devices = open_devices({"cpu", "cpu", "cpu"}, 3);
        }
        page = devices[0]->granularity();
    }
    void TearDown() override {
        devices.clear();
        if (!built_with_cuda() || IsSkipped()) return;
        EXPECT_EQ(test::live_objects_of_fake(), 0u) << "something of the driver's was not given back";
        EXPECT_EQ(test::misuses_of_fake(), 0) << "memory was unmapped under work that was queued";
    }
    [[nodiscard]] Memory reserve(std::size_t pages) const {
        Device* const others[] = {devices[1].get(), devices[2].get()};
        return devices[0]->reserve(pages * page, others);
    }
    [[nodiscard]] const std::filesystem::path& image() const {
        return GetParam() == "cuda" ? test::Images::kernels_for_fake() : test::Images::kernels();
    }

    const test::Setting two{"FAKE_CUDA_DEVICES", "2"};
    std::vector<std::unique_ptr<Device>> devices;
    std::size_t page = 0;
};

INSTANTIATE_TEST_SUITE_P(Kinds, SharedMemory, ::testing::Values("cpu", "cuda"), [](const auto& test) { return test.param; });

TEST_P(SharedMemory, StripesOfOneRangeAreOfSeveralDevicesAndReachedByAll) {
    const auto range = reserve(4);
    devices[1]->back(range, 2 * page, page + 1); // two pages
    devices[0]->back(range, 0, page);
    devices[2]->back(range, page, 5);
    ASSERT_EQ(range.size(), 4 * page);
    std::vector<unsigned char> values(4 * page, 1);
    for (const auto& device : devices) {
        const auto queue = device->queue();
        queue->read(values.data(), range.address(), values.size());
        EXPECT_EQ(values, std::vector<unsigned char>(4 * page, 0));
    }
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<unsigned char>(i * 7 + i / page);
    devices[2]->queue()->write(range.address(), values.data(), values.size());
    std::vector<unsigned char> seen(values.size());
    devices[0]->queue()->read(seen.data(), range.address(), seen.size());
    EXPECT_EQ(seen, values);
}

TEST_P(SharedMemory, PartsThatAreNotPagesOrOverlapOrEndBeyondAreRefused) {
    const auto range = reserve(3);
    devices[0]->back(range, page, page);
    const auto refused = [&](std::size_t offset, std::size_t bytes) {
        try {
            devices[1]->back(range, offset, bytes);
            return false;
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), Failure::internal) << error.what();
            return true;
        }
    };
    EXPECT_TRUE(refused(page / 2, page));
    EXPECT_TRUE(refused(0, page + 1));
    EXPECT_TRUE(refused(page, page));
    EXPECT_TRUE(refused(2 * page, page + 1));
    EXPECT_TRUE(refused(4 * page, page));
    EXPECT_TRUE(refused(0, 0));
    EXPECT_FALSE(refused(2 * page, page));
    EXPECT_FALSE(refused(0, 1));
}

TEST_P(SharedMemory, GivingItBackWaitsForTheQueuesOfEveryDeviceThatReachesIt) {
    std::vector<std::unique_ptr<Program>> programs;
    std::vector<std::unique_ptr<Queue>> queues;
    std::vector<Mark> marks;
    for (const auto& device : devices) {
        programs.push_back(device->load(image()));
        for (int i = 0; i < 2; ++i) queues.push_back(device->queue(i == 0 ? Priority::normal : Priority::high));
    }
    {
        const auto range = reserve(6);
        for (std::size_t d = 0; d < 3; ++d) devices[d]->back(range, 2 * d * page, 2 * page);
        for (std::size_t q = 0; q < queues.size(); ++q) { // each its own stripe: with the range gone, the process would end here
            auto* stripe = static_cast<std::byte*>(range.address()) + (queues.size() - 1 - q) * page;
            for (int i = 0; i < 20; ++i)
                queues[q]->launch(
                    test::launch_over(programs[q / 2]->kernel("double_and_add"), stripe, static_cast<std::int64_t>(page / 4), 3));
            marks.push_back(queues[q]->mark());
        }
    }
    for (const auto& mark : marks) EXPECT_TRUE(mark.done());
}

TEST(Memory, OfDevicesThatDoNotReachEachOtherIsNotShared) {
    if (!built_with_cuda()) GTEST_SKIP() << "this build has no CUDA support";
    const test::Setting two("FAKE_CUDA_DEVICES", "2");
    const auto devices = open_devices({"cuda:0", "cuda:1", "cuda:0", "cpu"}, 1, test::search_fake());
    const auto refusal = [&](std::size_t a, std::size_t b) -> std::string {
        Device* const other[] = {devices[b].get()};
        try {
            (void)devices[a]->reserve(100, other);
            return {};
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), Failure::device);
            return error.what();
        }
    };
    EXPECT_EQ(refusal(0, 1), "");
    EXPECT_THAT(refusal(0, 3), HasSubstr("\"cuda:0\" and \"cpu\" cannot share memory"));
    EXPECT_THAT(refusal(3, 0), HasSubstr("\"cpu\" and \"cuda:0\" cannot share memory"));
    const test::Setting alone("FAKE_CUDA_PEERS", "0");
    EXPECT_FALSE(devices[0]->reaches(*devices[1]));
    EXPECT_TRUE(devices[0]->reaches(*devices[2])) << "one GPU";
    EXPECT_THAT(refusal(0, 1), HasSubstr("\"cuda:0\" and \"cuda:1\" cannot share memory"));
    EXPECT_EQ(refusal(0, 2), "");
}

TEST(Memory, OfAGpuIsPhysicallyThereAndMappedForTheSharersAlone) {
    if (!built_with_cuda()) GTEST_SKIP() << "this build has no CUDA support";
    const test::Setting three("FAKE_CUDA_DEVICES", "3");
    const auto owner = test::of_fake<int(const void*)>("fake_cuda_owner");
    const auto reaches = test::of_fake<int(int, const void*)>("fake_cuda_reaches");
    const auto devices = open_devices({"cuda:0", "cuda:2"}, 0, test::search_fake());
    const auto page = devices[0]->granularity();
    Device* const other[] = {devices[1].get()};
    const auto range = devices[0]->reserve(2 * page, other);
    devices[0]->back(range, page, page);
    devices[1]->back(range, 0, page);
    const auto* second = static_cast<std::byte*>(range.address()) + page;
    EXPECT_EQ(owner(range.address()), 2);
    EXPECT_EQ(owner(second), 0);
    for (const auto* address : {static_cast<const std::byte*>(range.address()), second}) {
        EXPECT_TRUE(reaches(0, address));
        EXPECT_FALSE(reaches(1, address));
        EXPECT_TRUE(reaches(2, address));
    }
    const auto free = devices[1]->free_memory();
    const auto own = devices[1]->allocate(1);
    EXPECT_EQ(devices[1]->free_memory(), free - page);
    EXPECT_FALSE(reaches(0, own.address()));
}

TEST(Memory, EachStepOfBackingThatFailsIsUndone) {
    if (!built_with_cuda()) GTEST_SKIP() << "this build has no CUDA support";
    const auto device = test::open_fake();
    const auto range = device->reserve(2 * device->granularity());
    device->back(range, 0, 1);
    const auto before = test::live_objects_of_fake();
    for (const std::string step : {"cuMemCreate", "cuMemMap", "cuMemSetAccess", "cuStreamCreateWithPriority", "cuMemsetD8Async"}) {
        const test::Setting fail("FAKE_CUDA_FAIL", step + ":2");
        EXPECT_THROW(device->back(range, device->granularity(), 1), Error);
        EXPECT_EQ(test::live_objects_of_fake(), before) << step;
    }
    device->back(range, device->granularity(), 1);
}

TEST(Memory, AThingOfAnotherDeviceIsRefused) {
    if (!built_with_cuda()) GTEST_SKIP() << "this build has no CUDA support";
    const auto devices = open_devices({"cuda:0", "cuda:0"}, 0, test::search_fake());
    const auto cpu = open_cpu_device(1);
    const auto program = devices[0]->load(test::Images::kernels_for_fake());
    const auto launch = test::launch_over(program->kernel("double_and_add"), nullptr, 0, 0);
    const auto recording = devices[0]->queue()->record({&launch, 1});
    const auto queue = devices[1]->queue();
    EXPECT_THROW(queue->launch(launch), Error);
    EXPECT_THROW(queue->replay(*recording), Error);
    EXPECT_THROW((void)devices[1]->seconds_between(devices[0]->queue()->mark(), queue->mark()), Error);
    EXPECT_THROW(cpu->back(devices[0]->allocate(1), 0, 1), Error);
    EXPECT_THROW(devices[0]->back(cpu->allocate(1), 0, 1), Error);
}

} // namespace
} // namespace tessera::memory_test
