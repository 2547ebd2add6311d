// Whether what the run file says of outputs, and of when to stop, can be done with the model.
#pragma once

#include "host/setup/setup.hpp"

namespace tessera {

// Throws Failure::input with file, line and column for columns, elements, slices and colours that are not there.
void check_outputs(const Setup& setup);

// The collection that a picture is of: its attribute's, or that on which the agents of its first overlay stand.
[[nodiscard]] CollectionId places_of_picture(const Setup& setup, const run_file::Png& png);

} // namespace tessera
