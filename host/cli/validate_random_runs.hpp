// What `tessera validate` asks of run files that nobody has written (random_runs.hpp): that each is bound or refused in words, and that
// some of them end well, with the same state on three partitions and all their agents.
#pragma once

#include "host/cli/validation.hpp"

namespace tessera {

void ask_of_bound_runs(Validation& validation, const ValidateCommand& command);
void ask_of_random_runs(Validation& validation, const ValidateCommand& command); // of a model with source

// The child of the first: nothing of the model is run in it. What is drawn last stands in the folder ValidateCommand::bind_into, whatever
// becomes of this process. Throws what binding throws that is no refusal in words.
void bind_random_runs(const ValidateCommand& command);

} // namespace tessera
