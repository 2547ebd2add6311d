// A step phase by phase, where the state may decide which phases are made.
#pragma once

#include "host/setup/setup.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace tessera {

struct MadeStep {
    std::uint64_t step = 0;
    std::vector<PhaseId> phases;     // in their order; those included of which something is done in each step
    std::vector<PhaseId> unresolved; // questions of repeats that made their most rounds and were not answered yes behind the last
};

// Calls `make(phase)` for each phase that runs in step `step`, or of which something is done in each. Behind a question `ask()` says
// whether the answer is yes; then the rest of its repeat is left out.
[[nodiscard]] MadeStep make_phases(const Setup& setup, std::uint64_t step, const std::function<void(PhaseId)>& make,
                                   const std::function<bool()>& ask);

} // namespace tessera
