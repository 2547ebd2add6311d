// What a processor ends a process for, in kernels and outside of them.
#include "device_runtime/cpu_device.hpp"
#include "device_runtime/kernel_fault.hpp"
#include "tests/support/sanitizers.hpp"
#include "unit/device_runtime/test_devices.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <thread>

#include <unistd.h>

namespace tessera::kernel_fault_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

volatile int divisor = 0;
volatile int quotient = 0;
// The sanitizers' own check would end the process before the processor does.
__attribute__((no_sanitize("undefined"))) void divide(const void*, std::int64_t begin, std::int64_t) {
    quotient = static_cast<int>(begin) / divisor;
}

void* volatile nowhere = nullptr;
__attribute__((no_sanitize("undefined"))) void write_nowhere(const void*, std::int64_t begin, std::int64_t) {
    static_cast<volatile int*>(nowhere)[begin] = 1;
}
__attribute__((no_sanitize("undefined"))) void read_nowhere(const void*, std::int64_t begin, std::int64_t) {
    quotient = static_cast<volatile int*>(nowhere)[begin];
}

void stop(const void*, std::int64_t, std::int64_t) { __builtin_trap(); }
void end_well(const void*, std::int64_t begin, std::int64_t end) { quotient = static_cast<int>(end - begin); }

extern "C" void end_with_seven(int) { _exit(7); }

Ending ending_of(void (*kernel)(const void*, std::int64_t, std::int64_t)) { return call_kernel(kernel, nullptr, 1000, 1001); }

TEST(KernelFault, OfEachKindIsToldTimeAndAgain) {
    for (int time = 0; time < 3; ++time) {
#if defined(__x86_64__) // other processors divide by zero without a word
        divisor = 0;
        EXPECT_EQ(ending_of(divide), Ending::no_result);
#endif
        EXPECT_EQ(ending_of(write_nowhere), Ending::no_address);
        EXPECT_EQ(ending_of(read_nowhere), Ending::no_address);
        EXPECT_EQ(ending_of(stop), Ending::no_code);
        EXPECT_EQ(ending_of(end_well), Ending::whole);
        EXPECT_EQ(quotient, 1);
    }
}

#if !defined(TESSERA_ADDRESS_SANITIZER) && !defined(TESSERA_THREAD_SANITIZER) // whose frames and whose own stacks' ends are other ones
// Not a loop: what a call returns is used after it, and each has memory of its own.
volatile int deepest = 2'000'000'000;
__attribute__((noinline)) int deeper(int depth) { // NOLINT(misc-no-recursion)
    volatile char own[200];
    own[depth % 200] = static_cast<char>(depth);
    return depth >= deepest ? own[0] : deeper(depth + 1) + own[depth % 200];
}
void recurse(const void*, std::int64_t, std::int64_t) { quotient = deeper(0); }

TEST(KernelFault, OfAStackIsToldInEveryThread) {
    for (int time = 0; time < 3; ++time) EXPECT_EQ(ending_of(recurse), Ending::stack_exhausted);
    for (int time = 0; time < 3; ++time) {
        auto ending = Ending::whole;
        std::thread([&] { ending = ending_of(recurse); }).join();
        EXPECT_EQ(ending, Ending::stack_exhausted);
    }
}
#endif

TEST(KernelFault, IsThrownByTheDeviceWhicheverThreadMeetsIt) {
    NEEDS_COMPILER();
    const auto source = test::Images::folder().write("faulty.cpp", R"(#include <cstdint>
extern "C" void item_9_writes_nowhere(const void* nowhere, std::int64_t begin, std::int64_t end) {
    for (auto i = begin; i < end; ++i)
        if (i == 9) **static_cast<volatile int* const*>(nowhere) = 1;
})");
    const auto device = open_cpu_device(4);
    const auto program = device->load(test::Images::folder().compile(source, "faulty.so"));
    Launch launch;
    launch.kernel = &program->kernel("item_9_writes_nowhere");
    launch.items = 10;
    launch.args.resize(sizeof(void*)); // a null pointer
    for (const auto execution : {Execution::inline_, Execution::queued}) {
        const auto queue = device->queue(Priority::normal, execution);
        try {
            const Launch twice[] = {launch, launch};
            queue->replay(*queue->record(twice));
            queue->synchronize();
            FAIL() << "it went on";
        } catch (const KernelFault& fault) {
            EXPECT_EQ(fault.kernel(), "item_9_writes_nowhere");
            EXPECT_EQ(fault.launch(), 0u);
            EXPECT_EQ(fault.ending(), Ending::no_address);
            EXPECT_EQ(fault.kind(), Failure::model);
            EXPECT_THAT(fault.what(), AllOf(HasSubstr("item_9_writes_nowhere read or wrote where it has no memory ("),
                                            HasSubstr(") test pointers and indices")));
        }
    }
}

class KernelFaultDeathTest : public ::testing::TestWithParam<int> {};

INSTANTIATE_TEST_SUITE_P(Signals, KernelFaultDeathTest, ::testing::Values(SIGFPE, SIGSEGV));

TEST_P(KernelFaultDeathTest, OutsideOfAKernelGoesToWhoeverHadTheSignalBefore) {
    ::testing::GTEST_FLAG(death_test_style) = "threadsafe"; // a process of its own, in which nothing took the signals yet
    const auto fail_outside = [] {
        std::signal(GetParam(), end_with_seven);
        (void)ending_of(write_nowhere);
        if (GetParam() == SIGSEGV) write_nowhere(nullptr, 1000, 1001);
        divisor = 0;
        divide(nullptr, 1000, 1001);
        std::raise(SIGFPE); // where dividing by zero has a result
    };
    EXPECT_EXIT(fail_outside(), ::testing::ExitedWithCode(7), "");
}

TEST(KernelFaultDeath, ASignalThatIsSentEndsTheProcessAlsoInAKernel) {
    ::testing::GTEST_FLAG(death_test_style) = "threadsafe";
    const auto send = [](const void*, std::int64_t, std::int64_t) { std::raise(SIGILL); };
    const auto fail_inside = [&] {
        std::signal(SIGILL, SIG_DFL);
        (void)call_kernel(send, nullptr, 0, 1);
    };
    EXPECT_EXIT(fail_inside(), ::testing::KilledBySignal(SIGILL), "");
}

} // namespace
} // namespace tessera::kernel_fault_test
