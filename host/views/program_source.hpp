// The generated part of an image of fused steps: their programs, as kernels/fused/program.hpp wants them, and their entry points.
#pragma once

#include "host/views/fused_program.hpp"

#include <string>
#include <vector>

namespace tessera {

// Text to stand behind the author's, in place of kernel_epilogue: the programs alone.
// `bounded`: positions are of a type that knows how far from the edge they are, which some functions do not compile with.
[[nodiscard]] std::string program_epilogue(const Setup& setup, const std::vector<FusedProgram>& programs, bool bounded);

} // namespace tessera
