#include "host/run_file/bytes.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <system_error>

namespace tessera::run_file {
namespace {

struct UnitOfBytes {
    const char* name;
    std::uint64_t bytes;
};
constexpr UnitOfBytes units_of_bytes[] = {
    {"GiB", std::uint64_t{1} << 30}, {"MiB", std::uint64_t{1} << 20}, {"KiB", std::uint64_t{1} << 10}};

} // namespace

std::optional<std::uint64_t> read_bytes(const std::string& text) {
    constexpr double most = 0x1p50;
    double number = 0;
    const auto* const text_end = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data(), text_end, number);
    std::string unit(end, text_end);
    unit.erase(0, unit.find_first_not_of(' '));
    for (const auto& [name, bytes] : units_of_bytes) {
        const double product = number * static_cast<double>(bytes);
        if (unit == name && error == std::errc() && !std::signbit(number) && product <= most) return static_cast<std::uint64_t>(product);
    }
    return std::nullopt;
}

std::string bytes_text(std::uint64_t bytes) {
    for (const auto& [name, unit] : units_of_bytes)
        if (bytes % unit == 0 && bytes > 0) return fmt::format("{} {}", bytes / unit, name);
    return fmt::format("{} KiB", static_cast<double>(bytes) / 1024);
}

} // namespace tessera::run_file
