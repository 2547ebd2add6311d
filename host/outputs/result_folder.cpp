#include "host/outputs/result_folder.hpp"

#include "device_runtime/error.hpp"
#include "device_runtime/plain_name.hpp"
#include "device_runtime/printable.hpp"
#include "host/outputs/earlier_results.hpp"
#include "host/outputs/folder_walk.hpp"
#include "host/outputs/output_file.hpp"
#include "host/run_file/file_name.hpp"
#include "jit/log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <system_error>
#include <thread>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace fs = std::filesystem;

namespace tessera {
namespace {

using Folder = std::shared_ptr<const Descriptor>;

[[noreturn]] void cannot_make(const fs::path& folder, const std::string& why) {
    throw Error(Failure::output, fmt::format("cannot make the result folder {}", folder.string()), why, "give another with --out");
}

// With those above it, whose names are on the disk when it returns.
void make(const fs::path& folder) {
    std::error_code failed;
    std::vector<fs::path> above; // what is not there yet
    for (auto way = fs::absolute(folder).lexically_normal(); way.has_relative_path() && !fs::exists(way, failed); way = way.parent_path())
        above.push_back(way.parent_path());
    fs::create_directories(folder, failed);
    if (failed) cannot_make(folder, failed.message());
    for (const auto& each : above) {
        const Descriptor opened(::open(each.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        if (opened.number() < 0) continue; // one that may not be read
        if (const int error = synchronise(opened.number())) cannot_make(folder, std::generic_category().message(error));
    }
}

Folder opened(const fs::path& folder, int flags) {
    const int number = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | flags);
    if (number < 0) cannot_make(folder, std::generic_category().message(errno));
    return std::make_shared<const Descriptor>(number);
}

// Whether no other run has the folder. It is the folder itself that is locked, so that nothing of the lock stays behind, and the system
// unlocks it when the process ends.
bool try_to_lock(const Folder& folder, const fs::path& shown) {
    while (::flock(folder->number(), LOCK_EX | LOCK_NB) != 0) {
        if (errno == EWOULDBLOCK) return false;
        if (errno == EINTR) continue;
        log_warning("the result folder {} cannot be locked ({}): do not start another run into the same folder", shown.string(),
                    std::generic_category().message(errno));
        return true;
    }
    return true;
}

// The same a moment later, where the run that had the folder was killed: a child that is not a compiler yet has what its parent had open.
bool try_for_a_moment(const Folder& folder, const fs::path& shown) {
    constexpr std::chrono::milliseconds longest{1000}, pause{20};
    const auto end = std::chrono::steady_clock::now() + longest;
    while (!try_to_lock(folder, shown)) {
        if (std::chrono::steady_clock::now() >= end) return false;
        std::this_thread::sleep_for(pause);
    }
    return true;
}

bool is_empty(const Folder& folder, const fs::path& shown) {
    const auto names = names_in(folder->number(), shown);
    return std::all_of(names.begin(), names.end(), run_file::is_temporary_name);
}

// What a run left that was killed before it had a manifest.
void remove_temporary_files(const Folder& folder, const fs::path& shown) {
    for (const auto& name : names_in(folder->number(), shown))
        if (run_file::is_temporary_name(name)) remove_tree(folder->number(), name);
}

void remove_unfinished_below(const Folder& folder, const fs::path& shown) {
    remove_temporary_files(folder, shown);
    for (const auto& name : names_in(folder->number(), shown)) {
        const int number = ::openat(folder->number(), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (number >= 0) remove_unfinished_below(std::make_shared<const Descriptor>(number), shown / name);
    }
}

// Whether there are the sources of a run with checkpoints.
bool can_be_resumed(const Folder& folder, const fs::path& shown) {
    const auto sources = open_folder_below(folder, sources_name, shown, Missing::passed_over);
    struct stat found {};
    return sources != nullptr && ::fstatat(sources->number(), sources_list_name, &found, AT_SYMLINK_NOFOLLOW) == 0;
}

// What a run with checkpoints had not finished, its sources first of all, and what it had. Sources go first: without them nothing is
// resumed.
void remove_checkpoints(const Folder& folder, const fs::path& shown) {
    remove_temporary_files(folder, shown);
    if (!can_be_resumed(folder, shown)) return;
    for (const auto* const name : {sources_name, checkpoints_name})
        if (!take_away(folder->number(), name))
            throw Error(Failure::output, fmt::format("{} cannot be removed", (shown / name).string()),
                        std::generic_category().message(errno), "give another folder with --out");
}

[[noreturn]] void refuse_busy(const fs::path& folder) {
    throw Error(Failure::output, fmt::format("the result folder {} is in use", folder.string()), "another run writes into it",
                "wait until it ends, or give another with --out");
}

} // namespace

ResultFolder::ResultFolder(fs::path path, Folder folder) : path_(std::move(path)), folder_(std::move(folder)) {}

FilePlace ResultFolder::place(const std::string& name) const {
    if (const auto why = why_no_plain_name(name); !why.empty())
        throw Error(Failure::output, fmt::format("\"{}\" is no file in {}", shown(name), path_.string()), why);
    const fs::path path(name);
    return {open_folder_below(folder_, path.parent_path(), path_, Missing::made), path.filename().string(), path_ / path};
}

std::optional<FileLook> ResultFolder::look_at(const std::string& name) const try {
    const fs::path path(name);
    const auto parent = open_folder_below(folder_, path.parent_path(), path_, Missing::passed_over);
    struct stat found {};
    if (parent == nullptr || ::fstatat(parent->number(), path.filename().c_str(), &found, AT_SYMLINK_NOFOLLOW) != 0 ||
        S_ISLNK(found.st_mode))
        return std::nullopt;
    const bool is_file = S_ISREG(found.st_mode);
    return FileLook{found.st_dev, found.st_ino, is_file ? static_cast<std::uint64_t>(found.st_size) : 0, is_file};
} catch (const Error&) { // a link stands where a folder was
    return std::nullopt;
}

bool ResultFolder::is_where_it_was() const {
    struct stat by_path {
    }, held{};
    return ::stat(path_.c_str(), &by_path) == 0 && ::fstat(folder_->number(), &held) == 0 && by_path.st_dev == held.st_dev &&
           by_path.st_ino == held.st_ino;
}

void ResultFolder::remove_manifest() const noexcept { ::unlinkat(folder_->number(), manifest_name, 0); }

ResultFolder claim_result_folder(const fs::path& wanted, bool overwrite) {
    std::error_code failed;
    const auto named = wanted.has_filename() ? wanted : wanted.parent_path(); // "out/" would be what a link of that name leads to
    if (fs::exists(named, failed) && !fs::is_directory(named, failed))
        throw Error(Failure::output, fmt::format("{} is not a folder", wanted.string()), "results need one", "give another with --out");
    if (overwrite && fs::is_symlink(named, failed))
        throw Error(Failure::output, fmt::format("the result folder {} is a symbolic link", wanted.string()),
                    "nothing is overwritten through links", "name the folder that it leads to");
    make(named);
    ResultFolder result(wanted, opened(named, overwrite ? O_NOFOLLOW : 0));
    if (!try_to_lock(result.folder_, wanted)) refuse_busy(wanted);
    if (is_empty(result.folder_, wanted)) {
        remove_temporary_files(result.folder_, wanted);
        return result;
    }
    if (!overwrite)
        throw Error(Failure::output, fmt::format("the result folder {} is not empty", wanted.string()),
                    "a run does not overwrite earlier results",
                    can_be_resumed(result.folder_, wanted)
                        ? fmt::format("`tessera resume {}` goes on with the run in it; else give another with --out, or --overwrite",
                                      wanted.string())
                        : "give another with --out, or --overwrite");
    const bool has_only_begun = can_be_resumed(result.folder_, wanted) && !result.look_at(manifest_name); // it has written nothing else
    if (!has_only_begun) remove_earlier_results(result.folder_, wanted);
    remove_checkpoints(result.folder_, wanted);
    return result;
}

ResultFolder folder_to_read(const fs::path& path) {
    const int number = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (number < 0)
        throw Error(Failure::input, fmt::format("the folder {} cannot be read", path.string()), std::generic_category().message(errno));
    return {path, std::make_shared<const Descriptor>(number)};
}

ResultFolder open_result_folder(const fs::path& path) {
    const int number = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (number < 0)
        throw Error(Failure::input, fmt::format("there is no result folder {}", path.string()), std::generic_category().message(errno),
                    "name the folder of a run");
    ResultFolder result(path, std::make_shared<const Descriptor>(number));
    if (!try_for_a_moment(result.folder_, path)) refuse_busy(path);
    return result;
}

void remove_unfinished(const ResultFolder& folder) { remove_unfinished_below(folder.handle(), folder.path()); }

ResultFolder new_result_folder(const fs::path& base) {
    make(base.has_parent_path() ? base.parent_path() : fs::path("."));
    for (int number = 1;; ++number) {
        const fs::path folder = number == 1 ? base : fs::path(fmt::format("{}-{}", base.string(), number));
        std::error_code failed;
        if (fs::create_directory(folder, failed)) { // atomic: two runs never make the same one
            ResultFolder result(folder, opened(folder, O_NOFOLLOW));
            if (try_to_lock(result.folder_, folder) && is_empty(result.folder_, folder))
                return result; // else one that was told of it was faster
        }
        if (failed) cannot_make(folder, failed.message());
    }
}

} // namespace tessera
