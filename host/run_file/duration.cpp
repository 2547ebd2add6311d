#include "host/run_file/duration.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <span>
#include <string_view>
#include <system_error>

namespace tessera::run_file {

namespace {

struct Unit {
    std::string_view name;
    double seconds;
};
constexpr std::array units{Unit{"s", 1}, Unit{"min", 60}, Unit{"h", 3600}};
constexpr std::array short_units{Unit{"us", 1e-6}, Unit{"ms", 1e-3}, Unit{"s", 1}};

// A number, not below 0, and one of the units: seconds.
std::optional<double> read_time(const std::string& text, std::span<const Unit> known, bool may_have_spaces) {
    double number = 0;
    const auto* const text_end = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data(), text_end, number);
    if (error != std::errc() || !std::isfinite(number) || std::signbit(number)) return std::nullopt;
    std::string_view unit(end, static_cast<std::size_t>(text_end - end));
    if (may_have_spaces) unit.remove_prefix(std::min(unit.find_first_not_of(' '), unit.size()));
    for (const auto& each : known)
        if (unit == each.name) return number * each.seconds;
    return std::nullopt;
}

} // namespace

std::optional<double> read_duration(const std::string& text) {
    constexpr double longest = 1e6;
    const auto seconds = read_time(text, units, true);
    return seconds && *seconds > 0 && *seconds <= longest ? seconds : std::nullopt;
}

std::optional<double> read_latency(const std::string& text) {
    constexpr double longest = 1;
    const auto seconds = read_time(text, short_units, false);
    return seconds && *seconds <= longest ? seconds : std::nullopt;
}

} // namespace tessera::run_file
