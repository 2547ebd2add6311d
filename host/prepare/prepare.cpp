#include "host/prepare/prepare.hpp"

#include "device_runtime/devices.hpp"
#include "device_runtime/error.hpp"
#include "device_runtime/machine.hpp"
#include "host/bind/steps.hpp"
#include "host/execute/finished_code.hpp"
#include "host/model/named_parameters.hpp"
#include "host/outputs/check_outputs.hpp"
#include "host/prepare/defaults_in_source.hpp"
#include "host/prepare/seen_values.hpp"
#include "host/prepare/start.hpp"
#include "host/run_file/document.hpp"
#include "host/run_file/sections.hpp"
#include "host/run_file/toml_text.hpp"
#include "host/setup/value.hpp"
#include "host/views/fused_view.hpp"
#include "jit/lexer.hpp"
#include "jit/log.hpp"
#include "jit/nvrtc.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace fs = std::filesystem;

namespace tessera {
namespace {

bool is_run_file(const std::string& what) { return fs::path(what).extension() == ".toml"; }

PluginRegistry registry_for(const RunRequest& request, const std::vector<fs::path>& of_run_file) {
    std::vector<fs::path> folders(request.plugin_folders.begin(), request.plugin_folders.end());
    folders.insert(folders.end(), of_run_file.begin(), of_run_file.end());
    PluginRegistry registry(folders, request.allow_unsafe_plugins ? Unsafe::allowed : Unsafe::refused);
    for (const auto& candidate : registry.candidates())
        log_debug("plugin {}: {}", candidate.path.string(), candidate.rejected.empty() ? "found" : "rejected: " + candidate.rejected);
    return registry;
}

// A model given by its path may be the file, or the folder that holds it.
fs::path source_at(const fs::path& path) {
    std::error_code failed;
    const auto name = fs::absolute(path).lexically_normal().filename().string();
    auto source = fs::is_directory(path, failed) ? path / (name + ".cu") : path;
    if (const auto library = path / (name + ".so"); !fs::exists(source, failed) && fs::exists(library, failed)) source = library;
    if (fs::status(source, failed).type() == fs::file_type::not_found)
        throw Error(Failure::plugin, fmt::format("there is no model {}", source.lexically_normal().string()), "the file is not there",
                    "check the path, or name a model of `tessera list`");
    return source;
}

// The run file, or for a model without one a layer that names it and nothing else.
run_file::Layer user_layer(const RunRequest& request) {
    if (is_run_file(request.what)) return run_file::read_layer(request.what);
    return {"", request.what, "", request.what};
}

// What to write for a model that is not on the plugin path while its source lies at hand.
std::string source_instead(const std::string& name, const fs::path& folder, bool typed) {
    const auto source = source_beside(name, folder);
    if (source.empty()) return {};
    return typed ? fmt::format("there is a {0}: name it by its path, ./{0}", source)
                 : fmt::format("write model = {} for the source beside the run file", run_file::toml_text(source));
}

// What a run file names is told with its place there.
fs::path locate_named(const run_file::Located<std::string>& named, const RunRequest& request, const std::string& folder,
                      const std::vector<fs::path>& plugin_folders) {
    const bool typed = named.where.line == 0; // on the command line
    const auto relative_to = typed || folder.empty() ? fs::path(".") : fs::path(folder);
    const auto registry = run_file::names_path(*named) ? std::nullopt : std::optional(registry_for(request, plugin_folders));
    try {
        return (registry ? registry->find(*named, source_instead(*named, relative_to, typed || !is_run_file(request.what)))
                         : source_at(relative_to / *named))
            .lexically_normal();
    } catch (const Error& error) {
        if (!typed && !is_run_file(request.what)) throw;
        throw error.with_prefix(run_file::to_string(named.where) + ": ");
    }
}

std::vector<fs::path> folders_of(const run_file::Layer& user, const RunRequest& request) {
    std::vector<fs::path> folders;
    for (const auto& folder : run_file::find_plugin_folders({user}, request.overrides)) {
        folders.push_back(fs::path(user.folder) / *folder);
        if (std::error_code failed; !fs::is_directory(folders.back(), failed))
            run_file::fail_at(folder.where, fmt::format("no plugin folder {}", folders.back().string()),
                              "it is not there, or not a folder");
    }
    return folders;
}

// How many dimensions the functions of a row of places look along.
int dimensions_seen(const model::Description& description, std::size_t row) {
    const auto along_z = [](const auto& use) { return use.low[1][2] > 0 || use.high[1][2] > 0; };
    for (const auto& function : description.functions) {
        for (const auto& access : function.accesses)
            if (access.row == row && along_z(access.use)) return 3;
        if (description.rows[function.row].ground == row && std::any_of(function.agent_uses.begin(), function.agent_uses.end(), along_z))
            return 3;
    }
    return 2;
}

// Whether links join places of a row, and whether functions look at places beside their own, or may: those of agents that stand there.
bool is_linked(const model::Description& description, std::size_t row) {
    return std::any_of(description.rows.begin(), description.rows.end(),
                       [row](const model::Row& links) { return links.ends && (links.ends->from == row || links.ends->to == row); });
}
bool looks_around(const model::Description& description, std::size_t row) {
    const auto is_far = [](const auto& use) { return use.low[2] != std::array<int, 3>{} || use.high[2] != std::array<int, 3>{}; };
    bool have_agents = false, go_along_links = false;
    for (const auto& other : description.rows) have_agents |= other.ground == row;
    for (const auto& function : description.functions) {
        const bool of_agents = description.rows[function.row].ground == row;
        go_along_links |= of_agents && !function.link_uses.empty();
        if (of_agents && std::any_of(function.agent_uses.begin(), function.agent_uses.end(), is_far)) return true;
        for (const auto& access : function.accesses)
            if (access.row == row && is_far(access.use)) return true;
    }
    return have_agents && !go_along_links;
}

// Small grids, one for each kind of place that the run has none of, with as many dimensions as its functions look along; wide enough for
// whoever looks far in space. For each such kind of agents, a collection with nobody in it.
std::string small_grids(const model::Description& description, const run_file::RunFile& run) {
    std::string text;
    for (std::size_t r = 0; r < description.rows.size(); ++r) {
        const auto& row = description.rows[r];
        const auto is_of_row = [&](const auto& collection) {
            return *(collection->type.value.empty() ? collection->name : collection->type) == row.collection;
        };
        if (row.ends) {
            if (std::none_of(run.links.begin(), run.links.end(), is_of_row))
                text += fmt::format("[links.{}]\ngenerate = {{ rule = \"random\", links = 64 }}\n", run_file::toml_key(row.collection));
            continue;
        }
        if (row.ground) {
            if (std::none_of(run.agents.begin(), run.agents.end(), is_of_row))
                text += fmt::format("[agents.{}]\ncount = 0\n", run_file::toml_key(row.collection));
            continue;
        }
        if (std::any_of(run.places.begin(), run.places.end(), is_of_row)) continue;
        if (is_linked(description, r) && !looks_around(description, r)) {
            text += fmt::format("[places.{}]\ncount = 64\n", run_file::toml_key(row.collection));
            continue;
        }
        const bool in_volume = dimensions_seen(description, r) == 3;
        text += fmt::format("[places.{}]\nsize = {}\n", run_file::toml_key(row.collection), in_volume ? "[16, 16, 16]" : "[64, 64]");
        if (std::any_of(description.rows.begin(), description.rows.end(),
                        [&](const auto& other) { return other.ground == r && other.position; }))
            text += fmt::format("extent = {}\n", in_volume ? "[1.6e5, 1.6e5, 1.6e5]" : "[6.4e5, 6.4e5]");
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
    run_file::Layer defaults{description.defaults, fmt::format("the defaults of {}", description.name), model.path.parent_path().string(),
                             std::nullopt, true};
    if (auto in_source = defaults_in_source(model)) {
        defaults.text = std::move(in_source->text);
        defaults.name = std::move(in_source->file);
    }
    check_defaults(model, defaults);
    const run_file::Layer fallback{request.fallback, description.name, ""};
    if (is_run_file(request.what)) return run_file::parse_layers({fallback, defaults, user}, request.overrides);
    if (functions == Functions::all) {
        const run_file::Layer no_steps{"run.steps = 0\n", description.name, ""};
        auto run = run_file::parse_layers({no_steps, defaults, user}, request.overrides);
        const auto missing = small_grids(description, run);
        if (missing.empty()) return run;
        return run_file::parse_layers({no_steps, {missing, description.name, "", std::nullopt, true}, defaults, user}, request.overrides);
    }
    if (description.defaults.empty() && request.overrides.empty())
        throw Error(Failure::input, fmt::format("{} cannot be run by itself", description.name), "the model has no TESSERA_DEFAULTS",
                    "write a run file with steps and places, or add TESSERA_DEFAULTS to the model");
    return run_file::parse_layers({fallback, defaults, user}, request.overrides);
}

// The folders of the command line are the first of the plugin path: written down with the run, they find its model again.
void add_plugin_folders(run_file::RunFile& run, const RunRequest& request) {
    std::vector<run_file::Located<std::string>> folders;
    for (const auto& folder : request.plugin_folders) folders.push_back({fs::absolute(folder).lexically_normal().string(), {}});
    run.plugin_folders.insert(run.plugin_folders.begin(), folders.begin(), folders.end());
}

// What a checked run cannot be made of.
void expect_checkable(const model::Model& model) {
    if (!model.has_source())
        throw Error(Failure::plugin, fmt::format("{} cannot be checked", model.path.string()), "it is a library without source",
                    "name its source, or leave --check out");
}

bool is_gpu(const run_file::Located<std::string>& device) { return *device != "auto" && *device != "cpu"; }

// One device, and nothing of how several would share the grids.
void keep_to_device(run_file::RunFile& run, const std::string& name) {
    run.run.devices = {{name, {}}};
    run.run.weights.clear();
    run.schedule.tune.value = run_file::Tune::off;
    for (auto& places : run.places) {
        places.value.devices.clear();
        places.value.cuts.clear();
        places.value.cuts_measured.value = false;
    }
}

// As a debugger likes it, and a checked run, which tells the first mistake in the order of phases and places.
void keep_to_one_thread(run_file::RunFile& run) {
    keep_to_device(run, "cpu");
    run.run.threads = run_file::Located<std::uint64_t>{1, {}};
}

// A checked run is made by a GPU where the command line names one first, else on the CPU, which finds more.
void keep_to_checked_device(run_file::RunFile& run) {
    const auto devices = run.run.devices;
    const auto& first = devices.front();
    const bool of_command_line = first.where.line == 0;
    if (of_command_line && is_gpu(first)) {
        if (devices.size() > 1) log_info("a checked run is made on {} alone; the bits are the same", *first);
        keep_to_device(run, *first);
        run.schedule.view.value = run_file::View::direct; // which has a thread for each place, that can end
        return;
    }
    if (const auto gpu = std::find_if(devices.begin(), devices.end(), is_gpu); gpu != devices.end())
        log_info("a checked run is made on the CPU instead of {}, unless --devices begins with that GPU; the bits are the same", **gpu);
    keep_to_one_thread(run);
    run.schedule.view.value = run_file::View::automatic;
}

// The first GPU, else the CPU; and why it is not the GPU, where there is one.
struct BestDevice {
    std::string name = "cpu", why{};
};
BestDevice best_device(const model::Model& model) {
    const auto cuda = cuda_status();
    if (!cuda.available) return {};
    const auto& gpu = cuda.devices.front();
    if (has_code_for_gpu(model, gpu.architecture)) return {gpu.name};
    const auto instead = fmt::format("the CPU is used instead of {}: ", gpu.name);
    if (!model.has_source())
        return {"cpu", instead + fmt::format("{} has neither source nor code for {}", model.path.string(), gpu.architecture)};
    try {
        (void)jit::Nvrtc::find();
        return {gpu.name};
    } catch (const Error& error) {
        return {"cpu", instead + error.what()};
    }
}

bool is_of_one_cpu(const run_file::RunFile& run, const model::Model& model) {
    const auto& devices = run.run.devices;
    if (devices.size() != 1) return false;
    return *devices.front() == "cpu" || (*devices.front() == "auto" && best_device(model).name == "cpu");
}

} // namespace

fs::path locate_model(const RunRequest& request) {
    if (is_run_file(request.what))
        throw Error(Failure::usage, fmt::format("{} is a run file", request.what), "a model is expected here",
                    fmt::format("name the model, or see `tessera check {}`", request.what));
    return (run_file::names_path(request.what) ? source_at(request.what)
                                               : registry_for(request, {}).find(request.what, source_instead(request.what, ".", true)))
        .lexically_normal();
}

namespace {

struct Read {
    std::unique_ptr<model::Model> model;
    run_file::RunFile run;
};

Read read(const RunRequest& request, jit::Compiler& compiler, Functions functions) {
    const auto user = user_layer(request);
    const auto named = run_file::find_model({user}, request.overrides);
    if (!named)
        throw Error(Failure::input, fmt::format("{} names no model", request.what), "`model` is missing", "add model = \"life\", say");
    const auto path = locate_named(*named, request, user.folder, folders_of(user, request));
    Read result{std::make_unique<model::Model>(model::load_model(path, compiler)), {}};
    result.run = layered(*result.model, user, request, functions);
    add_plugin_folders(result.run, request);
    return result;
}

// How several steps are made at once, where the run file says how. Whether its phases can be made so is known once they are divided.
void check_way_of_steps(const run_file::RunFile& run) {
    const auto& fused = run.schedule.fused;
    if (!fused) return;
    if (const auto view = read_fused_view(**fused); !view.view)
        run_file::fail_at(fused->where, fmt::format("`{}` is not a way to make several steps", **fused), view.why_not,
                          "leave `tune` out: then the run looks for a way");
}

// What functions see is a part of their description, which is made with the defaults of parameters: where the run gives another value to
// one that an access list names, it is made again.
void describe_as_run(model::Model& model, const run_file::RunFile& run, jit::Compiler& compiler) {
    if (!model.has_source()) return;
    const auto values = seen_values(model.description, bind_values(model, run));
    if (!values.empty()) model::describe_with(model, values, compiler);
}

} // namespace

run_file::RunFile read_run(const RunRequest& request, jit::Compiler& compiler) { return read(request, compiler, Functions::called).run; }

Prepared prepare(const RunRequest& request, jit::Compiler& compiler, Functions functions,
                 const std::function<void(run_file::RunFile&)>& adjust) {
    Prepared prepared;
    auto [model, run] = read(request, compiler, functions);
    prepared.model = std::move(model);
    for (const auto& remark : run.remarks.lines) log_warning("{}", remark);
    if (adjust) adjust(run);
    const auto start = find_start(run);
    check_way_of_steps(run);
    if (request.check) {
        expect_checkable(*prepared.model);
        keep_to_checked_device(run);
    }
    if (request.debug) keep_to_one_thread(run);
    // A checked run tells the first mistake in the order of phases and places, as any device does.
    const bool on_one_cpu = !request.check && request.on_one_cpu.value_or(is_of_one_cpu(run, *prepared.model));
    describe_as_run(*prepared.model, run, compiler);
    const Inspection inspection{request.debug, request.check, on_one_cpu};
    const bool by_itself = functions == Functions::all && !is_run_file(request.what);
    static_cast<Bound&>(prepared) = bind(*prepared.model, std::move(run), by_itself ? Functions::of_model : functions, inspection);
    check_outputs(prepared.setup);
    if (start) fit_start(prepared, start->saved);
    prepared.start = start;
    prepared.name = is_run_file(request.what) ? fs::path(request.what).stem().string() : prepared.model->description.name;
    return prepared;
}

std::vector<std::string> choose_devices(const Wishes& wishes, const model::Model& model) {
    std::vector<std::string> names;
    for (const auto& device : wishes.devices) {
        const auto best = *device == "auto" ? best_device(model) : BestDevice{*device};
        if (!best.why.empty()) log_warning("{}", best.why);
        names.push_back(best.name);
    }
    return names;
}

int choose_threads(const Wishes& wishes) { return wishes.threads ? static_cast<int>(*wishes.threads) : usable_threads(); }

int choose_threads(const Setup& setup) {
    if (setup.wishes.threads) return choose_threads(setup.wishes);
    std::int64_t places = 0;
    for (const auto& collection : setup.collections) places = std::max(places, collection.places());
    return threads_that_pay(places, usable_threads());
}

} // namespace tessera
