#include "device_runtime/cpu_core.hpp"

#include "device_runtime/kernel_fault.hpp"

#include <atomic>

namespace tessera {

void CpuCore::run(const CpuEntry& kernel, const void* args, std::int64_t items, std::size_t number) {
    if (kernel.of_team != nullptr) return kernel.of_team(args, pool_);
    const auto function = kernel.function;
    if (items == 1 || pool_.threads() == 1) { // nobody is to help: no turn has to be waited for
        if (const auto ending = items > 0 ? call_kernel(function, args, 0, items) : Ending::whole; ending != Ending::whole)
            throw KernelFault(kernel.name, number, ending);
        return;
    }
    std::atomic<Ending> ending{Ending::whole};
    pool_.run(items, [=, &ending](std::int64_t begin, std::int64_t end) {
        const auto how = call_kernel(function, args, begin, end);
        for (auto worst = ending.load(); how > worst && !ending.compare_exchange_weak(worst, how);) {} // of several, always the same one
    });
    if (ending != Ending::whole) throw KernelFault(kernel.name, number, ending);
}

} // namespace tessera
