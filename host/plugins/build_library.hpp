// `tessera build`: a model as a library, which is one file that any `tessera` of the same plugin version runs.
#pragma once

#include "host/model/model.hpp"

#include <cstddef>
#include <vector>

namespace tessera {

// The library's bytes, with the model's source. They are the same for the same source and SDK, wherever the source stands.
[[nodiscard]] std::vector<std::byte> build_library(const model::Model& model);

} // namespace tessera
