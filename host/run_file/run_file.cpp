#include "host/run_file/run_file.hpp"

#include "device_runtime/error.hpp"
#include "host/run_file/checks.hpp"
#include "host/run_file/nearest.hpp"
#include "host/run_file/sections.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <fstream>
#include <iterator>
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
    throw Error(Failure::input, fmt::format("cannot read the run file `{}`", path), why, did_you_mean(path, run_files_beside(path)));
}

} // namespace

fs::path RunFile::resolve(const std::string& named) const {
    const fs::path given(named);
    return given.is_absolute() ? given : fs::path(folder) / given;
}

RunFile parse_layers(const std::vector<Layer>& layers, const std::vector<std::string>& overrides) {
    const auto document = merge_layers(layers, overrides);
    RunFile run;
    run.path = layers.empty() ? std::string{} : layers.back().name;
    run.folder = layers.empty() ? std::string{} : layers.back().folder;
    expect_keys(document, {"model", "run", "schedule", "places", "params", "phase", "output", "plugins"});
    const auto* model = document.find("model");
    if (!model) fail_missing(document, "model", "the name of a model, as in model = \"life\"");
    run.model = read_model(*model, run.folder);
    run.run = read_run(document, run.folder);
    if (const auto* schedule = document.find("schedule")) run.schedule = read_schedule(*schedule);
    if (const auto* places = document.find("places")) run.places = read_places(*places, run.folder);
    if (const auto* params = document.find("params")) run.params = read_params(*params);
    if (const auto* phases = document.find("phase")) run.phases = read_phases(*phases);
    if (const auto* outputs = document.find("output")) run.outputs = read_outputs(*outputs);
    if (const auto* plugins = document.find("plugins")) run.plugin_folders = read_plugin_folders(*plugins, run.folder);
    return run;
}

std::optional<Located<std::string>> find_model(const std::vector<Layer>& layers, const std::vector<std::string>& overrides) {
    const auto document = merge_layers(layers, overrides);
    const auto* model = document.find("model");
    if (!model) return std::nullopt;
    return read_model(*model, layers.empty() ? std::string{} : layers.back().folder);
}

std::vector<Located<std::string>> find_plugin_folders(const std::vector<Layer>& layers, const std::vector<std::string>& overrides) {
    const auto document = merge_layers(layers, overrides);
    const auto* plugins = document.find("plugins");
    if (!plugins) return {};
    return read_plugin_folders(*plugins, layers.empty() ? std::string{} : layers.back().folder);
}

Layer read_layer(const std::string& path) {
    std::error_code failed;
    if (fs::is_directory(path, failed)) fail_to_read(path, "it is a folder");
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    if (!file) fail_to_read(path, std::generic_category().message(errno ? errno : EIO));
    std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    if (file.bad()) fail_to_read(path, std::generic_category().message(errno ? errno : EIO));
    return {std::move(text), path, fs::path(path).parent_path().string()};
}

RunFile parse_run_file(const std::string& text, const std::string& path, const std::vector<std::string>& overrides) {
    return parse_layers({{text, path, fs::path(path).parent_path().string()}}, overrides);
}

RunFile read_run_file(const std::string& path, const std::vector<std::string>& overrides) {
    return parse_layers({read_layer(path)}, overrides);
}

} // namespace tessera::run_file
