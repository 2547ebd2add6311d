// What asks a run to end: Ctrl-C, a polite kill, a terminal or a reader that is gone; as a question to ask between steps.
#pragma once

#include <array>
#include <atomic>

#include <signal.h>

namespace tessera {

// What a run that keeps its state does at signals by which a queue says that time is nearly over.
// `unknown`: its run file is not read yet.
enum class Keeping { nothing, state, unknown };

// While one lives, SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXCPU (a soft limit of time), SIGUSR1 and SIGUSR2 (a queue's warning) set a flag
// instead of ending the process; a second SIGINT or SIGTERM ends it, for somebody is impatient. Of a run that keeps its state, SIGUSR1 asks
// for that alone, and a second SIGTERM, which queues send, does not end it while it does so. Where SIGHUP is ignored, as under nohup, it
// stays so; so do SIGUSR1 and SIGUSR2. Of a run of which nothing is known yet, SIGTERM, SIGXCPU, SIGUSR1 and SIGUSR2 alone are noted, for
// the guard that is made when it is known. Main thread.
class InterruptGuard {
public:
    explicit InterruptGuard(Keeping keeping = Keeping::nothing);
    ~InterruptGuard();
    InterruptGuard(const InterruptGuard&) = delete;
    InterruptGuard& operator=(const InterruptGuard&) = delete;

    [[nodiscard]] bool interrupted() const noexcept;
    // Whether it is time that ends the run, as a queue says, and not somebody.
    [[nodiscard]] bool is_out_of_time() const noexcept;
    // Whether the state is to be kept; from then on not any more until it is asked for again.
    [[nodiscard]] bool take_wish_to_keep() noexcept;
    [[nodiscard]] bool wishes_to_keep() const noexcept;
    // Whether somebody did, for what looks at it from other threads and gives up results. Lives until the process ends.
    [[nodiscard]] const std::atomic<bool>& flag() const noexcept;

private:
    static void take_what_was_noted();

    const bool waits_;
    std::array<struct sigaction, 7> before_{};
};

// From now on a write to a pipe that nobody reads is told as a failed write, and does not end the process.
void outlive_broken_pipes();

} // namespace tessera
