#include "device_runtime/crash_words.hpp"

#include "device_runtime/error.hpp"
#include "device_runtime/kernel_fault.hpp"
#include "device_runtime/signal_stack.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>

#include <signal.h>
#include <unistd.h>

namespace tessera {
namespace {

constexpr std::array<int, 6> taken{SIGFPE, SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGABRT};
std::array<struct sigaction, taken.size()> before{};
std::array<std::string, static_cast<std::size_t>(Ending::stack_exhausted) + 1> words{}; // by Ending
std::string of_abort, of_exit;
bool wanted = false;

void tell(const std::string& text) {
    const auto written = ::write(STDERR_FILENO, text.data(), text.size());
    static_cast<void>(written);
}

extern "C" void tell_crash(int signal, siginfo_t* info, void* context) {
    const bool by_the_processor = info->si_code > 0; // and not sent by somebody
    const auto& text = by_the_processor ? words[static_cast<std::size_t>(ending_of(signal, *info, context))] : of_abort;
    if (by_the_processor || signal == SIGABRT) tell(text);
    const auto number = static_cast<std::size_t>(std::find(taken.begin(), taken.end(), signal) - taken.begin());
    sigaction(signal, &before[number], nullptr); // the instruction is tried again, and is theirs who had the signal before
    if (!by_the_processor && signal != SIGABRT) raise(signal);
}

std::string sentence(const std::string& who, const std::string& what, const std::string& when, const std::string& why,
                     const std::string& advice) {
    return "error: " + who + " " + what + " " + when + " (" + why + ") " + advice + "\n";
}

void tell_exit() {
    if (!wanted) return;
    tell(of_exit);
    ::_exit(static_cast<int>(Failure::model)); // whatever it wanted to say of itself
}

} // namespace

CrashWords::CrashWords(const std::string& who, const std::string& when) {
    for (const auto ending : {Ending::no_result, Ending::no_address, Ending::no_code, Ending::stack_exhausted}) {
        const KernelFault fault(who, 0, ending);
        words[static_cast<std::size_t>(ending)] = sentence(who, fault.what_happened(), when, fault.why(), fault.advice());
    }
    of_abort = sentence(who, "aborted", when, "an assertion that does not hold, an exception that nothing catches, or damaged memory",
                        "a debugger shows where");
    of_exit = sentence(who, "ended the process", when, "it called exit()", "throw an exception instead");
    static const int once = std::atexit(tell_exit);
    static_cast<void>(once);
    wanted = true;
    thread_local const SignalStack stack;
    static_cast<void>(stack);
    struct sigaction action {};
    action.sa_sigaction = tell_crash;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    for (std::size_t i = 0; i < taken.size(); ++i) sigaction(taken[i], &action, &before[i]);
}

CrashWords::~CrashWords() {
    wanted = false;
    for (std::size_t i = 0; i < taken.size(); ++i) sigaction(taken[i], &before[i], nullptr);
}

} // namespace tessera
