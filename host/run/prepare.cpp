#include "host/run/prepare.hpp"

#include "device_runtime/devices.hpp"
#include "device_runtime/error.hpp"
#include "device_runtime/machine.hpp"
#include "host/outputs/check_outputs.hpp"
#include "host/run_file/document.hpp"
#include "jit/lexer.hpp"
#include "jit/nvrtc.hpp"

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
    const auto source = fs::is_directory(path) ? path / (fs::absolute(path).lexically_normal().filename().string() + ".cu") : path;
    if (!fs::exists(source))
        throw Error(Failure::plugin, fmt::format("there is no model {}", source.lexically_normal().string()), "the file is not there",
                    "check the path, or name a model of `tessera list`");
    return source;
}

// The run file, or for a model without one the text that names it.
run_file::Layer user_layer(const RunRequest& request) {
    if (is_run_file(request.what)) return run_file::read_layer(request.what);
    return {fmt::format("model = '{}'\n", request.what), request.what, ""};
}

// What a run file names is told with its place there.
fs::path locate_named(const run_file::Located<std::string>& named, const RunRequest& request, const std::string& folder,
                      const std::vector<fs::path>& plugin_folders) {
    const bool typed = named.where.line == 0; // on the command line
    const auto relative_to = typed || folder.empty() ? fs::path(".") : fs::path(folder);
    const auto registry = is_path(*named) ? std::nullopt : std::optional(registry_for(request, plugin_folders));
    try {
        return (registry ? registry->find(*named) : source_at(relative_to / *named)).lexically_normal();
    } catch (const Error& error) {
        if (!typed && !is_run_file(request.what)) throw;
        throw Error(error.kind(), fmt::format("{}: {}", run_file::to_string(named.where), error.what()));
    }
}

std::vector<fs::path> folders_of(const run_file::Layer& user, const RunRequest& request) {
    std::vector<fs::path> folders;
    for (const auto& folder : run_file::find_plugin_folders({user}, request.overrides)) {
        folders.push_back(fs::path(user.folder) / *folder);
        if (!fs::is_directory(folders.back()))
            run_file::fail_at(folder.where, fmt::format("no plugin folder {}", folders.back().string()),
                              "it is not there, or not a folder");
    }
    return folders;
}

// Small grids, one for each kind of place, with as many dimensions as its functions look along.
std::string small_grids(const model::Description& description) {
    std::string text;
    for (std::size_t r = 0; r < description.rows.size(); ++r) {
        bool looks_along_z = false;
        for (const auto& function : description.functions)
            for (const auto& [row, member, use] : function.accesses) looks_along_z |= row == r && (use.low[1][2] > 0 || use.high[1][2] > 0);
        text += fmt::format("[places.{}]\nsize = {}\n", description.rows[r].collection, looks_along_z ? "[16, 16, 16]" : "[64, 64]");
    }
    return text;
}

// Whether every string of TESSERA_DEFAULTS is raw with a word of its own: R"toml(...)toml". Any other kind ends at the first quote, or
// `)"`, in it.
bool defaults_end_where_meant(const jit::SourceFile& file) {
    const auto tokens = jit::tokens_of(file.text);
    for (std::size_t i = 0; i + 2 < tokens.size(); ++i)
        if (tokens[i].text == "TESSERA_DEFAULTS" && (tokens[i + 2].text.rfind("R\"", 0) != 0 || tokens[i + 2].text.rfind("R\"(", 0) == 0))
            return false;
    return true;
}

void check_defaults(const model::Model& model, const run_file::Layer& defaults) {
    try {
        (void)run_file::parse_document(defaults.text, defaults.name, defaults.folder);
    } catch (const Error& error) {
        if (defaults_end_where_meant(model.source.main)) throw;
        throw Error(error.kind(), error.what(), "",
                    "write TESSERA_DEFAULTS(R\"toml(...)toml\"), which keeps lines, quotes and brackets as they are");
    }
}

// The layers of the run. A model that is checked by itself need not say how it would be run.
run_file::RunFile layered(const model::Model& model, const run_file::Layer& user, const RunRequest& request, Functions functions) {
    const auto& description = model.description;
    const run_file::Layer defaults{description.defaults, fmt::format("the defaults of {}", description.name),
                                   model.path.parent_path().string()};
    check_defaults(model, defaults);
    if (is_run_file(request.what)) return run_file::parse_layers({defaults, user}, request.overrides);
    if (functions == Functions::all) {
        const run_file::Layer no_steps{"run.steps = 0\n", description.name, ""};
        auto run = run_file::parse_layers({no_steps, defaults, user}, request.overrides);
        if (!run.places.empty()) return run;
        return run_file::parse_layers({no_steps, {small_grids(description), description.name, ""}, defaults, user}, request.overrides);
    }
    if (description.defaults.empty() && request.overrides.empty())
        throw Error(Failure::input, fmt::format("{} cannot be run by itself", description.name), "the model has no TESSERA_DEFAULTS",
                    "write a run file with steps and places, or add TESSERA_DEFAULTS to the model");
    return run_file::parse_layers({defaults, user}, request.overrides);
}

} // namespace

fs::path locate_model(const RunRequest& request) {
    return (is_path(request.what) ? source_at(request.what) : registry_for(request, {}).find(request.what)).lexically_normal();
}

Prepared prepare(const RunRequest& request, jit::Compiler& compiler, Functions functions) {
    const auto user = user_layer(request);
    const auto named = run_file::find_model({user}, request.overrides);
    if (!named)
        throw Error(Failure::input, fmt::format("{} names no model", request.what), "`model` is missing", "add model = \"life\", say");
    Prepared prepared;
    const auto path = locate_named(*named, request, user.folder, folders_of(user, request));
    prepared.model = std::make_unique<model::Model>(model::load_model(path, compiler, model::any_target()));
    prepared.setup = bind(*prepared.model, layered(*prepared.model, user, request, functions), functions);
    check_outputs(prepared.setup);
    prepared.name = is_run_file(request.what) ? fs::path(request.what).stem().string() : prepared.model->description.name;
    return prepared;
}

std::string choose_device(const run_file::RunFile& run) {
    const auto& devices = run.run.devices;
    if (devices.size() > 1)
        throw Error(Failure::device, fmt::format("{}: {} devices were asked for", run_file::to_string(devices[1].where), devices.size()),
                    "this version runs a model on one", "name one of them");
    if (!devices.empty() && *devices.front() != "auto") return *devices.front();
    const auto cuda = cuda_status();
    if (!cuda.available) return "cpu";
    try {
        (void)jit::Nvrtc::find();
        return cuda.devices.front().name;
    } catch (const Error& error) {
        spdlog::warn("the CPU is used and not {}: {}", cuda.devices.front().name, error.what());
        return "cpu";
    }
}

int choose_threads(const run_file::RunFile& run) { return run.run.threads ? static_cast<int>(**run.run.threads) : usable_threads(); }

} // namespace tessera
