// Running another program and reading what it says.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace tessera::jit {

struct Command {
    std::vector<std::string> arguments;                           // the first is the program's absolute path; no shell is involved
    std::filesystem::path folder;                                 // it runs there; empty: in the current one
    std::vector<std::pair<std::string, std::string>> environment; // changes to this process's: an empty value removes the variable
    std::chrono::milliseconds patience{std::chrono::minutes(5)};  // then it is killed, with its children
};

struct Outcome {
    int status = 0; // its exit status; 128 + the signal's number when a signal ended it
    bool timed_out = false;
    std::string text; // its output and its errors, at most the first 4 MiB
};

// Runs the command to its end. Throws std::system_error when it cannot be started. Thread-safe.
[[nodiscard]] Outcome run(const Command& command);

// The absolute path of a program: as given when it has a slash, else looked for on $PATH; empty when there is none.
[[nodiscard]] std::filesystem::path find_program(const std::string& name);

} // namespace tessera::jit
