#include "host/outputs/folder_walk.hpp"

#include "device_runtime/error.hpp"
#include "device_runtime/plain_name.hpp"
#include "device_runtime/printable.hpp"
#include "host/outputs/output_file.hpp"
#include "host/run_file/file_name.hpp"

#include <fmt/format.h>

#include <atomic>
#include <cerrno>
#include <memory>
#include <set>
#include <system_error>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace fs = std::filesystem;

namespace tessera {
namespace {

using Folder = std::shared_ptr<const Descriptor>;

bool is_of_type(int folder, const std::string& name, mode_t type) {
    struct stat found {};
    return ::fstatat(folder, name.c_str(), &found, AT_SYMLINK_NOFOLLOW) == 0 && (found.st_mode & S_IFMT) == type;
}

int open_folder(int from, const std::string& name) { return ::openat(from, name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW); }

void add_files_below(const Folder& folder, const fs::path& shown, const fs::path& way, std::vector<std::string>& files) {
    for (const auto& name : names_in(folder->number(), shown)) {
        if (is_of_type(folder->number(), name, S_IFREG)) files.push_back((way / name).string());
        if (!is_of_type(folder->number(), name, S_IFDIR)) continue;
        const auto below = std::make_shared<const Descriptor>(open_folder(folder->number(), name));
        if (below->number() >= 0) add_files_below(below, shown / name, way / name, files);
    }
}

} // namespace

Folder open_folder_below(Folder from, const fs::path& way, const fs::path& shown, Missing missing) {
    if (const auto why = way.empty() ? "" : why_no_plain_name(way.string()); !why.empty())
        throw Error(Failure::output, fmt::format("\"{}\" is no folder below {}", tessera::shown(way.string()), shown.string()), why);
    auto so_far = shown;
    for (const auto& part : way) {
        so_far /= part;
        int opened = open_folder(from->number(), part.string());
        if (opened < 0 && errno == ENOENT) {
            if (missing == Missing::passed_over) return nullptr;
            if (::mkdirat(from->number(), part.c_str(), 0777) == 0 || errno == EEXIST) opened = open_folder(from->number(), part.string());
        }
        const int error = errno;
        if (opened < 0 && is_of_type(from->number(), part.string(), S_IFLNK))
            throw Error(Failure::output, fmt::format("{} is a symbolic link", so_far.string()),
                        "results are neither written nor removed through links", "remove the link, or give another folder with --out");
        if (opened < 0)
            throw Error(Failure::output, fmt::format("cannot make the folder {}", so_far.string()), std::generic_category().message(error));
        from = std::make_shared<const Descriptor>(opened);
    }
    return from;
}

std::vector<std::string> names_in(int folder, const fs::path& shown) {
    const int again = ::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC); // what lists a folder closes what it was given
    const std::unique_ptr<DIR, int (*)(DIR*)> list(again < 0 ? nullptr : ::fdopendir(again), ::closedir);
    if (list == nullptr) {
        const int error = errno;
        if (again >= 0) ::close(again);
        throw Error(Failure::output, fmt::format("cannot read the folder {}", shown.string()), std::generic_category().message(error));
    }
    std::vector<std::string> names;
    while (const auto* const entry = ::readdir(list.get())) {
        const std::string name = entry->d_name;
        if (name != "." && name != "..") names.push_back(name);
    }
    return names;
}

std::vector<std::string> files_below(const Folder& folder, const fs::path& shown) {
    std::vector<std::string> files;
    add_files_below(folder, shown, {}, files);
    return files;
}

void synchronise_names(const Folder& folder, const fs::path& shown, const std::vector<std::string>& files) {
    std::set<fs::path> ways{""};
    for (const auto& file : files)
        for (auto way = fs::path(file).parent_path(); !way.empty(); way = way.parent_path()) ways.insert(way);
    for (const auto& way : ways) {
        const auto opened = open_folder_below(folder, way, shown, Missing::passed_over);
        if (opened == nullptr) throw output_error(shown / way, ENOENT);
        if (const int error = synchronise(opened->number())) throw output_error(shown / way, error);
    }
}

std::string unused_temporary_name(int folder) {
    static std::atomic<unsigned> names{0};
    while (true) {
        auto name = fmt::format("{}{}-t{}{}", run_file::temporary_begin, ::getpid(), names++, run_file::temporary_end);
        struct stat found {};
        if (::fstatat(folder, name.c_str(), &found, AT_SYMLINK_NOFOLLOW) != 0) return name;
    }
}

void remove_tree(int folder, const std::string& name) noexcept try {
    if (::unlinkat(folder, name.c_str(), 0) == 0 || (errno != EISDIR && errno != EPERM)) return;
    const Descriptor below(open_folder(folder, name));
    if (below.number() < 0) return;
    for (const auto& each : names_in(below.number(), name)) remove_tree(below.number(), each);
    ::unlinkat(folder, name.c_str(), AT_REMOVEDIR);
} catch (const std::exception&) {}

bool take_away(int folder, const std::string& name) noexcept try {
    const auto other = unused_temporary_name(folder);
    if (::renameat(folder, name.c_str(), folder, other.c_str()) != 0) return errno == ENOENT;
    remove_tree(folder, other);
    return true;
} catch (const std::exception&) {
    return false;
}

} // namespace tessera
