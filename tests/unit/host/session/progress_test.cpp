#include "host/session/progress.hpp"

#include <gtest/gtest.h>

namespace tessera::progress_test {
namespace {

TEST(Progress, SaysWhatPartOfAStepEachDeviceWaited) {
    EXPECT_EQ(waiting_text({}), "");
    EXPECT_EQ(waiting_text({{3, 1e-3, 0}}), "") << "one device waits for nobody";
    EXPECT_EQ(waiting_text({{0, 0, 0}, {0, 0, 0}}), "") << "before the first sample";
    EXPECT_EQ(waiting_text({{2, 4e-3, 0}, {2, 1e-3, 3e-3}}), ", waiting: 0 %, 75 %");
    EXPECT_EQ(waiting_text({{2, 0, 0}, {2, 0, 0}}), ", waiting: 0 %, 0 %") << "a device that made nothing in no time";
}

TEST(Progress, SaysHowManyAgentsAreAlive) {
    EXPECT_EQ(population_text({}), "");
    EXPECT_EQ(population_text({{"sheep", 4120}, {"wolf", 301}, {"moth", 0}}), ", 4.12 k sheep, 301 wolf, 0 moth");
}

} // namespace
} // namespace tessera::progress_test
