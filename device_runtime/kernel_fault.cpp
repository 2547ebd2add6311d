#include "device_runtime/kernel_fault.hpp"

#include <algorithm>
#include <array>
#include <csetjmp>
#include <cstddef>

#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

namespace tessera {
namespace {

struct Words {
    const char *what, *why, *advice;
};

Words words_for(Ending ending) {
    switch (ending) {
    case Ending::whole: break;
    case Ending::no_result:
        return {"divided an integer by zero", "or the smallest integer by -1; neither has a result",
                "test the divisor before the division"};
    case Ending::no_address:
        return {"read or wrote where it has no memory", "a null pointer, or an index far beyond an array",
                "test pointers and indices before they are used"};
    case Ending::no_code:
        return {"came to code that has no meaning",
                "the compiler ends a function there, as after a null pointer is used or at a missing return",
                "compile the functions that it calls with all warnings, and test pointers before they are used"};
    case Ending::stack_exhausted:
        return {"used up its stack", "it calls itself too often or without end, or its local arrays are too large",
                "use a loop in place of the recursion, or smaller arrays"};
    }
    return {"ended", "", ""};
}

constexpr std::array<int, 5> taken{SIGFPE, SIGSEGV, SIGBUS, SIGILL, SIGTRAP};
std::array<struct sigaction, taken.size()> before{};

thread_local sigjmp_buf* way_out = nullptr;

// The stack on which signals are handled, since there is none left when it was used up. A thread that has one keeps it.
class SignalStack {
public:
    SignalStack() {
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
    ~SignalStack() {
        if (start_ == nullptr) return;
        stack_t none{};
        none.ss_flags = SS_DISABLE;
        sigaltstack(&none, nullptr);
        munmap(start_, size);
    }
    SignalStack(const SignalStack&) = delete;
    SignalStack& operator=(const SignalStack&) = delete;

private:
    static constexpr std::size_t size = std::size_t{64} << 10; // a frame of wide vector registers has 3 KiB, a sanitizer's handler more
    void* start_ = nullptr;
};

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

Ending ending_of(int signal, const siginfo_t& info, const ucontext_t& context) {
    if (signal == SIGFPE) return Ending::no_result;
    if (signal == SIGILL || signal == SIGTRAP) return Ending::no_code;
    return is_in_last_frame(info.si_addr, stack_pointer(context)) ? Ending::stack_exhausted : Ending::no_address;
}

extern "C" void leave_kernel(int signal, siginfo_t* info, void* context) {
    const auto& interrupted = *static_cast<ucontext_t*>(context);
    const bool by_the_processor = info->si_code > 0; // and not sent by somebody
    if (way_out != nullptr && by_the_processor) {
        // The jump keeps the signals blocked that are blocked in here. Asking for fewer by SA_NODEFER does not reach past the thread
        // sanitizer.
        pthread_sigmask(SIG_SETMASK, &interrupted.uc_sigmask, nullptr);
        siglongjmp(*way_out, static_cast<int>(ending_of(signal, *info, interrupted)));
    }
    const auto number = static_cast<std::size_t>(std::find(taken.begin(), taken.end(), signal) - taken.begin());
    sigaction(signal, &before[number], nullptr); // the instruction is tried again, and is theirs who had the signal before
    if (!by_the_processor) raise(signal);
}

void take_over() {
    static const bool done = [] {
        struct sigaction action {};
        action.sa_sigaction = leave_kernel;
        action.sa_flags = SA_SIGINFO | SA_ONSTACK;
        sigemptyset(&action.sa_mask);
        for (std::size_t i = 0; i < taken.size(); ++i) sigaction(taken[i], &action, &before[i]);
        return true;
    }();
    static_cast<void>(done);
    thread_local const SignalStack stack;
    static_cast<void>(stack);
}

} // namespace

KernelFault::KernelFault(const std::string& kernel, std::size_t launch, Ending ending)
    : Error(Failure::model, kernel + " " + words_for(ending).what, words_for(ending).why, words_for(ending).advice), kernel_(kernel),
      launch_(launch), ending_(ending) {}

const char* KernelFault::what_happened() const noexcept { return words_for(ending_).what; }
const char* KernelFault::why() const noexcept { return words_for(ending_).why; }
const char* KernelFault::advice() const noexcept { return words_for(ending_).advice; }

Ending call_kernel(void (*entry)(const void*, std::int64_t, std::int64_t), const void* args, std::int64_t begin, std::int64_t end) {
    take_over();
    sigjmp_buf here;
    if (const int ending = sigsetjmp(here, 0); ending != 0) {
        way_out = nullptr;
        return static_cast<Ending>(ending);
    }
    way_out = &here;
    entry(args, begin, end);
    way_out = nullptr;
    return Ending::whole;
}

} // namespace tessera
