#include "device_runtime/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <optional>
#include <sstream>

#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

namespace tessera {
namespace {

namespace fs = std::filesystem;

constexpr auto no_limit = std::numeric_limits<std::uint64_t>::max();

// The control group (version 2) of this process, and those around it: a limit may stand in any of them.
std::vector<fs::path> control_groups() {
    const fs::path root = "/sys/fs/cgroup";
    std::vector<fs::path> groups{root};
    std::ifstream lines("/proc/self/cgroup");
    for (std::string line; std::getline(lines, line);) {
        if (line.rfind("0::/", 0) != 0) continue;
        fs::path group = root;
        for (const auto& part : fs::path(line.substr(4))) groups.push_back(group /= part);
    }
    return groups;
}

std::optional<std::uint64_t> number_in(const fs::path& file) {
    std::ifstream in(file);
    std::uint64_t value = 0;
    if (in >> value) return value;
    return std::nullopt; // no such file, or the word "max"
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

std::uint64_t kibibytes(const std::string& key) { return field_of("/proc/meminfo", key).value_or(0) * 1024; }

// What the group's own limit leaves; the page cache that can be dropped counts as free.
std::uint64_t left_in(const fs::path& group) {
    const auto limit = number_in(group / "memory.max");
    if (!limit) return no_limit;
    const auto used = number_in(group / "memory.current").value_or(0);
    const auto cache = field_of(group / "memory.stat", "inactive_file").value_or(0);
    return *limit - std::min(*limit, used - std::min(used, cache));
}

std::optional<int> cpu_limit_of(const fs::path& group) {
    std::ifstream in(group / "cpu.max");
    double quota = 0, period = 0;
    if (in >> quota >> period && quota > 0 && period > 0) return std::max(1, static_cast<int>((quota + period - 1) / period));
    return std::nullopt;
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
    for (const auto& group : control_groups()) total = std::min(total, number_in(group / "memory.max").value_or(no_limit));
    return total;
}

std::uint64_t memory_available() {
    auto available = kibibytes("MemAvailable");
    for (const auto& group : control_groups()) available = std::min(available, left_in(group));
    return available;
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
