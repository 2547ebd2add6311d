// What every device does alike: on the CPU, on a GPU behind a stand-in driver, and on a real GPU where there is one.
#include "device_runtime/device.hpp"
#include "device_runtime/error.hpp"
#include "unit/device_runtime/gpu.hpp"
#include "unit/device_runtime/test_devices.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>

namespace tessera::device_test {
namespace {

class OnDevice : public ::testing::TestWithParam<const char*> {
protected:
    void SetUp() override {
        const std::string kind = GetParam();
        if (kind == "cpu" || kind == "inline") {
            device = open_device("cpu", 3);
            image = test::Images::kernels();
        } else if (kind == "fake") {
            if (!built_with_cuda()) GTEST_SKIP() << "this build has no CUDA support";
            device = test::open_fake();
            image = test::Images::kernels_for_fake();
        } else {
            test::require_gpu();
            if (IsSkipped() || HasFatalFailure()) return;
            device = open_device("cuda:0", 0);
            image = test::sources / "test_kernels.ptx";
        }
        queue = device->queue(Priority::normal, kind == "inline" ? Execution::inline_ : Execution::queued);
    }

    std::vector<std::uint32_t> contents(const Memory& memory, std::size_t count) {
        std::vector<std::uint32_t> values(count);
        queue->read(values.data(), memory.address(), count * sizeof(std::uint32_t));
        return values;
    }

    std::unique_ptr<Device> device;
    std::unique_ptr<Queue> queue;
    std::filesystem::path image;
};

INSTANTIATE_TEST_SUITE_P(Devices, OnDevice, ::testing::Values("cpu", "inline", "fake", "gpu"),
                         [](const auto& test) { return std::string(test.param); });

// The kernel's formula, written a second time.
void double_and_add(std::vector<std::uint32_t>& values, std::uint32_t value, std::uint32_t scale = 3) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = values[i] + values[i] + scale * value + static_cast<std::uint32_t>(i);
}

TEST_P(OnDevice, MemoryIsZeroAlignedAndKeepsItsSize) {
    for (const std::size_t bytes : {std::size_t{1}, std::size_t{4096}, std::size_t{4097}, std::size_t{5} << 20}) {
        const auto memory = device->allocate(bytes);
        ASSERT_EQ(memory.size(), bytes);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory.address()) % 4096, 0u);
        std::vector<char> values(bytes, 'x');
        queue->read(values.data(), memory.address(), bytes);
        EXPECT_EQ(values, std::vector<char>(bytes, 0));
    }
}

TEST_P(OnDevice, NoMemoryIsAllocatedForNoBytes) {
    const auto memory = device->allocate(0);
    EXPECT_EQ(memory.address(), nullptr);
    EXPECT_EQ(memory.size(), 0u);
    queue->write(memory.address(), nullptr, 0);
    queue->read(nullptr, memory.address(), 0);
}

TEST_P(OnDevice, ReadsWhatWasWrittenForAnySizeAndPlace) {
    const std::size_t most = (std::size_t{70} << 20) + 13; // more than eight of the largest pieces that a copy is cut into
    const auto memory = device->allocate(most + 64);
    for (const std::size_t bytes :
         {std::size_t{1}, std::size_t{1000}, std::size_t{256} << 10, std::size_t{8} << 20, (std::size_t{8} << 20) + 1, most}) {
        std::vector<std::byte> out(bytes), in(bytes);
        for (std::size_t i = 0; i < bytes; ++i) out[i] = static_cast<std::byte>((i * 2654435761u + bytes) >> 7);
        auto* place = static_cast<std::byte*>(memory.address()) + 7;
        queue->write(place, out.data(), bytes);
        queue->read(in.data(), place, bytes);
        ASSERT_EQ(std::memcmp(in.data(), out.data(), bytes), 0) << bytes;
    }
    std::byte before[7];
    queue->read(before, memory.address(), sizeof before);
    for (const auto byte : before) EXPECT_EQ(byte, std::byte{0});
}

