// A device that fails for good, one of several: what is told of it, and of the steps that were under way.
#include "device_runtime/error.hpp"
#include "tests/support/faulty_device.hpp"
#include "tests/support/stripes.hpp"
#include "tests/support/world_under_test.hpp"

#include <gmock/gmock.h>

namespace tessera::test::lost_steps_test {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::StartsWith;

[[noreturn]] void fail() {
    throw Error(Failure::device, "cuda:1 could not finish the work queued on it", "CUDA_ERROR_ILLEGAL_ADDRESS: as the test asked");
}

// Two devices with memory of their own.
class LostSteps : public ::testing::Test {
protected:
    LostSteps()
        : prepared_(
              prepare({plugin("life"), {"output=[]", "run.steps=1", "places.cell.size=[40,30]", "schedule.halo=1"}, {}}, compiler())) {
        for (auto& faults : faults_) devices_.push_back(std::make_unique<FaultyDevice>(open_device("cpu", 1), faults));
    }
    Simulation& simulation() {
        if (!simulation_) simulation_ = std::make_unique<Simulation>(setup_, pointers_to(devices_), compiler(), pool_);
        return *simulation_;
    }
    // What advancing says, and how many steps are known to be done then.
    std::pair<std::string, std::uint64_t> told(std::uint64_t until) {
        try {
            simulation().advance(until, [](std::uint64_t) { return true; });
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), Failure::device);
            return {error.what(), simulation().step()};
        }
        ADD_FAILURE() << "nothing failed";
        return {};
    }

    Faults faults_[2];

private:
    Prepared prepared_;
    const tessera::Setup setup_ = over_cpus_apart(prepared_.setup, 2);
    ThreadPool pool_{1};
    std::vector<std::unique_ptr<Device>> devices_;
    std::unique_ptr<Simulation> simulation_;
};

TEST_F(LostSteps, AreThoseThatWereQueuedWhenTheDeviceFailed) {
    bool failing = false;
    int waited = 0;
    faults_[1].at_mark = [&] {
        if (failing && ++waited > 3) fail();
    };
    simulation().advance(10, [](std::uint64_t) { return true; });
    failing = true;
    const auto [message, step] = told(100000);
    EXPECT_THAT(message, ContainsRegex("^steps [0-9]+ to [0-9]+ were lost: device 2 of 2: cuda:1 could not finish the work queued on it "
                                       "[(]CUDA_ERROR_ILLEGAL_ADDRESS"));
    EXPECT_THAT(message, StartsWith("steps " + std::to_string(step) + " to ")) << "what came before is done";
    EXPECT_GT(step, 10u);
}

TEST_F(LostSteps, AreToldWhereTheDeviceTakesNoMoreWork) {
    simulation().advance(7, [](std::uint64_t) { return true; });
    faults_[0].at_launch = [](const Launch&) { fail(); };
    const auto [message, step] = told(8);
    EXPECT_THAT(message, StartsWith("step 7 was lost: device 1 of 2: cuda:1 could not finish"));
    EXPECT_EQ(step, 7u);
}

} // namespace
} // namespace tessera::test::lost_steps_test
