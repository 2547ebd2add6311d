// From a stroke that somebody paints to the values that the places get.
#pragma once

#include "host/edits/change.hpp"
#include "host/edits/requests.hpp"
#include "host/session/run.hpp"

namespace tessera {

// At the state of the run. Of a round stroke the box has other places too, with the values that they have. Throws Failure::usage for
// places, members and values that there are not.
[[nodiscard]] ValueChange painted(const Stroke& stroke, Run& run);

// What the places of a change have by now.
[[nodiscard]] ValueChange as_it_is(const ValueChange& change, Run& run);

// Puts the values there. Throws Failure::input for a member, places or a type that there are not.
void write_values(const ValueChange& change, Run& run);

} // namespace tessera
