#include "host/run/resume.hpp"

#include "device_runtime/error.hpp"
#include "host/checkpoint/sources.hpp"
#include "host/checkpoint/store.hpp"
#include "host/outputs/folder_walk.hpp"
#include "host/plugins/trust.hpp"
#include "host/prepare/start.hpp"
#include "host/run/copy_results.hpp"
#include "host/run/kept_edits.hpp"
#include "host/world/check_state.hpp"
#include "host/world/stored_otherwise.hpp"
#include "jit/log.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace fs = std::filesystem;

namespace tessera {
namespace {

// The manifest as it is; null where there is none, or another thing.
nlohmann::json manifest_in(const ResultFolder& folder) try {
    return nlohmann::json::parse(checkpoint::KeptFile(folder.place(manifest_name)).text(), nullptr, false);
} catch (const Error&) {
    return {};
}

// A run keeps its sources before it has a manifest.
checkpoint::Sources sources_in(const ResultFolder& folder) {
    if (auto sources = checkpoint::read_sources(folder)) return *sources;
    const auto refuse = [&](const std::string& why, const std::string& suggestion) {
        throw Error(Failure::input, fmt::format("there is nothing to resume in {}", folder.path().string()), why, suggestion);
    };
    const auto manifest = manifest_in(folder);
    if (!manifest.is_object()) refuse("its run ended before it began, or never was", "begin it with `tessera run`");
    const auto run_file = manifest.find("run_file");
    const bool keeps_state =
        run_file != manifest.end() && run_file->is_string() && run_file->get<std::string>().find("\ncheckpoint = {") != std::string::npos;
    if (keeps_state)
        refuse(fmt::format("its folder `{}`, which has what the run is made of, was removed", sources_name),
               "put that folder back; or save what `run_file` in its manifest.json says as a run file, and run it again");
    refuse("its run kept no checkpoints", "set run.checkpoint = { every = 10000 } in a run file, and run it");
    return {};
}

// Sources are code: who may have written there is judged as for plugins.
void expect_trusted(const ResumeRequest& request, const checkpoint::Sources& sources) {
    if (request.allow_unsafe_plugins) return;
    const auto folder = request.folder / sources_name;
    for (const auto& file : sources.files)
        if (const auto why = why_not_trusted(folder / file.name, folder); !why.empty())
            throw Error(Failure::plugin, fmt::format("the sources in {} are not used", folder.string()), why,
                        "change that, or add --allow-unsafe-plugins");
}

// What the manifest says of how the run ended; nothing of a run that did not say.
struct Ended {
    std::string status;
    std::uint64_t steps = 0;
};
Ended ended(const ResultFolder& folder) {
    const auto manifest = manifest_in(folder);
    if (!manifest.is_object() || !manifest.contains("status") || !manifest.contains("steps")) return {};
    const auto &status = manifest["status"], &steps = manifest["steps"];
    if (!status.is_string() || !steps.is_number_unsigned()) return {};
    return {status.get<std::string>(), steps.get<std::uint64_t>()};
}

// Whether somebody wants more steps than were made.
bool asks_for_more(const ResumeRequest& request, std::uint64_t made) {
    const std::string key = "run.steps=";
    for (const auto& each : request.overrides)
        if (each.rfind(key, 0) == 0)
            return each.substr(key.size()) != std::to_string(made) && std::strtoull(each.c_str() + key.size(), nullptr, 10) > made;
    return false;
}

checkpoint::Found last_checkpoint(const ResultFolder& folder, std::uint64_t run) {
    auto found = checkpoint::find_last(folder, run);
    for (const auto& [name, why] : found.passed_over)
        log_warning("the checkpoint {} cannot be used: {}", (folder.path() / checkpoints_name / name).string(), why);
    return found;
}

constexpr const char* devices_key = "run.devices=";
bool is_of_devices(const std::string& each) { return each.rfind(devices_key, 0) == 0; }

// Other devices than the run had: how grids were divided over those is no matter any more.
void use_devices(run_file::RunFile& run, const std::vector<std::string>& overrides) {
    for (const auto& each : overrides) {
        if (!is_of_devices(each)) continue;
        const auto devices =
            run_file::parse_run_file("model = \"none\"\nrun.steps = 1\n[places.none]\nsize = [1]\n", "", {each}).run.devices;
        if (devices == run.run.devices) continue;
        run.run.devices = devices;
        run.run.weights.clear();
        for (auto& places : run.places) places.value.devices.clear(), places.value.cuts.clear();
    }
}

// The kept state, which is looked at, as the run stores agents, where devices are others than those that it was kept by.
void store_as(const Prepared& prepared, checkpoint::Saved& saved) {
    const auto& modes = prepared.setup.modes();
    if (!prepared.setup.has_agents() || modes.on_one_cpu == saved.record.on_one_cpu)
        return check_state(prepared.setup, saved.state, Lacking::refused);
    const auto before = bind(*prepared.model, prepared.run_file, Functions::called, Inspection{false, false, saved.record.on_one_cpu});
    check_state(before.setup, saved.state, Lacking::refused);
    saved.state = stored_as(prepared.setup, before.setup, std::move(saved.state));
}

Prepared prepared_for(const ResumeRequest& request, jit::Compiler& compiler, const ResultFolder& folder, const checkpoint::Saved* saved) {
    RunRequest run;
    for (const auto& each : request.overrides)
        if (!is_of_devices(each)) run.overrides.push_back(each);
    run.allow_unsafe_plugins = request.allow_unsafe_plugins;
    const auto in = saved != nullptr ? folder.path() / checkpoints_name / saved->name : folder.path() / sources_name;
    run.what = (in / checkpoint::run_file_name).string();
    auto prepared = prepare(run, compiler, Functions::called, [&](run_file::RunFile& file) {
        use_devices(file, request.overrides);
        if (saved == nullptr) return;
        as_kept(file, *saved);
        if (!file.run.start || !saved->record.report.started) return; // with which it began: that is not looked at again
        file.run.start->found = *file.run.start->checkpoint;
        file.run.start->step = saved->record.report.started->step;
    });
    const auto name = fs::absolute(folder.path() / ".").lexically_normal().parent_path().filename().string();
    prepared.name = name.empty() ? prepared.model->description.name : name;
    return prepared;
}

} // namespace

std::optional<RunResult> resume(const ResumeRequest& request, jit::Compiler& compiler, RunOptions options) {
    auto folder = open_result_folder(request.folder);
    const auto sources = sources_in(folder);
    expect_trusted(request, sources);
    if (const auto [status, steps] = ended(folder); (status == "finished" || status == "stopped") && !asks_for_more(request, steps)) {
        log_info("the run in {} has {} after step {}", request.folder.string(), status, steps);
        return std::nullopt;
    }
    remove_unfinished(folder);
    auto found = last_checkpoint(folder, sources.run);
    auto* const saved = found.last ? &*found.last : nullptr;
    if (saved == nullptr) {
        checkpoint::check_inputs(sources);
        log_info("there is no checkpoint in {}: the run begins again", request.folder.string());
    }
    const auto before = folder;
    if (options.out) folder = copy_results(folder, *options.out, saved);
    const auto prepared = prepared_for(request, compiler, folder, saved);
    if (saved != nullptr) store_as(prepared, *saved);
    if (saved != nullptr) drop_later_edits(folder, saved->record.report.edits.size());
    const Resumption resumption{folder, sources, saved, saved == nullptr ? begin_edits_again(before, folder) : std::vector<Edit>{}};
    options.resumption = &resumption;
    return run(prepared, compiler, options);
}

std::vector<std::string> check_checkpoints(const fs::path& path) {
    const auto folder = open_result_folder(path);
    const auto sources = sources_in(folder);
    const auto [good, unusable] = checkpoint::verify_all(folder, sources.run);
    std::vector<std::string> lines;
    for (const auto& name : good) lines.push_back(fmt::format("{}: fine", (path / checkpoints_name / name).string()));
    if (!unusable.empty())
        throw Error(
            Failure::input, fmt::format("the checkpoint {} cannot be used", (path / checkpoints_name / unusable.front().name).string()),
            unusable.front().why, good.empty() ? "" : fmt::format("`tessera resume {}` goes on from {}", path.string(), good.front()));
    if (good.empty()) lines.push_back(fmt::format("{}: no checkpoint yet", path.string()));
    return lines;
}

} // namespace tessera
