#include "host/session/interrupt.hpp"

#include <atomic>
#include <cstddef>

namespace tessera {
namespace {

constexpr std::array signals{SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXCPU, SIGUSR1, SIGUSR2};

std::atomic<bool> was_interrupted = false;
std::atomic<bool> asked_by_somebody = false; // and not by a pipe that nobody reads, which can wait until there are results
static_assert(std::atomic<bool>::is_always_lock_free, "a handler may only touch what needs no lock");

std::atomic<bool> keeps_state = false, asked_to_keep = false, out_of_time = false;

// Before the run is known.
std::atomic<bool> is_waiting = false, queue_warned = false, noted_keep = false;

extern "C" void note(int signal) {
    if (signal == SIGUSR1)
        noted_keep = true;
    else
        queue_warned = true;
}

extern "C" void remember(int signal) {
    if (keeps_state && signal == SIGUSR1) {
        asked_to_keep = true;
        return;
    }
    if (signal == SIGTERM || signal == SIGXCPU || signal == SIGUSR2) out_of_time = true;
    was_interrupted = true;
    if (signal != SIGPIPE) asked_by_somebody = true;
    if (signal == SIGINT || (signal == SIGTERM && !keeps_state)) ::signal(signal, SIG_DFL); // the second one is not polite any more
}

extern "C" void do_nothing(int) {}

struct sigaction handled_by(void (*handler)(int)) {
    struct sigaction action {};
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    return action;
}

} // namespace

InterruptGuard::InterruptGuard(Keeping keeping) : waits_(keeping == Keeping::unknown) {
    was_interrupted = asked_by_somebody = asked_to_keep = out_of_time = false;
    keeps_state = keeping == Keeping::state;
    if (waits_) queue_warned = noted_keep = false;
    const auto action = handled_by(waits_ ? note : remember);
    for (std::size_t i = 0; i < signals.size(); ++i) {
        ::sigaction(signals[i], nullptr, &before_[i]);
        const bool may_be_ignored = signals[i] == SIGHUP || signals[i] == SIGUSR1 || signals[i] == SIGUSR2;
        const bool is_for_later = signals[i] == SIGINT || signals[i] == SIGHUP || signals[i] == SIGPIPE;
        if (waits_ && is_for_later) continue;
        if (!may_be_ignored || before_[i].sa_handler != SIG_IGN) ::sigaction(signals[i], &action, nullptr);
    }
    if (waits_)
        is_waiting = true;
    else if (is_waiting)
        take_what_was_noted();
}

// By the guard that waited for the run to be known. A signal that comes meanwhile is remembered by its own handler.
void InterruptGuard::take_what_was_noted() {
    const bool was_warned = queue_warned.exchange(false), was_to_keep = noted_keep.exchange(false);
    if (was_to_keep && keeps_state) asked_to_keep = true;
    if (was_warned) out_of_time = true;
    if (was_warned || (was_to_keep && !keeps_state)) was_interrupted = asked_by_somebody = true;
}

InterruptGuard::~InterruptGuard() {
    if (waits_) is_waiting = false;
    for (std::size_t i = 0; i < signals.size(); ++i) ::sigaction(signals[i], &before_[i], nullptr);
}

bool InterruptGuard::interrupted() const noexcept { return was_interrupted; }
bool InterruptGuard::is_out_of_time() const noexcept { return out_of_time; }
bool InterruptGuard::take_wish_to_keep() noexcept { return asked_to_keep.exchange(false); }
bool InterruptGuard::wishes_to_keep() const noexcept { return asked_to_keep; }
const std::atomic<bool>& InterruptGuard::flag() const noexcept { return asked_by_somebody; }

void outlive_broken_pipes() { // a handler and not SIG_IGN, which programs that are started from here would inherit
    const auto action = handled_by(do_nothing);
    ::sigaction(SIGPIPE, &action, nullptr);
}

} // namespace tessera
