// Changes of a run while it goes on: those that somebody saves (`--watch`), and those of an earlier run (`--replay`).
#pragma once

#include "host/outputs/manifest.hpp"
#include "host/outputs/result_folder.hpp"
#include "host/prepare/prepare.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tessera {

class Changes {
public:
    virtual ~Changes() = default;

    // The first state at or behind `step` before which the run has to halt for one; UINT64_MAX: none that is known.
    [[nodiscard]] virtual std::uint64_t next(std::uint64_t step) const = 0;
    // Whether `take` would have one at this state. Cheap: asked between any two launches.
    [[nodiscard]] virtual bool pending(std::uint64_t step) = 0;
    // The changed run, checked, with what a run that goes on keeps of the one that is under way; nothing if what was saved is no run, which
    // is told, or no other one.
    [[nodiscard]] virtual std::optional<Prepared> take(const run_file::RunFile& now) = 0;
    // Throws Failure::input where the run could not come to the same results with these hooks.
    virtual void check_hooks(const std::vector<RunReport::Hook>& hooks) const { static_cast<void>(hooks); }
    // Whether a run could begin with what was saved last: it was one when it was looked at.
    [[nodiscard]] virtual bool is_run() const noexcept { return true; }
    // Whether to wait for more at the end of the run.
    [[nodiscard]] virtual bool waits_at_end() const noexcept { return false; }
    // Whether a change was seen so lately that another one is likely.
    [[nodiscard]] virtual bool is_restless() const noexcept { return false; }
};

// Overrides of a run file that somebody gives while the run goes on. Asked on the run's thread.
class GivenOverrides {
public:
    virtual ~GivenOverrides() = default;
    [[nodiscard]] virtual bool any() = 0;
    // Those since the last time, "params.growth=0.3". The run has them from the state on at which they are taken, or `refused` says why
    // not.
    [[nodiscard]] virtual std::vector<std::string> take() = 0;
    virtual void refused(const std::string& why) = 0;
};

// Looks at the run file and at the model's files of `first` some dozen times a second, and asks for overrides where somebody may give them.
// `request` is what made it. The compiler, and `given`, must outlive it.
[[nodiscard]] std::unique_ptr<Changes> watch(const RunRequest& request, const Prepared& first, jit::Compiler& compiler,
                                             GivenOverrides* given = nullptr);

// An earlier run's sources and their changes, of the manifest in its result folder and the list of edits beside it: that of a run which was
// killed is newer than its manifest.
struct Replay {
    RunRequest request; // of the first sources; overrides and plugin folders may be added
    std::unique_ptr<Changes> changes;
};
// Throws Failure::input for what is no manifest of a run with `--watch`, or of a version whose results are others.
[[nodiscard]] Replay replay(const std::filesystem::path& manifest, const RunRequest& options, jit::Compiler& compiler);

// Keeps the sources of a run from a state on, below its results, as one more of its `edits`. They are on the disk, with their line in
// edits/edits.jsonl, when it returns. Throws Failure::output, and Failure::plugin where two of the files have one name.
void keep_edit(const ResultFolder& folder, std::vector<Edit>& edits, std::uint64_t step, const Setup& setup,
               const run_file::RunFile& run_file);

} // namespace tessera
