// Divisions without a result, in kernels and outside of them.
#include "device_runtime/kernel_fault.hpp"

#include <gtest/gtest.h>

#include <csignal>

#include <unistd.h>

namespace tessera {
namespace {

volatile int divisor = 0;
volatile int quotient = 0;
// The sanitizers' own check would end the process before the processor does.
__attribute__((no_sanitize("undefined"))) void divide(const void*, std::int64_t begin, std::int64_t) {
    quotient = static_cast<int>(begin) / divisor;
}

extern "C" void end_with_seven(int) { _exit(7); }

#if defined(__x86_64__) // other processors divide by zero without a word
TEST(KernelFault, IsToldTimeAndAgain) {
    for (int time = 0; time < 3; ++time) {
        divisor = 0;
        EXPECT_FALSE(comes_to_its_end(divide, nullptr, 1000, 1001));
        divisor = 8;
        EXPECT_TRUE(comes_to_its_end(divide, nullptr, 1000, 1001));
        EXPECT_EQ(quotient, 125);
    }
}

TEST(KernelFaultDeathTest, OutsideOfAKernelGoesToWhoeverHadTheSignalBefore) {
    ::testing::GTEST_FLAG(death_test_style) = "threadsafe"; // a process of its own, in which nothing took the signal yet
    const auto fail_outside = [] {
        std::signal(SIGFPE, end_with_seven);
        divisor = 0;
        (void)comes_to_its_end(divide, nullptr, 1000, 1001);
        divide(nullptr, 1000, 1001);
    };
    EXPECT_EXIT(fail_outside(), ::testing::ExitedWithCode(7), "");
}
#endif

} // namespace
} // namespace tessera
