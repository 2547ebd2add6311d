#include "host/execute/asking_step.hpp"

#include "host/schedule/cycle.hpp"

#include <fmt/format.h>

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
    auto made = make_phases(
        model_.setup(), step_, [this](PhaseId phase) { append(phase); }, [this] { return ask(); });
    start_those();
    start_(model_.schedule().advance(1), before_, "advance");
    return made;
}

void AskingStep::append(PhaseId phase) {
    phase_ = phase;
    if (of_queued_ < queued_.size()) return; // of a round that is queued
    if (tasks_.empty()) first_ = phase.index();
    if (next_ == 0) model_.schedule().append_uniforms(1, tasks_);
    next_ = phase.index() + 1;
    model_.schedule().append_phase(phase, step_, 0, model_.world().placement(), tasks_);
}

bool AskingStep::ask() {
    if (of_queued_ == queued_.size()) queue_questions();
    const auto& question = queued_[of_queued_++];
    const bool is_yes = yes_ == question.phase;
    ++asked_;
    if (is_yes) before_ = model_.world().placement() = question.behind;
    if (is_yes || std::get<UntilPhase>(model_.setup().phases[question.phase].action).is_last) {
        last_[first_question_] = std::exchange(asked_, 0);
        queued_.clear();
        of_queued_ = 0;
    }
    return is_yes;
}

void AskingStep::queue_questions() {
    auto& placement = model_.world().placement();
    if (asked_ == 0) first_question_ = phase_.index();
    const auto last = last_.find(first_question_);
    const auto expected = asked_ == 0 && last != last_.end() ? last->second : model_.setup().phases.size();
    queued_ = {{phase_, placement}};
    if (is_ahead_ && expected > 1)
        queued_ = append_rounds(model_.setup(), model_.schedule(), step_, {phase_, asked_, expected}, placement, tasks_);
    next_ = queued_.back().phase.index() + 1;
    of_queued_ = 0;
    start_those();
    yes_ = model_.answers().take_yes();
}

void AskingStep::start_those() {
    make_cycle(model_.setup(), tasks_, 0);
    if (!tasks_.empty()) start_(std::exchange(tasks_, {}), before_, fmt::format("{} {} {}", first_, next_, activity_));
    before_ = model_.world().placement();
}

} // namespace tessera
