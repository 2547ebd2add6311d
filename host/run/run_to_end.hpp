// A run from beginning to end: results in a folder, with a manifest whatever happens.
#pragma once

#include "host/checkpoint/sources.hpp"
#include "host/checkpoint/store.hpp"
#include "host/edits/changes.hpp"
#include "host/outputs/manifest.hpp"
#include "host/prepare/prepare.hpp"
#include "host/session/checkpoint_pause.hpp"
#include "host/session/pause.hpp"

#include <chrono>
#include <filesystem>
#include <optional>
#include <vector>

namespace tessera {

// A run that goes on from a state that it kept, in its own folder.
struct Resumption {
    const ResultFolder& folder;
    const checkpoint::Sources& sources;       // that it kept
    const checkpoint::Saved* saved = nullptr; // none: it begins again
    std::vector<Edit> edits{};                // then those that it begins with: its sources, where it can be edited
};

struct RunOptions {
    std::optional<std::filesystem::path> out; // the result folder; else the run file's, else results/<name>, or -2, -3 ... of it
    bool overwrite = false;
    bool again = false; // it was made before: a folder that is named is not this run's but the first of -2, -3 ... of it that is not there
    bool quiet = false; // no progress
    Changes* changes = nullptr;   // of the run while it goes on; they must outlive it
    bool waits_at_end = false;    // for more of them, where somebody makes them
    std::vector<Pause*> pauses{}; // whatever else it is to stand still for, asked behind hooks, outputs and changes; they must outlive it
    const Resumption* resumption = nullptr; // none: it begins
    KeepingWishes keeping{};                // of a run with checkpoints
    std::chrono::steady_clock::time_point process_start = std::chrono::steady_clock::now();
};

struct RunResult {
    std::filesystem::path folder;
    RunReport report;
    bool keeps_state = false;  // it can be resumed
    bool begins_again = false; // somebody who watched it asked for that
    std::string shares;        // what each of several devices did, a line each; empty for one
};

// Runs to the end, the stop condition, or an interrupt; writes outputs and the manifest. Throws Error for everything that goes wrong, and
// what the standard library throws for want of memory; outputs written until then stay, and if the steps had begun the manifest says
// "failed" and why; Failure::paused where a queue ends a run with checkpoints before its first step. While the run goes on it says
// "running" and, every few seconds, how far it is. On the main thread, since signals of the process interrupt it.
[[nodiscard]] RunResult run(const Prepared& prepared, jit::Compiler& compiler, const RunOptions& options);

// The same in a session of the caller's, on any thread: there may be others beside it. `why_devices`: why it has these and no others; empty
// where the run file names them.
[[nodiscard]] RunResult run(const Prepared& prepared, Session& session, const RunOptions& options, const std::string& why_devices = {});

} // namespace tessera
