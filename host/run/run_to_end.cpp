#include "host/run/run_to_end.hpp"

#include "device_runtime/devices.hpp"
#include "device_runtime/error.hpp"
#include "device_runtime/float_environment.hpp"
#include "host/checkpoint/zstd.hpp"
#include "host/devices/choose_devices.hpp"
#include "host/prepare/enough_ids.hpp"
#include "host/run/check_results.hpp"
#include "host/run/kept_sources.hpp"
#include "host/run/pauses.hpp"
#include "host/schedule/exchange_check.hpp"
#include "host/session/as_error.hpp"
#include "host/session/input_files.hpp"
#include "host/session/interrupt.hpp"
#include "host/session/output_pause.hpp"
#include "host/session/recovery.hpp"
#include "host/session/run_loop.hpp"
#include "jit/log.hpp"

#include <fmt/format.h>

#include <memory>
#include <utility>

namespace tessera {
namespace {

ResultFolder result_folder(const Prepared& prepared, const RunOptions& options) {
    if (options.resumption != nullptr) return options.resumption->folder;
    const auto& out = options.out ? options.out : prepared.setup.agenda.out;
    if (out) return options.again ? new_result_folder(*out) : claim_result_folder(*out, options.overwrite);
    return new_result_folder(std::filesystem::path("results") / prepared.name);
}

std::vector<std::unique_ptr<Device>> open_chosen(const Setup& setup, const ChosenDevices& chosen, int threads) {
    if (chosen.names.size() > 1 && !chosen.why.empty()) log_info("devices = \"auto\": {}", chosen.why);
    std::vector<std::unique_ptr<Device>> devices;
    if (setup.modes().checked && chosen.names == std::vector<std::string>{"cpu"})
        devices.push_back(open_cpu_device(threads, Overruns::stop));
    else
        devices = open_devices(chosen.names, threads);
    return devices;
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
        for (const auto id : setup.collections.ids()) {
            const auto& collection = setup.collections[id];
            if (collection.agents) continue; // they are where their places are
            const auto stripe = setup.stripe(id, p);
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

std::unique_ptr<Run> first_run(const Prepared& prepared, Session& session, const RunOptions& options) {
    if (options.resumption != nullptr && options.resumption->saved != nullptr)
        return std::make_unique<Run>(nullptr, prepared, session, options.resumption->saved->state);
    if (prepared.start == nullptr) return begin_run(prepared, session);
    auto run = std::make_unique<Run>(nullptr, prepared, session, prepared.start->saved.state);
    log_info("the run starts with the state after step {} of {}", run->step(), prepared.start->folder.string());
    for (const auto& note : run->left_behind()) log_info("{}", note);
    return run;
}

// The same, of a run that a queue may end while its model is compiled.
std::unique_ptr<Run> first_run_in_time(const Prepared& prepared, Session& session, const RunOptions& options) try {
    return first_run(prepared, session, options);
} catch (const Error& error) {
    const bool is_out_of_time = options.keeping.out_of_time && options.keeping.out_of_time();
    if (error.kind() != Failure::interrupted || !prepared.setup.agenda.checkpoint || !is_out_of_time) throw;
    const auto& resumption = options.resumption;
    throw Error(Failure::paused, "paused before the first step", "its time was over",
                resumption != nullptr ? fmt::format("`tessera resume {}` goes on", resumption->folder.path().string())
                                      : "nothing is written yet: the same command begins it again");
}

std::optional<RunReport::Started> started_with(const Prepared& prepared) {
    if (prepared.start == nullptr) return std::nullopt;
    return RunReport::Started{prepared.run_file.run.start->found, prepared.start->saved.record.step, prepared.start->hash};
}

// Sums, hooks and outputs from where they were when the state was kept.
void take_up(CurrentRun& run, Hooks& hooks, const Resumption& resumption) {
    run.report().begun = resumption.sources.begun;
    run.report().edits = resumption.edits;
    if (resumption.saved == nullptr) return run.run().outputs().go_on_at({}); // without anything of what was written
    const auto& [name, record, state] = *resumption.saved;
    auto& report = run.report();
    const auto& before = record.report;
    report.compile_seconds += before.compile_seconds;
    report.initialise_seconds = before.initialise_seconds;
    report.first_step_seconds = before.first_step_seconds;
    report.step_seconds = before.step_seconds;
    report.output_seconds = before.output_seconds;
    report.checkpoint_seconds = before.checkpoint_seconds;
    report.writing_seconds = before.writing_seconds;
    report.hook_seconds = before.hook_seconds;
    report.earlier_seconds = before.earlier_seconds;
    report.stopped_by = before.stopped_by;
    report.edits = before.edits;
    report.started = before.started;
    report.resumed = before.resumed;
    std::vector<std::string> devices;
    for (const auto& device : report.devices) devices.push_back(device.name);
    report.resumed.push_back({record.step, utc_now(), std::move(devices)});
    report.steps = record.step;
    run.run().simulation().count_on_from(before.phases, before.fused.steps);
    run.run().outputs().go_on_at(record.outputs);
    hooks.go_on_at(record.step, before.hooks);
    checkpoint::remove_later(run.folder(), name);
    log_info("the run goes on after step {}", record.step);
}

// The number by which the checkpoints of the run are known; nothing of one that writes none. Checked and replayed runs do not: they end
// with their first mistake, or are there to be compared.
std::optional<std::uint64_t> number_of_checkpoints(const CurrentRun& run, const RunOptions& options) {
    if (options.resumption != nullptr) return options.resumption->sources.run;
    const bool is_replayed = options.changes != nullptr && !options.changes->waits_at_end();
    if (!run.setup().agenda.checkpoint || run.setup().modes().checked || is_replayed) return std::nullopt;
    const auto& run_file = run.run().run_file();
    return checkpoint::keep_sources(run.folder(), source_files(run.setup(), run_file), input_files(run_file),
                                    names_of(run.setup(), run_file))
        .run;
}

// Before anything is made or written.
void expect_compression(const Setup& setup) {
    const auto& checkpoint = setup.agenda.checkpoint;
    if (!checkpoint || *checkpoint->compress == run_file::Compression::none) return;
    try {
        const checkpoint::Zstd there;
    } catch (const Error& error) {
        run_file::fail_at(checkpoint->compress.where, "checkpoints cannot be compressed",
                          fmt::format("{}: {}", error.problem(), error.reason()), std::string(error.suggestion()));
    }
}

} // namespace

RunResult run(const Prepared& prepared, jit::Compiler& compiler, const RunOptions& given) {
    const DefaultArithmetic ours;    // and of all threads that are started from here
    check_exchanges(prepared.setup); // before devices are opened
    expect_compression(prepared.setup);
    const auto chosen = choose_devices(prepared.setup);
    const int threads = choose_threads(prepared.setup);
    const bool keeps_state = prepared.setup.agenda.checkpoint.has_value();
    if (given.keeping.time_limit && !keeps_state)
        throw Error(Failure::usage, "`--time-limit` is for runs that keep their state", "this one has no `run.checkpoint`",
                    "add --set 'run.checkpoint={ every = \"10 min\" }'");
    InterruptGuard interrupt(keeps_state ? Keeping::state : Keeping::nothing); // until the manifest is written
    auto options = given;
    options.keeping.keep = [&interrupt] { return interrupt.wishes_to_keep(); };
    options.keeping.kept = [&interrupt] { (void)interrupt.take_wish_to_keep(); };
    options.keeping.out_of_time = [&interrupt] { return interrupt.is_out_of_time(); };
    const jit::CancelledBy cancelled(compiler, interrupt.flag());
    Session session(open_chosen(prepared.setup, chosen, threads), threads, compiler, [&interrupt] { return interrupt.interrupted(); });
    return run(prepared, session, options, chosen.why);
}

RunResult run(const Prepared& prepared, Session& session, const RunOptions& options, const std::string& why_devices) {
    const DefaultArithmetic ours;
    check_exchanges(prepared.setup);
    expect_compression(prepared.setup);
    for (const auto& note : births_that_may_end(prepared.setup)) log_warning("{}", note);
    RunResult result;
    auto& report = result.report;
    report.why_devices = why_devices;
    Hooks hooks(*prepared.model, report);
    if (options.changes != nullptr) options.changes->check_hooks(report.hooks);
    report.devices = session.infos();
    report.threads = session.pool().threads();

    if (prepared.setup.agenda.checkpoint) hooks.refuse_stateful();
    auto begun = first_run_in_time(prepared, session, options);
    const auto& code = begun->simulation().code();
    report.compile_seconds = code.milliseconds() / 1000;
    report.compiler_image = code.origin;
    report.initialise_seconds = begun->simulation().initialise_seconds();
    report.started = started_with(prepared);
    report.steps = begun->step();
    const auto folder = result_folder(prepared, options); // ours until the end
    result.folder = folder.path();
    CurrentRun current(std::move(begun), session, folder, report);
    if (prepared.start != nullptr) current.begins_with(prepared.start->saved.state);
    RunRecord record(current, options.process_start);
    if (options.resumption != nullptr) take_up(current, hooks, *options.resumption);
    // Before there is a manifest, so that a run which is killed meanwhile has nothing there, or can be resumed.
    const auto number = number_of_checkpoints(current, options);
    result.keeps_state = number.has_value();
    record.start();
    log_info("{} on {}, results in {}", prepared.name, devices_text(report.devices), result.folder.string());
    try {
        const RunPauses pauses(current, record, hooks, options, number);
        run_loop(current, pauses.all);
        result.begins_again = pauses.edits != nullptr && pauses.edits->begins_again();
        finish_outputs(current);
        report.state_hash = current.run().simulation().hash();
        check_results(folder, current.run().outputs(), report.edits);
    } catch (const std::exception& thrown) {
        current.outbox().wait();
        record.finish(as_error(thrown));
        throw;
    }
    record.finish();
    result.shares = shares_text(current.setup(), report);
    return result;
}

} // namespace tessera
