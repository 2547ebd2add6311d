// Whether programs make the same steps, and how fast: tried on a run's own state, on the side.
#pragma once

#include "host/execute/stepper.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace tessera {

struct Trial {
    std::string obstacle;   // why the programs cannot be run; then nothing else is known
    bool no_memory = false; // and whether that is for want of memory
    bool same = false;      // bit for bit, in all places
    // Of the phases that the programs make, whatever other collections do in a step. The least of several samples, taken by turns, where
    // these are the same and as many steps were to be made; else of one each.
    double fused_step_seconds = 0, single_step_seconds = 0;
};

// Makes the next steps one at a time, as many as the programs make at once, and by the programs as well, on the side. Nothing if these are
// not all usual steps before state `until`. Timed, it goes on with more steps before that, for the sake of the clock. What the programs run
// into is the trial's obstacle: the run goes on without them. Throws what the single steps run into.
[[nodiscard]] std::optional<Trial> try_programs(LoadedModel& model, Stepper& stepper, const LoadedPrograms& programs, std::uint64_t until,
                                                Timed timed);

} // namespace tessera
