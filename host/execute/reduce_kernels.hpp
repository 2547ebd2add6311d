// The kernel of reductions as data that was compiled with this program, for CPUs.
#pragma once

#include "device_runtime/queue.hpp"

namespace tessera {

[[nodiscard]] const Kernel& reduce_kernel_of_cpus(); // any_reduce_arguments

} // namespace tessera
