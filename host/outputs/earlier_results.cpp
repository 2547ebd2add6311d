#include "host/outputs/earlier_results.hpp"

#include "device_runtime/error.hpp"
#include "device_runtime/plain_name.hpp"
#include "host/outputs/folder_walk.hpp"
#include "host/outputs/output_file.hpp"
#include "host/outputs/result_folder.hpp"
#include "host/run_file/file_name.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <optional>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace fs = std::filesystem;

namespace tessera {
namespace {

using Folder = std::shared_ptr<const Descriptor>;
using nlohmann::json;

[[noreturn]] void refuse_link(const fs::path& link) {
    throw Error(Failure::output, fmt::format("{} is a symbolic link", link.string()),
                "results are neither written nor removed through links", "remove the link, or give another folder with --out");
}

[[noreturn]] void refuse(const fs::path& shown, const std::string& why) {
    throw Error(Failure::output, fmt::format("the folder {} holds other things than results", shown.string()), why,
                "give another with --out");
}

std::string text_of(int file) {
    std::string text;
    char part[1 << 16];
    for (ssize_t count = 1; count != 0;) {
        count = ::read(file, part, sizeof part);
        if (count < 0 && errno != EINTR) return {};
        if (count > 0) text.append(part, static_cast<std::size_t>(count));
    }
    return text;
}

json manifest_in(const Folder& folder, const fs::path& shown) {
    const Descriptor file(::openat(folder->number(), manifest_name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (file.number() < 0 && errno == ELOOP) refuse_link(shown / manifest_name);
    if (file.number() < 0 && errno == ENOENT) refuse(shown, "it has no manifest.json");
    struct stat found {};
    const bool is_file = file.number() >= 0 && ::fstat(file.number(), &found) == 0 && S_ISREG(found.st_mode);
    auto manifest = is_file ? json::parse(text_of(file.number()), nullptr, false) : json();
    if (!manifest.is_object() || !manifest.contains("tessera")) refuse(shown, "its manifest.json is not of Tessera");
    return manifest;
}

std::vector<std::string> texts_of(const json& manifest, const char* key) {
    std::vector<std::string> texts;
    if (manifest.contains(key) && manifest[key].is_array())
        for (const auto& text : manifest[key])
            if (text.is_string()) texts.push_back(text.get<std::string>());
    return texts;
}

std::vector<fs::path> listed_files(const json& manifest) {
    std::vector<fs::path> paths;
    for (const auto& name : texts_of(manifest, "files")) paths.push_back(fs::path(name).lexically_normal());
    return paths;
}

// What a run with --watch keeps of its changes: "edits/003/life.cu".
bool is_of_edits(const std::string& name) {
    const std::string folder = "edits/", list = folder + "edits.jsonl";
    auto digits = folder.size();
    while (digits < name.size() && name[digits] >= '0' && name[digits] <= '9') ++digits;
    return name == list || (name.starts_with(folder) && digits >= folder.size() + 3 && digits < name.size() && name[digits] == '/');
}

std::vector<run_file::FileName> parsed(const std::vector<std::string>& texts) {
    std::vector<run_file::FileName> names;
    for (const auto& text : texts) try {
            names.push_back(run_file::FileName::parse({text, {}}));
        } catch (const Error&) {} // no name that a run file may have
    return names;
}

// Whether one of the outputs writes such a file, or it is not finished.
bool is_written_by(const std::vector<run_file::FileName>& outputs, const std::string& name) {
    return run_file::is_temporary_name(fs::path(name).filename().string()) ||
           std::any_of(outputs.begin(), outputs.end(), [&](const auto& output) { return output.is_called(name); });
}

// What a killed run may have written since its last manifest: files that it was to write, and what it had not finished.
std::vector<fs::path> files_since(const json& manifest, const Folder& folder, const fs::path& shown) {
    const auto outputs = parsed(texts_of(manifest, "writing"));
    std::vector<fs::path> paths;
    for (const auto& name : files_below(folder, shown))
        if (is_of_edits(name) || is_written_by(outputs, name)) paths.emplace_back(name);
    return paths;
}

mode_t type_of(const Folder& folder, const fs::path& name) {
    struct stat found {};
    return folder != nullptr && ::fstatat(folder->number(), name.c_str(), &found, AT_SYMLINK_NOFOLLOW) == 0 ? found.st_mode & S_IFMT : 0;
}

} // namespace

void remove_earlier_results(const Folder& folder, const fs::path& shown) {
    const auto manifest = manifest_in(folder, shown);
    auto files = listed_files(manifest);
    if (manifest.value("status", json()) == "running")
        for (auto& file : files_since(manifest, folder, shown)) files.push_back(std::move(file));
    const auto leads_out = [](const fs::path& file) { return !why_no_plain_name(file.string()).empty(); }; // or was never ours
    files.erase(std::remove_if(files.begin(), files.end(), leads_out), files.end());
    const auto folder_of = [&](const fs::path& file) { return open_folder_below(folder, file.parent_path(), shown, Missing::passed_over); };
    for (const auto& file : files)
        if (type_of(folder_of(file), file.filename()) == S_IFLNK) refuse_link(shown / file);
    for (const auto& file : files)
        if (const auto where = folder_of(file); type_of(where, file.filename()) == S_IFREG)
            ::unlinkat(where->number(), file.filename().c_str(), 0);
}

void remove_later_files(const Folder& folder, const fs::path& shown, const std::vector<std::string>& outputs,
                        const std::vector<std::string>& kept) {
    const auto names = parsed(outputs);
    for (const auto& name : files_below(folder, shown)) {
        if (!is_written_by(names, name) || std::find(kept.begin(), kept.end(), name) != kept.end()) continue;
        const fs::path file(name);
        if (const auto where = open_folder_below(folder, file.parent_path(), shown, Missing::passed_over))
            ::unlinkat(where->number(), file.filename().c_str(), 0);
    }
}

} // namespace tessera
