// What a GPU's failures look like, and that they leave nothing behind: with the stand-in driver of fake_libcuda.cpp.
#include "device_runtime/cuda_device.hpp"
#include "device_runtime/error.hpp"
#include "device_runtime/image_bundle.hpp"
#include "unit/device_runtime/test_devices.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

namespace tessera::cuda_device_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class CudaDevice : public ::testing::Test {
protected:
    void SetUp() override {
        if (!built_with_cuda()) GTEST_SKIP() << "this build has no CUDA support";
        ASSERT_EQ(test::live_objects_of_fake(), 0u);
    }
    void TearDown() override {
        if (!built_with_cuda() || IsSkipped()) return;
        EXPECT_EQ(test::live_objects_of_fake(), 0u) << "something of the driver's was not given back";
        EXPECT_EQ(test::misuses_of_fake(), 0) << "memory or code was taken from under work that was queued";
    }

    // The text of the error that `action` throws while the function fails with the driver's error.
    std::string failing(const std::string& function_and_error, Failure kind, const std::function<void()>& action) {
        const test::Setting fail("FAKE_CUDA_FAIL", function_and_error);
        try {
            action();
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), kind) << error.what();
            return error.what();
        }
        ADD_FAILURE() << "no error although " << function_and_error;
        return {};
    }
};

TEST_F(CudaDevice, GivesBackAllThatItTook) {
    auto device = test::open_fake();
    const auto queue = device->queue();
    const auto program = device->load(test::Images::kernels_for_fake());
    const auto memory = device->allocate(std::size_t{9} << 20);
    std::vector<char> host(memory.size());
    queue->write(memory.address(), host.data(), host.size());
    const auto launch = test::launch_over(program->kernel("double_and_add"), memory.address(), 100, 1);
    const auto recording = queue->record({&launch, 1});
    const auto mark = queue->mark();
    const auto other = test::open_fake();
    EXPECT_GT(test::live_objects_of_fake(), 8u);
    device.reset(); // and the rest after it; TearDown counts
}

TEST_F(CudaDevice, OutOfMemoryTellsHowMuchIsFree) {
    const auto device = test::open_fake();
    const auto most = device->allocate(std::size_t{1022} << 20);
    EXPECT_EQ(device->free_memory(), std::size_t{2} << 20);
    EXPECT_THAT(failing("", Failure::memory, [&] { (void)device->allocate(std::size_t{3} << 20); }),
                AllOf(HasSubstr("cuda:0 could not allocate 4 MiB (it has 2 MiB free of 1.0 GiB)"),
                      HasSubstr("CUDA_ERROR_OUT_OF_MEMORY: out of memory")));
}

TEST_F(CudaDevice, EachStepOfAnAllocationThatFailsIsUndone) {
    const auto device = test::open_fake();
    const auto before = test::live_objects_of_fake();
    for (const std::string step : {"cuMemAddressReserve", "cuMemCreate", "cuMemMap", "cuMemSetAccess", "cuMemsetD8Async"}) {
        EXPECT_THAT(failing(step + ":2", Failure::memory, [&] { (void)device->allocate(100); }), HasSubstr("cuda:0 could not"));
        EXPECT_EQ(test::live_objects_of_fake(), before) << step;
    }
}

TEST_F(CudaDevice, MigratingMemoryIsOneRangeThatIsClearedPartByPart) {
    const test::Setting two("FAKE_CUDA_DEVICES", "2");
    const auto found = test::search_fake();
    const auto a = open_device("cuda:0", 0, found), b = open_device("cuda:1", 0, found);
    Device* const other = b.get();
    const auto before = test::live_objects_of_fake();
    {
        const auto range = a->reserve(std::size_t{3} << 20, {&other, 1}, Paging::migrating);
        a->back(range, 0, std::size_t{2} << 20);
        b->back(range, std::size_t{2} << 20, std::size_t{1} << 20);
        const auto* const bytes = static_cast<const char*>(range.address());
        EXPECT_TRUE(std::all_of(bytes, bytes + (std::size_t{3} << 20), [](char byte) { return byte == 0; }));
        EXPECT_THROW(a->back(range, 0, 1), Error) << "it has been";
    }
    EXPECT_EQ(test::live_objects_of_fake(), before);
    const test::Setting none("FAKE_CUDA_MANAGED", "0");
    EXPECT_THAT(failing("", Failure::device,
                        [&] {
                            (void)a->reserve(1, {&other, 1}, Paging::migrating);
                        }),
                HasSubstr("cuda:0 could not work on managed memory beside others"));
}

