// The log is Tessera's own: a program around it keeps its own.
#include "jit/log.hpp"
#include "tests/unit/jit/support.hpp"

#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

namespace tessera::jit::log_test {
namespace {

TEST(Log, IsNotThatOfTheProgramAround) {
    std::ostringstream around;
    const auto before = spdlog::default_logger();
    spdlog::set_default_logger(std::make_shared<spdlog::logger>("around", std::make_shared<spdlog::sinks::ostream_sink_mt>(around)));
    const testing::Logged log;
    log_warning("{} of {}", 2, "three");
    spdlog::warn("its own");
    spdlog::set_default_logger(before);
    EXPECT_EQ(log.warnings(), std::vector<std::string>{"2 of three"});
    EXPECT_NE(around.str().find("its own"), std::string::npos);
    EXPECT_EQ(around.str().find("three"), std::string::npos);
}

TEST(Log, LeavesOutWhatIsBelowItsLevel) {
    const testing::Logged log;
    set_log_level(LogLevel::error);
    EXPECT_FALSE(is_logged(LogLevel::warning));
    log_warning("not shown");
    set_log_level(LogLevel::warning);
    log_warning("{} {{}}", "shown, with {}");
    EXPECT_EQ(log.warnings(), std::vector<std::string>{"shown, with {} {}"});
}

} // namespace
} // namespace tessera::jit::log_test
