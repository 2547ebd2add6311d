// Steps and pauses, from a run's first state to its last.
#pragma once

#include "host/session/pause.hpp"

namespace tessera {

// Makes the steps of the run and asks `pauses` at the first state, wherever one of them has the run stand still, and at the last. How it
// ended is the report's status: finished, stopped or interrupted. Throws what the steps and the pauses throw.
void run_loop(CurrentRun& run, const Pauses& pauses);

} // namespace tessera