TEST_F(CudaDevice, EachStepOfOpeningThatFailsIsUndone) {
    const auto found = test::search_fake();
    for (const std::string step : {"cuDevicePrimaryCtxRetain", "cuCtxSetCurrent"}) {
        EXPECT_THAT(failing(step + ":46", Failure::device, [&] { (void)open_device("cuda:0", 0, found); }),
                    AllOf(HasSubstr("cuda:0 could not"), HasSubstr("another program")));
        EXPECT_EQ(test::live_objects_of_fake(), 0u) << step;
    }
}

TEST_F(CudaDevice, EachStepOfMakingAQueueThatFailsIsUndone) {
    const auto device = test::open_fake();
    const auto before = test::live_objects_of_fake();
    for (const std::string step : {"cuCtxGetStreamPriorityRange", "cuStreamCreateWithPriority"}) {
        EXPECT_THAT(failing(step + ":1", Failure::device, [&] { (void)device->queue(); }), HasSubstr("cuda:0 could not"));
        EXPECT_EQ(test::live_objects_of_fake(), before) << step;
    }
}

TEST_F(CudaDevice, EachStepOfARecordingThatFailsIsUndone) {
    const auto device = test::open_fake();
    const auto queue = device->queue();
    const auto program = device->load(test::Images::kernels_for_fake());
    const auto before = test::live_objects_of_fake();
    const auto launch = test::launch_over(program->kernel("double_and_add"), nullptr, 0, 0);
    for (const std::string step : {"cuGraphCreate", "cuGraphAddKernelNode_v2", "cuGraphInstantiateWithFlags", "cuGraphUpload"}) {
        (void)failing(step + ":1", Failure::device, [&] { (void)queue->record({&launch, 1}); });
        EXPECT_EQ(test::live_objects_of_fake(), before) << step;
    }
}

TEST_F(CudaDevice, LaunchesThatWaitByThemselvesFollowEachOtherClosely) {
    const auto device = test::open_fake();
    const auto queue = device->queue();
    const auto memory = device->allocate(sizeof(std::uint32_t));
    const auto made = [&](Program& program) {
        const std::uint32_t zero = 0;
        queue->write(memory.address(), &zero, sizeof(zero));
        const auto launch = test::launch_over(program.kernel("double_and_add"), memory.address(), 1, 1);
        const std::vector<Launch> thrice(3, launch);
        queue->replay(*queue->record(thrice));
        std::uint32_t result = 0;
        queue->read(&result, memory.address(), sizeof(result));
        return result;
    };
    const auto before = test::close_launches_of_fake();
    EXPECT_EQ(made(*device->load(test::Images::kernels_for_fake())), 21u);
    EXPECT_EQ(test::close_launches_of_fake(), before) << "of kernels that do not wait";

    const test::Setting follows("FAKE_CUDA_FOLLOWS", "1");
    const auto program = device->load(test::Images::kernels_for_fake());
    EXPECT_EQ(made(*program), 21u);
    EXPECT_EQ(test::close_launches_of_fake(), before + 2) << "the first follows none";
    const auto live = test::live_objects_of_fake();
    EXPECT_THAT(failing("cuGraphAddDependencies_v2:1", Failure::device, [&] { (void)made(*program); }), HasSubstr("cuda:0 could not"));
    EXPECT_EQ(test::live_objects_of_fake(), live);
}

// As CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES is: the tuner tries kernels that may have no registers.
TEST_F(CudaDevice, AKernelWithoutResourcesIsRefusedAndLeavesTheDeviceAsItWas) {
    const auto device = test::open_fake();
    const auto program = device->load(test::Images::kernels_for_fake());
    const auto memory = device->allocate(1000);
    const auto queue = device->queue();
    const auto launch = test::launch_over(program->kernel("double_and_add"), memory.address(), 100, 1);
    const auto recorded = queue->record({&launch, 1});
    for (const std::string step : {"cuLaunchKernel", "cuGraphAddKernelNode_v2", "cuGraphInstantiateWithFlags", "cuGraphLaunch"}) {
        EXPECT_THAT(failing(step + ":701", Failure::device,
                            [&] {
                                queue->launch(launch);
                                queue->replay(*queue->record({&launch, 1}));
                            }),
                    HasSubstr("cuda:0 could not"));
        queue->launch(launch);
        queue->replay(*recorded);
        queue->synchronize();
    }
}

TEST_F(CudaDevice, AFailedLaunchNamesItsFunction) {
    const auto device = test::open_fake();
    const auto queue = device->queue();
    const auto program = device->load(test::Images::kernels_for_fake());
    const auto launch = test::launch_over(program->kernel("double_and_add"), nullptr, 0, 0);
    EXPECT_THAT(failing("cuLaunchKernel:1", Failure::device, [&] { queue->launch(launch); }),
                HasSubstr("cuda:0 could not launch \"double_and_add\""));
}

