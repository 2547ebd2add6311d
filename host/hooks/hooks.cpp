#include "host/hooks/hooks.hpp"

#include "device_runtime/crash_words.hpp"
#include "device_runtime/error.hpp"
#include "device_runtime/float_environment.hpp"
#include "host/hooks/hooked_world.hpp"
#include "jit/log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace tessera {
namespace {

std::string state_text(std::uint64_t step) { return step == 0 ? "before the first step" : fmt::format("after step {}", step); }

} // namespace

Hooks::Hooks(const model::Model& model, RunReport& report) : library_(model.path.string()), report_(report) {
    if (!model.library || !model.library->has_hooks()) return;
    hooks_ = load_hooks(*model.library);
    std::string names;
    for (const auto& hook : hooks_) {
        names += fmt::format("{}{} ({})", names.empty() ? "" : ", ", hook.name, when_text(hook));
        report_.hooks.push_back({hook.name, when_text(hook), 0, hook.stateful});
    }
    log_info("hooks of {}: {}", library_, names);
}

void Hooks::go_on_at(std::uint64_t step, const std::vector<RunReport::Hook>& before) {
    last_ = step;
    had_stopped_ = !report_.stopped_by.empty();
    for (auto& hook : report_.hooks)
        for (const auto& each : before)
            if (each.name == hook.name) hook.calls = each.calls;
}

void Hooks::refuse_stateful() const {
    for (const auto& hook : hooks_)
        if (hook.stateful)
            throw Error(Failure::input, fmt::format("a run with the hooks of {} cannot keep checkpoints", library_),
                        fmt::format("its hook `{}` is stateful: what it does depends on more than the state of the run", hook.name),
                        "leave `run.checkpoint` out");
}

std::uint64_t Hooks::next(const CurrentRun& run) const {
    auto next = never;
    for (const auto& hook : hooks_)
        if (hook.when == Hook::When::every) next = std::min(next, hook.next_due(run.step() + 1));
    return next;
}

Outcome Hooks::arrive(CurrentRun& run, const Arrival& arrival) {
    if (arrival.is_last) {
        for (std::size_t i = 0; i < hooks_.size(); ++i)
            if (hooks_[i].when == Hook::When::at_end) call(i, run.run());
        return Outcome::go_on;
    }
    if (std::exchange(had_stopped_, false)) return Outcome::stop; // as they said at the state from which it goes on
    if (hooks_.empty() || last_ == run.step()) return Outcome::go_on;
    call_due(run.run());
    return report_.stopped_by.empty() ? Outcome::go_on : Outcome::stop;
}

void Hooks::call_due(Run& run) {
    const auto step = run.step();
    const bool is_first = !last_;
    report_.stopped_by.clear(); // of a run that went on after a change
    last_ = step;
    for (std::size_t i = 0; is_first && i < hooks_.size(); ++i)
        if (hooks_[i].when == Hook::When::at_start) call(i, run);
    for (std::size_t i = 0; i < hooks_.size(); ++i)
        if (hooks_[i].is_due(step)) call(i, run);
}

void Hooks::call(std::size_t number, Run& run) {
    using Clock = std::chrono::steady_clock;
    const auto& hook = hooks_[number];
    const auto when = state_text(run.step());
    const auto who = fmt::format("the hook `{}` of {}", hook.name, library_);
    HookedWorld world(run, hook.name, hook.when != Hook::When::at_end);
    const auto begun = Clock::now();
    ++report_.hooks[number].calls;
    bool changes_arithmetic = false;
    const auto status = [&] {
        const CrashWords words(who, when);
        const DefaultArithmetic kept;
        const auto returned = hook.call(&world.host());
        changes_arithmetic = !has_default_arithmetic();
        return returned;
    }();
    if (changes_arithmetic && !std::exchange(told_of_arithmetic_, true))
        log_warning(
            "{} changes how its thread computes (rounding, small numbers or traps); the run restores the arithmetic after each call", who);
    report_.hook_seconds += std::chrono::duration<double>(Clock::now() - begun).count();
    if (world.broken()) std::rethrow_exception(world.broken());
    if (status != 0)
        throw Error(Failure::model, fmt::format("{} failed {}{}", who, when, world.failure().empty() ? "" : ": " + world.failure()));
    if (!world.stopped() || !report_.stopped_by.empty()) return;
    report_.stopped_by = fmt::format("{}: {}", hook.name, *world.stopped());
    log_info("the hook `{}` stops the run {}: {}", hook.name, when, *world.stopped());
}

} // namespace tessera
