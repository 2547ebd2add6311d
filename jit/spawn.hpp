// Starting a program: what it reads and writes, where it runs, and the group of processes that it belongs to.
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include <sys/types.h>

namespace tessera::jit {

// Closed in every program that is started, unless it is what that reads or writes. Throws std::system_error.
class Pipe {
public:
    Pipe();
    ~Pipe();
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;

    [[nodiscard]] int reader() const noexcept { return ends_[0]; }
    [[nodiscard]] int writer() const noexcept { return ends_[1]; }
    void close_reader() noexcept { close(0); }
    void close_writer() noexcept { close(1); }

private:
    void close(std::size_t end) noexcept;
    std::array<int, 2> ends_{-1, -1};
};

struct Start {
    std::vector<std::string> arguments;   // the first is the program's absolute path
    std::vector<std::string> environment; // "name=value"
    std::filesystem::path folder;         // empty: the current one
    int input = -1, output = -1;          // of both of its streams; -1: /dev/null
    pid_t group = 0;                      // 0: one of its own, named as the process is
};

// With the signals as they are by default. Throws std::system_error when it cannot be started. Thread-safe.
[[nodiscard]] pid_t spawn(const Start& start);

// Waits for the end of a child; gives its status as waitpid does.
int reap(pid_t child) noexcept;

} // namespace tessera::jit
