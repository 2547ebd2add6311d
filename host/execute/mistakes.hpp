// What a checked run found wrong, in words.
#pragma once

#include "device_runtime/kernel_fault.hpp"
#include "host/execute/partition.hpp"
#include "host/setup/setup.hpp"

#include <tessera/detail/mistake.hpp>

#include <cstdint>

namespace tessera {

inline constexpr const char* mistake_symbol = "tessera_mistake";

// What the kernels of a checked image have written down.
class NotedMistake {
public:
    explicit NotedMistake(const Partition& partition);
    NotedMistake(const NotedMistake&) = delete; // a record of a GPU points into it
    NotedMistake& operator=(const NotedMistake&) = delete;

    [[nodiscard]] const mistake_record& record() const noexcept { return noted_.record; }

private:
    shared_mistake noted_{};
};

// Where kernels of a checked image on a GPU, which nothing stops, have found a mistake by now: throws a KernelFault of the launch, the
// last one that was made. Waits for it.
void expect_no_mistake(const Partition& partition, const Launch& launch);

// Throws Failure::model: the author's line, the numbers, the function, the place or agent, and the step. `kernel` is of a function and
// ended with the fault, `record` that of its image; what the processor alone stopped at is told with the place too.
[[noreturn]] void tell_mistake(const Setup& setup, const KernelSetup& kernel, const KernelFault& fault, const mistake_record& record,
                               std::uint64_t step);
// The same of a uniform; `step` is the first that it was made for.
[[noreturn]] void tell_mistake(const Setup& setup, const model::Uniform& uniform, const KernelFault& fault, const mistake_record& record,
                               std::uint64_t step);

} // namespace tessera
