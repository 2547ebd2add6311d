#include "host/outputs/manifest.hpp"

#include "device_runtime/machine.hpp"
#include "host/outputs/output_file.hpp"
#include "host/version.hpp"
#include "host/world/state_hash.hpp"

#include <tessera/version.hpp>

#include <nlohmann/json.hpp>

#include <chrono>
#include <ctime>

namespace tessera {
namespace {

using nlohmann::ordered_json;

ordered_json phases_of(const RunReport& report) {
    auto list = ordered_json::array();
    for (const auto& phase : report.phases) {
        ordered_json entry{{"phase", phase.name}, {"runs", phase.runs}, {"samples", phase.samples}};
        if (!phase.view.empty()) entry["view"] = phase.view;
        if (phase.samples > 0) entry["mean_microseconds"] = phase.sampled_seconds / static_cast<double>(phase.samples) * 1e6;
        list.push_back(entry);
    }
    return list;
}

ordered_json timing_of(const RunReport& report) {
    ordered_json timing{{"total_seconds", report.total_seconds},
                        {"compile_seconds", report.compile_seconds},
                        {"image", report.compiler_image},
                        {"initialise_seconds", report.initialise_seconds},
                        {"until_first_step_seconds", report.first_step_seconds},
                        {"step_seconds", report.step_seconds},
                        {"output_seconds", report.output_seconds}};
    if (report.step_seconds > 0) timing["steps_per_second"] = static_cast<double>(report.steps) / report.step_seconds;
    timing["phases"] = phases_of(report);
    timing["fused_steps"] = report.fused.steps;
    if (report.fused.steps > 0 && !report.fused.view.empty()) timing["fused_view"] = report.fused.view;
    if (!report.fused.verdict.empty()) timing["tuning"] = report.fused.verdict;
    if (!report.hooks.empty()) timing["hook_seconds"] = report.hook_seconds;
    if (report.checkpoint_seconds > 0) timing["checkpoint_seconds"] = report.checkpoint_seconds;
    if (report.writing_seconds > 0) timing["writing_seconds"] = report.writing_seconds;
    return timing;
}

// As the run file has them, with places for the step.
ordered_json files_to_write(const Setup& setup) {
    auto list = ordered_json::array();
    for (const auto& output : setup.agenda.outputs) list.push_back(output->file->text());
    return list;
}

// Of one among several: its rows [first, end) of each grid, and what it worked and waited in a step, the mean of the sampled ones.
void add_share(const Setup& setup, const RunReport& report, std::size_t partition, ordered_json& entry) {
    auto rows = ordered_json::object();
    for (const auto id : setup.collections.ids()) {
        const auto stripe = setup.stripe(id, partition);
        rows[setup.collections[id].name] = {stripe.first, stripe.end};
    }
    entry["rows"] = rows;
    if (partition >= report.device_timings.size() || report.device_timings[partition].samples == 0) return;
    const auto& [samples, working, waiting] = report.device_timings[partition];
    entry["working_microseconds"] = working / static_cast<double>(samples) * 1e6;
    entry["waiting_microseconds"] = waiting / static_cast<double>(samples) * 1e6;
}

ordered_json devices_of(const Setup& setup, const RunReport& report) {
    auto list = ordered_json::array();
    for (std::size_t p = 0; p < report.devices.size(); ++p) {
        const auto& device = report.devices[p];
        list.push_back({{"name", device.name}, {"description", device.description}, {"architecture", device.architecture}});
        if (report.devices.size() > 1) add_share(setup, report, p, list.back());
    }
    return list;
}

} // namespace

std::string utc_now() {
    const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
    std::tm utc{};
    gmtime_r(&now, &utc);
    char text[32];
    std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &utc);
    return text;
}

void write_manifest(const ResultFolder& folder, const Setup& setup, const RunReport& report) {
    ordered_json manifest{{"tessera", version()}, {"result_epoch", TESSERA_RESULT_EPOCH}, {"status", report.status}};
    if (!report.error.empty()) manifest["error"] = report.error;
    manifest["model"] = setup.description().name;
    manifest["model_path"] = report.begun.model.empty() ? setup.model->path.string() : report.begun.model_path;
    manifest["steps"] = report.steps;
    manifest["seed"] = setup.values.seed;
    if (report.state_hash) manifest["state_hash"] = hash_text(*report.state_hash);
    manifest["devices"] = devices_of(setup, report);
    if (!report.why_devices.empty()) manifest["devices_auto"] = report.why_devices;
    if (setup.partitions() > 1) {
        manifest["memory"] = setup.own_memory() ? "own" : setup.distribution().migrating ? "managed" : "shared";
        if (setup.own_memory()) manifest["steps_between_exchanges"] = setup.distribution().steps_a_cycle;
        if (const auto& latency = setup.wishes.inject_latency) manifest["injected_latency_microseconds"] = **latency * 1e6;
    }
    for (const auto& each : report.agents)
        manifest["agents"][each.name] = {{"alive", each.alive},
                                         {"born", each.born},
                                         {"died", each.died},
                                         {"moved", each.moved},
                                         {"refused_moves", each.refused_moves},
                                         {"refused_births", each.refused_births}};
    for (const auto id : setup.collections.ids())
        if (const auto& links = setup.start[id].links; links && links->left_out > 0)
            manifest["links_left_out"][setup.collections[id].name] = links->left_out;
    for (const auto& phase : report.phases)
        if (phase.most > 0)
            manifest["repeats"].push_back({{"question", phase.name}, {"most", phase.most}, {"steps_without_yes", phase.unresolved}});
    for (const auto& hook : report.hooks)
        manifest["hooks"].push_back({{"name", hook.name}, {"called", hook.when}, {"calls", hook.calls}, {"stateful", hook.stateful}});
    if (!report.stopped_by.empty()) manifest["stopped_by"] = report.stopped_by;
    manifest["threads"] = report.threads;
    manifest["host_peak_bytes"] = memory_peak();
    manifest["timing"] = timing_of(report);
    auto files = report.files;
    for (const auto& edit : report.edits) files.insert(files.end(), edit.files.begin(), edit.files.end());
    manifest["files"] = files;
    for (const auto& edit : report.edits) manifest["edits"].push_back(as_json(edit));
    if (const auto& from = report.started)
        manifest["start"] = {{"checkpoint", from->checkpoint}, {"step", from->step}, {"xxh3", hash_text(from->hash)}};
    for (const auto& each : report.resumed)
        manifest["resumed"].push_back({{"step", each.step}, {"when", each.when}, {"devices", each.devices}});
    if (report.status == "running") manifest["writing"] = files_to_write(setup);
    manifest["written"] = utc_now();
    manifest["run_file"] = report.run_file;
    OutputFile file(folder.place(manifest_name));
    const std::string text = manifest.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
    file.write(text.data(), text.size());
    file.commit();
}

} // namespace tessera
