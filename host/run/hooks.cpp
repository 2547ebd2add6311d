#include "host/run/hooks.hpp"

#include "device_runtime/crash_words.hpp"
#include "device_runtime/error.hpp"
#include "device_runtime/float_environment.hpp"
#include "host/run/hooked_world.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

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
    spdlog::info("hooks of {}: {}", library_, names);
}

std::uint64_t Hooks::next_due(std::uint64_t step, std::uint64_t end) const {
    auto next = end;
    for (const auto& hook : hooks_)
        if (hook.when == Hook::When::every) next = std::min(next, hook.next_due(step));
    return next;
}

bool Hooks::call_due(Running& running) {
    const auto step = running.simulation().step();
    if (hooks_.empty() || last_ == step) return false;
    const bool is_first = !last_;
    report_.stopped_by.clear(); // of a run that went on after a change
    last_ = step;
    for (std::size_t i = 0; is_first && i < hooks_.size(); ++i)
        if (hooks_[i].when == Hook::When::at_start) call(i, running);
    for (std::size_t i = 0; i < hooks_.size(); ++i)
        if (hooks_[i].is_due(step)) call(i, running);
    return !report_.stopped_by.empty();
}

void Hooks::call_last(Running& running) {
    for (std::size_t i = 0; i < hooks_.size(); ++i)
        if (hooks_[i].when == Hook::When::at_end) call(i, running);
}

void Hooks::call(std::size_t number, Running& running) {
    using Clock = std::chrono::steady_clock;
    const auto& hook = hooks_[number];
    const auto when = state_text(running.simulation().step());
    const auto who = fmt::format("the hook `{}` of {}", hook.name, library_);
    HookedWorld world(running.setup(), running.simulation(), hook.name, hook.when != Hook::When::at_end);
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
        spdlog::warn(
            "{} changes how its thread computes (rounding, small numbers or traps); the run restores the arithmetic after each call", who);
    report_.hook_seconds += std::chrono::duration<double>(Clock::now() - begun).count();
    if (world.broken()) std::rethrow_exception(world.broken());
    if (status != 0)
        throw Error(Failure::model, fmt::format("{} failed {}{}", who, when, world.failure().empty() ? "" : ": " + world.failure()));
    if (!world.stopped() || !report_.stopped_by.empty()) return;
    report_.stopped_by = fmt::format("{}: {}", hook.name, *world.stopped());
    spdlog::info("the hook `{}` stops the run {}: {}", hook.name, when, *world.stopped());
}

} // namespace tessera
