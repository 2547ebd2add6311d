#include "host/run_file/duration.hpp"

#include <charconv>
#include <system_error>

namespace tessera::run_file {

std::optional<double> read_duration(const std::string& text) {
    constexpr double longest = 1e6;
    double number = 0;
    const auto* const text_end = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data(), text_end, number);
    std::string unit(end, text_end);
    unit.erase(0, unit.find_first_not_of(' '));
    const double seconds = number * (unit == "s" ? 1 : unit == "min" ? 60 : unit == "h" ? 3600 : -1);
    if (error != std::errc() || !(seconds > 0 && seconds <= longest)) return std::nullopt;
    return seconds;
}

} // namespace tessera::run_file
