// A run file against a model: every name resolved, every value converted, before work starts.
#pragma once

#include "host/setup/setup.hpp"

namespace tessera {

// Which of a model's functions get kernels: those that phases call; all; or all of a model by itself, whose run file says more.
enum class Functions { called, all, of_model };

// Throws Failure::input with file, line and column for what the run file says wrongly of the model. `model` must outlive the result. What
// it says of outputs is looked at by them (host/outputs/check_outputs.hpp).
[[nodiscard]] Setup bind(const model::Model& model, run_file::RunFile run, Functions functions = Functions::called);

} // namespace tessera
