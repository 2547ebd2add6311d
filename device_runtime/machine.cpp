#include "device_runtime/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <optional>
#include <sstream>

#include <sched.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <unistd.h>

namespace tessera {
namespace {

namespace fs = std::filesystem;

constexpr auto no_limit = std::numeric_limits<std::uint64_t>::max();

// What names the files of a control group.
struct GroupFiles {
    const char *memory, *used, *cache; // its limit, what it uses, and what of that can be dropped, in memory.stat
};
constexpr GroupFiles version_2{"memory.max", "memory.current", "inactive_file"};
constexpr GroupFiles version_1{"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"};

struct Group {
    fs::path folder;
    const GroupFiles* files;
};

bool is_of(const std::string& controllers, const std::string& wanted) {
    std::istringstream list(controllers);
    for (std::string each; std::getline(list, each, ',');)
        if (each == wanted) return true;
    return false;
}

// The path of this process's group: of version 2, or of a controller of version 1 ("memory").
fs::path path_of_group(const std::string& controller) {
    std::ifstream lines("/proc/self/cgroup");
    for (std::string line; std::getline(lines, line);) { // "4:memory:/user.slice", "0::/user.slice"
        const auto first = line.find(':'), second = line.find(':', first + 1);
        if (second == std::string::npos) continue;
        const auto names = line.substr(first + 1, second - first - 1);
        if (controller.empty() ? line.rfind("0::/", 0) == 0 : is_of(names, controller))
            return fs::path(line.substr(second + 1)).relative_path();
    }
    return {};
}

// The group and those around it, up to the root: a limit may stand in any of them. In a container the path may not be there, and the root
// is its group.
void add_groups(const fs::path& root, const fs::path& path, const GroupFiles& files, std::vector<Group>& groups) {
    groups.push_back({root, &files});
    fs::path group = root;
    for (const auto& part : path) groups.push_back({group /= part, &files});
}

std::vector<Group> control_groups() {
    const fs::path root = "/sys/fs/cgroup";
    std::vector<Group> groups;
    add_groups(root, path_of_group(""), version_2, groups);
    add_groups(root / "memory", path_of_group("memory"), version_1, groups);
    for (const char* folder : {"cpu", "cpu,cpuacct"}) add_groups(root / folder, path_of_group("cpu"), version_1, groups);
    return groups;
}

std::optional<std::uint64_t> number_in(const fs::path& file) {
    std::ifstream in(file);
    std::int64_t value = 0;
    if (in >> value && value >= 0) return static_cast<std::uint64_t>(value);
    return std::nullopt; // no such file, the word "max", or -1
}

// The value of `key` in lines of "key value", with or without a colon.
std::optional<std::uint64_t> field_of(const fs::path& file, const std::string& key) {
    std::ifstream lines(file);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string word;
        std::uint64_t value = 0;
        if (words >> word >> value && (word == key || word == key + ":")) return value;
    }
    return std::nullopt;
}

// Where there is no /proc what is free is not known: then all of it may be.
std::uint64_t kibibytes(const std::string& key) {
    if (const auto value = field_of("/proc/meminfo", key)) return *value * 1024;
    struct sysinfo info {};
    return ::sysinfo(&info) == 0 ? static_cast<std::uint64_t>(info.totalram) * info.mem_unit : no_limit;
}

std::uint64_t limit_of(const Group& group) { return number_in(group.folder / group.files->memory).value_or(no_limit); }

// What the group's own limit leaves; the page cache that can be dropped counts as free.
std::uint64_t left_in(const Group& group) {
    const auto limit = limit_of(group);
    if (limit == no_limit) return no_limit;
    const auto used = number_in(group.folder / group.files->used).value_or(0);
    const auto cache = field_of(group.folder / "memory.stat", group.files->cache).value_or(0);
    return limit - std::min(limit, used - std::min(used, cache));
}

std::optional<int> threads_in(double quota, double period) {
    if (!(quota > 0) || !(period > 0)) return std::nullopt;
    return std::max(1, static_cast<int>((quota + period - 1) / period));
}

std::optional<int> cpu_limit_of(const Group& group) {
    double quota = 0, period = 0;
    if (std::ifstream in(group.folder / "cpu.max"); in >> quota >> period) return threads_in(quota, period);
    const auto of_1 = number_in(group.folder / "cpu.cfs_quota_us"); // -1 without a limit, which is no number here
    return of_1 ? threads_in(static_cast<double>(*of_1), static_cast<double>(number_in(group.folder / "cpu.cfs_period_us").value_or(0)))
                : std::nullopt;
}

} // namespace

std::vector<int> allowed_cpus() {
    constexpr int most = 8192;
    const auto bytes = CPU_ALLOC_SIZE(most);
    const std::unique_ptr<cpu_set_t, void (*)(cpu_set_t*)> set(CPU_ALLOC(most), [](cpu_set_t* it) { CPU_FREE(it); });
    std::vector<int> cpus;
    if (set && sched_getaffinity(0, bytes, set.get()) == 0) {
        for (int cpu = 0; cpu < most; ++cpu) {
            if (CPU_ISSET_S(static_cast<std::size_t>(cpu), bytes, set.get())) cpus.push_back(cpu);
        }
    }
    if (cpus.empty()) cpus.push_back(0);
    return cpus;
}

int usable_threads() {
    int threads = static_cast<int>(allowed_cpus().size());
    for (const auto& group : control_groups()) threads = std::min(threads, cpu_limit_of(group).value_or(threads));
    return threads;
}

int threads_that_pay(std::int64_t places, int usable) {
    constexpr std::int64_t least_share = 32768; // places: 7 to 30 microseconds of a simple function
    return static_cast<int>(std::clamp<std::int64_t>(places / least_share, 1, std::max(usable, 1)));
}

std::string cpu_model() {
    std::ifstream lines("/proc/cpuinfo");
    for (std::string line; std::getline(lines, line);) {
        const auto colon = line.find(": ");
        if (line.rfind("model name", 0) == 0 && colon != std::string::npos) return line.substr(colon + 2);
    }
    return "CPU";
}

std::uint64_t memory_total() {
    auto total = kibibytes("MemTotal");
    for (const auto& group : control_groups()) total = std::min(total, limit_of(group));
    return total;
}

std::uint64_t memory_available() {
    auto available = kibibytes("MemAvailable");
    for (const auto& group : control_groups()) available = std::min(available, left_in(group));
    return available;
}

int memory_nodes() {
    static const int nodes = [] {
        int count = 0;
        std::error_code error;
        for (const auto& entry : std::filesystem::directory_iterator("/sys/devices/system/node", error))
            if (const auto name = entry.path().filename().string(); name.starts_with("node") && std::isdigit(name.back()) != 0) ++count;
        return std::max(count, 1);
    }();
    return nodes;
}

std::uint64_t memory_peak() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

std::string readable_bytes(std::uint64_t bytes) {
    const auto value = static_cast<double>(bytes);
    if (bytes >= std::uint64_t{1} << 30) return fmt::format("{:.1f} GiB", value / (1 << 30));
    if (bytes >= std::uint64_t{1} << 20) return fmt::format("{:.4g} MiB", value / (1 << 20));
    if (bytes >= std::uint64_t{1} << 10) return fmt::format("{:.4g} KiB", value / (1 << 10));
    return fmt::format("{} bytes", bytes);
}

} // namespace tessera
