// Made of kernels' text, as frame_kernels.cpp is, and compiled by itself.
#include "host/execute/reduce_kernels.hpp"

#include "device_runtime/cpu_program.hpp"

#include <tessera/kernels/reduce/plain_reduce.hpp>

namespace tessera {

const Kernel& reduce_kernel_of_cpus() {
    static const CpuKernel kernel("reduction", reduce_any<any_places>);
    return kernel;
}

const Kernel& plain_reduce_kernel_of_cpus() {
    static const CpuKernel kernel("reduction", reduce_plain<any_places>);
    return kernel;
}

} // namespace tessera
