// Changes of a run while it goes on: those that somebody saves (`--watch`), and those of an earlier run (`--replay`).
#pragma once

#include "host/edits/change.hpp"
#include "host/edits/requests.hpp"
#include "host/outputs/manifest.hpp"
#include "host/session/run.hpp"

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
    // Whether that might be of other sources, which take a while to compile.
    [[nodiscard]] virtual bool takes_sources() const { return true; }
    // The change: checked, of sources with what a run that goes on keeps of `now`; nothing if what was saved or asked for is none, which is
    // told, or no other one.
    [[nodiscard]] virtual std::optional<Change> take(Run& now) = 0;
    // What became of that: it is kept, or it could not be made, which is to be told. A failure of a change that nobody can make otherwise
    // ends the run.
    virtual void done(const Edit& edit) { static_cast<void>(edit); }
    virtual void failed(const Error& error) = 0;
    // Throws Failure::input where the run could not come to the same results with these hooks.
    virtual void check_hooks(const std::vector<RunReport::Hook>& hooks) const { static_cast<void>(hooks); }
    // Whether a run could begin with what was saved last: it was one when it was looked at.
    [[nodiscard]] virtual bool is_run() const noexcept { return true; }
    // Whether to wait for more at the end of the run.
    [[nodiscard]] virtual bool waits_at_end() const noexcept { return false; }
    // Whether a change was seen so lately that another one is likely.
    [[nodiscard]] virtual bool is_restless() const noexcept { return false; }
};

// Looks at the run file and at the model's files of `first` some dozen times a second, and asks what somebody asks for in `requests`.
// `request` is what made `first`. The compiler, and `requests`, must outlive it.
[[nodiscard]] std::unique_ptr<Changes> watch(const RunRequest& request, const Prepared& first, jit::Compiler& compiler,
                                             Requests* requests = nullptr);

// An earlier run's sources and their changes, of the manifest in its result folder and the list of edits beside it: that of a run which was
// killed is newer than its manifest.
struct Replay {
    RunRequest request; // of the first sources; overrides and plugin folders may be added
    std::unique_ptr<Changes> changes;
};
// Throws Failure::input for what is no manifest of a run with `--watch`, or of a version whose results are others.
[[nodiscard]] Replay replay(const std::filesystem::path& manifest, const RunRequest& options, jit::Compiler& compiler);

} // namespace tessera
