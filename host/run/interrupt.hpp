// Ctrl-C and a polite kill, as a question to ask between steps.
#pragma once

#include <atomic>

namespace tessera {

// While one lives, SIGINT and SIGTERM set a flag instead of ending the process; the second one ends it. Main thread.
class InterruptGuard {
public:
    InterruptGuard();
    ~InterruptGuard();
    InterruptGuard(const InterruptGuard&) = delete;
    InterruptGuard& operator=(const InterruptGuard&) = delete;

    [[nodiscard]] bool interrupted() const noexcept;
    // The same, for what looks at it from other threads. Lives until the process ends.
    [[nodiscard]] const std::atomic<bool>& flag() const noexcept;
};

} // namespace tessera
