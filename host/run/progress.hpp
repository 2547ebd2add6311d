// How far a run is: one line that is rewritten on a terminal, a line now and then elsewhere.
#pragma once

#include "host/execute/phase_timer.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
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

class Progress {
public:
    // `places` are updated a step. `steps` is where the run ends if no condition ends it earlier.
    Progress(std::optional<std::uint64_t> steps, std::int64_t places, bool quiet);

    // Shows something a few times a second, and asks for the populations then; else cheap.
    void update(std::uint64_t step, const std::vector<DeviceTiming>& devices, const std::function<std::vector<Population>()>& populations);
    void finish(); // ends the line

private:
    using Clock = std::chrono::steady_clock;
    void show(std::uint64_t step, const std::vector<DeviceTiming>& devices, const std::vector<Population>& populations,
              Clock::time_point now);

    std::optional<std::uint64_t> steps_;
    std::int64_t places_;
    bool quiet_, terminal_, shown_ = false;
    Clock::time_point begun_, next_;
};

} // namespace tessera
