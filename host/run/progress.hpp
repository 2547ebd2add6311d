// How far a run is: one line that is rewritten on a terminal, a line now and then elsewhere.
#pragma once

#include "host/execute/phase_timer.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tessera {

// ", waiting: 0 %, 12 %": what part of a sampled step each of several devices waited for the slowest; empty for one, and before the first
// sample.
[[nodiscard]] std::string waiting_text(const std::vector<DeviceTiming>& devices);

class Progress {
public:
    // `places` are updated a step. `steps` is where the run ends if no condition ends it earlier.
    Progress(std::optional<std::uint64_t> steps, std::int64_t places, bool quiet);

    void update(std::uint64_t step, const std::vector<DeviceTiming>& devices); // cheap; shows something a few times a second
    void finish();                                                             // ends the line

private:
    using Clock = std::chrono::steady_clock;
    void show(std::uint64_t step, const std::vector<DeviceTiming>& devices, Clock::time_point now);

    std::optional<std::uint64_t> steps_;
    std::int64_t places_;
    bool quiet_, terminal_, shown_ = false;
    Clock::time_point begun_, next_;
};

} // namespace tessera
