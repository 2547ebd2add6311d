#include "host/run/progress.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

#include <unistd.h>

namespace tessera {
namespace {

std::string with_prefix(double value) { // 1234567 -> "1.23 M"
    const char* prefixes[] = {"", "k", "M", "G", "T", "P"};
    std::size_t p = 0;
    for (; value >= 1000 && p < 5; ++p) value /= 1000;
    return fmt::format("{:.3g} {}", value, prefixes[p]);
}

std::string duration_text(double seconds) {
    const auto whole = static_cast<long>(std::lround(seconds));
    if (whole >= 3600) return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
    if (whole >= 60) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
    return fmt::format("{} s", whole);
}

} // namespace

std::string waiting_text(const std::vector<DeviceTiming>& devices) {
    if (devices.size() < 2 || devices.front().samples == 0) return {};
    std::string text;
    for (const auto& [samples, working, waiting] : devices)
        text += fmt::format("{} {:.0f} %", text.empty() ? ", waiting:" : ",", 100 * waiting / std::max(working + waiting, 1e-12));
    return text;
}

std::string population_text(const std::vector<Population>& populations) {
    std::string text;
    for (const auto& [name, alive] : populations) {
        const auto number = with_prefix(static_cast<double>(alive));
        text += fmt::format(", {}{}{}", number, number.back() == ' ' ? "" : " ", name);
    }
    return text;
}

Progress::Progress(std::optional<std::uint64_t> steps, std::int64_t places, bool quiet)
    : steps_(steps), places_(places), quiet_(quiet), terminal_(isatty(STDERR_FILENO) != 0), begun_(Clock::now()),
      next_(begun_ + std::chrono::milliseconds(terminal_ ? 200 : 5000)) {}

void Progress::update(std::uint64_t step, const std::vector<DeviceTiming>& devices,
                      const std::function<std::vector<Population>()>& populations) {
    if (quiet_) return;
    const auto now = Clock::now();
    if (now < next_) return;
    next_ = now + std::chrono::milliseconds(terminal_ ? 200 : 5000);
    show(step, devices, populations(), now);
}

void Progress::show(std::uint64_t step, const std::vector<DeviceTiming>& devices, const std::vector<Population>& populations,
                    Clock::time_point now) {
    const double seconds = std::chrono::duration<double>(now - begun_).count();
    const double rate = static_cast<double>(step) / seconds;
    std::string line = steps_ ? fmt::format("step {} of {}", step, *steps_) : fmt::format("step {}", step);
    line += fmt::format(", {}steps/s, {}places/s", with_prefix(rate), with_prefix(rate * static_cast<double>(places_)));
    if (steps_ && rate > 0) line += fmt::format(", {} left", duration_text(static_cast<double>(*steps_ - step) / rate));
    line += population_text(populations) + waiting_text(devices);
    if (terminal_)
        std::fprintf(stderr, "\r\033[K%s", line.c_str());
    else
        spdlog::info("{}", line);
    shown_ = terminal_;
}

void Progress::finish() {
    if (shown_) std::fprintf(stderr, "\r\033[K");
    shown_ = false;
}

} // namespace tessera
