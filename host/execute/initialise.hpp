// State 0 of a run, or the state that a snapshot holds, put into a model's columns.
#pragma once

#include "host/execute/loaded_model.hpp"
#include "host/world/snapshot.hpp"

#include <string>
#include <vector>

namespace tessera {

// The initial values of the run file, then the model's init functions; what the run file gives stays, whatever these write. Throws
// Failure::input for initial values that cannot be had, and what a function runs into.
void initialise(LoadedModel& model);

// What the snapshot holds of each column, by names; the rest keeps its initial values without init functions. Returns what did not fit, a
// line each (restored_values). The step counters become the snapshot's.
[[nodiscard]] std::vector<std::string> restore(LoadedModel& model, const Snapshot& snapshot);

} // namespace tessera
