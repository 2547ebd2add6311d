// Copies between devices: that all bytes of them arrive is the queues' test (queue_test.cpp); here is what is measured, and what is
// refused.
#include "device_runtime/error.hpp"
#include "device_runtime/links.hpp"
#include "unit/device_runtime/test_devices.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tessera::links_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(Links, OfCpusAreMeasuredEitherWay) {
    const auto devices = open_devices({"cpu", "cpu"}, 2);
    EXPECT_TRUE(share_memory(*devices[0], *devices[1]));
    for (const auto way : {Way::direct, Way::by_host}) {
        EXPECT_GT(seconds_of_news(*devices[0], *devices[1], way), 0);
        EXPECT_GT(bytes_a_second(*devices[0], *devices[1], way), 0);
    }
    EXPECT_GT(memory_bytes_a_second(*devices[0], 1000), 0);
}

class LinksOfGpus : public ::testing::Test {
protected:
    void SetUp() override {
        if (!built_with_cuda()) GTEST_SKIP() << "this build has no CUDA support";
        NEEDS_COMPILER();
        devices = open_devices({"cuda:0", "cuda:1", "cpu"}, 1, test::search_fake());
    }
    void TearDown() override {
        devices.clear();
        if (!built_with_cuda() || IsSkipped()) return;
        EXPECT_EQ(test::live_objects_of_fake(), 0u) << "something of the driver's was not given back";
        EXPECT_EQ(test::misuses_of_fake(), 0);
    }
    const test::Setting two{"FAKE_CUDA_DEVICES", "2"};
    std::vector<std::unique_ptr<Device>> devices;
};

// The stand-in driver says 2.5 s between any two marks.
TEST_F(LinksOfGpus, BandwidthIsBytesByTheDevicesOwnTime) {
    EXPECT_DOUBLE_EQ(bytes_a_second(*devices[0], *devices[1], Way::direct), (64 << 20) / 2.5);
    EXPECT_DOUBLE_EQ(bytes_a_second(*devices[2], *devices[1], Way::by_host), (16 << 20) / 2.5);
    EXPECT_DOUBLE_EQ(memory_bytes_a_second(*devices[0], 1000), 2 * 1000 / 2.5) << "read and written";
    EXPECT_GT(seconds_of_news(*devices[0], *devices[1], Way::direct), 0);
    EXPECT_GT(seconds_of_news(*devices[2], *devices[1], Way::by_host), 0);
}

TEST_F(LinksOfGpus, SharingIsTriedAndNotAskedAlone) {
    EXPECT_TRUE(share_memory(*devices[0], *devices[1]));
    EXPECT_FALSE(share_memory(*devices[0], *devices[2]));
    const test::Setting refused("FAKE_CUDA_PEERS", "2");
    EXPECT_TRUE(devices[0]->reaches(*devices[1]));
    EXPECT_FALSE(share_memory(*devices[0], *devices[1]));
    try {
        require_shared_memory(*devices[0], *devices[1]);
        ADD_FAILURE() << "nothing was refused";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), Failure::device);
        EXPECT_THAT(error.what(), AllOf(HasSubstr("\"cuda:0\" and \"cuda:1\" cannot share memory (they are said to"),
                                        HasSubstr("set run.memory = \"own\"")));
    }
}

TEST_F(LinksOfGpus, ADirectCopyOfThoseThatDoNotShareIsRefused) {
    const test::Setting refused("FAKE_CUDA_PEERS", "0");
    EXPECT_THROW((void)seconds_of_news(*devices[0], *devices[1], Way::direct), Error);
    EXPECT_GT(seconds_of_news(*devices[0], *devices[1], Way::by_host), 0);
}

} // namespace
} // namespace tessera::links_test
