#include "host/plugins/registry.hpp"

#include "device_runtime/error.hpp"
#include "host/run_file/nearest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

namespace fs = std::filesystem;

namespace tessera {
namespace {

std::vector<fs::path> environment_folders() {
    std::vector<fs::path> folders;
    const char* variable = std::getenv("TESSERA_PLUGIN_PATH");
    std::istringstream list(variable != nullptr ? variable : "");
    for (std::string folder; std::getline(list, folder, ':');)
        if (!folder.empty() && fs::is_directory(folder)) folders.emplace_back(folder);
    return folders;
}

bool same_folder(const fs::path& a, const fs::path& b) {
    std::error_code ignored;
    return fs::equivalent(a, b, ignored);
}

std::string joined(const std::vector<fs::path>& paths) {
    std::string text;
    for (const auto& path : paths) text += (text.empty() ? "" : ", ") + path.string();
    return text;
}

} // namespace

fs::path installed_folder(const std::string& name) {
    std::error_code failed;
    const auto program = fs::read_symlink("/proc/self/exe", failed);
    if (failed) return {};
    // Installed: bin/tessera and share/tessera; test programs stand one folder deeper.
    for (auto folder = program.parent_path(); folder != folder.root_path(); folder = folder.parent_path()) {
        const auto candidate = folder / "share" / "tessera" / name;
        if (fs::is_directory(candidate, failed)) return candidate;
    }
    return {};
}

PluginRegistry::PluginRegistry(const std::vector<fs::path>& folders) {
    for (const auto& folder : folders)
        if (!fs::is_directory(folder))
            throw Error(Failure::plugin, fmt::format("no plugin folder {}", folder.string()), "it is not there, or not a folder",
                        "check --plugins");
    auto all = folders;
    for (const auto& folder : environment_folders()) all.push_back(folder);
    if (const auto installed = installed_folder("plugins"); !installed.empty()) all.push_back(installed);
    for (const auto& folder : all) {
        const auto is_this = [&](const fs::path& known) { return same_folder(known, folder); };
        if (std::any_of(folders_.begin(), folders_.end(), is_this)) continue;
        folders_.push_back(folder);
        search(folder);
    }
}

void PluginRegistry::search(const fs::path& folder) {
    std::vector<Candidate> found;
    for (const auto& entry : fs::directory_iterator(folder, fs::directory_options::skip_permission_denied)) {
        const auto& path = entry.path();
        if (entry.is_directory()) {
            Candidate candidate{path.filename().string(), path / (path.filename().string() + ".cu"), {}};
            if (!fs::is_regular_file(candidate.path))
                candidate.rejected = fmt::format("there is no {} in it", candidate.path.filename().string());
            found.push_back(candidate);
        } else if (path.extension() == ".so") {
            found.push_back(
                {path.stem().string(), path, "models compiled to shared libraries cannot be loaded by this version; put the source there"});
        } else if (path.extension() == ".cu") {
            found.push_back(
                {path.stem().string(), path,
                 fmt::format("a model's source stands in a folder of its name: {}/{}", path.stem().string(), path.filename().string())});
        }
    }
    std::sort(found.begin(), found.end(), [](const Candidate& a, const Candidate& b) { return a.path < b.path; });
    candidates_.insert(candidates_.end(), found.begin(), found.end());
}

fs::path PluginRegistry::find(const std::string& name) const {
    std::vector<fs::path> usable;
    std::string rejected;
    std::vector<std::string> known;
    for (const auto& candidate : candidates_) {
        if (candidate.rejected.empty()) known.push_back(candidate.name);
        if (candidate.name != name) continue;
        if (candidate.rejected.empty())
            usable.push_back(candidate.path);
        else
            rejected = fmt::format("{}: {}", candidate.path.string(), candidate.rejected);
    }
    if (usable.size() == 1) return usable.front();
    if (usable.size() > 1)
        throw Error(Failure::plugin, fmt::format("two models are called `{}`", name), joined(usable),
                    "name the one you mean by its path, or remove the other");
    if (!rejected.empty()) throw Error(Failure::plugin, fmt::format("the model `{}` cannot be used", name), rejected);
    throw Error(Failure::plugin, fmt::format("there is no model `{}`", name),
                folders_.empty() ? "there is no plugin folder: none was given, TESSERA_PLUGIN_PATH is not set, and none is installed"
                                 : "looked in " + joined(folders_),
                did_you_mean(name, known));
}

} // namespace tessera
