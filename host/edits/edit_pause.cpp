#include "host/edits/edit_pause.hpp"

#include "device_runtime/error.hpp"
#include "host/edits/carry_over.hpp"
#include "host/edits/keep.hpp"
#include "host/edits/keys.hpp"
#include "host/edits/paint.hpp"
#include "host/schedule/exchange_check.hpp"
#include "host/session/output_pause.hpp"
#include "jit/log.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>
#include <variant>

namespace tessera {
namespace {

bool has_hooks(const Setup& setup) { return setup.model->library && setup.model->library->has_hooks(); }

} // namespace

EditPause::EditPause(CurrentRun& run, Changes& changes, bool waits_at_end)
    : changes_(changes), waits_at_end_(waits_at_end), had_hooks_(has_hooks(run.setup())), first_(run.step()) {
    keep_edit(run.folder(), run.report().edits, run.step(), run.setup(), run.run().run_file());
}

std::uint64_t EditPause::next(const CurrentRun& run) const { return std::max(changes_.next(run.step() + 1), run.step() + 1); }

Outcome EditPause::begin(CurrentRun& run) {
    while (pending(run, run.step()) && !is_cut_short(run)) (void)take_change(run);
    return Outcome::go_on;
}

// Of the first state hooks have seen, and outputs have written, what `begin` left: a change that comes later is of the next one.
Outcome EditPause::arrive(CurrentRun& run, const Arrival& arrival) {
    while (!arrival.ends && run.step() > first_ && pending(run, run.step()) && !is_cut_short(run))
        (void)take_change(run); // several may be of one step
    return Outcome::go_on;
}

// What somebody still asks for when Ctrl-C comes is not done; changes of an earlier run are.
bool EditPause::is_cut_short(const CurrentRun& run) const { return changes_.waits_at_end() && run.session().interrupted(); }

// Makes the next steps by what is changed, from this state on. If that is impossible it is reported, and nothing changes.
bool EditPause::take_change(CurrentRun& run) {
    if (!pending(run, run.step())) return false;
    const auto begun = std::chrono::steady_clock::now();
    std::optional<Change> change;
    try {
        const auto ahead = changes_.takes_sources() ? run.run().compile_ahead(run.session().compiler()) : nullptr;
        change = changes_.take(run.run());
        if (!change) return false;
        std::visit([&](auto& each) { make(run, each); }, *change);
    } catch (const Error& error) {
        if (!changes_.waits_at_end()) throw; // nobody is there who could change it again
        if (error.kind() != Failure::interrupted) changes_.failed(error);
        return false;
    }
    std::visit([&](const auto& each) { keep(run, each); }, *change);
    const auto& edit = run.report().edits.back();
    const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - begun;
    if (edit.kind() == Edit::Kind::sources)
        log_info("changed from step {} on, {:.0f} ms after it was seen", run.step(), taken.count());
    else
        log_debug("step {}: {}, {:.1f} ms after it was asked for", run.step(), as_json(edit).dump(), taken.count());
    changes_.done(edit);
    return true;
}

void EditPause::make(CurrentRun& run, Prepared& prepared) {
    check_exchanges(prepared.setup);
    tell_of_other_hooks(prepared.setup);
    check_carried_agents(run.setup(), prepared.setup);
    auto next = std::make_unique<Run>(std::move(prepared.model), prepared, run.session(), run.run());
    for (const auto& line : next->left_behind()) log_warning("{}", line);
    run.follow(std::move(next));
}
void EditPause::make(CurrentRun& run, const ParameterChange& change) { run.run().set_parameters(change.given); }
void EditPause::make(CurrentRun& run, const ValueChange& change) { write_values(change, run.run()); }

void EditPause::keep(CurrentRun& run, const Prepared&) {
    keep_edit(run.folder(), run.report().edits, run.step(), run.setup(), run.run().run_file());
}
void EditPause::keep(CurrentRun& run, const ParameterChange& change) {
    keep_edit(run.folder(), run.report().edits, run.step(), change, run.run().parameters());
}
void EditPause::keep(CurrentRun& run, const ValueChange& change) { keep_edit(run.folder(), run.report().edits, run.step(), change); }

// Hooks are native code, which is not unloaded: they stay those that the run began with.
void EditPause::tell_of_other_hooks(const Setup& next) {
    if (!had_hooks_ && !has_hooks(next)) return;
    if (!std::exchange(told_of_hooks_, true)) log_info("changes of hooks take effect when the run begins again");
}

// Changes at the end, for which a run that somebody watches waits.
bool EditPause::resumes(CurrentRun& run) {
    if (run.session().interrupted()) return false;
    if (waits_at_end_) {
        write_outputs(run, true);
        log_info("step {}: the run {}; waiting for a change, {}", run.step(),
                 run.report().status == "stopped" ? "has stopped" : "is at its end",
                 Keys().heard() ? "r begins again, q ends it" : "Ctrl-C ends it");
    }
    do {
        if (take_change(run)) return true; // also where no step is left: its outputs may want this state
        if (!waits_at_end_ || has_heard_enough(run)) return false;
    } while (!run.session().interrupted());
    return false;
}

// Waits for keys until there is something else to do; whether one ends the run.
bool EditPause::has_heard_enough(CurrentRun& run) {
    const Keys keys;
    while (!run.session().interrupted() && !pending(run, run.step())) {
        const auto key = keys.next(std::chrono::milliseconds(10));
        begins_again_ = key == 'r' && changes_.is_run();
        if (key == 'q' || begins_again_) return true;
        if (key == 'r') log_warning("the run does not begin again (the files as saved are not a valid run) correct them first");
    }
    return false;
}

} // namespace tessera
