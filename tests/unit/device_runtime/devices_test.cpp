#include "device_runtime/devices.hpp"
#include "device_runtime/error.hpp"
#include "device_runtime/machine.hpp"
#include "unit/device_runtime/test_devices.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tessera::devices_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string refusal(const std::string& name, const CudaSearch& search) {
    try {
        (void)open_device(name, 1, search);
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), Failure::device);
        return error.what();
    }
    ADD_FAILURE() << "opened " << name;
    return {};
}

TEST(OpenDevice, TheCpuHasTheThreadsThatAreAskedFor) {
    EXPECT_EQ(open_device("cpu", 3)->info().processors, 3);
    EXPECT_EQ(open_device("cpu", 0)->info().processors, usable_threads());
}

TEST(OpenDevice, AnUnknownNameIsRefusedWithThoseThatThereAre) {
    const CudaSearch none{nullptr, "no driver here", 0};
    for (const std::string name : {"gpu", "", "CPU", "cpu:0", "hip:0"}) {
        EXPECT_EQ(refusal(name, none), "there is no device \"" + name +
                                           "\" (devices are named \"cpu\", \"cuda:0\", \"cuda:1\" and so on) this machine has \"cpu\"");
    }
}

TEST(OpenDevice, AGpuWithoutDriverIsRefusedWithTheReason) {
    const CudaSearch none{nullptr, "no driver here", 0};
    for (const std::string name : {"cuda:0", "cuda:12", "cuda"}) {
        EXPECT_EQ(refusal(name, none), "there is no device \"" + name + "\" (no driver here) this machine has \"cpu\"");
    }
}

TEST(OpenDevice, AGpuBeyondTheLastIsRefusedWithThoseThatThereAre) {
    if (!built_with_cuda()) GTEST_SKIP() << "this build has no CUDA support";
    const test::Setting two("FAKE_CUDA_DEVICES", "2");
    const auto search = test::search_fake();
    for (const std::string name : {"cuda:2", "cuda:-1", "cuda:1x", "cuda:99999999999999999999", "cuda:"}) {
        EXPECT_THAT(
            refusal(name, search),
            AllOf(HasSubstr("there is no device \"" + name + "\""),
                  HasSubstr("this machine has \"cpu\", \"cuda:0\" (Fake GPU, 132 SMs, 1.0 GiB), \"cuda:1\" (Fake GPU, 132 SMs, 1.0 GiB)")));
    }
    EXPECT_EQ(open_device("cuda:1", 0, search)->info().name, "cuda:1");
}

TEST(OpenDevice, WithTheMachinesOwnDriver) {
    EXPECT_EQ(open_device("cpu", 1)->info().name, "cpu");
    EXPECT_THROW((void)open_device("cuda:4096", 1), Error);
}

} // namespace
} // namespace tessera::devices_test
