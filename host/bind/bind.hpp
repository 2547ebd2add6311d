// A run file against a model: every name resolved, every value converted, before work starts. Here it is taken apart.
#pragma once

#include "host/run_file/run_file.hpp"
#include "host/setup/setup.hpp"

namespace tessera {

// A setup, and the run file that it is of, with what was open filled in: for those who write it down, or bind it again.
struct Bound {
    Setup setup;
    run_file::RunFile run_file;
};

// Throws Failure::input with file, line and column for what the run file says wrongly of the model. `model` must outlive the result. What
// it says of outputs is looked at by them (host/outputs/check_outputs.hpp).
[[nodiscard]] Bound bind(const model::Model& model, run_file::RunFile run, Functions functions = Functions::called,
                         Inspection inspection = {});

// The same model with another run file, and else as the setup was made; over one device, as it is bound.
[[nodiscard]] Bound bound_again(const Setup& setup, run_file::RunFile run);

} // namespace tessera
