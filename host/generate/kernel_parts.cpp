#include "host/generate/kernel_parts.hpp"

#include <fmt/format.h>

namespace tessera {
namespace {

bool is_called_once(const Setup& setup, const KernelSetup& kernel) { return kernel.is_function() && setup.function_of(kernel).is_init; }

} // namespace

// The first has the functions of each step; the second manageAll, and what is called once.
KernelParts kernel_parts(const Setup& setup) {
    KernelParts parts;
    if (setup.has_agents()) parts.efforts = {jit::Effort::full, jit::Effort::moderate};
    for (const auto& kernel : setup.kernels)
        parts.of_kernel.push_back(setup.has_agents() && (kernel.is_of_manage_all() || is_called_once(setup, kernel)) ? 1 : 0);
    return parts;
}

std::string in_part(const KernelParts& parts, std::size_t part, const std::string& text) {
    if (parts.efforts.empty() || text.empty()) return text;
    return fmt::format("#if !defined(TESSERA_PART) || TESSERA_PART == {}\n{}#endif\n", part, text);
}

} // namespace tessera
