// How `tessera validate` asks: each question of a child process with limits, with a verdict in a line.
#pragma once

#include "host/cli/commands.hpp"
#include "jit/process.hpp"

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace tessera {

// A question that this model or this machine has no answer to, and why.
struct NotAsked : std::runtime_error {
    using std::runtime_error::runtime_error;
};
// Something is missing that does no harm.
struct Gap : std::runtime_error {
    using std::runtime_error::runtime_error;
};
// The answer is no, and why.
struct Failed : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// What a child said last of what went wrong: from "error: " on.
[[nodiscard]] std::string reason_of(const jit::Outcome& outcome);

class Validation {
public:
    // The scratch folder is the caller's, for as long as it asks.
    // Where `interrupted` becomes true, what is asked ends as Failure::interrupted.
    Validation(const ValidateCommand& command, std::filesystem::path scratch, const std::atomic<bool>& interrupted)
        : command_(command), scratch_(std::move(scratch)), interrupted_(interrupted) {}

    // Says the verdict on an answer: what it returns is a remark, what it throws is why there is none.
    void ask(const std::string& question, const std::function<std::string()>& answer);
    [[nodiscard]] int failed() const noexcept { return failed_; }
    [[nodiscard]] const std::vector<std::string>& not_asked() const noexcept { return not_asked_; } // questions
    void add_not_asked(const std::string& question) { not_asked_.push_back(question); }

    // What this program says as a child; its failure is the answer.
    std::string tessera(std::vector<std::string> arguments) const;
    [[nodiscard]] jit::Outcome child(std::vector<std::string> arguments, const std::string& log_level = "error") const;
    // All that a run of some steps logs at this level.
    [[nodiscard]] std::string log_of(const std::string& what, const std::string& log_level);
    // From now on a child may take so long.
    void limit(std::chrono::milliseconds patience) noexcept { patience_ = patience; }

    // The state after some steps of a run, "state 0123456789abcdef".
    [[nodiscard]] std::string state(const std::string& what, const std::vector<std::string>& more);
    // The same with other means: Failed where it is another one; else nothing to remark.
    std::string expect_state(const std::string& expected, const std::string& what, const std::vector<std::string>& more);

    // Where the last of these runs has left its results.
    [[nodiscard]] std::filesystem::path last_results() const { return scratch_ / std::to_string(runs_ - 1); }

    [[nodiscard]] const std::filesystem::path& scratch() const noexcept { return scratch_; }

private:
    const ValidateCommand& command_;
    std::filesystem::path scratch_;
    const std::atomic<bool>& interrupted_;
    std::chrono::milliseconds patience_ = jit::Command{}.patience;
    std::vector<std::string> not_asked_;
    int failed_ = 0, runs_ = 0;
};

} // namespace tessera
