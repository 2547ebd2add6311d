// Running another program, within limits, and reading what it says.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace tessera::jit {

struct Command {
    std::vector<std::string> arguments;                           // the first is the program's absolute path; no shell reads them
    std::filesystem::path folder;                                 // it runs there; empty: in the current one
    std::vector<std::pair<std::string, std::string>> environment; // changes to this process's: an empty value removes the variable
    std::chrono::milliseconds patience{std::chrono::minutes(5)};  // then it is killed, with its children
    std::uint64_t memory = 0;                                     // bytes of address space, for each of its processes; 0: any
    const std::atomic<bool>* cancel = nullptr;                    // where this becomes true it is killed, with its children
    std::filesystem::path scratch{};                              // removed if this process dies meanwhile
};

struct Outcome {
    int status = 0; // its exit status; 128 + the signal's number when a signal ended it
    bool timed_out = false, cancelled = false;
    std::string text; // its output and its errors, at most the first 4 MiB
};

// Runs the command to its end. If this process dies meanwhile, by whatever signal, the command is killed with its children.
// Throws std::system_error when it cannot be started. Thread-safe.
[[nodiscard]] Outcome run(const Command& command);

// The absolute path of a program: as given when it has a slash, else looked for on $PATH; empty when there is none.
[[nodiscard]] std::filesystem::path find_program(const std::string& name);

} // namespace tessera::jit
