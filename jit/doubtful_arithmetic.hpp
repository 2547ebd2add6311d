// Arithmetic of which no compiler says anything, and that is hardly meant.
#pragma once

#include "jit/diagnostics.hpp"
#include "jit/source.hpp"

#include <vector>

namespace tessera::jit {

// In the order of the text: divisions of whole numbers that leave a rest, in a statement with floating-point numbers (`1 / 3 * self.heat`);
// and differences of unsigned members that are stored in a wider or a floating-point member (`self.wide = self.small - 1`);
// products of two unsigned members or variables that are stored in one with a sign, a wider or a floating-point one. Found
// lexically, by the types with which the rows' members are declared.
[[nodiscard]] std::vector<Diagnostic> doubtful_arithmetic(const ModelSource& model);

} // namespace tessera::jit
