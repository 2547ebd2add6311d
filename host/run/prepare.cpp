#include "host/run/prepare.hpp"

#include "device_runtime/devices.hpp"
#include "device_runtime/error.hpp"
#include "device_runtime/machine.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

namespace fs = std::filesystem;

namespace tessera {
namespace {

bool is_run_file(const std::string& what) { return fs::path(what).extension() == ".toml"; }

bool is_path(const std::string& model) { return model.find('/') != std::string::npos || fs::path(model).has_extension(); }

PluginRegistry registry_for(const RunRequest& request, const std::vector<fs::path>& of_run_file) {
    std::vector<fs::path> folders(request.plugin_folders.begin(), request.plugin_folders.end());
    folders.insert(folders.end(), of_run_file.begin(), of_run_file.end());
    PluginRegistry registry(folders);
    for (const auto& candidate : registry.candidates())
        spdlog::debug("plugin {}: {}", candidate.path.string(), candidate.rejected.empty() ? "found" : "rejected: " + candidate.rejected);
    return registry;
}

// A model given by its path may be the file, or the folder that holds it.
fs::path source_at(const fs::path& path) {
    if (fs::is_directory(path)) return path / (fs::absolute(path).lexically_normal().filename().string() + ".cu");
    return path;
}

fs::path locate(const std::string& model, const fs::path& relative_to, const RunRequest& request, const std::vector<fs::path>& plugin_folders) {
    if (!is_path(model)) return registry_for(request, plugin_folders).find(model);
    return source_at(fs::path(model).is_absolute() ? fs::path(model) : relative_to / model);
}

// The run file, or for a model without one the text that names it.
run_file::Layer user_layer(const RunRequest& request) {
    if (is_run_file(request.what)) return run_file::read_layer(request.what);
    return {fmt::format("model = '{}'\n", request.what), request.what, ""};
}

} // namespace

fs::path locate_model(const RunRequest& request) { return locate(request.what, ".", request, {}).lexically_normal(); }

Prepared prepare(const RunRequest& request, jit::Compiler& compiler, Functions functions) {
    const auto user = user_layer(request);
    const auto named = run_file::find_model({user}, request.overrides);
    if (!named) throw Error(Failure::input, fmt::format("{} names no model", request.what), "`model` is missing", "add model = \"life\", say");
    std::vector<fs::path> plugin_folders;
    for (const auto& folder : run_file::find_plugin_folders({user}, request.overrides)) plugin_folders.push_back(fs::path(user.folder) / *folder);
    Prepared prepared;
    const fs::path relative_to = named->where.line == 0 || user.folder.empty() ? fs::path(".") : fs::path(user.folder);
    const auto path = locate(**named, relative_to, request, plugin_folders).lexically_normal();
    prepared.model = std::make_unique<model::Model>(model::load_model(path, compiler, model::any_target()));
    const run_file::Layer defaults{prepared.model->description.defaults, fmt::format("the defaults of {}", prepared.model->description.name), path.parent_path().string()};
    auto run = run_file::parse_layers({defaults, user}, request.overrides);
    prepared.setup = bind(*prepared.model, std::move(run), functions);
    prepared.name = is_run_file(request.what) ? fs::path(request.what).stem().string() : prepared.model->description.name;
    return prepared;
}

std::string choose_device(const run_file::RunFile& run) {
    const auto& devices = run.run.devices;
    if (devices.size() > 1)
        run_file::fail_at(devices[1].where, fmt::format("{} devices were asked for", devices.size()), "this version runs a model on one", "name one of them");
    if (!devices.empty() && *devices.front() != "auto") return *devices.front();
    const auto cuda = cuda_status();
    return cuda.available ? cuda.devices.front().name : "cpu";
}

int choose_threads(const run_file::RunFile& run) {
    return run.run.threads ? static_cast<int>(**run.run.threads) : usable_threads();
}

} // namespace tessera
