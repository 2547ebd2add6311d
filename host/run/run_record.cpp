#include "host/run/run_record.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <exception>

namespace tessera {
namespace {

// So long that writing takes a hundredth of the time, within limits.
constexpr int share = 100;
constexpr RunRecord::Clock::duration shortest_interval = std::chrono::seconds(1), longest_interval = std::chrono::seconds(10);

} // namespace

RunRecord::RunRecord(const ResultFolder& folder, RunReport& report, const Running& running, Clock::time_point process_start)
    : folder_(folder), report_(report), running_(&running), process_start_(process_start) {}

RunReport RunRecord::completed(RunReport report) const {
    const auto& setup = running_->setup();
    const auto& simulation = running_->simulation();
    report.phases = simulation.timings();
    report.device_timings = simulation.device_timings();
    report.agents.clear();
    for (const auto id : setup.collections.ids())
        if (setup.collections[id].crowd && !report.is_amid_a_step) {
            const auto counts = simulation.counters(id);
            report.agents.push_back({setup.collections[id].name, simulation.population(id), counts.born, counts.died, counts.moved,
                                     counts.refused_moves, counts.refused_births});
        }
    report.fused = {simulation.fused_steps(), simulation.fused_view(), running_->tuner().verdict()};
    report.files = running_->outputs().files();
    report.total_seconds = std::chrono::duration<double>(Clock::now() - process_start_).count();
    return report;
}

void RunRecord::write_running(std::uint64_t step) {
    const auto begun = Clock::now();
    auto report = completed(report_);
    report.status = "running";
    report.steps = step;
    write_manifest(folder_, running_->setup(), report);
    const auto now = Clock::now();
    next_ = now + std::clamp(share * (now - begun), shortest_interval, longest_interval);
}

void RunRecord::begin() {
    try {
        write_running(0);
    } catch (const std::exception& error) {
        folder_.remove_manifest(); // it would speak of results that are no more there
        spdlog::warn("there is no manifest yet: {}", error.what());
    }
}

void RunRecord::update(std::uint64_t step) {
    if (Clock::now() < next_) return;
    try {
        write_running(step);
    } catch (const std::exception& error) { // what matters is whether the last one can be written
        spdlog::debug("the manifest is not up to date: {}", error.what());
        next_ = Clock::now() + longest_interval;
    }
}

void RunRecord::finish() {
    report_ = completed(std::move(report_));
    write_manifest(folder_, running_->setup(), report_);
}

} // namespace tessera
