// What the program tells of itself while it works: lines of one log that is Tessera's own, so that a program around it keeps its own.
#pragma once

#include <fmt/core.h>

#include <memory>
#include <string_view>
#include <utility>

namespace spdlog {
class logger;
}

namespace tessera {

enum class LogLevel : unsigned char { debug, info, warning, error };

// Where lines go: to stderr from `info` on, until another logger is put in its place. Lines may come from any thread; a logger is put in
// its place where no other thread logs.
[[nodiscard]] const std::shared_ptr<spdlog::logger>& logger();
void set_logger(std::shared_ptr<spdlog::logger> logger);
void set_log_level(LogLevel least);

[[nodiscard]] bool is_logged(LogLevel level);
void write_to_log(LogLevel level, std::string_view line);

// One line each, by a format of {fmt}; nothing is formatted that is not logged.
template<class... A> void log_at(LogLevel level, fmt::format_string<A...> format, A&&... arguments) {
    if (is_logged(level)) write_to_log(level, fmt::vformat(format, fmt::make_format_args(arguments...)));
}
template<class... A> void log_debug(fmt::format_string<A...> format, A&&... arguments) {
    log_at(LogLevel::debug, format, std::forward<A>(arguments)...);
}
template<class... A> void log_info(fmt::format_string<A...> format, A&&... arguments) {
    log_at(LogLevel::info, format, std::forward<A>(arguments)...);
}
template<class... A> void log_warning(fmt::format_string<A...> format, A&&... arguments) {
    log_at(LogLevel::warning, format, std::forward<A>(arguments)...);
}
template<class... A> void log_error(fmt::format_string<A...> format, A&&... arguments) {
    log_at(LogLevel::error, format, std::forward<A>(arguments)...);
}

} // namespace tessera
