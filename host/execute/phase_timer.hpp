// How long each phase takes on the device: counted in every step, measured in some.
#pragma once

#include "host/execute/loaded_model.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace tessera {

// Time that a phase takes on the device, from steps that were run phase by phase now and then.
struct PhaseTiming {
    std::string name;
    std::string view; // how its kernel goes over the places; empty if it has none
    std::uint64_t runs = 0;
    std::uint64_t samples = 0;
    double sampled_seconds = 0; // sum over the samples
};

class PhaseTimer {
public:
    explicit PhaseTimer(LoadedModel& model); // which must outlive the timer

    // Whether the next step should be a sample: a second after the last one. The first one is due at once where that costs nothing, as
    // `idle` says: nothing is queued.
    [[nodiscard]] bool due(bool idle) const;
    // Makes step `step` with a mark behind each phase. Nothing may be queued on the device. Throws what the step runs into.
    void make_step(std::uint64_t step);

    // The steps [from, from + count) were made otherwise.
    void count_runs(std::uint64_t from, std::uint64_t count);

    [[nodiscard]] const std::vector<PhaseTiming>& timings() const noexcept { return timings_; }

private:
    LoadedModel& model_;
    std::vector<PhaseTiming> timings_;
    std::chrono::steady_clock::time_point next_sample_;
    bool sampled_ = false;
};

} // namespace tessera
