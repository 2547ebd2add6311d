#include "host/run/progress.hpp"

#include <gtest/gtest.h>

namespace tessera {
namespace {

TEST(Progress, SaysWhatPartOfAStepEachDeviceWaited) {
    EXPECT_EQ(waiting_text({}), "");
    EXPECT_EQ(waiting_text({{3, 1e-3, 0}}), "") << "one device waits for nobody";
    EXPECT_EQ(waiting_text({{0, 0, 0}, {0, 0, 0}}), "") << "before the first sample";
    EXPECT_EQ(waiting_text({{2, 4e-3, 0}, {2, 1e-3, 3e-3}}), ", waiting: 0 %, 75 %");
    EXPECT_EQ(waiting_text({{2, 0, 0}, {2, 0, 0}}), ", waiting: 0 %, 0 %") << "a device that made nothing in no time";
}

} // namespace
} // namespace tessera
