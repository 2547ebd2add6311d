#include "jit/process.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <system_error>
#include <thread>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace tessera::jit {
namespace {

using Clock = std::chrono::steady_clock;

void check(int error, const char* what) {
    if (error != 0) throw std::system_error(error, std::generic_category(), what);
}

struct Pipe {
    std::array<int, 2> ends{-1, -1};
    Pipe() {
        if (::pipe2(ends.data(), O_CLOEXEC) != 0) check(errno, "pipe");
    }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;
    ~Pipe() {
        close(0);
        close(1);
    }
    void close(std::size_t end) {
        if (ends[end] >= 0) ::close(ends[end]);
        ends[end] = -1;
    }
};

struct SpawnActions {
    posix_spawn_file_actions_t files{};
    posix_spawnattr_t attributes{};
    SpawnActions() {
        check(posix_spawn_file_actions_init(&files), "posix_spawn_file_actions_init");
        check(posix_spawnattr_init(&attributes), "posix_spawnattr_init");
    }
    SpawnActions(const SpawnActions&) = delete;
    SpawnActions& operator=(const SpawnActions&) = delete;
    ~SpawnActions() {
        posix_spawn_file_actions_destroy(&files);
        posix_spawnattr_destroy(&attributes);
    }
};

std::vector<std::string> environment_of(const Command& command) {
    std::vector<std::string> result;
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        const std::string_view text(*entry);
        const auto name = text.substr(0, text.find('='));
        const bool changed =
            std::any_of(command.environment.begin(), command.environment.end(), [&](const auto& each) { return each.first == name; });
        if (!changed) result.emplace_back(text);
    }
    for (const auto& [name, value] : command.environment)
        if (!value.empty()) result.push_back(name + "=" + value);
    return result;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
    std::vector<char*> result;
    for (auto& text : texts) result.push_back(text.data());
    result.push_back(nullptr);
    return result;
}

// In a process group of its own, so that its children can be ended with it.
pid_t spawn(const Command& command, int output) {
    SpawnActions actions;
    check(posix_spawn_file_actions_addopen(&actions.files, 0, "/dev/null", O_RDONLY, 0), "posix_spawn_file_actions_addopen");
    check(posix_spawn_file_actions_adddup2(&actions.files, output, 1), "posix_spawn_file_actions_adddup2");
    check(posix_spawn_file_actions_adddup2(&actions.files, output, 2), "posix_spawn_file_actions_adddup2");
    if (!command.folder.empty())
        check(posix_spawn_file_actions_addchdir_np(&actions.files, command.folder.c_str()), "posix_spawn_file_actions_addchdir_np");
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    check(posix_spawnattr_setsigmask(&actions.attributes, &none), "posix_spawnattr_setsigmask");
    check(posix_spawnattr_setsigdefault(&actions.attributes, &all), "posix_spawnattr_setsigdefault");
    check(posix_spawnattr_setpgroup(&actions.attributes, 0), "posix_spawnattr_setpgroup");
    check(posix_spawnattr_setflags(&actions.attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF),
          "posix_spawnattr_setflags");

    auto arguments = command.arguments;
    auto environment = environment_of(command);
    pid_t child = 0;
    check(posix_spawn(&child, arguments.front().c_str(), &actions.files, &actions.attributes, pointers_to(arguments).data(),
                      pointers_to(environment).data()),
          arguments.front().c_str());
    return child;
}

// Reads until the other end is closed; false when the time is over before that.
bool read_all(int input, Clock::time_point end, std::string& text) {
    constexpr std::size_t limit = 4u << 20;
    std::array<char, 16384> buffer;
    while (true) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
        if (left <= 0) return false;
        pollfd waiting{input, POLLIN, 0};
        const int ready = ::poll(&waiting, 1, static_cast<int>(std::min<long long>(left, 1'000'000)));
        if (ready < 0 && errno != EINTR) check(errno, "poll");
        if (ready <= 0) continue;
        const auto count = ::read(input, buffer.data(), buffer.size());
        if (count < 0 && errno != EINTR) check(errno, "read");
        if (count == 0) return true;
        if (count > 0) text.append(buffer.data(), std::min(static_cast<std::size_t>(count), limit - std::min(limit, text.size())));
    }
}

// Whether the child has ended by then; one that has closed its output is about to.
bool wait_until(pid_t child, Clock::time_point end, int& status) {
    for (auto pause = std::chrono::microseconds(50);; pause = std::min(2 * pause, std::chrono::microseconds(20'000))) {
        const pid_t ended = ::waitpid(child, &status, WNOHANG);
        if (ended == child) return true;
        if (ended < 0 && errno != EINTR) check(errno, "waitpid");
        if (Clock::now() >= end) return false;
        std::this_thread::sleep_for(pause);
    }
}

int end_of(pid_t child) {
    ::kill(-child, SIGKILL);
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    return status;
}

} // namespace

Outcome run(const Command& command) {
    Pipe pipe;
    const pid_t child = spawn(command, pipe.ends[1]);
    pipe.close(1);
    const auto end = Clock::now() + command.patience;
    Outcome outcome;
    int status = 0;
    try {
        outcome.timed_out = !read_all(pipe.ends[0], end, outcome.text) || !wait_until(child, end, status);
    } catch (...) {
        end_of(child);
        throw;
    }
    if (outcome.timed_out) status = end_of(child);
    outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return outcome;
}

std::filesystem::path find_program(const std::string& name) {
    const auto runs = [](const std::filesystem::path& path) {
        std::error_code error;
        return std::filesystem::is_regular_file(path, error) && ::access(path.c_str(), X_OK) == 0;
    };
    if (name.find('/') != std::string::npos) return runs(name) ? std::filesystem::absolute(name) : std::filesystem::path();
    const char* search = std::getenv("PATH");
    std::string_view folders = search == nullptr ? "/usr/local/bin:/usr/bin:/bin" : search;
    while (!name.empty() && !folders.empty()) {
        const auto end = std::min(folders.find(':'), folders.size());
        const auto candidate = std::filesystem::path(folders.substr(0, end)) / name;
        if (candidate.is_absolute() && runs(candidate)) return candidate;
        folders.remove_prefix(std::min(end + 1, folders.size()));
    }
    return {};
}

} // namespace tessera::jit
