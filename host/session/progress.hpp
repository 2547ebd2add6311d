// How far a run is: one line that is rewritten on a terminal, a line now and then elsewhere.
#pragma once

#include "host/execute/phase_timer.hpp"
#include "host/session/pause.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace tessera {

// ", waiting: 0 %, 12 %": what part of a sampled step each of several devices waited for the slowest; empty for one, and before the first
// sample.
[[nodiscard]] std::string waiting_text(const std::vector<DeviceTiming>& devices);

// How many agents of a collection are alive.
struct Population {
    std::string name;
    std::uint64_t alive = 0;
};
// ", 4.12 k sheep, 301 wolf"; empty without agents.
[[nodiscard]] std::string population_text(const std::vector<Population>& populations);

class Progress : public Pause {
public:
    // `first`: the state from which the run goes on.
    Progress(bool quiet, std::uint64_t first);

    [[nodiscard]] std::uint64_t next(const CurrentRun&) const override { return never; }
    // Shows something a few times a second; the run need not stand still for it.
    [[nodiscard]] bool pending(CurrentRun& run, std::uint64_t step) override;
    [[nodiscard]] Outcome arrive(CurrentRun& run, const Arrival& arrival) override;
    [[nodiscard]] bool resumes(CurrentRun& run) override;

private:
    using Clock = std::chrono::steady_clock;
    [[nodiscard]] std::string line(const CurrentRun& run, std::uint64_t step, Clock::time_point now) const;
    void finish(); // ends the line

    bool quiet_, terminal_, shown_ = false;
    std::uint64_t first_;
    Clock::time_point begun_, next_;
};

} // namespace tessera
