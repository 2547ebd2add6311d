// A run file against a model: every name resolved, every value converted, before work starts.
#pragma once

#include "host/setup/setup.hpp"

namespace tessera {

// Throws Failure::input with file, line and column for what the run file says wrongly of the model. `model` must outlive the result. What
// it says of outputs is looked at by them (host/outputs/check_outputs.hpp).
[[nodiscard]] Setup bind(const model::Model& model, run_file::RunFile run, Functions functions = Functions::called, Modes modes = {});

// The same model with another run file, and else as the setup was made; over one device, as it is bound.
[[nodiscard]] Setup bound_again(const Setup& setup, run_file::RunFile run);

} // namespace tessera
