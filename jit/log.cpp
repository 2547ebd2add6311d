#include "jit/log.hpp"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

namespace tessera {
namespace {

std::shared_ptr<spdlog::logger>& current_logger() {
    static std::shared_ptr<spdlog::logger> current =
        std::make_shared<spdlog::logger>("tessera", std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
    return current;
}

spdlog::level::level_enum spelled(LogLevel level) {
    switch (level) {
    case LogLevel::debug: return spdlog::level::debug;
    case LogLevel::info: return spdlog::level::info;
    case LogLevel::warning: return spdlog::level::warn;
    case LogLevel::error: break;
    }
    return spdlog::level::err;
}

} // namespace

const std::shared_ptr<spdlog::logger>& logger() { return current_logger(); }

void set_logger(std::shared_ptr<spdlog::logger> logger) { current_logger() = std::move(logger); }

void set_log_level(LogLevel least) { current_logger()->set_level(spelled(least)); }

bool is_logged(LogLevel level) { return current_logger()->should_log(spelled(level)); }

void write_to_log(LogLevel level, std::string_view line) {
    current_logger()->log(spelled(level), spdlog::string_view_t(line.data(), line.size()));
}

} // namespace tessera
