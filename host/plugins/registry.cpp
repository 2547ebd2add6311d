#include "host/plugins/registry.hpp"

#include "device_runtime/error.hpp"
#include "device_runtime/regular_file.hpp"
#include "host/model/library.hpp"
#include "host/plugins/trust.hpp"
#include "host/run_file/nearest.hpp"
#include "jit/environment.hpp"

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

// Why a library cannot be used; empty if it can.
std::string why_no_library(const fs::path& path) {
    if (auto why = why_not_regular(path); !why.empty()) return "it cannot be read: " + why;
    std::string why;
    (void)model::read_library(path, why);
    return why;
}

Candidate candidate_in(const fs::path& folder) {
    const auto name = folder.filename().string();
    std::error_code absent;
    const auto is_there = [&](const fs::path& path) { return fs::status(path, absent).type() != fs::file_type::not_found; };
    const auto source = folder / (name + ".cu"), library = folder / (name + ".so");
    if (is_there(source)) {
        const auto why = why_not_regular(source);
        return {name, source, why.empty() ? "" : fmt::format("its {}.cu cannot be read: {}", name, why)};
    }
    if (is_there(library)) return {name, library, why_no_library(library)};
    return {name, source, fmt::format("there is no {0}.cu in it, and no {0}.so", name)};
}

// What stands where a model would; nothing for a file that is none and looks like none.
std::optional<Candidate> candidate_at(const fs::path& path) {
    const auto file = path.filename().string(), name = path.stem().string();
    std::error_code failed;
    const auto status = fs::status(path, failed);
    if (fs::is_directory(status)) return candidate_in(path);
    if (model::is_library(path)) return Candidate{name, path, why_no_library(path)};
    if (path.extension() == ".cu")
        return Candidate{name, path, fmt::format("a model's source stands in a folder of its name: {}/{}", name, file)};
    if (status.type() == fs::file_type::not_found) return Candidate{file, path, "it is a link that leads nowhere"};
    if (failed) return Candidate{file, path, failed.message()}; // a link that leads in a circle, say
    return std::nullopt;
}

// Of the candidates of one folder, libraries whose model's source is there too.
void reject_beside_source(std::vector<Candidate>& found) {
    for (auto& library : found) {
        if (!library.rejected.empty() || !model::is_library(library.path)) continue;
        const auto source = std::find_if(found.begin(), found.end(), [&](const Candidate& other) {
            return other.name == library.name && other.rejected.empty() && other.path != library.path;
        });
        if (source != found.end()) library.rejected = fmt::format("{} is used, which stands in the same folder", source->path.string());
    }
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
    const auto& program = jit::program_file();
    if (program.empty()) return {};
    // Installed: bin/tessera and share/tessera; test programs stand one folder deeper.
    for (auto folder = program.parent_path(); folder != folder.root_path(); folder = folder.parent_path()) {
        const auto candidate = folder / "share" / "tessera" / name;
        if (fs::is_directory(candidate, failed)) return candidate;
    }
    return {};
}

PluginRegistry::PluginRegistry(const std::vector<fs::path>& folders, Unsafe unsafe) {
    for (const auto& folder : folders)
        if (const auto why = why_no_folder(folder); !why.empty())
            throw Error(Failure::plugin, fmt::format("no plugin folder {}", folder.string()), why, "check --plugins");
    auto all = folders;
    for (const auto& folder : environment_folders()) all.push_back(folder);
    const auto installed = installed_folder("plugins");
    if (!installed.empty()) all.push_back(installed);
    for (const auto& folder : all) {
        const auto is_this = [&](const fs::path& known) { return same_folder(known, folder); };
        if (std::any_of(folders_.begin(), folders_.end(), is_this)) continue;
        if (const auto why = why_no_folder(folder); !why.empty()) {
            candidates_.push_back({folder.filename().string(), folder, "models cannot be looked for there: " + why});
            continue;
        }
        folders_.push_back(folder);
        search(folder, folder == installed ? Unsafe::allowed : unsafe); // who can write there can write the program, too
    }
}

void PluginRegistry::search(const fs::path& folder, Unsafe unsafe) {
    std::vector<Candidate> found;
    std::error_code failed;
    for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end; entry.increment(failed))
        if (auto candidate = candidate_at(entry->path())) found.push_back(std::move(*candidate));
    if (failed) found.push_back({folder.filename().string(), folder, "a part of it could not be read: " + failed.message()});
    for (auto& candidate : found)
        if (const auto why = why_not_trusted(candidate.path, folder);
            unsafe == Unsafe::refused && candidate.rejected.empty() && !why.empty())
            candidate.rejected = why + "; --allow-unsafe-plugins allows it";
    std::sort(found.begin(), found.end(), [](const Candidate& a, const Candidate& b) { return a.path < b.path; });
    reject_beside_source(found);
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
