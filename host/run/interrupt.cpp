#include "host/run/interrupt.hpp"

#include <csignal>

namespace tessera {
namespace {

volatile std::sig_atomic_t asked = 0;

extern "C" void remember(int signal) {
    asked = 1;
    std::signal(signal, SIG_DFL); // the second one is not polite any more
}

} // namespace

InterruptGuard::InterruptGuard() {
    asked = 0;
    std::signal(SIGINT, remember);
    std::signal(SIGTERM, remember);
}

InterruptGuard::~InterruptGuard() {
    std::signal(SIGINT, SIG_DFL);
    std::signal(SIGTERM, SIG_DFL);
}

bool InterruptGuard::interrupted() const noexcept { return asked != 0; }

} // namespace tessera
