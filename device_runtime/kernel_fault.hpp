// A kernel that a device gave up in the middle.
#pragma once

#include "device_runtime/error.hpp"

#include <cstddef>
#include <cstdint>

namespace tessera {

// Thrown by Device::launch and Device::replay of the CPU. What the kernel had written by then stays, so its columns are neither
// the state before nor the one after.
class KernelFault final : public Error {
public:
    // `kernel` is the entry point; `launch` counts within the recording, from 0.
    KernelFault(const std::string& kernel, std::size_t launch)
        : Error(Failure::model, kernel + " divided an integer by zero", "or the smallest integer by -1, which has no result either"),
          kernel_(kernel), launch_(launch) {}

    [[nodiscard]] const std::string& kernel() const noexcept { return kernel_; }
    [[nodiscard]] std::size_t launch() const noexcept { return launch_; }

private:
    std::string kernel_;
    std::size_t launch_;
};

// Calls the entry point and says whether it came to its end: an integer division without a result, at which the processor would end the
// process, cuts it off. Only for code that owns nothing, as kernels are. Thread-safe; it takes over SIGFPE for the whole process.
[[nodiscard]] bool comes_to_its_end(void (*entry)(const void* args, std::int64_t begin, std::int64_t end), const void* args,
                                    std::int64_t begin, std::int64_t end);

} // namespace tessera
