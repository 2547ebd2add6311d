// Runs of shipped models whose last state is known beforehand: what `doctor` compares every device with.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tessera {

struct KnownRun {
    std::string title; // "Life"
    std::string model; // its name
    std::uint64_t steps = 0;
    std::vector<std::string> overrides; // of the model's own defaults: grid, boundary, initial values
    std::uint64_t state_hash = 0;       // after the steps, of the state that a straight loop comes to
};

// Between them: integers and floating point, each kind of boundary but one, initial values from the run file and from the model, agents in
// slots, in a list and in space, and links that change. Tests come to each state by loops of their own: KnownRuns, and OfDoctorAreKnown.
[[nodiscard]] const std::vector<KnownRun>& known_runs();

} // namespace tessera
