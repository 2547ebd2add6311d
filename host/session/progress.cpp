#include "host/session/progress.hpp"

#include "jit/log.hpp"

#include <fmt/format.h>

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

std::int64_t places_of(const Setup& setup) {
    std::int64_t sum = 0;
    for (const auto& collection : setup.collections)
        if (collection.are_places()) sum += collection.places();
    return sum;
}

std::vector<Population> populations_of(const Run& run) {
    std::vector<Population> all;
    const auto& collections = run.setup().collections;
    for (const auto id : collections.ids())
        if (collections[id].agents) all.push_back({collections[id].name, run.simulation().population(id)});
    return all;
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

Progress::Progress(bool quiet, std::uint64_t first)
    : quiet_(quiet), terminal_(isatty(STDERR_FILENO) != 0), first_(first), begun_(Clock::now()),
      next_(begun_ + std::chrono::milliseconds(terminal_ ? 200 : 5000)) {}

bool Progress::pending(CurrentRun& run, std::uint64_t step) {
    if (quiet_) return false;
    const auto now = Clock::now();
    if (now < next_) return false;
    next_ = now + std::chrono::milliseconds(terminal_ ? 200 : 5000);
    const auto text = line(run, step, now);
    if (terminal_)
        std::fprintf(stderr, "\r\033[K%s", text.c_str());
    else
        log_info("{}", text);
    shown_ = terminal_;
    return false;
}

std::string Progress::line(const CurrentRun& run, std::uint64_t step, Clock::time_point now) const {
    const auto& steps = run.setup().agenda.steps;
    const double seconds = std::chrono::duration<double>(now - begun_).count();
    const double rate = static_cast<double>(step - std::min(first_, step)) / seconds;
    std::string line = steps ? fmt::format("step {} of {}", step, **steps) : fmt::format("step {}", step);
    line += fmt::format(", {}steps/s, {}places/s", with_prefix(rate), with_prefix(rate * static_cast<double>(places_of(run.setup()))));
    if (steps && rate > 0 && **steps > step) line += fmt::format(", {} left", duration_text(static_cast<double>(**steps - step) / rate));
    return line + population_text(populations_of(run.run())) + waiting_text(run.run().simulation().device_timings());
}

Outcome Progress::arrive(CurrentRun&, const Arrival& arrival) {
    if (arrival.is_last) finish();
    return Outcome::go_on;
}

bool Progress::resumes(CurrentRun&) {
    finish();
    return false;
}

void Progress::finish() {
    if (shown_) std::fprintf(stderr, "\r\033[K");
    shown_ = false;
}

} // namespace tessera