TEST_P(OnDevice, MovedMemoryKeepsItsAddress) {
    auto first = device->allocate(100);
    const auto* address = first.address();
    const auto second = std::move(first);
    EXPECT_EQ(second.address(), address);
    EXPECT_EQ(second.size(), 100u);
}

TEST_P(OnDevice, LaunchesRunInOrderWithTheArgumentsOfTheCall) {
    constexpr std::size_t count = 1000; // no multiple of a block
    const auto program = device->load(image);
    const auto memory = device->allocate(count * sizeof(std::uint32_t));
    auto expected = std::vector<std::uint32_t>(count);
    auto launch = test::launch_over(program->kernel("double_and_add"), memory.address(), count, 0);
    for (std::uint32_t value : {5u, 11u, 2u}) {
        std::memcpy(launch.args.data() + offsetof(test::Args, value), &value, sizeof value);
        queue->launch(launch);
        double_and_add(expected, value);
    }
    std::fill(launch.args.begin(), launch.args.end(), std::byte{0xFF}); // the device has its own copy
    EXPECT_EQ(contents(memory, count), expected);
}

TEST_P(OnDevice, CopiesAreMadeInOrderWithTheLaunches) {
    constexpr std::size_t count = 333, bytes = count * sizeof(std::uint32_t);
    const auto program = device->load(image);
    const auto& kernel = program->kernel("double_and_add");
    const auto from = device->allocate(bytes), to = device->allocate(bytes);
    auto expected = std::vector<std::uint32_t>(count);
    queue->launch(test::launch_over(kernel, from.address(), count, 7));
    queue->copy({to.address(), from.address(), bytes});
    queue->launch(test::launch_over(kernel, from.address(), count, 9)); // of which the copy knows nothing
    queue->launch(test::launch_over(kernel, to.address(), count, 4));
    for (std::uint32_t value : {7u, 4u}) double_and_add(expected, value);
    EXPECT_EQ(contents(to, count), expected);
}

TEST_P(OnDevice, ARecordingReplaysItsLaunchesInOrder) {
    constexpr std::size_t count = 333;
    const auto program = device->load(image);
    const auto& kernel = program->kernel("double_and_add");
    const auto memory = device->allocate(count * sizeof(std::uint32_t));
    std::vector<Launch> launches;
    for (std::uint32_t value : {1u, 7u, 4u}) launches.push_back(test::launch_over(kernel, memory.address(), count, value));
    const auto recording = queue->record(launches);
    EXPECT_EQ(recording->launches(), 3u);
    EXPECT_EQ(contents(memory, count), std::vector<std::uint32_t>(count)) << "recording alone runs nothing";
    for (auto& launch : launches) std::fill(launch.args.begin(), launch.args.end(), std::byte{0xFF});

    auto expected = std::vector<std::uint32_t>(count);
    for (int replay = 0; replay < 4; ++replay) {
        queue->replay(*recording);
        for (std::uint32_t value : {1u, 7u, 4u}) double_and_add(expected, value);
    }
    EXPECT_EQ(contents(memory, count), expected);
}

TEST_P(OnDevice, AnEmptyRecordingReplays) {
    const auto recording = queue->record({});
    EXPECT_EQ(recording->launches(), 0u);
    queue->replay(*recording);
    queue->synchronize();
}

TEST_P(OnDevice, GlobalsCanBeReadAndWritten) {
    const auto program = device->load(image);
    const auto scale = program->global("scale");
    ASSERT_EQ(scale.size, sizeof(std::uint32_t));
    std::uint32_t value = 0;
    queue->read(&value, scale.address, sizeof value);
    EXPECT_EQ(value, 3u);
    value = 10;
    queue->write(scale.address, &value, sizeof value);

    const auto memory = device->allocate(64 * sizeof(std::uint32_t));
    queue->launch(test::launch_over(program->kernel("double_and_add"), memory.address(), 64, 2));
    auto expected = std::vector<std::uint32_t>(64);
    double_and_add(expected, 2, 10);
    EXPECT_EQ(contents(memory, 64), expected);

    value = 3; // a shared library stays loaded: leave it to the next test as it was
    queue->write(scale.address, &value, sizeof value);
}

