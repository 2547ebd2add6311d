#include "device_runtime/cpu_device.hpp"
#include "device_runtime/error.hpp"
#include "device_runtime/kernel_fault.hpp"
#include "device_runtime/machine.hpp"
#include "unit/device_runtime/test_devices.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstring>

namespace tessera::cpu_device_test {
namespace {

TEST(CpuDevice, ALaunchIsCutIntoOnePieceAThread) {
    const auto device = open_cpu_device(4);
    const auto queue = device->queue(Priority::normal, Execution::inline_);
    const auto program = device->load(test::Images::kernels());
    const auto memory = device->allocate(10 * sizeof(std::uint32_t));
    queue->launch(test::launch_over(program->kernel("show_pieces"), memory.address(), 10, 0));
    std::vector<std::uint32_t> ends(10);
    queue->read(ends.data(), memory.address(), 40);
    EXPECT_EQ(ends, (std::vector<std::uint32_t>{3, 0, 0, 6, 0, 0, 8, 0, 10, 0}));
}

TEST(CpuDevice, ALibraryThatNeedsWhatIsNotThereIsRefusedInTheLoadersWords) {
    NEEDS_COMPILER();
    const auto source = test::Images::folder().write("unresolved.cpp", "void is_nowhere(); extern \"C\" void kernel() { is_nowhere(); }");
    const auto library = test::Images::folder().compile(source, "unresolved.so");
    try {
        (void)open_cpu_device(1)->load(library);
        FAIL() << "loaded a library with an unresolved symbol";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), Failure::plugin);
        const std::string text = error.what();
        EXPECT_NE(text.find("undefined symbol: _Z10is_nowherev"), std::string::npos) << text;
        EXPECT_EQ(text.find("boost"), std::string::npos) << text;
    }
}

TEST(CpuDevice, ARelativePathIsTakenFromTheCurrentFolder) {
    const auto relative = std::filesystem::relative(test::Images::kernels());
    EXPECT_EQ(open_cpu_device(1)->load(relative)->kernel("double_and_add").name(), "double_and_add");
}

TEST(CpuDevice, ALibraryStaysLoadedWhenItsProgramIsGone) {
    const auto device = open_cpu_device(1);
    const auto* address = device->load(test::Images::kernels())->global("scale").address;
    EXPECT_EQ(*static_cast<const std::uint32_t*>(address), 3u);
}

TEST(CpuDevice, TimeBetweenMarksIsTheWallClocks) {
    const auto device = open_cpu_device(1);
    const auto queue = device->queue(Priority::normal, Execution::inline_);
    const auto before = queue->mark();
    const auto start = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - start < std::chrono::milliseconds(20)) {}
    EXPECT_GE(device->seconds_between(before, queue->mark()), 0.020);
}

// A kernel writes a byte `by` bytes from where its memory begins.
bool is_stopped(Device& device, const Kernel& kernel, const Memory& memory, std::ptrdiff_t by) {
    auto* const at = static_cast<std::byte*>(memory.address()) + by;
    Launch launch;
    launch.kernel = &kernel;
    launch.items = 1;
    launch.args.resize(sizeof(at));
    std::memcpy(launch.args.data(), &at, sizeof(at));
    try {
        device.queue(Priority::normal, Execution::inline_)->launch(launch);
        return false;
    } catch (const KernelFault& fault) {
        EXPECT_EQ(fault.ending(), Ending::no_address);
        return true;
    }
}

TEST(CpuDevice, AnOverrunOfWhatIsAllocatedIsStopped) {
    NEEDS_COMPILER();
    const auto source = test::Images::folder().write("overrun.cpp", R"(#include <cstdint>
extern "C" void write_there(const void* there, std::int64_t, std::int64_t) { **static_cast<volatile char* const*>(there) = 1; })");
    const auto device = open_cpu_device(1, Overruns::stop);
    const auto program = device->load(test::Images::folder().compile(source, "overrun.so"));
    const auto& kernel = program->kernel("write_there");
    const auto page = static_cast<std::ptrdiff_t>(device->granularity());
    for (const std::ptrdiff_t size : {1, 128, 1000, 4096, 100000}) {
        SCOPED_TRACE(size);
        const auto before = device->allocate(70000), memory = device->allocate(static_cast<std::size_t>(size)),
                   behind = device->allocate(1);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory.address()) % 128, 0u);
        const auto lines = (size + 127) / 128 * 128, before_pages = lines - (lines + page - 1) / page * page - 1;
        for (const auto by : {std::ptrdiff_t{0}, size - 1}) EXPECT_FALSE(is_stopped(*device, kernel, memory, by)) << by;
        for (const auto by : {lines, lines + 5000000, before_pages, std::ptrdiff_t{-5000000}})
            EXPECT_TRUE(is_stopped(*device, kernel, memory, by)) << by;
    }
}

TEST(CpuDevice, SaysHowManyThreadsItHas) {
    EXPECT_EQ(cpu_info(2).processors, 2);
    EXPECT_NE(cpu_info(2).description.find(", 2 threads"), std::string::npos);
    EXPECT_EQ(cpu_info(1).description.substr(cpu_info(1).description.rfind(',')), ", 1 thread");
    EXPECT_EQ(cpu_info(1).architecture, "cpu");
}

// Lists have room for as many agents as find a place.
TEST(CpuDevice, MemoryThatIsNotUsedTakesNoPages) {
    if (memory_nodes() > 1) GTEST_SKIP() << "each page is touched, to be near the thread that uses it";
    const auto device = open_cpu_device(2);
    constexpr std::size_t bytes = std::size_t{1} << 30;
    const auto before = memory_peak();
    if (before > bytes / 2) GTEST_SKIP() << "other tests of this process have had as much";
    const auto memory = device->allocate(bytes);
    auto* const values = static_cast<unsigned char*>(memory.address());
    EXPECT_EQ(values[0] + values[bytes / 2] + values[bytes - 1], 0);
    EXPECT_LT(memory_peak(), before + bytes / 4);
}

} // namespace
} // namespace tessera::cpu_device_test
