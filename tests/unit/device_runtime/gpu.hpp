// For tests that need a GPU: skip with the reason where there is none, and fail there when REQUIRE_GPU=1 is set.
#pragma once

#include "device_runtime/devices.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace tessera::test {

// Call it in SetUp() of a fixture: the body of the test is then not entered.
inline void require_gpu() {
    const auto status = cuda_status();
    if (status.available) return;
    const char* required = std::getenv("REQUIRE_GPU");
    if (required != nullptr && std::string(required) == "1") FAIL() << "REQUIRE_GPU=1, but " << status.why_not;
    GTEST_SKIP() << "needs a GPU: " << status.why_not;
}

} // namespace tessera::test
