// Whether a kept state can be that of a run, whoever wrote it.
#pragma once

#include "host/setup/setup.hpp"
#include "host/world/snapshot.hpp"

namespace tessera {

enum class Lacking { allowed, refused };

// Looks at all that kernels find their way by: which agents there are, their ids, places and positions; and at members of type bool. What
// the state lacks, or has as another type, is the default of a run that begins with it, and refused of one that goes on. Links are looked
// at where they are bound. Throws Failure::input.
void check_state(const Setup& setup, const Snapshot& state, Lacking lacking);

} // namespace tessera
