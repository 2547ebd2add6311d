#include "host/session/tuner_pause.hpp"

#include "host/setup/asked_stop.hpp"

#include <chrono>

namespace tessera {

bool TunerPause::pending(CurrentRun& run, std::uint64_t step) {
    return !(is_restless_ && is_restless_()) && run.run().tuner().ready(run.end() - step);
}

Outcome TunerPause::arrive(CurrentRun& run, const Arrival& arrival) {
    if (arrival.ends || !pending(run, run.step())) return Outcome::go_on;
    const auto begun = std::chrono::steady_clock::now();
    const bool asks_itself = find_stop_question(run.setup()).has_value(); // but not in the steps of a trial
    run.run().tuner().work(asks_itself ? run.step() + 1 : all_.next(run));
    run.report().step_seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
    return Outcome::go_on;
}

} // namespace tessera
