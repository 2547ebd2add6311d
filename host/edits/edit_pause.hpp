// Changes of a run while it goes on: from the state on at which one is there, the run is made of it.
#pragma once

#include "host/edits/changes.hpp"
#include "host/session/pause.hpp"

namespace tessera {

class EditPause : public Pause {
public:
    // With `waits_at_end`, the run waits for more changes at its end, for as long as somebody is there. Changes must outlive it. Keeps the
    // sources that the run begins with, as the first of the report's edits.
    EditPause(CurrentRun& run, Changes& changes, bool waits_at_end);

    [[nodiscard]] std::uint64_t next(const CurrentRun& run) const override;
    [[nodiscard]] bool pending(CurrentRun& run, std::uint64_t step) override { return run.session().pacer().any(changes_.pending(step)); }
    [[nodiscard]] Outcome begin(CurrentRun& run) override;
    [[nodiscard]] Outcome arrive(CurrentRun& run, const Arrival& arrival) override;
    [[nodiscard]] bool resumes(CurrentRun& run) override;
    [[nodiscard]] bool is_repeatable() const noexcept override { return false; }

    // Whether somebody wants the run made again from its beginning.
    [[nodiscard]] bool begins_again() const noexcept { return begins_again_; }

private:
    [[nodiscard]] bool is_cut_short(const CurrentRun& run) const;
    [[nodiscard]] bool take_change(CurrentRun& run);
    void make(CurrentRun& run, Prepared& prepared);
    void make(CurrentRun& run, const ParameterChange& change);
    void make(CurrentRun& run, const ValueChange& change);
    void keep(CurrentRun& run, const Prepared& prepared);
    void keep(CurrentRun& run, const ParameterChange& change);
    void keep(CurrentRun& run, const ValueChange& change);
    void tell_of_other_hooks(const Setup& next);
    [[nodiscard]] bool has_heard_enough(CurrentRun& run);

    Changes& changes_;
    const bool waits_at_end_;
    const bool had_hooks_;      // when it began
    const std::uint64_t first_; // the state at which it began
    bool told_of_hooks_ = false, begins_again_ = false;
};

} // namespace tessera
