#include "host/run/run.hpp"

#include "device_runtime/devices.hpp"
#include "device_runtime/error.hpp"
#include "host/run/as_error.hpp"
#include "host/run/choose_devices.hpp"
#include "host/run/choose_memory.hpp"
#include "host/run/interrupt.hpp"
#include "host/run/measure_cuts.hpp"
#include "host/run/progress.hpp"
#include "host/run/run_record.hpp"
#include "host/schedule/exchange_check.hpp"
#include "host/setup/stripes.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>

namespace tessera {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

ResultFolder result_folder(const Prepared& prepared, const RunOptions& options) {
    if (options.out) return claim_result_folder(*options.out, options.overwrite);
    const auto& out = prepared.setup.run.run.out;
    if (out) return claim_result_folder(prepared.setup.run.resolve(**out), options.overwrite);
    return new_result_folder(std::filesystem::path("results") / prepared.name);
}

// The loop over steps: stops where an output is due, where the condition is looked at, and at the end.
class Loop {
public:
    Loop(const Setup& setup, Simulation& simulation, OutputSet& outputs, ThreadPool& pool, RunReport& report, const RunOptions& options,
         const InterruptGuard& interrupt, Tuner& tuner, RunRecord& record)
        : setup_(setup), simulation_(simulation), tuner_(tuner), outputs_(outputs), pool_(pool), report_(report), options_(options),
          interrupt_(interrupt), record_(record), progress_(end_given() ? std::optional(end()) : std::nullopt, places(), options.quiet) {}

    void run() {
        bool stopped = look(false);
        while (!stopped && !interrupt_.interrupted() && simulation_.step() < end()) {
            const auto begun = Clock::now();
            const auto done_before = simulation_.step();
            simulation_.advance(next_halt(), [this](std::uint64_t step) { return proceed(step); });
            if (tuner_.ready(end() - simulation_.step())) tuner_.work(next_halt());
            report_.step_seconds += seconds_since(begun);
            report_.steps = simulation_.step();
            record_.update(simulation_.step());
            if (simulation_.step() > done_before) stopped = look(false);
        }
        look(true);
        progress_.finish();
        if (stopped)
            report_.status = "stopped";
        else if (simulation_.step() < end())
            report_.status = "interrupted";
    }

private:
    [[nodiscard]] bool end_given() const { return setup_.run.run.steps.has_value(); }
    [[nodiscard]] std::uint64_t end() const { return end_given() ? **setup_.run.run.steps : (std::uint64_t{1} << 32) - 1; }
    [[nodiscard]] std::int64_t places() const {
        std::int64_t sum = 0;
        for (const auto& collection : setup_.collections)
            if (!collection.crowd) sum += collection.places();
        return sum;
    }
    [[nodiscard]] std::uint64_t next_halt() const {
        const auto next = simulation_.step() + 1;
        auto halt = outputs_.next_due(next, end());
        const auto every = *setup_.run.run.stop_every;
        if (setup_.run.run.stop) halt = std::min(halt, (next + every - 1) / every * every);
        return std::min(halt, end());
    }

    bool proceed(std::uint64_t step) {
        if (report_.first_step_seconds == 0) report_.first_step_seconds = seconds_since(options_.process_start);
        progress_.update(step, simulation_.device_timings());
        record_.update(step);
        return !interrupt_.interrupted() && !tuner_.ready(end() - step);
    }

    // Writes what is due at this state, and says whether the stop condition holds. The last look writes what is left.
    bool look(bool is_last) {
        const auto begun = Clock::now();
        const auto step = simulation_.step();
        const StateView state(setup_, step, simulation_.reader(), pool_,
                              [this](CollectionId agents) { return simulation_.counters(agents); });
        outputs_.write(state, is_last);
        const bool condition = !is_last && setup_.run.run.stop && step % *setup_.run.run.stop_every == 0 &&
                               expression::is_true(state.evaluate(**setup_.run.run.stop));
        report_.output_seconds += seconds_since(begun);
        return condition;
    }