TEST_F(CudaDevice, WhatALaunchRanIntoIsThrownWhenItIsWaitedFor) {
    const auto device = test::open_fake();
    const auto queue = device->queue();
    const auto mark = queue->mark();
    const auto illegal =
        AllOf(HasSubstr("cuda:0 could not finish the work queued on it (CUDA_ERROR_ILLEGAL_ADDRESS"), HasSubstr("outside of its data"));
    EXPECT_THAT(failing("cuStreamSynchronize:700", Failure::device, [&] { queue->synchronize(); }), illegal);
    EXPECT_THAT(failing("cuEventSynchronize:700", Failure::device, [&] { mark.wait(); }), illegal);
    EXPECT_THAT(failing("cuEventQuery:700", Failure::device, [&] { (void)mark.done(); }), illegal);
}

TEST_F(CudaDevice, AMarkThatIsNotReachedIsNotDone) {
    const auto device = test::open_fake();
    const auto queue = device->queue();
    const auto program = device->load(test::Images::kernels_for_fake());
    EXPECT_TRUE(queue->mark().done());
    for (int i = 0; i < 2; ++i) queue->launch(test::launch_over(program->kernel("double_and_add"), nullptr, 0, 0));
    const auto mark = queue->mark();
    EXPECT_FALSE(mark.done()); // each look makes the stand-in do one thing
    EXPECT_TRUE(mark.done());
}

TEST_F(CudaDevice, TimeBetweenMarksIsTheDriversInSeconds) {
    const auto device = test::open_fake();
    const auto queue = device->queue();
    const auto from = queue->mark(), to = queue->mark();
    EXPECT_DOUBLE_EQ(device->seconds_between(from, to), 2.5);
}

TEST_F(CudaDevice, AnImageForAnotherGpuIsToldSo) {
    const auto device = test::open_fake();
    EXPECT_THAT(failing("cuModuleLoadData:209", Failure::plugin, [&] { (void)device->load(test::Images::kernels_for_fake()); }),
                HasSubstr("compile it again"));
    EXPECT_THAT(failing("cuModuleLoadData:222", Failure::plugin, [&] { (void)device->load(test::Images::kernels_for_fake()); }),
                HasSubstr("update the NVIDIA driver"));
}

// What was compiled in parts is loaded part by part; a kernel is found in the part that has it.
TEST_F(CudaDevice, ABundleIsOneProgram) {
    const auto text_of = [](const std::string& path) {
        const auto* const begin = reinterpret_cast<const std::byte*>(path.c_str());
        return std::vector<std::byte>(begin, begin + path.size() + 1); // the stand-in's images are paths
    };
    const auto device = test::open_fake();
    const auto empty = text_of("libm.so.6"), kernels = text_of(test::Images::kernels().string());
    const auto program = device->load({"a model", bundled({empty, kernels})});
    EXPECT_EQ(program->kernel("double_and_add").name(), "double_and_add");
    EXPECT_THAT(failing("", Failure::plugin, [&] { (void)program->kernel("nothing"); }), HasSubstr("a model has no function \"nothing\""));
    EXPECT_THAT(failing("", Failure::plugin, [&] { (void)program->global("nothing"); }), HasSubstr("a model has no variable \"nothing\""));
    // The second part fails: the first is given back.
    const auto before = test::live_objects_of_fake();
    const auto broken = bundled({kernels, text_of("/not/there.so")});
    EXPECT_THAT(failing("", Failure::plugin, [&] { (void)device->load({"a model", broken}); }), HasSubstr("compile it again"));
    EXPECT_EQ(test::live_objects_of_fake(), before);
}

TEST_F(CudaDevice, ADriverThatIsBeingTornDownDoesNotDisturbDestructors) {
    const test::Setting* ending = nullptr;
    {
        auto device = test::open_fake();
        auto memory = device->allocate(100);
        ending = new test::Setting("FAKE_CUDA_FAIL", "cuStreamSynchronize:4"); // CUDA_ERROR_DEINITIALIZED
    }
    delete ending;
}

TEST_F(CudaDevice, KernelsOfAnotherKindOfDeviceAreRefused) {
    const auto gpu = test::open_fake();
    const auto cpu = open_device("cpu", 1);
    const auto program = cpu->load(test::Images::kernels());
    const auto launch = test::launch_over(program->kernel("double_and_add"), nullptr, 0, 0);
    const auto gpu_queue = gpu->queue(), cpu_queue = cpu->queue();
    EXPECT_THAT(failing("", Failure::internal, [&] { gpu_queue->launch(launch); }), HasSubstr("\"cuda:0\""));
    const auto recording = gpu_queue->record({});
    EXPECT_THAT(failing("", Failure::internal, [&] { cpu_queue->replay(*recording); }), HasSubstr("\"cpu\""));
}

} // namespace
} // namespace tessera::cuda_device_test
