#include "host/session/run_record.hpp"

#include "device_runtime/error.hpp"
#include "jit/log.hpp"

#include <algorithm>
#include <exception>

namespace tessera {
namespace {

// So long that writing takes a hundredth of the time, within limits.
constexpr int share = 100;
constexpr RunRecord::Clock::duration shortest_interval = std::chrono::seconds(1), longest_interval = std::chrono::seconds(10);

// Of a run that was resumed, with the names that it had when it began, in place of those of what was kept.
run_file::RunFile named_as_begun(run_file::RunFile run, const RunReport::Begun& begun) {
    if (begun.model.empty()) return run;
    run.model.value = begun.model;
    if (!begun.out.empty()) run.run.out = run_file::Located<std::string>{begun.out, {}};
    for (const auto& folder : begun.plugin_folders) run.plugin_folders.push_back({folder, {}});
    return run;
}

} // namespace

RunRecord::RunRecord(CurrentRun& run, Clock::time_point process_start) : run_(run), process_start_(process_start) {}

RunReport RunRecord::completed(RunReport report) const {
    const auto& setup = run_.setup();
    const auto& simulation = run_.run().simulation();
    report.phases = simulation.timings();
    report.device_timings = simulation.device_timings();
    report.agents.clear();
    for (const auto id : setup.collections.ids())
        if (setup.collections[id].is_managed() && !report.is_amid_a_step) {
            const auto counts = simulation.counters(id);
            report.agents.push_back({setup.collections[id].name, simulation.population(id), counts.born, counts.died, counts.moved,
                                     counts.refused_moves, counts.refused_births});
        }
    report.fused = {simulation.fused_steps(), simulation.fused_view(), run_.run().tuner().verdict()};
    report.writing_seconds += run_.outbox().working_seconds();
    report.files = run_.run().outputs().files();
    auto run_file = run_file::with_absolute_paths(run_.run().run_file());
    report.run_file = run_file::resolved_toml(named_as_begun(std::move(run_file), report.begun));
    report.total_seconds = report.earlier_seconds + std::chrono::duration<double>(Clock::now() - process_start_).count();
    return report;
}

void RunRecord::write_running(std::uint64_t step) {
    const auto begun = Clock::now();
    auto report = completed(run_.report());
    report.status = "running";
    report.steps = step;
    write_manifest(run_.folder(), run_.setup(), report);
    const auto now = Clock::now();
    next_ = now + std::clamp(share * (now - begun), shortest_interval, longest_interval);
}

void RunRecord::start() {
    try {
        write_running(run_.step());
    } catch (const std::exception& error) {
        run_.folder().remove_manifest(); // it would speak of results that are no more there
        log_warning("there is no manifest yet: {}", error.what());
    }
}

bool RunRecord::pending(CurrentRun& run, std::uint64_t step) {
    auto& first = run.report().first_step_seconds;
    if (first == 0) first = std::chrono::duration<double>(Clock::now() - process_start_).count();
    update(step);
    return false;
}

Outcome RunRecord::arrive(CurrentRun& run, const Arrival& arrival) {
    if (arrival.is_new && run.step() > 0) update(run.step());
    return Outcome::go_on;
}

void RunRecord::update(std::uint64_t step) {
    if (Clock::now() < next_) return;
    try {
        write_running(step);
    } catch (const std::exception& error) { // what matters is whether the last one can be written
        log_debug("the manifest is not up to date: {}", error.what());
        next_ = Clock::now() + longest_interval;
    }
}

void RunRecord::finish() {
    auto& report = run_.report();
    report = completed(std::move(report));
    write_manifest(run_.folder(), run_.setup(), report);
}

void RunRecord::finish(const Error& error) {
    auto& report = run_.report();
    const auto& simulation = run_.run().simulation();
    const bool interrupted = error.kind() == Failure::interrupted; // while an output waited for its reader
    report.status = interrupted ? "interrupted" : "failed";
    if (!report.is_amid_a_step) report.steps = simulation.step();
    report.error = error.what();
    log_warning("the run {} after step {}; its results until then are in {}", interrupted ? "ended" : "failed", report.steps,
                run_.folder().path().string());
    try {
        if (interrupted && !report.is_amid_a_step) report.state_hash = simulation.hash();
        finish();
    } catch (const std::exception& again) { // a full disk, say: the first failure is the one that counts
        log_warning("there is no manifest: {}", again.what());
    }
}

} // namespace tessera
