#include "host/execute/phase_timer.hpp"

#include "host/execute/faults.hpp"
#include "host/execute/step_words.hpp"
#include "host/schedule/cycle.hpp"

#include <algorithm>
#include <utility>

namespace tessera {

namespace {

constexpr auto interval = std::chrono::seconds(1);

} // namespace

PhaseTimer::PhaseTimer(LoadedModel& model, const Pacer& pacer)
    : model_(model), pacer_(pacer), next_sample_(Pacer::Clock::time_point::max()) {
    device_timings_.resize(model.partitions().size());
    for (const auto& phase : model.setup().phases) {
        if (phase.first_round) {
            timing_of_.push_back(timing_of_[phase.first_round->index()]);
            continue;
        }
        timing_of_.push_back(timings_.size());
        PhaseTiming timing;
        timing.name = phase.name;
        if (const auto* call = std::get_if<CallPhase>(&phase.action)) timing.view = to_string(model.views()[call->kernel.index()]);
        if (std::holds_alternative<UntilPhase>(phase.action)) timing.most = phase.rounds;
        timings_.push_back(timing);
    }
}

bool PhaseTimer::due(bool idle) const { return (idle && !sampled_) || pacer_.now() >= next_sample_; }

void PhaseTimer::make_step(std::uint64_t step) {
    auto& executor = model_.executor();
    std::vector<Lap> laps;
    const auto end_lap = [&] {
        auto own_end = executor.end_of_each();
        laps.push_back({std::move(own_end), executor.now()});
    };
    std::vector<Task> tasks;
    model_.schedule().append_uniforms(1, tasks);
    const auto make = [&](PhaseId phase) {
        model_.schedule().append_phase(phase, step, 0, model_.world().placement(), tasks);
        make_cycle(model_.setup(), tasks, 0);
        executor.start(executor.bind(std::exchange(tasks, {}), {}));
        end_lap();
    };
    MadeStep made;
    try {
        end_lap();
        made = make_phases(model_.setup(), step, make, [&] { return model_.answers().take(); });
        executor.wait(laps.back().end);
    } catch (const KernelFault& fault) {
        tell_fault(model_.setup(), model_.partitions(), fault, step);
    }
    executor.start(executor.bind(model_.schedule().advance(1), {}));
    count_sample(made, laps);
    count_runs(made);
    next_sample_ = pacer_.now() + interval;
    sampled_ = true;
}

void PhaseTimer::count_sample(const MadeStep& made, const std::vector<Lap>& laps) {
    const auto& executor = model_.executor();
    for (std::size_t p = 0; p < made.phases.size(); ++p) {
        if (!model_.setup().phases[made.phases[p]].timing.includes(made.step)) continue;
        const auto& begin = laps[p].end;
        const auto& [own_end, end] = laps[p + 1];
        auto& timing = timings_[timing_of_[made.phases[p].index()]];
        ++timing.samples;
        timing.sampled_seconds += executor.longest_between(begin, end);
        const auto working = executor.seconds_between(begin, own_end);
        const auto slowest = *std::max_element(working.begin(), working.end());
        for (std::size_t d = 0; d < device_timings_.size(); ++d) {
            device_timings_[d].working_seconds += working[d];
            device_timings_[d].waiting_seconds += slowest - working[d];
        }
    }
    for (auto& timing : device_timings_) ++timing.samples;
}

void PhaseTimer::begin_sampling() {
    if (next_sample_ == Pacer::Clock::time_point::max()) next_sample_ = pacer_.now() + interval;
}

void PhaseTimer::count_runs(std::uint64_t from, std::uint64_t count) {
    begin_sampling();
    const auto& phases = model_.setup().phases;
    for (std::size_t p = 0; p < phases.size(); ++p)
        for (std::uint64_t k = from; k < from + count; ++k) timings_[timing_of_[p]].runs += phases[p].timing.includes(k) ? 1 : 0;
}

void PhaseTimer::count_runs(const MadeStep& made) {
    begin_sampling();
    for (const auto phase : made.phases)
        timings_[timing_of_[phase.index()]].runs += model_.setup().phases[phase].timing.includes(made.step) ? 1 : 0;
    for (const auto phase : made.unresolved) ++timings_[timing_of_[phase.index()]].unresolved;
}

void PhaseTimer::count_on_from(const std::vector<PhaseTiming>& before) {
    for (std::size_t i = 0; i < std::min(timings_.size(), before.size()); ++i) {
        if (timings_[i].name != before[i].name) continue;
        timings_[i].runs += before[i].runs;
        timings_[i].samples += before[i].samples;
        timings_[i].sampled_seconds += before[i].sampled_seconds;
        timings_[i].unresolved += before[i].unresolved;
    }
}

void PhaseTimer::count_on_from(const PhaseTimer& before) {
    count_on_from(before.timings_);
    for (std::size_t p = 0; p < device_timings_.size(); ++p) {
        device_timings_[p].samples += before.device_timings_[p].samples;
        device_timings_[p].working_seconds += before.device_timings_[p].working_seconds;
        device_timings_[p].waiting_seconds += before.device_timings_[p].waiting_seconds;
    }
}

} // namespace tessera
