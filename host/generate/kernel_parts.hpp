// Which kernels of an image for a CPU are compiled together. Models with agents have many kernels: their text is compiled twice, side
// by side, each time for some of them. How it is cut depends on the model and run alone, so that an image is the same on any machine.
#pragma once

#include "host/setup/setup.hpp"
#include "jit/compiler.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace tessera {

struct KernelParts {
    std::vector<jit::Effort> efforts;   // one a part; empty: all is compiled as one
    std::vector<std::size_t> of_kernel; // the part of each of Setup::kernels
};
[[nodiscard]] KernelParts kernel_parts(const Setup& setup);

// Text that is compiled with this part alone, or where all is compiled as one.
[[nodiscard]] std::string in_part(const KernelParts& parts, std::size_t part, const std::string& text);

} // namespace tessera
