// A model of which somebody changed a few functions: their kernels alone are compiled, beside the image that was made before. Why, and what
// it depends on: docs/decisions/what-an-edit-compiles.md.
#pragma once

#include "host/execute/kernel_image.hpp"
#include "jit/compiler.hpp"

#include <optional>
#include <vector>

namespace tessera {

struct EditedKernels {
    jit::Image before;         // of all kernels, as they were
    std::vector<bool> changed; // of Setup::kernels: those that `job` makes anew
    jit::Job job;              // its model is the setup's
};

// What is left to compile for a run. Nothing where all has to be compiled, or is in the cache. The views are as for compile_kernels.
[[nodiscard]] std::optional<EditedKernels> edited_kernels(const Setup& setup, const std::vector<ViewChoice>& views,
                                                          const jit::Target& target, jit::Compiler& compiler);

// Remembers that the image of all kernels is in the cache, for edits that come later.
void remember_kernels(const Setup& setup, const std::vector<ViewChoice>& views, const jit::Target& target, jit::Compiler& compiler);

} // namespace tessera
