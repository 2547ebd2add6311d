#include "host/run_file/run_file.hpp"

#include "device_runtime/error.hpp"
#include "device_runtime/printable.hpp"
#include "device_runtime/regular_file.hpp"
#include "host/run_file/checks.hpp"
#include "host/run_file/keys.hpp"
#include "host/run_file/nearest.hpp"
#include "host/run_file/sections.hpp"

#include <fmt/format.h>

#include <system_error>

namespace tessera::run_file {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> run_files_beside(const fs::path& path) {
    std::vector<std::string> names;
    std::error_code ignored;
    const auto folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
    for (fs::directory_iterator entry(folder, ignored), end; !ignored && entry != end; entry.increment(ignored))
        if (entry->path().extension() == ".toml" && entry->path().filename() != path.filename())
            names.push_back((path.parent_path() / entry->path().filename()).string());
    return names;
}

[[noreturn]] void fail_to_read(const std::string& path, const std::string& why) {
    throw Error(Failure::input, fmt::format("cannot read the run file `{}`", shown(path, 500)), why,
                did_you_mean(path, run_files_beside(path)));
}

} // namespace

fs::path RunFile::resolve(const std::string& named) const {
    const fs::path given(named);
    return given.is_absolute() ? given : fs::path(folder) / given;
}

RunFile parse_layers(const std::vector<Layer>& layers, const std::vector<std::string>& overrides) {
    RunFile run;
    const auto document = merge_layers(layers, overrides, run.remarks.lines);
    run.path = layers.empty() ? std::string{} : layers.back().name;
    run.folder = layers.empty() ? std::string{} : layers.back().folder;
    expect_keys(document, keys_at_top());
    const auto* model = document.find("model");
    if (!model) fail_missing(document, "model", "the name of a model, as in model = \"life\"");
    run.model = read_model(*model, run.folder);
    run.run = read_run(document, run.folder);
    if (const auto* schedule = document.find("schedule")) run.schedule = read_schedule(*schedule);
    if (const auto* places = document.find("places")) run.places = read_places(*places, run.folder);
    if (const auto* links = document.find("links")) run.links = read_links(*links, run.folder);
    if (const auto* agents = document.find("agents")) run.agents = read_agents(*agents, run.folder);
    if (const auto* params = document.find("params")) run.params = read_params(*params);
    if (const auto* phases = document.find("phase")) run.phases = read_phases(*phases);
    if (const auto* outputs = document.find("output")) run.outputs = read_outputs(*outputs);
    if (const auto* plugins = document.find("plugins")) run.plugin_folders = read_plugin_folders(*plugins, run.folder);
    return run;
}

std::optional<Located<std::string>> find_model(const std::vector<Layer>& layers, const std::vector<std::string>& overrides) {
    std::vector<std::string> remarks; // of parse_layers
    const auto document = merge_layers(layers, overrides, remarks);
    const auto* model = document.find("model");
    if (!model) return std::nullopt;
    return read_model(*model, layers.empty() ? std::string{} : layers.back().folder);
}

std::vector<Located<std::string>> find_plugin_folders(const std::vector<Layer>& layers, const std::vector<std::string>& overrides) {
    std::vector<std::string> remarks; // of parse_layers
    const auto document = merge_layers(layers, overrides, remarks);
    const auto* plugins = document.find("plugins");
    if (!plugins) return {};
    return read_plugin_folders(*plugins, layers.empty() ? std::string{} : layers.back().folder);
}

RunFile with_absolute_paths(RunFile run) {
    const auto make_absolute = [&](Located<std::string>& path) {
        path.value = fs::absolute(run.resolve(*path)).lexically_normal().string();
    };
    if (names_path(*run.model)) make_absolute(run.model);
    if (run.run.out) make_absolute(*run.run.out);
    if (run.run.start) make_absolute(run.run.start->checkpoint);
    for (auto& places : run.places)
        for (auto& member : places.value.init)
            for (auto& step : member.value)
                if (auto* from = std::get_if<FromFile>(&step.value.source)) make_absolute(from->file);
    for (auto& links : run.links) {
        if (links.value.file) make_absolute(*links.value.file);
        if (!links.value.generate) continue;
        auto& rule = links.value.generate->value;
        for (auto* file : {&rule.file, &rule.to_file})
            if (*file) make_absolute(**file);
    }
    for (auto& agents : run.agents)
        if (agents.value.file) make_absolute(*agents.value.file);
    for (auto& folder : run.plugin_folders) make_absolute(folder);
    return run;
}

Layer read_layer(const std::string& path) {
    constexpr std::uint64_t most_bytes = 16u << 20;
    std::string why;
    auto text = read_regular(path, most_bytes, why);
    if (!text) fail_to_read(path, why);
    return {std::move(*text), path, fs::path(path).parent_path().string()};
}

RunFile parse_run_file(const std::string& text, const std::string& path, const std::vector<std::string>& overrides) {
    return parse_layers({{text, path, fs::path(path).parent_path().string()}}, overrides);
}

RunFile read_run_file(const std::string& path, const std::vector<std::string>& overrides) {
    return parse_layers({read_layer(path)}, overrides);
}

} // namespace tessera::run_file
