// A grid that one device has no room for runs on two: with the stand-in driver of fake_libcuda.cpp, whose memory is the host's.
#include "device_runtime/error.hpp"
#include "host/world/world.hpp"
#include "tests/support/stripes.hpp"
#include "tests/support/world_under_test.hpp"
#include "unit/device_runtime/test_devices.hpp"

#include <gtest/gtest.h>

namespace tessera::test::small_devices_test {
namespace {

// The memory of a GPU, and a CPU that computes in it.
class ComputingDevice final : public Device {
public:
    explicit ComputingDevice(std::unique_ptr<Device> memory) : memory_(std::move(memory)), info_(memory_->info()) {
        info_.kind = DeviceKind::cpu;
        info_.architecture = cpu_->info().architecture;
    }

    const DeviceInfo& info() const noexcept override { return info_; }
    std::uint64_t free_memory() const override { return memory_->free_memory(); }
    Memory allocate(std::size_t bytes) override { return memory_->allocate(bytes); }
    Memory host_memory(std::size_t bytes) override { return memory_->host_memory(bytes); }
    Memory reserve(std::size_t bytes, std::span<Device* const> sharers, Paging paging) override {
        std::vector<Device*> behind;
        for (auto* sharer : sharers) behind.push_back(dynamic_cast<ComputingDevice&>(*sharer).memory_.get());
        return memory_->reserve(bytes, behind, paging);
    }
    void back(const Memory& range, std::size_t offset, std::size_t bytes) override { memory_->back(range, offset, bytes); }
    std::size_t granularity() const override { return memory_->granularity(); }
    bool reaches(const Device& other) const override { return memory_->reaches(*dynamic_cast<const ComputingDevice&>(other).memory_); }
    std::unique_ptr<Program> load(const ProgramImage& image) override { return cpu_->load(image); }
    std::unique_ptr<Queue> queue(Priority priority, Execution execution) override { return cpu_->queue(priority, execution); }
    double seconds_between(const Mark& from, const Mark& to) const override { return cpu_->seconds_between(from, to); }

private:
    std::unique_ptr<Device> memory_;
    std::unique_ptr<Device> cpu_ = open_device("cpu", 1);
    DeviceInfo info_;
};

class SmallDevices : public ::testing::Test {
protected:
    static constexpr std::uint64_t steps = 3;

    void SetUp() override {
        if (!built_with_cuda()) GTEST_SKIP() << "this build has no CUDA support";
    }
    void TearDown() override {
        if (!built_with_cuda() || IsSkipped()) return;
        EXPECT_EQ(live_objects_of_fake(), 0u) << "something of the driver's was not given back";
    }
    static std::vector<std::unique_ptr<Device>> open(const std::vector<std::string>& names) {
        std::vector<std::unique_ptr<Device>> devices;
        for (auto& device : open_devices(names, 0, search_fake())) devices.push_back(std::make_unique<ComputingDevice>(std::move(device)));
        return devices;
    }
    // The hash behind the steps, or what it failed with.
    std::string outcome_on(const std::vector<std::unique_ptr<Device>>& devices) const {
        auto setup = over_cpus(prepared_.setup, devices.size());
        setup.bytes_at_a_time = std::size_t{1} << 20;
        ThreadPool pool(2);
        try {
            Simulation simulation(setup, pointers_to(devices), compiler(), pool);
            simulation.advance(steps, [](std::uint64_t) { return true; });
            return std::to_string(simulation.hash());
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), Failure::memory);
            return error.what();
        }
    }

    const Setting two_{"FAKE_CUDA_DEVICES", "2"}, little_{"FAKE_CUDA_MEMORY", "16"};
    const std::string too_large_ = "life needs 0.02 GiB and cuda:0 has 0.01 GiB free (cell.alive 0.02 GiB (two buffers)) make the grid "
                                   "smaller, or use a device with more memory";

private:
    Prepared prepared_ =
        prepare({plugin("life"), {"places.cell.size=[3000,3000]", "places.cell.init.alive={random=0.4}", "output=[]", "run.steps=1"}, {}},
                compiler());
};

TEST_F(SmallDevices, AGridThatOneRefusesRunsOnTwo) {
    std::vector<std::unique_ptr<Device>> cpu;
    cpu.push_back(open_device("cpu", 2));
    EXPECT_EQ(outcome_on(open({"cuda:0"})), too_large_);
    EXPECT_EQ(outcome_on(open({"cuda:0", "cuda:1"})), outcome_on(cpu));
}

TEST_F(SmallDevices, TwoPartitionsOfOneHaveItsMemoryOnce) { EXPECT_EQ(outcome_on(open({"cuda:0", "cuda:0"})), too_large_); }

} // namespace
} // namespace tessera::test::small_devices_test
