// How long each phase takes on the device: counted in every step, measured in some.
#pragma once

#include "host/execute/loaded_model.hpp"
#include "host/execute/made_step.hpp"
#include "host/execute/pacer.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace tessera {

// Time that a phase takes on the device, from steps that were run phase by phase now and then. The rounds of a repeat count together.
struct PhaseTiming {
    std::string name;
    std::string view; // how its kernel goes over the places; empty if it has none
    std::uint64_t runs = 0;
    std::uint64_t samples = 0;
    double sampled_seconds = 0;   // sum over the samples
    std::uint64_t most = 0;       // of the question of a repeat: how many rounds it may make
    std::uint64_t unresolved = 0; // in how many steps it made them all, and the answer was not yes behind the last
};

// What a device did in those steps: its own part of each phase, and then, of several, waiting for the slowest of them.
struct DeviceTiming {
    std::uint64_t samples = 0;
    double working_seconds = 0, waiting_seconds = 0; // sums over the samples
};

class PhaseTimer {
public:
    // Both must outlive the timer.
    PhaseTimer(LoadedModel& model, const Pacer& pacer);

    // Whether the next step should be a sample: a second after the last one. The first one is due at once where that costs nothing, as
    // `idle` says: nothing is queued.
    [[nodiscard]] bool due(bool idle) const;
    // Makes step `step` with a mark behind each phase. Nothing may be queued on the device. Throws what the step runs into.
    void make_step(std::uint64_t step);

    // The steps [from, from + count) were made otherwise; none of them asks the state.
    void count_runs(std::uint64_t from, std::uint64_t count);
    // One that did.
    void count_runs(const MadeStep& made);

    // Adds what another one, of the same phases and devices, has counted.
    void count_on_from(const PhaseTimer& before);
    // The same of the phases, as far as they are called the same.
    void count_on_from(const std::vector<PhaseTiming>& before);

    [[nodiscard]] const std::vector<PhaseTiming>& timings() const noexcept { return timings_; }
    // In the order of the partitions.
    [[nodiscard]] const std::vector<DeviceTiming>& device_timings() const noexcept { return device_timings_; }

private:
    struct Lap { // of a phase, or of none: the first
        Moment own_end, end;
    };
    // One lap a phase that was made, behind the first.
    void count_sample(const MadeStep& made, const std::vector<Lap>& laps);
    void begin_sampling();

    LoadedModel& model_;
    const Pacer& pacer_;
    std::vector<PhaseTiming> timings_;
    std::vector<std::size_t> timing_of_; // of each phase
    std::vector<DeviceTiming> device_timings_;
    Pacer::Clock::time_point next_sample_;
    bool sampled_ = false;
};

} // namespace tessera
