// Steps that fail: more room for agents that have outgrown theirs, and the state before the step of a checked run.
#pragma once

#include "host/session/kept_state.hpp"
#include "host/session/pause.hpp"
#include "host/session/room.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

namespace tessera {

class Recovery {
public:
    // Of a run at its first state. `pauses` must outlive it.
    Recovery(CurrentRun& run, const Pauses& pauses);

    // Makes steps as Run::advance does; of a checked run one step, and the state before it is written where the model fails in it.
    void advance(CurrentRun& run, std::uint64_t until, const std::function<bool(std::uint64_t)>& proceed);

    // Agents have outgrown their room amid a step, so that the state at hand is none. Makes the run again from the last state that a pause
    // kept (Pause::saved), else from its beginning, with more room, up to state `until`, to which all is written. Throws `outgrown` where
    // that cannot be done: where there is no more room, where hooks or changes had a part in the state (Pause::is_repeatable), where its
    // files are others by now; and Failure::interrupted.
    void begin_again(CurrentRun& run, const OutgrownRoom& outgrown, std::uint64_t until) const;

private:
    [[nodiscard]] bool may_begin_again(const CurrentRun& run) const;
    [[nodiscard]] static std::unique_ptr<Run> begun_with_more(CurrentRun& run, const OutgrownRoom& outgrown, Spare spare,
                                                              const std::optional<KeptRun>& from);
    void write_kept(CurrentRun& run) const;

    const Pauses& pauses_;
    std::uint64_t first_hash_ = 0; // where the run may have to begin again
    KeptState kept_;
};

// State 0, with more room where children that are born before the first step want it.
[[nodiscard]] std::unique_ptr<Run> begin_run(const Bound& bound, Session& session);

} // namespace tessera
