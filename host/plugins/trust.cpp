#include "host/plugins/trust.hpp"

#include "jit/environment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

namespace fs = std::filesystem;

namespace tessera {
namespace {

// Who installed this program runs all of it for us anyway.
uid_t owner_of_program() {
    struct stat status {};
    return ::stat(jit::program_file().c_str(), &status) == 0 ? status.st_uid : 0;
}

// Root's own counts as ours: its members write where root does.
bool is_group_of_ours(gid_t group) {
    if (group == 0 || group == ::getegid()) return true;
    const int count = ::getgroups(0, nullptr);
    std::vector<gid_t> groups(static_cast<std::size_t>(std::max(count, 0)));
    const int got = ::getgroups(static_cast<int>(groups.size()), groups.data());
    return std::find(groups.begin(), groups.begin() + std::max(got, 0), group) != groups.begin() + std::max(got, 0);
}

std::string why_others_may_write(const fs::path& path) {
    static const uid_t installer = owner_of_program();
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) return {}; // what is not there is told elsewhere
    if (status.st_uid != 0 && status.st_uid != ::geteuid() && status.st_uid != installer)
        return fmt::format("{} belongs to somebody else (user {})", path.string(), status.st_uid);
    const bool removes_own_alone = S_ISDIR(status.st_mode) && (status.st_mode & S_ISVTX) != 0;
    if ((status.st_mode & S_IWOTH) != 0 && !removes_own_alone) return fmt::format("everybody may write into {}", path.string());
    if ((status.st_mode & S_IWGRP) != 0 && !removes_own_alone && !is_group_of_ours(status.st_gid))
        return fmt::format("a group that we are not in (group {}) may write into {}", status.st_gid, path.string());
    return {};
}

bool lies_within(const fs::path& file, const fs::path& folder) {
    return std::mismatch(folder.begin(), folder.end(), file.begin(), file.end()).first == folder.end();
}

} // namespace

std::string why_not_trusted(const fs::path& file, const fs::path& folder) {
    std::error_code failed;
    const auto target = fs::canonical(file, failed), inside = failed ? fs::path() : fs::canonical(folder, failed);
    if (failed) return {}; // told by who reads it
    if (!lies_within(target, inside)) return fmt::format("it is a link to {}, which is not in {}", target.string(), folder.string());
    for (auto path = target;; path = path.parent_path()) {
        if (auto why = why_others_may_write(path); !why.empty()) return why;
        if (path == path.root_path()) return {};
    }
}

} // namespace tessera
