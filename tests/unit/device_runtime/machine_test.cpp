#include "device_runtime/machine.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include <sched.h>
#include <unistd.h>

namespace tessera::machine_test {
namespace {

TEST(Machine, AllowedCpusFollowTheProcessesMask) {
    cpu_set_t before, one;
    ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
    const auto cpus = allowed_cpus();
    EXPECT_EQ(static_cast<int>(cpus.size()), CPU_COUNT(&before));
    EXPECT_TRUE(std::is_sorted(cpus.begin(), cpus.end()));

    CPU_ZERO(&one);
    CPU_SET(static_cast<std::size_t>(cpus.back()), &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    EXPECT_EQ(allowed_cpus(), std::vector<int>{cpus.back()});
    EXPECT_EQ(usable_threads(), 1);
    ASSERT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
}

TEST(Machine, MemoryIsWithinWhatTheSystemHas) {
    const auto physical = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(sysconf(_SC_PAGE_SIZE));
    EXPECT_LE(memory_total(), physical);
    EXPECT_GT(memory_total(), 0u);
    EXPECT_LE(memory_available(), memory_total());
    EXPECT_GT(memory_available(), 0u);
    EXPECT_LE(memory_peak(), physical);
    EXPECT_GT(memory_peak(), 1u << 20);
}

TEST(Machine, BytesAreReadable) {
    EXPECT_EQ(readable_bytes(0), "0 bytes");
    EXPECT_EQ(readable_bytes(1023), "1023 bytes");
    EXPECT_EQ(readable_bytes(1536), "1.5 KiB");
    EXPECT_EQ(readable_bytes(512ull << 20), "512 MiB");
    EXPECT_EQ(readable_bytes(150121545728ull), "139.8 GiB");
}

TEST(Machine, TheCpuHasAName) { EXPECT_FALSE(cpu_model().empty()); }

TEST(Machine, ThreadsThatPayGrowWithThePlacesUpToThoseThereAre) {
    EXPECT_EQ(threads_that_pay(0, 8), 1);
    EXPECT_EQ(threads_that_pay(129 * 129, 8), 1);
    EXPECT_EQ(threads_that_pay(32768 * 2 - 1, 8), 1);
    EXPECT_EQ(threads_that_pay(32768 * 2, 8), 2);
    EXPECT_EQ(threads_that_pay(32768 * 2, 1), 1);
    EXPECT_EQ(threads_that_pay(std::int64_t{1} << 40, 8), 8);
}

} // namespace
} // namespace tessera::machine_test
