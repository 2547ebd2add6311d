// The setup that code for any run of a model is made for (host/generate/any_run_source.hpp).
#pragma once

#include "host/bind/bind.hpp"

namespace tessera {

// Of any run of the model, bound with Functions::all. Throws Failure::input where a model cannot do without a run, with what to do.
[[nodiscard]] Setup for_any_run(const Bound& run);

} // namespace tessera
