#include "host/execute/faults.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tessera {

void tell_fault(const Setup& setup, const KernelFault& fault, std::uint64_t step) {
    const auto is_this = [&](const auto& kernel) { return kernel.symbol == fault.kernel(); };
    const auto kernel = std::find_if(setup.kernels.begin(), setup.kernels.end(), is_this);
    throw Error(Failure::model,
                fmt::format("{} {} in step {}", kernel == setup.kernels.end() ? fault.kernel() : kernel->name, fault.what_happened(), step),
                fault.why(), fault.advice());
}

} // namespace tessera
