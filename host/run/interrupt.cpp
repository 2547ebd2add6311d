#include "host/run/interrupt.hpp"

#include <csignal>

namespace tessera {
namespace {

std::atomic<bool> asked = false;
static_assert(std::atomic<bool>::is_always_lock_free); // a signal's handler writes it

extern "C" void remember(int signal) {
    asked = true;
    std::signal(signal, SIG_DFL); // the second one is not polite any more
}

} // namespace

InterruptGuard::InterruptGuard() {
    asked = false;
    std::signal(SIGINT, remember);
    std::signal(SIGTERM, remember);
}

InterruptGuard::~InterruptGuard() {
    std::signal(SIGINT, SIG_DFL);
    std::signal(SIGTERM, SIG_DFL);
}

bool InterruptGuard::interrupted() const noexcept { return asked; }
const std::atomic<bool>& InterruptGuard::flag() const noexcept { return asked; }

} // namespace tessera
