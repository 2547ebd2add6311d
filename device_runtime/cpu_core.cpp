#include "device_runtime/cpu_core.hpp"

#include "device_runtime/kernel_fault.hpp"

#include <atomic>

namespace tessera {

void CpuCore::run(const CpuEntry& kernel, const void* args, std::int64_t items, std::size_t number) {
    const auto function = kernel.function;
    std::atomic<bool> faulty{false};
    pool_.run(items, [=, &faulty](std::int64_t begin, std::int64_t end) {
        if (!comes_to_its_end(function, args, begin, end)) faulty = true;
    });
    if (faulty) throw KernelFault(kernel.name, number);
}

} // namespace tessera
