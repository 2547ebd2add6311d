#include "host/plugins/registry.hpp"

#include "device_runtime/error.hpp"
#include "device_runtime/regular_file.hpp"
#include "host/run_file/nearest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <sstream>
#include <system_error>
#include <utility>

namespace fs = std::filesystem;

namespace tessera {
namespace {

std::vector<fs::path> environment_folders() {
    std::vector<fs::path> folders;
    const char* variable = std::getenv("TESSERA_PLUGIN_PATH");
    std::istringstream list(variable != nullptr ? variable : "");
    for (std::string folder; std::getline(list, folder, ':');) {
        std::error_code failed;
        const bool is_there = fs::status(folder, failed).type() != fs::file_type::not_found;
        if (!folder.empty() && is_there) folders.emplace_back(folder);
    }
    return folders;
}

// Why no models can be looked for there; empty if they can.
std::string why_no_folder(const fs::path& folder) {
    std::error_code failed;
    const auto status = fs::status(folder, failed);
    if (status.type() == fs::file_type::not_found) return "it is not there";
    if (failed) return failed.message();
    if (!fs::is_directory(status)) return "it is no folder";
    const fs::directory_iterator readable(folder, failed);
    return failed ? failed.message() : "";
}

// What stands where a model would; nothing for a file that is none and looks like none.
std::optional<Candidate> candidate_at(const fs::path& path) {
    const auto file = path.filename().string(), name = path.stem().string();
    std::error_code failed;
    const auto status = fs::status(path, failed);
    if (fs::is_directory(status)) {
        Candidate candidate{file, path / (file + ".cu"), {}};
        std::error_code absent;
        if (fs::status(candidate.path, absent).type() == fs::file_type::not_found)
            candidate.rejected = fmt::format("there is no {}.cu in it", file);
        else if (const auto why = why_not_regular(candidate.path); !why.empty())
            candidate.rejected = fmt::format("its {}.cu cannot be read: {}", file, why);
        return candidate;
    }
    if (path.extension() == ".so")
        return Candidate{name, path, "models compiled to shared libraries cannot be loaded by this version; put the source there"};
    if (path.extension() == ".cu")
        return Candidate{name, path, fmt::format("a model's source stands in a folder of its name: {}/{}", name, file)};
    if (status.type() == fs::file_type::not_found) return Candidate{file, path, "it is a link to what is not there"};
    if (failed) return Candidate{file, path, failed.message()}; // a link that leads in a circle, say
    return std::nullopt;
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
        if (const auto why = why_no_folder(folder); !why.empty())
            throw Error(Failure::plugin, fmt::format("no plugin folder {}", folder.string()), why, "check --plugins");
    auto all = folders;
    for (const auto& folder : environment_folders()) all.push_back(folder);
    if (const auto installed = installed_folder("plugins"); !installed.empty()) all.push_back(installed);
    for (const auto& folder : all) {
        const auto is_this = [&](const fs::path& known) { return same_folder(known, folder); };
        if (std::any_of(folders_.begin(), folders_.end(), is_this)) continue;
        if (const auto why = why_no_folder(folder); !why.empty()) {
            candidates_.push_back({folder.filename().string(), folder, "no models can be looked for there: " + why});
            continue;
        }
        folders_.push_back(folder);
        search(folder);
    }
}

void PluginRegistry::search(const fs::path& folder) {
    std::vector<Candidate> found;
    std::error_code failed;
    for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end; entry.increment(failed))
        if (auto candidate = candidate_at(entry->path())) found.push_back(std::move(*candidate));
    if (failed) found.push_back({folder.filename().string(), folder, "not all of it could be looked at: " + failed.message()});
    std::sort(found.begin(), found.end(), [](const Candidate& a, const Candidate& b) { return a.path < b.path; });
    candidates_.insert(candidates_.end(), found.begin(), found.end());
}

fs::path PluginRegistry::find(const std::string& name, const std::string& suggestion) const {
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
                suggestion.empty() ? did_you_mean(name, known) : suggestion);
}

std::string source_beside(const std::string& name, const fs::path& folder) {
    for (const auto& candidate : {fs::path(name + ".cu"), fs::path(name) / (name + ".cu")})
        if (why_not_regular(folder / candidate).empty()) return candidate.string();
    return {};
}

} // namespace tessera