    const Setup& setup_;
    Simulation& simulation_;
    Tuner& tuner_;
    OutputSet& outputs_;
    ThreadPool& pool_;
    RunReport& report_;
    const RunOptions& options_;
    const InterruptGuard& interrupt_;
    RunRecord& record_;
    Progress progress_;
};

// Divides the grids over them.
std::vector<std::unique_ptr<Device>> open_chosen(Setup& setup, int threads, RunReport& report) {
    const auto chosen = choose_devices(setup);
    report.why_devices = chosen.why;
    if (chosen.names.size() > 1 && !chosen.why.empty()) spdlog::info("devices = \"auto\": {}", chosen.why);
    divide(setup, chosen.names.size());
    return open_devices(chosen.names, threads);
}

// "cuda:0 (NVIDIA H200) and cuda:1 (NVIDIA H200)".
std::string devices_text(const std::vector<DeviceInfo>& devices) {
    std::string text;
    for (std::size_t i = 0; i < devices.size(); ++i)
        text += fmt::format("{}{} ({})", i == 0 ? "" : i + 1 == devices.size() ? " and " : ", ", devices[i].name, devices[i].description);
    return text;
}

// What each of several devices made, and, of a sampled step, how long it took and how long it waited.
std::string shares_text(const Setup& setup, const RunReport& report) {
    if (report.devices.size() < 2) return {};
    std::string text;
    for (std::size_t p = 0; p < report.devices.size(); ++p) {
        std::string rows;
        for (const auto& collection : setup.collections) {
            if (collection.crowd) continue; // they are where their places are
            const auto stripe = collection.stripe(p);
            rows +=
                fmt::format("{}{} of {}", rows.empty() ? "" : ", ",
                            stripe.rows() == 0 ? "no rows" : fmt::format("rows {} to {}", stripe.first, stripe.end - 1), collection.name);
        }
        text += fmt::format("  {}, {}: {}", p + 1, report.devices[p].name, rows);
        if (const auto& [samples, working, waiting] = report.device_timings[p]; samples > 0)
            text += fmt::format("; of a step {:.1f} us work, {:.1f} us waiting for others", working / static_cast<double>(samples) * 1e6,
                                waiting / static_cast<double>(samples) * 1e6);
        text += "\n";
    }
    return text;
}

void record_failure(const Error& error, const Simulation& simulation, RunReport& report, RunRecord& record) {
    const bool interrupted = error.kind() == Failure::interrupted; // while an output waited for its reader
    report.status = interrupted ? "interrupted" : "failed";
    report.steps = simulation.step();
    report.error = error.what();
    spdlog::warn("the run {} after step {}; what was written until then is in {}", interrupted ? "ended" : "failed", report.steps,
                 record.folder().string());
    try {
        if (interrupted) report.state_hash = simulation.hash();
        record.finish();
    } catch (const std::exception& again) { // a full disk, say: the first failure is the one that counts
        spdlog::warn("there is no manifest: {}", again.what());
    }
}

} // namespace

RunResult run(const Prepared& prepared, jit::Compiler& compiler, const RunOptions& options) {
    auto setup = prepared.setup;
    check_exchanges(setup);
    RunResult result;
    auto& report = result.report;
    const int threads = choose_threads(setup);
    const auto devices = open_chosen(setup, threads, report);
    for (const auto& device : devices) report.devices.push_back(device->info());
    choose_memory(setup, pointers_to(devices));
    report.threads = threads;
    ThreadPool pool(threads);

    const InterruptGuard interrupt; // until the manifest is written
    const jit::CancelledBy cancelled(compiler, interrupt.flag());
    measure_cuts(setup, pointers_to(devices), compiler, pool);
    Simulation simulation(setup, pointers_to(devices), compiler, pool);
    report.compile_seconds = simulation.image().milliseconds / 1000;
    report.compiler_image = simulation.image().from_cache ? "from the cache" : "compiled";
    report.initialise_seconds = simulation.initialise_seconds();
    const auto folder = result_folder(prepared, options); // ours until the end
    result.folder = folder.path();
    OutputSet outputs(setup, folder, [&interrupt] { return interrupt.interrupted(); });
    const auto all_devices = together(report.devices);
    Tuner tuner(setup, all_devices, fmt::format("driver {}", cuda_status().driver_version), simulation, compiler);
    RunRecord record(folder, setup, report, simulation, outputs, tuner, options.process_start);
    record.begin();
    spdlog::info("{} on {}, results in {}", prepared.name, devices_text(report.devices), result.folder.string());
    try {
        Loop(setup, simulation, outputs, pool, report, options, interrupt, tuner, record).run();
        outputs.close();
        report.state_hash = simulation.hash();
    } catch (const std::exception& thrown) {
        record_failure(as_error(thrown), simulation, report, record);
        throw;
    }
    record.finish();
    result.shares = shares_text(setup, report);
    return result;
}

} // namespace tessera
