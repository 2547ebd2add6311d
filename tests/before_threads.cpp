// What each test program does before its first test where the thread sanitizer looks on: it does not see how spdlog's library, which is
// compiled without it, keeps threads apart that make the logger at once.
#include "jit/log.hpp"

#include <gtest/gtest.h>

namespace tessera::testing {
namespace {

class MakesTheLogger : public ::testing::Environment {
    void SetUp() override { logger(); }
};

[[maybe_unused]] const auto* const made = ::testing::AddGlobalTestEnvironment(new MakesTheLogger);

} // namespace
} // namespace tessera::testing
