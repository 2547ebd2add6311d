// A kernel that a device gave up in the middle.
#pragma once

#include "device_runtime/error.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace tessera {

// How a call of a kernel's entry point ended. All but the first are what the processor would end the process for.
enum class Ending {
    whole,
    no_result,      // an integer division by zero, or of the smallest integer by -1
    no_address,     // a load or a store where there is no memory of ours
    no_code,        // where the compiler has put a stop, since what the author wrote has no meaning
    stack_exhausted // calls too deep, or too large a local array
};

// Thrown by a CPU's queue. What the kernel had written by then stays, so its columns are neither the state before nor the one after.
class KernelFault final : public Error {
public:
    // `kernel` is the entry point; `launch` is Launch::number, or counts within the recording, from 0; `ending` is not whole.
    KernelFault(const std::string& kernel, std::size_t launch, Ending ending);

    [[nodiscard]] const std::string& kernel() const noexcept { return kernel_; }
    [[nodiscard]] std::size_t launch() const noexcept { return launch_; }
    [[nodiscard]] Ending ending() const noexcept { return ending_; }

    // For a message that says more of where: the parts of `<what> happened <here> (<why>) <advice>`.
    [[nodiscard]] const char* what_happened() const noexcept; // "divided an integer by zero"
    [[nodiscard]] const char* why() const noexcept;
    [[nodiscard]] const char* advice() const noexcept;

private:
    std::string kernel_;
    std::size_t launch_;
    Ending ending_;
};

// Whether the message of another process tells of such an end.
[[nodiscard]] bool is_of_kernel_fault(const std::string& message);

// Calls the entry point and says how that ended: what the processor stops at cuts it off. Only for code that owns nothing, as kernels are.
// Thread-safe; it takes over SIGFPE, SIGSEGV, SIGBUS, SIGILL and SIGTRAP for the whole process, and gives each thread that calls it a stack
// for them. Outside of a kernel a signal goes to whoever had it before.
[[nodiscard]] Ending call_kernel(void (*entry)(const void* args, std::int64_t begin, std::int64_t end), const void* args,
                                 std::int64_t begin, std::int64_t end);

} // namespace tessera
