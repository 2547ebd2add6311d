// Whether a model's text has arrays.
#pragma once

#include "jit/source.hpp"

namespace tessera::jit {

// Whether there is an index or an array anywhere in the author's text, members of rows included. It may say so of a text that has none.
[[nodiscard]] bool has_arrays(const ModelSource& model);

} // namespace tessera::jit
