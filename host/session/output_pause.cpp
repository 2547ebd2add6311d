#include "host/session/output_pause.hpp"

#include "host/setup/asked_stop.hpp"

#include <chrono>

namespace tessera {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begun) { return std::chrono::duration<double>(Clock::now() - begun).count(); }

} // namespace

void write_outputs(CurrentRun& run, bool is_last) {
    const auto begun = Clock::now();
    run.run().outputs().write(run.run().view(), is_last);
    run.report().output_seconds += seconds_since(begun);
}

void finish_outputs(CurrentRun& run) {
    const auto begun = Clock::now();
    run.outbox().wait();
    run.outbox().check();
    run.run().outputs().close();
    run.report().output_seconds += seconds_since(begun);
}

std::uint64_t OutputPause::next(const CurrentRun& run) const { return run.run().outputs().next_due(run.step() + 1, never); }

bool OutputPause::pending(CurrentRun& run, std::uint64_t) { return run.session().pacer().any(run.outbox().has_failed()); }

Outcome OutputPause::arrive(CurrentRun& run, const Arrival& arrival) {
    if (arrival.is_new || arrival.is_last)
        write_outputs(run, arrival.is_last);
    else
        run.outbox().check();
    return Outcome::go_on;
}

std::uint64_t StopPause::next(const CurrentRun& run) const {
    const auto& agenda = run.setup().agenda;
    if (!agenda.stop || find_stop_question(run.setup())) return never; // the run stands still by itself where it may hold
    const auto every = agenda.stop_every;
    return (run.step() / every + 1) * every;
}

Outcome StopPause::arrive(CurrentRun& run, const Arrival& arrival) {
    const auto& agenda = run.setup().agenda;
    if (!agenda.stop || !arrival.is_new || run.step() % agenda.stop_every != 0) return Outcome::go_on;
    const auto begun = Clock::now();
    const bool holds = expression::is_true(run.run().view().evaluate(*agenda.stop));
    run.report().output_seconds += seconds_since(begun);
    return holds ? Outcome::stop : Outcome::go_on;
}

} // namespace tessera
