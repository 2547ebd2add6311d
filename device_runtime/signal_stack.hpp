// Signals of the processor: a stack to handle them on, and what they say of the code that was stopped.
#pragma once

#include "device_runtime/kernel_fault.hpp"

#include <cstddef>

#include <signal.h>

namespace tessera {

// The stack on which signals are handled, since there is none left when it was used up. A thread that has one keeps it.
class SignalStack {
public:
    SignalStack();
    ~SignalStack();
    SignalStack(const SignalStack&) = delete;
    SignalStack& operator=(const SignalStack&) = delete;

private:
    static constexpr std::size_t size = std::size_t{64} << 10; // a frame of wide vector registers has 3 KiB, a sanitizer's handler more
    void* start_ = nullptr;
};

// How code ended that one of SIGFPE, SIGSEGV, SIGBUS, SIGILL and SIGTRAP stopped; `context` is what a handler is given. For handlers.
[[nodiscard]] Ending ending_of(int signal, const siginfo_t& info, const void* context) noexcept;

} // namespace tessera