TEST_P(OnDevice, MarksAreReachedAndTellTime) {
    const auto before = queue->mark();
    const auto memory = device->allocate(std::size_t{1} << 20);
    const auto after = queue->mark();
    after.wait();
    EXPECT_TRUE(before.done());
    EXPECT_TRUE(after.done());
    EXPECT_GE(device->seconds_between(before, after), 0.0);
}

TEST_P(OnDevice, WhatItMadeMayOutliveIt) {
    auto program = device->load(image);
    auto memory = device->allocate(100);
    auto mark = queue->mark();
    auto recording = queue->record({});
    device.reset();
    queue->synchronize();
    queue.reset();
    mark.wait();
    EXPECT_NE(program->global("scale").address, nullptr);
}

TEST_P(OnDevice, AMissingKernelOrVariableIsNamed) {
    const auto program = device->load(image);
    for (const auto& ask : {std::function<void()>([&] { (void)program->kernel("no_such"); }),
                            std::function<void()>([&] { (void)program->global("no_such"); })}) {
        try {
            ask();
            FAIL() << "found what is not there";
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), Failure::plugin);
            EXPECT_NE(std::string(error.what()).find("\"no_such\""), std::string::npos) << error.what();
            EXPECT_NE(std::string(error.what()).find(image.filename().string()), std::string::npos) << error.what();
        }
    }
}

TEST_P(OnDevice, ADamagedImageIsNamed) {
    const auto damaged = test::Images::folder().write("damaged.image", "this is no program");
    try {
        (void)device->load(damaged);
        FAIL() << "loaded a text";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), Failure::plugin) << error.what();
        EXPECT_NE(std::string(error.what()).find("damaged.image"), std::string::npos) << error.what();
    }
}

TEST_P(OnDevice, AnAbsentImageIsNamed) {
    try {
        (void)device->load(test::Images::folder().path() / "absent.image");
        FAIL() << "loaded nothing";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), Failure::plugin) << error.what();
        EXPECT_NE(std::string(error.what()).find("absent.image"), std::string::npos) << error.what();
    }
}

TEST_P(OnDevice, MoreMemoryThanThereIsIsRefused) {
    const auto free = device->free_memory();
    EXPECT_GT(free, 0u);
    EXPECT_LE(free, device->info().memory_total);
    for (const std::size_t bytes : {static_cast<std::size_t>(device->info().memory_total) * 2, SIZE_MAX}) {
        try {
            (void)device->allocate(bytes);
            FAIL() << "allocated more than there is";
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), Failure::memory) << error.what();
        }
    }
    EXPECT_EQ(device->allocate(64).size(), 64u) << "the device goes on";
}

TEST_P(OnDevice, ALaunchOfNothingOrOfTooManyArgumentsIsOurOwnFault) {
    const auto program = device->load(image);
    auto launch = test::launch_over(program->kernel("double_and_add"), nullptr, 0, 0);
    launch.args.resize(max_launch_args + 1);
    EXPECT_THROW(queue->launch(launch), Error);
    EXPECT_THROW((void)queue->record({&launch, 1}), Error);
    EXPECT_THROW(queue->launch(Launch{}), Error);
}

TEST_P(OnDevice, DescribesItself) {
    const auto& info = device->info();
    const bool cpu = std::string(GetParam()) == "cpu" || std::string(GetParam()) == "inline";
    EXPECT_EQ(info.name, cpu ? "cpu" : "cuda:0");
    EXPECT_EQ(info.kind, cpu ? DeviceKind::cpu : DeviceKind::cuda);
    EXPECT_GT(info.processors, 0);
    EXPECT_GT(info.memory_total, 0u);
    EXPECT_FALSE(info.description.empty());
    EXPECT_EQ(info.architecture.substr(0, 3), cpu ? "cpu" : "sm_");
}

} // namespace
} // namespace tessera::device_test
