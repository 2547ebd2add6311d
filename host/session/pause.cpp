#include "host/session/pause.hpp"

#include <algorithm>
#include <utility>

namespace tessera {

Outcome Pause::begin(CurrentRun&) { return Outcome::go_on; }
bool Pause::pending(CurrentRun&, std::uint64_t) { return false; }
bool Pause::resumes(CurrentRun&) { return false; }
std::optional<KeptRun> Pause::saved(const CurrentRun&) const { return std::nullopt; }
bool Pause::is_repeatable() const noexcept { return true; }

void Pauses::add(std::unique_ptr<Pause> pause) {
    owned_.push_back(std::move(pause));
    all_.push_back(owned_.back().get());
}

void Pauses::begin(CurrentRun& run) const {
    for (auto pause = all_.begin(); pause != all_.end();) {
        const auto said = (*pause)->begin(run);
        pause = said == Outcome::again ? all_.begin() : pause + 1;
    }
    run.run().let_go_of_view();
}

std::uint64_t Pauses::next(const CurrentRun& run) const {
    auto next = run.end();
    for (const auto* pause : all_) next = std::min(next, pause->next(run));
    return next;
}

bool Pauses::pending(CurrentRun& run, std::uint64_t step) const {
    bool pending = false; // each is asked: some only look
    for (auto* pause : all_) pending |= pause->pending(run, step);
    return pending;
}

Outcome Pauses::arrive(CurrentRun& run, Arrival arrival) const {
    auto outcome = Outcome::go_on;
    for (auto pause = all_.begin(); pause != all_.end();) {
        const auto said = (*pause)->arrive(run, arrival);
        ++pause;
        if (said == Outcome::again) arrival.is_new = false, pause = all_.begin();
        if (said == Outcome::stop) outcome = said, arrival.ends = true;
    }
    run.run().let_go_of_view();
    return outcome;
}

bool Pauses::resumes(CurrentRun& run) const {
    return std::any_of(all_.begin(), all_.end(), [&](Pause* pause) { return pause->resumes(run); });
}

std::optional<KeptRun> Pauses::saved(const CurrentRun& run) const {
    for (const auto* pause : all_)
        if (auto saved = pause->saved(run)) return saved;
    return std::nullopt;
}

bool Pauses::are_repeatable() const noexcept {
    return std::all_of(all_.begin(), all_.end(), [](const Pause* pause) { return pause->is_repeatable(); });
}

} // namespace tessera
