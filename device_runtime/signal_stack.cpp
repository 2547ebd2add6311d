#include "device_runtime/signal_stack.hpp"

#include <cstdint>

#include <sys/mman.h>
#include <ucontext.h>

namespace tessera {

SignalStack::SignalStack() {
    stack_t old{};
    if (sigaltstack(nullptr, &old) != 0 || (old.ss_flags & SS_DISABLE) == 0) return;
    void* start = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED) return; // a stack that is used up ends the process then
    stack_t ours{};
    ours.ss_sp = start;
    ours.ss_size = size;
    if (sigaltstack(&ours, nullptr) == 0)
        start_ = start;
    else
        munmap(start, size);
}

SignalStack::~SignalStack() {
    if (start_ == nullptr) return;
    stack_t none{};
    none.ss_flags = SS_DISABLE;
    sigaltstack(&none, nullptr);
    munmap(start_, size);
}

namespace {

std::uintptr_t stack_pointer(const ucontext_t& context) {
#if defined(__x86_64__)
    return static_cast<std::uintptr_t>(context.uc_mcontext.gregs[REG_RSP]);
#elif defined(__aarch64__)
    return context.uc_mcontext.sp;
#else
    return 0;
#endif
}

// What is used up is met at the lower end of the last frame or, in a frame of large arrays, anywhere in it; other addresses that are
// nobody's are far from there.
bool is_in_last_frame(const void* address, std::uintptr_t stack) {
    constexpr std::uintptr_t below = std::uintptr_t{1} << 20, largest_frame = std::uintptr_t{16} << 20;
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    return stack > below && at > stack - below && at < stack + largest_frame;
}

} // namespace

Ending ending_of(int signal, const siginfo_t& info, const void* context) noexcept {
    if (signal == SIGFPE) return Ending::no_result;
    if (signal == SIGILL || signal == SIGTRAP) return Ending::no_code;
    return is_in_last_frame(info.si_addr, stack_pointer(*static_cast<const ucontext_t*>(context))) ? Ending::stack_exhausted
                                                                                                   : Ending::no_address;
}

} // namespace tessera
