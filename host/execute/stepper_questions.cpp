// Steps of a Stepper that depend on answers of the devices: repeats with `until`, and `stop` where one GPU asks itself.
#include "host/execute/stepper.hpp"
#include "host/schedule/stoppable_steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tessera {

// A step in which repeats ask whether to go on. What went wrong in it is looked for now and then, for to look takes longer than a question.
void Stepper::make_asking_step() {
    constexpr std::size_t most_parts = 1024; // rounds have random numbers of their own, so that each is a part
    wait_for_queued();
    if (parts_.size() > most_parts) parts_.clear();
    if (unchecked_steps_ == 0) last_check_ = pacer_.now();
    try {
        AskingStep step(model_, step_, asked_, [this](const auto& before, std::string key, const auto& plan) -> const PlannedPart& {
            return start_part(before, std::move(key), plan);
        });
        const auto made = step.make();
        if (waits_for_faults_) model_.executor().wait(model_.executor().now());
        timer_.count_runs(made);
    } catch (const KernelFault& fault) {
        fail(fault, step_, 0);
    }
    ++unchecked_steps_;
    ++step_;
    constexpr double often = 0.01;
    if (pacer_.seconds_since(last_check_) > often) check_asking_steps();
}

namespace {

// How many steps are given together next, where `made` times as many as now were, the last ones in so many seconds: planning takes longer
// than making them, so that more are planned only where these came often.
std::uint64_t steps_together(std::uint64_t now, int made, std::uint64_t most, double seconds) {
    constexpr std::uint64_t few = 8;
    constexpr double long_ones = 0.04, short_ones = 0.005;
    if (seconds > long_ones) return std::max<std::uint64_t>(now / 4, 1);
    if (seconds < short_ones && now < few && made >= 8) return std::min(few, most);
    if (seconds * static_cast<double>(most) < short_ones * static_cast<double>(now) && made >= 128) return most;
    return now;
}

} // namespace

// What was queued is waited for, so that the host knows how far it came: behind several steps, where this shows little.
void Stepper::make_stoppable_steps(std::uint64_t until) {
    constexpr std::uint64_t most_launches = 512;
    const auto begun = pacer_.now();
    const auto first = step_, count = std::min(segment_steps_, until - step_);
    auto& [segment, behind] = stoppable_of(count, step_ + count < until);
    model_.answers().forget();
    start(segment, first);
    queued_.push_back({model_.executor().now(), begun, first, count, segment.steps});
    step_ += count; // if all goes well
    wait(queued_.front());
    const auto stopped = model_.answers().take_number();
    is_stopped_ = stopped.has_value();
    const auto made = stopped.value_or(count);
    timer_.count_runs(first, made);
    model_.world().placement() = behind[made - 1];
    step_ = first + made;
    if (made < count) model_.set_step(step_);
    check_agents();
    queued_.clear();
    if (count < segment_steps_) return;
    const auto most = std::clamp<std::uint64_t>(most_launches / launches_a_step_, 1, longest_segment);
    const auto next = steps_together(count, ++made_of_these_, most, pacer_.seconds_since(begun));
    if (std::exchange(segment_steps_, next) != next) made_of_these_ = 0;
}

Stepper::Stoppable& Stepper::stoppable_of(std::uint64_t count, bool asks_last) {
    constexpr std::size_t most_kept = 64;
    if (stoppable_.size() > most_kept) stoppable_.clear();
    const auto key = fmt::format("{} {}", asks_last ? "asked" : "", model_.schedule().activity(step_, count));
    auto& steps = stoppable_[{model_.world().placement(), key}];
    auto& segment = steps.segment;
    if (segment.met++ == 0) {
        auto planned = stoppable_steps(model_.schedule(), *stop_, count, asks_last, model_.world().placement(),
                                       [&](std::uint64_t k, Placement& placement, std::vector<Task>& tasks) {
                                           append_step(k, placement, tasks, [](PhaseId) { return true; });
                                       });
        segment.count = count;
        segment.after = planned.behind.back();
        steps.behind = std::move(planned.behind);
        bind(segment, std::move(planned.tasks), {});
    }
    if (launches_a_step_ == 0) launches_a_step_ = segment.work.items.size() / count;
    if (segment.met == 2) model_.executor().record(segment.work);
    return steps;
}

// In the state that there is.
void Stepper::ask_stop() {
    model_.answers().forget();
    std::vector<Task> tasks;
    append_stop(model_.schedule(), *stop_, 1, 0, model_.world().placement(), tasks);
    model_.executor().start(model_.executor().bind(std::move(tasks), {}));
    model_.executor().synchronize();
    is_stopped_ = model_.answers().take_number().has_value();
}

void Stepper::check_asking_steps() {
    if (unchecked_steps_ == 0) return;
    model_.executor().synchronize();
    unchecked_steps_ = 0;
    check_agents();
}

const PlannedPart& Stepper::start_part(const Placement& before, std::string key, const std::function<PlannedPart()>& plan) {
    auto& [segment, planned] = parts_[{before, std::move(key)}];
    if (segment.met++ == 0) {
        planned = plan();
        bind(segment, std::exchange(planned.tasks, {}), {});
    }
    if (segment.work.items.empty()) return planned;
    if (segment.met == 2) model_.executor().record(segment.work);
    start(segment, step_);
    return planned;
}

} // namespace tessera
