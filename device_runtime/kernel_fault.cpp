#include "device_runtime/kernel_fault.hpp"

#include "device_runtime/signal_stack.hpp"

#include <algorithm>
#include <array>
#include <csetjmp>
#include <cstddef>

#include <signal.h>
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

extern "C" void leave_kernel(int signal, siginfo_t* info, void* context) {
    const auto& interrupted = *static_cast<ucontext_t*>(context);
    const bool by_the_processor = info->si_code > 0; // and not sent by somebody
    if (way_out != nullptr && by_the_processor) {
        // The jump keeps the signals blocked that are blocked in here. Asking for fewer by SA_NODEFER does not reach past the thread
        // sanitizer.
        pthread_sigmask(SIG_SETMASK, &interrupted.uc_sigmask, nullptr);
        siglongjmp(*way_out, static_cast<int>(ending_of(signal, *info, context)));
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

bool is_of_kernel_fault(const std::string& message) {
    const std::array all{Ending::no_result, Ending::no_address, Ending::no_code, Ending::stack_exhausted};
    return std::any_of(all.begin(), all.end(), [&](Ending ending) { return message.find(words_for(ending).what) != std::string::npos; });
}

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
