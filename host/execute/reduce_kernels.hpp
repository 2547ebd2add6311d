// The kernels of reductions as data that were compiled with this program, for CPUs.
#pragma once

#include "device_runtime/queue.hpp"

namespace tessera {

[[nodiscard]] const Kernel& reduce_kernel_of_cpus();       // any_reduce_arguments
[[nodiscard]] const Kernel& plain_reduce_kernel_of_cpus(); // likewise, where ReduceCode::is_plain

} // namespace tessera
