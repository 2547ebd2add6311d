// A division by zero on the CPU is told with the function and the step, in whatever way the steps are made.
// sanitizers: address
#include "device_runtime/error.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/world_under_test.hpp"

#include <gmock/gmock.h>

namespace tessera::test::division_test {
namespace {

using ::testing::StartsWith;

// `bell` has three dimensions, so that it is not fused; it follows the fused steps of `clock`.
constexpr const char* countdown = R"(#include <tessera/model.hpp>
struct Clock { int left = 0, share = 0, calls = 0; };
TESSERA_PLACE(Clock, left, share, calls);
struct Bell { int left = 0, share = 0; };
TESSERA_PLACE(Bell, left, share);
TESSERA_CALL(Clock, wait, writes<&Clock::calls>) { self.calls += 1; }
TESSERA_CALL(Clock, divide, reads<&Clock::calls>, writes<&Clock::left, &Clock::share>) {
    self.share = 1000 / self.left;
    self.left -= 1;
}
TESSERA_CALL(Bell, ring, writes<&Bell::left, &Bell::share>) {
    self.share += 1000 / self.left;
    self.left -= 1;
}
TESSERA_MODEL(countdown, "divides by zero at last");
)";

class Division : public ::testing::Test {
protected:
    // What ends a run of `depth` steps at a time in which the collections divide by zero in these steps.
    std::string end_of(int clock, int bell, int depth) {
        const auto model = folder_.write("countdown.cu", countdown);
        WorldUnderTest world(model.string(),
                             {"places.clock.size=[70,9]", "places.bell.size=[5,4,3]", "places.clock.init.left=" + std::to_string(clock),
                              "places.bell.init.left=" + std::to_string(bell),
                              "phase=[{callAll=\"clock.wait\"},{callAll=\"clock.divide\"},{callAll=\"bell.ring\"}]"},
                             {"cpu", 2, {}, {}});
        bool fused = depth > 1;
        try {
            if (fused) world.fuse(blocks_view(depth, 4096, 5));
        } catch (const KernelFault&) { // in the very first steps; programs are not used then
            EXPECT_LT(clock, depth);
            fused = false;
        }
        try {
            world.step_to(100000);
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), Failure::model);
            EXPECT_LE(world.step(), static_cast<std::uint64_t>(std::min(clock, bell)));
            EXPECT_EQ(world.simulation().fused_steps() > 0, fused && world.step() >= static_cast<std::uint64_t>(depth));
            return error.what();
        }
        return "it went on";
    }

private:
    TemporaryFolder folder_;
};

TEST_F(Division, ByZeroNamesFunctionAndStep) {
    for (const int depth : {1, 8})
        for (const int step : {0, 3, 7, 8, 21, 3001}) {
            const auto number = std::to_string(step);
            EXPECT_THAT(end_of(step, 90000, depth), StartsWith("clock.divide divided an integer by zero in step " + number + " ("))
                << depth;
            EXPECT_THAT(end_of(90000, step, depth), StartsWith("bell.ring divided an integer by zero in step " + number + " (")) << depth;
        }
}

} // namespace
} // namespace tessera::test::division_test
