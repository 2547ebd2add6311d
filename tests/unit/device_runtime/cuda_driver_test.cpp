// Finding a driver, with the stand-in of fake_libcuda.cpp for the ones that this machine does not have.
#include "device_runtime/cuda_driver.hpp"
#include "device_runtime/devices.hpp"
#include "unit/device_runtime/test_devices.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tessera::cuda_driver_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class CudaDriverSearch : public ::testing::Test {
protected:
    void SetUp() override {
        if (!built_with_cuda()) GTEST_SKIP() << "this build has no CUDA support";
    }

    std::string why_not(const std::vector<std::filesystem::path>& candidates) {
        const auto found = find_cuda_driver(candidates);
        EXPECT_EQ(found.driver, nullptr);
        const auto status = cuda_status(found);
        EXPECT_FALSE(status.available);
        EXPECT_TRUE(status.devices.empty());
        EXPECT_EQ(status.why_not, found.why_not);
        return found.why_not;
    }
    std::string why_not() { return why_not({test::Images::fake_driver()}); }
};

TEST_F(CudaDriverSearch, NamesEachPlaceThatItLookedIn) {
    const auto broken = test::Images::folder().write("libcuda_broken.so", "no library");
    EXPECT_THAT(why_not({"libcuda_that_nobody_has.so.1", "/no/such/libcuda.so.1", broken}),
                AllOf(HasSubstr("no NVIDIA driver was found"),
                      HasSubstr("libcuda_that_nobody_has.so.1 on the system's library path (not there)"),
                      HasSubstr("/no/such/libcuda.so.1 (not there)"), HasSubstr(broken.string()), HasSubstr("file too short"),
                      Not(HasSubstr("boost"))));
}

TEST_F(CudaDriverSearch, TakesTheFirstThatLoads) {
    const auto found = find_cuda_driver({"/no/such/libcuda.so.1", test::Images::fake_driver()});
    ASSERT_NE(found.driver, nullptr) << found.why_not;
    EXPECT_EQ(found.why_not, "");
    EXPECT_EQ(found.driver_version, 13000);
    EXPECT_EQ(found.driver->version(), 13000);
    EXPECT_EQ(found.driver->devices(), 1);
}

TEST_F(CudaDriverSearch, AnOldDriverIsToldWithBothVersions) {
    const test::Setting old("FAKE_CUDA_VERSION", "11040");
    EXPECT_EQ(why_not(), "the NVIDIA driver is too old: it supports CUDA 11.4, and Tessera needs a driver for CUDA 12.0 or later");
    EXPECT_EQ(test::search_fake().driver_version, 11040);
}

TEST_F(CudaDriverSearch, TheOldestVersionWillDo) {
    const test::Setting oldest("FAKE_CUDA_VERSION", "12000");
    EXPECT_NE(test::search_fake().driver, nullptr);
}

TEST_F(CudaDriverSearch, AMachineWithoutGpuIsTold) {
    const test::Setting none("FAKE_CUDA_DEVICES", "0");
    EXPECT_THAT(why_not(), HasSubstr("sees no GPU"));
    const test::Setting hidden("CUDA_VISIBLE_DEVICES", "-1");
    EXPECT_THAT(why_not(), HasSubstr("CUDA_VISIBLE_DEVICES is \"-1\""));
}

TEST_F(CudaDriverSearch, ADriverThatDoesNotStartIsToldInItsWords) {
    const test::Setting mismatch("FAKE_CUDA_FAIL", "cuInit:803");
    EXPECT_EQ(why_not(), "the NVIDIA driver is installed, but does not start: CUDA_ERROR_FAKE: as the test asked");
    const test::Setting unknown("FAKE_CUDA_FAIL", "cuInit:999");
    EXPECT_THAT(why_not(), HasSubstr("unknown error 999"));
}

TEST_F(CudaDriverSearch, TheToolkitsStubIsRecognised) {
    const test::Setting stub("FAKE_CUDA_FAIL", "cuDriverGetVersion:34");
    EXPECT_THAT(why_not(), HasSubstr("stub"));
}

TEST_F(CudaDriverSearch, AnotherLibraryIsNoDriver) {
    EXPECT_THAT(why_not({test::Images::kernels()}), HasSubstr("no function cuDriverGetVersion"));
}

TEST_F(CudaDriverSearch, ALackingFunctionIsNamed) {
    NEEDS_COMPILER();
    const auto source = test::Images::folder().write("half.cpp", "extern \"C\" int cuDriverGetVersion(int* v) { *v = 12040; return 0; }");
    EXPECT_THAT(why_not({test::Images::folder().compile(source, "libcuda_half.so")}), HasSubstr("has no function cuInit"));
}

TEST_F(CudaDriverSearch, DescribesTheGpus) {
    const test::Setting two("FAKE_CUDA_DEVICES", "2");
    const auto status = cuda_status(test::search_fake());
    ASSERT_TRUE(status.available) << status.why_not;
    EXPECT_EQ(status.driver_version, 13000);
    ASSERT_EQ(status.devices.size(), 2u);
    EXPECT_EQ(status.devices[1].name, "cuda:1");
    EXPECT_EQ(status.devices[1].description, "Fake GPU, 132 SMs, 1.0 GiB");
    EXPECT_EQ(status.devices[1].architecture, "sm_90");
    EXPECT_EQ(status.devices[1].processors, 132);
    EXPECT_EQ(status.devices[1].memory_total, std::uint64_t{1} << 30);
}

TEST_F(CudaDriverSearch, AGpuThatDoesNotDescribeItselfMakesItUnavailable) {
    const auto found = test::search_fake();
    const test::Setting broken("FAKE_CUDA_FAIL", "cuDeviceGetName:46");
    const auto status = cuda_status(found);
    EXPECT_FALSE(status.available);
    EXPECT_THAT(status.why_not, HasSubstr("cuda:0 does not describe itself"));
}

TEST(CudaStatus, SaysWhyThereIsNoGpuOrListsThem) {
    const auto status = cuda_status();
    EXPECT_EQ(status.available, !status.devices.empty());
    EXPECT_EQ(status.available, status.why_not.empty());
    if (status.available) {
        EXPECT_GE(status.driver_version, oldest_cuda_version);
    } else if (!built_with_cuda()) {
        EXPECT_THAT(status.why_not, HasSubstr("no CUDA support"));
    } else if (status.driver_version == 0) {
        EXPECT_THAT(status.why_not, AllOf(HasSubstr("libcuda.so.1"), HasSubstr("/usr/lib64")));
    }
}

} // namespace
} // namespace tessera::cuda_driver_test
