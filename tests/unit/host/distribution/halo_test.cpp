// How often rows are exchanged: the closed form, beside trying all numbers of steps.
#include "device_runtime/devices.hpp"
#include "host/devices/ask_machine.hpp"
#include "host/distribution/halo.hpp"
#include "host/distribution/stripes.hpp"
#include "host/prepare/prepare.hpp"
#include "jit/cache.hpp"
#include "tests/test_data.hpp"

#include <gtest/gtest.h>

namespace tessera::halo_test {
namespace {

double seconds_a_step(const HaloCosts& costs, double steps) { return (steps - 1) * costs.each_more + costs.latency / steps; }

TEST(Halo, NoOtherNumberOfStepsIsMuchBetter) {
    for (const double latency : {1e-7, 3e-6, 1e-4, 1e-3})
        for (const double each_more : {1e-8, 1e-6, 4e-5}) {
            const HaloCosts costs{latency, each_more, 1000};
            const auto chosen = static_cast<double>(steps_that_pay(costs));
            double least = 1;
            for (int steps = 1; steps <= 1000; ++steps) least = std::min(least, seconds_a_step(costs, steps));
            EXPECT_LT(seconds_a_step(costs, chosen), 1.06 * least) << latency << " " << each_more << ": " << chosen;
        }
}

TEST(Halo, IsNoWiderThanThereIsRoomForAndOneWhereNothingIsSeen) {
    EXPECT_EQ(steps_that_pay({1e-3, 1e-9, 7}), 7u);
    EXPECT_EQ(steps_that_pay({1e-3, 0, 7}), 1u);
    EXPECT_EQ(steps_that_pay({0, 1e-6, 7}), 1u);
}

TEST(Halo, CostsAreMeasuredAndKnowWhatIsInjected) {
    jit::Cache cache;
    jit::Compiler compiler(cache);
    const auto prepared = prepare({test_shipped("plugins/life/life.cu").string(), {"places.cell.size=[100,61]"}, {}}, compiler);
    const auto devices = open_devices({"cpu", "cpu", "cpu"}, 3);
    const auto measured = measure_exchange(pointers_to(devices), false);
    const auto costs = halo_costs(prepared.setup, divided(prepared.setup, 3), measured, 0.5);
    EXPECT_GT(costs.latency, 0.5);
    EXPECT_LT(costs.latency, 1.5);
    EXPECT_GT(costs.each_more, 0);
    EXPECT_EQ(costs.most, 10u) << "half of the 20 rows of a stripe, and life sees one row in a step";
}

} // namespace
} // namespace tessera::halo_test
