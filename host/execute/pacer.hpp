// What steers a run and does not follow from its state: clocks, signals, files that somebody saves, compilations that are ready, times that
// were measured, memory that is free. Where several processes make one run, they have to answer such a question alike, or one exchanges
// rows that another does not. So every such question is asked here. One process answers for itself.
#pragma once

#include <chrono>
#include <cstdint>

namespace tessera {

class Pacer {
public:
    using Clock = std::chrono::steady_clock;

    virtual ~Pacer() = default;

    // By which steps are queued, samples are taken, and compilations and files are looked at.
    [[nodiscard]] virtual Clock::time_point now() const { return Clock::now(); }
    // Whether at least one process says so: of an interrupt, of a file that was saved.
    [[nodiscard]] virtual bool any(bool here) const { return here; }
    // Whether all do: of a compilation that is ready.
    [[nodiscard]] virtual bool all(bool here) const { return here; }
    // The most that a process has measured: of seconds that a step took.
    [[nodiscard]] virtual double most(double here) const { return here; }

    // That of a run which one process makes.
    [[nodiscard]] static const Pacer& of_one_process();

    [[nodiscard]] double seconds_since(Clock::time_point begun) const { return std::chrono::duration<double>(now() - begun).count(); }
};

} // namespace tessera
