// Which memory the devices of a run have: what the run file says, where they can.
#include "device_runtime/error.hpp"
#include "host/run/prepare.hpp"
#include "host/setup/stripes.hpp"
#include "jit/cache.hpp"
#include "tests/test_data.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tessera {
namespace {

const DeviceInfo cpu{"cpu", DeviceKind::cpu, "", "cpu", 0, 1}, gpu{"cuda:1", DeviceKind::cuda, "", "sm_90", 0, 132};

class ChooseMemory : public testing::Test {
protected:
    bool own(const std::string& memory, const std::vector<DeviceInfo>& devices) {
        prepared_ = prepare({test_shipped("plugins/life/life.cu").string(), {"run.memory=\"" + memory + "\""}, {}}, compiler_);
        divide(prepared_.setup, devices.size());
        choose_memory(prepared_.setup, devices);
        return prepared_.setup.own_memory;
    }

private:
    jit::Cache cache_;
    jit::Compiler compiler_{cache_};
    Prepared prepared_;
};

TEST_F(ChooseMemory, IsWhatTheRunFileSays) {
    EXPECT_FALSE(own("auto", {cpu, cpu}));
    EXPECT_FALSE(own("shared", {cpu, cpu}));
    EXPECT_TRUE(own("own", {cpu, cpu, cpu}));
    EXPECT_FALSE(own("own", {cpu})) << "one device has nobody to copy from";
    EXPECT_FALSE(own("own", {gpu}));
}

TEST_F(ChooseMemory, OfItsOwnIsForCpus) {
    try {
        own("own", {cpu, gpu});
        FAIL() << "no error";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), Failure::device);
        EXPECT_STREQ(error.what(),
                     "--set run.memory=\"own\": cuda:1 cannot have memory of its own (rows are copied between CPUs alone) say "
                     "memory = \"shared\"");
    }
}

} // namespace
} // namespace tessera
