// A run that goes on from a state that it kept.
#pragma once

#include "host/run/run_to_end.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tessera {

struct ResumeRequest {
    std::filesystem::path folder;       // the results
    std::vector<std::string> overrides; // of steps, devices and threads
    bool allow_unsafe_plugins = false;
};

// Goes on from the last checkpoint that is whole, into the same folder, or, with `options.out`, into a new one that gets what was written
// up to there. Where there is none, the run begins again from its kept sources. Nothing where the run has made all its steps. Throws
// Failure::input for a folder of no such run, and what a run throws.
[[nodiscard]] std::optional<RunResult> resume(const ResumeRequest& request, jit::Compiler& compiler, RunOptions options);

// Verifies all checkpoints: what is to be said of each, a line each. Throws Failure::input where one cannot be used.
[[nodiscard]] std::vector<std::string> check_checkpoints(const std::filesystem::path& folder);

} // namespace tessera
