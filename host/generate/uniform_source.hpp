// Uniforms of a model, as its kernels have them.
#pragma once

#include "host/model/description.hpp"

#include <string>

namespace tessera {

// Where they stand, for the macros of the SDK and for kernels/launch/step_values.hpp.
[[nodiscard]] std::string uniform_macros(const model::Description& description);
// A kernel for each.
[[nodiscard]] std::string uniforms_source(const model::Description& description);

} // namespace tessera
