// The kernels of a run: finished code of its model's library, or compiled.
#pragma once

#include "host/execute/kernel_image.hpp"
#include "jit/compiler.hpp"

#include <vector>

namespace tessera {

// `views` has one for each of Setup::kernels. Finished code of the model's library comes first, then the model's source, then code for any
// run. Throws Failure::compile with the author's file and line, and Failure::plugin if a library has no code for the run.
[[nodiscard]] KernelImages compile_kernels(const Setup& setup, const std::vector<ViewChoice>& views, const jit::Target& target,
                                           jit::Compiler& compiler);

} // namespace tessera
