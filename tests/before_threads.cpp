// What each test program does before its first test where the thread sanitizer looks on: it does not see how spdlog's library, which is
// compiled without it, keeps threads apart that make the logger at once.
#include <gtest/gtest.h>
#include <spdlog/spdlog.h>

namespace tessera::testing {
namespace {

class Logger : public ::testing::Environment {
    void SetUp() override { spdlog::default_logger(); }
};

[[maybe_unused]] const auto* const logger = ::testing::AddGlobalTestEnvironment(new Logger);

} // namespace
} // namespace tessera::testing
