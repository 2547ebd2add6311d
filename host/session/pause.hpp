// What a run stands still for between two steps: hooks, outputs, the stop condition, changes of its sources, more room, the tuner. What
// else is to happen between steps (a checkpoint, a viewer) is a Pause of its own, and a line in host/run/pauses.cpp.
#pragma once

#include "host/session/current_run.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace tessera {

// At which state a run stands still.
struct Arrival {
    bool is_new = true;   // the state was not there before: a step was made, or the run begins or goes on behind its end
    bool is_last = false; // no step will be made any more; the pauses were asked at this state before
    bool ends = false;    // the run ends here: it was stopped or interrupted, or has all its steps
};

// A state that was kept, and what was counted up to it.
struct KeptRun {
    Snapshot state;
    std::vector<PhaseTiming> phases;
    std::uint64_t fused_steps = 0;
};

// `again`: all are asked once more at this state, before a step is made.
enum class Outcome { go_on, again, stop };

// All functions are called on the thread of the run, never while one of them is under way.
class Pause {
public:
    static constexpr std::uint64_t never = UINT64_MAX;

    Pause() = default;
    Pause(const Pause&) = delete;
    Pause& operator=(const Pause&) = delete;
    virtual ~Pause() = default;

    // Once, at the state that the run begins with, before any of them is asked there: what is changed now belongs to that state, and hooks
    // and outputs see it. `again`: all are asked once more; `stop` is said again on arrival.
    [[nodiscard]] virtual Outcome begin(CurrentRun& run);
    // The first state behind the run's at which it has to stand still for this; `never`: none that is known.
    [[nodiscard]] virtual std::uint64_t next(const CurrentRun& run) const = 0;
    // Whether it is to stand still as soon as possible. Cheap: asked between any two launches. `step` is the last that was queued.
    [[nodiscard]] virtual bool pending(CurrentRun& run, std::uint64_t step);
    // The run stands still, with nothing queued, for whichever pause. May read and write its state, make steps, and put another run in its
    // place. Throws what ends the run as failed.
    [[nodiscard]] virtual Outcome arrive(CurrentRun& run, const Arrival& arrival) = 0;
    // At the end of a run, before its last arrival: whether it goes on after all. May wait for that.
    [[nodiscard]] virtual bool resumes(CurrentRun& run);
    // The last state that it kept, for a run that has to be made again.
    [[nodiscard]] virtual std::optional<KeptRun> saved(const CurrentRun& run) const;
    // Whether a run that is made again from its beginning comes to the same states without asking it again.
    [[nodiscard]] virtual bool is_repeatable() const noexcept;
};

// In the order in which they are asked.
class Pauses {
public:
    // Owned, or somebody else's, who has to keep it.
    void add(std::unique_ptr<Pause> pause);
    void add(Pause& pause) { all_.push_back(&pause); }

    void begin(CurrentRun& run) const;
    // The first state behind the run's at which any has to be asked, at most its end.
    [[nodiscard]] std::uint64_t next(const CurrentRun& run) const;
    [[nodiscard]] bool pending(CurrentRun& run, std::uint64_t step) const;
    // Each in turn, also where one of them stops the run.
    [[nodiscard]] Outcome arrive(CurrentRun& run, Arrival arrival) const;
    [[nodiscard]] bool resumes(CurrentRun& run) const;
    [[nodiscard]] std::optional<KeptRun> saved(const CurrentRun& run) const;
    [[nodiscard]] bool are_repeatable() const noexcept;

private:
    std::vector<std::unique_ptr<Pause>> owned_;
    std::vector<Pause*> all_;
};

} // namespace tessera
