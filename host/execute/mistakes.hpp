// What a checked run found wrong, in words.
#pragma once

#include "device_runtime/kernel_fault.hpp"
#include "host/setup/setup.hpp"

#include <cstdint>

namespace tessera {

struct mistake_record;
class Program;

// Where the kernels of a checked image write down what they find.
[[nodiscard]] mistake_record& mistake_of(Program& program);

// Throws Failure::model: the author's line, the numbers, the function, the place or agent, and the step. `kernel` is of a function and
// ended with the fault, `record` that of its image; what the processor alone stopped at is told with the place too.
[[noreturn]] void tell_mistake(const Setup& setup, const KernelSetup& kernel, const KernelFault& fault, const mistake_record& record,
                               std::uint64_t step);

} // namespace tessera
