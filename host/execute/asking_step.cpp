#include "host/execute/asking_step.hpp"

#include "host/schedule/cycle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

namespace tessera {
namespace {

bool gives_rounds_together(const LoadedModel& model) {
    const auto& partitions = model.partitions();
    return partitions.size() == 1 && partitions.front().queue->runs_side_by_side() && obstacle_to_rounds_ahead(model.setup()).empty();
}

} // namespace

AskingStep::AskingStep(LoadedModel& model, std::uint64_t step, Asked& last, Start start)
    : model_(model), step_(step), last_(last), start_(std::move(start)), activity_(model.schedule().activity(step, 1)),
      is_ahead_(gives_rounds_together(model)), before_(model.world().placement()) {
    model_.answers().forget();
}

MadeStep AskingStep::make() {
    const auto append = [this](PhaseId phase) {
        phase_ = phase;
        if (!is_queued()) phases_.push_back(phase); // else it is, with its round
    };
    auto made = make_phases(model_.setup(), step_, append, [this] { return ask(); });
    if (!phases_.empty()) (void)start_those(0);
    (void)start_(before_, "advance", [this] { return PlannedPart{model_.schedule().advance(1), {}, before_}; });
    return made;
}

bool AskingStep::ask() {
    if (!is_queued()) queue_questions();
    const auto& question = (*queued_)[of_queued_++];
    const bool is_yes = yes_ == question.phase;
    ++asked_;
    if (is_yes) before_ = model_.world().placement() = question.behind;
    if (is_yes || std::get<UntilPhase>(model_.setup().phases[question.phase].action).is_last) {
        last_[first_question_] = std::exchange(asked_, 0);
        queued_ = nullptr;
    }
    return is_yes;
}

void AskingStep::queue_questions() {
    constexpr std::size_t many = 32; // more are never queued with the first
    if (asked_ == 0) first_question_ = phase_.index();
    const auto last = last_.find(first_question_);
    queued_ = &start_those(asked_ == 0 && last != last_.end() ? std::min(last->second, many) : many).questions;
    of_queued_ = 0;
    yes_ = model_.answers().take_yes();
}

const PlannedPart& AskingStep::start_those(std::size_t expected) {
    auto key = fmt::format("{} {} {} {}", phases_.front().index(), phases_.back().index(), expected, activity_);
    const auto& part = start_(before_, std::move(key), [&] { return planned(expected); });
    before_ = model_.world().placement() = part.behind;
    phases_.clear();
    is_begun_ = true;
    return part;
}

PlannedPart AskingStep::planned(std::size_t expected) const {
    const auto& setup = model_.setup();
    const auto& schedule = model_.schedule();
    PlannedPart part;
    auto placement = before_;
    if (!is_begun_) schedule.append_uniforms(1, part.tasks);
    for (const auto phase : phases_) schedule.append_phase(phase, step_, 0, placement, part.tasks);
    if (expected > 0) part.questions = {{phase_, placement}};
    if (expected > 1 && is_ahead_)
        part.questions =
            append_rounds(setup, schedule, step_, {phase_, asked_, asked_ == 0 ? expected : setup.phases.size()}, placement, part.tasks);
    make_cycle(setup, part.tasks, 0);
    part.behind = placement;
    return part;
}

} // namespace tessera
