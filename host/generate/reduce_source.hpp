// The generated text for reduces: expressions as code, the kernels that add up, and those that join (kernels/reduce/reduce.hpp).
#pragma once

#include "host/generate/kernel_source.hpp"

#include <string>

namespace tessera {

// Nothing where there are no reduces.
[[nodiscard]] std::string reduce_headers(const Setup& setup);

// A Reduction type and an entry point, for a kernel that adds up.
[[nodiscard]] std::string reduction_source(const Setup& setup, const KernelSetup& kernel);

// A Joined type and an entry point for each reduction.
[[nodiscard]] std::string joins_source(const Setup& setup);

// Of a launch of a kernel that adds up these rows.
[[nodiscard]] LaunchShape reduction_shape(const Setup& setup, const KernelSetup& kernel, const RowRange& band);

} // namespace tessera
