#include "jit/process.hpp"

#include "jit/watcher.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <string_view>
#include <system_error>
#include <thread>

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace tessera::jit {
namespace {

using Clock = std::chrono::steady_clock;

void check(int error, const char* what) {
    if (error != 0) throw std::system_error(error, std::generic_category(), what);
}

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

// The limits are set where the program is about to begin, so that its children have them from their first moment. Lower ones may stand
// already: they stay. Where few files may be open, the shell loses its errors: they are connected once more.
constexpr const char* launch_script = R"(ulimit -c 0 2>/dev/null
ulimit -t "$1" 2>/dev/null
[ "$2" = 0 ] || ulimit -v "$2" 2>/dev/null
shift 2
exec "$@" 2>&1)";

pid_t launch(const Command& command, int output, pid_t group) {
    const auto& program = command.arguments.front();
    if (::access(program.c_str(), X_OK) != 0) check(errno, program.c_str());
    // Time on the clock is watched from here; time of the processor is for what nobody watches any more.
    const auto seconds = std::chrono::ceil<std::chrono::seconds>(command.patience).count() + 10;
    Start start;
    start.arguments = {"/bin/sh", "-c", launch_script, "tessera-launcher", std::to_string(seconds), std::to_string(command.memory / 1024)};
    start.arguments.insert(start.arguments.end(), command.arguments.begin(), command.arguments.end());
    start.environment = environment_of(command);
    start.folder = command.folder;
    start.output = output;
    start.group = group;
    return spawn(start);
}

// How long the command may go on.
class Patience {
public:
    explicit Patience(const Command& command) : end_(Clock::now() + command.patience), cancel_(command.cancel) {}

    // Whether it is over, and then why.
    [[nodiscard]] bool is_over(Outcome& outcome) const {
        outcome.cancelled = cancel_ != nullptr && *cancel_;
        outcome.timed_out = !outcome.cancelled && Clock::now() >= end_;
        return outcome.cancelled || outcome.timed_out;
    }

    // For how many milliseconds one may sleep until it is asked again.
    [[nodiscard]] int pause() const {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(end_ - Clock::now()).count();
        return static_cast<int>(std::clamp<long long>(left, 0, cancel_ != nullptr ? 20 : 10'000));
    }

private:
    Clock::time_point end_;
    const std::atomic<bool>* cancel_;
};

// Reads until the other end is closed; false when the patience is over before that.
bool read_all(int input, const Patience& patience, Outcome& outcome) {
    constexpr std::size_t limit = 4u << 20;
    std::array<char, 16384> buffer;
    while (!patience.is_over(outcome)) {
        pollfd waiting{input, POLLIN, 0};
        const int ready = ::poll(&waiting, 1, patience.pause());
        if (ready < 0 && errno != EINTR) check(errno, "poll");
        if (ready <= 0) continue;
        const auto count = ::read(input, buffer.data(), buffer.size());
        if (count < 0 && errno != EINTR) check(errno, "read");
        if (count == 0) return true;
        auto& text = outcome.text;
        if (count > 0) text.append(buffer.data(), std::min(static_cast<std::size_t>(count), limit - std::min(limit, text.size())));
    }
    return false;
}

// Whether the child has ended by itself; one that has closed its output is about to.
bool wait_for(pid_t child, const Patience& patience, Outcome& outcome, int& status) {
    for (auto pause = std::chrono::microseconds(50);; pause = std::min(2 * pause, std::chrono::microseconds(20'000))) {
        const pid_t ended = ::waitpid(child, &status, WNOHANG);
        if (ended == child) return true;
        if (ended < 0 && errno != EINTR) check(errno, "waitpid");
        if (patience.is_over(outcome)) return false;
        std::this_thread::sleep_for(pause);
    }
}

} // namespace

Outcome run(const Command& command) {
    const Watcher watcher(command.scratch);
    Pipe pipe;
    const pid_t child = launch(command, pipe.writer(), watcher.group());
    pipe.close_writer();
    const Patience patience(command);
    Outcome outcome;
    int status = 0;
    try {
        if (!read_all(pipe.reader(), patience, outcome) || !wait_for(child, patience, outcome, status)) {
            watcher.kill_all();
            status = reap(child);
        }
    } catch (...) {
        watcher.kill_all();
        reap(child);
        throw;
    }
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
