#include "host/session/checkpoint_pause.hpp"

#include "device_runtime/error.hpp"
#include "host/outputs/folder_walk.hpp"
#include "jit/log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <utility>

namespace tessera {
namespace {

// Where the sources of the run as it is now are, seen from its checkpoints: those that it began with, or those of its last edit.
std::string sources_of(const std::vector<Edit>& edits) {
    for (auto edit = edits.rbegin(); edit != edits.rend(); ++edit) {
        const auto run_file = edit->folder + "/" + checkpoint::run_file_name;
        if (std::find(edit->files.begin(), edit->files.end(), run_file) != edit->files.end()) return "../../" + edit->folder;
    }
    return std::string("../../") + sources_name;
}

} // namespace

RunReport::Begun names_of(const Setup& setup, const run_file::RunFile& run_file) {
    const auto run = run_file::with_absolute_paths(run_file);
    RunReport::Begun names{*run.model, setup.model->path.string(), run.run.out ? **run.run.out : "", {}};
    for (const auto& folder : run.plugin_folders) names.plugin_folders.push_back(*folder);
    return names;
}

std::string kept_run_file(const Setup& setup, const run_file::RunFile& run_file, const std::string& sources) {
    auto kept = run_file::with_absolute_paths(run_file);
    const auto& model = *setup.model;
    const bool by_library = model.library && (model.library->has_hooks() || !model.has_source());
    kept.model.value = sources + "/" + (by_library ? model.path.filename().string() : model.source.main.name);
    kept.run.out.reset();
    kept.plugin_folders.clear();
    return (kept.outputs.empty() ? "output = []\n" : "") + resolved_toml(kept); // or those of the model's defaults would be its own
}

CheckpointPause::CheckpointPause(std::uint64_t number, Clock::time_point process_start, std::uint64_t first, const checkpoint::Saved* saved,
                                 KeepingWishes wishes)
    : number_(number), process_start_(process_start), first_(first), wishes_(std::move(wishes)) {
    if (saved == nullptr) return;
    written_ = first;
    known_ = {saved->name, saved->record.columns};
}

std::uint64_t CheckpointPause::next(const CurrentRun& run) const {
    const auto& every = run.setup().agenda.checkpoint->every;
    return every ? (run.step() / **every + 1) * **every : never;
}

bool CheckpointPause::is_kept(std::uint64_t step) const { return written_ == step || (under_way_ != nullptr && under_way_->step == step); }

bool CheckpointPause::is_due(const CurrentRun& run) const {
    if (run.step() == 0 || is_kept(run.step())) return false;
    const auto& every = run.setup().agenda.checkpoint->every;
    return (every && run.step() % **every == 0) || is_time_due(run);
}

bool CheckpointPause::is_time_due(const CurrentRun& run) const {
    const auto& seconds = run.setup().agenda.checkpoint->every_seconds;
    return seconds && under_way_ == nullptr && Clock::now() - last_ >= std::chrono::duration<double>(**seconds);
}

// With a margin, since no two checkpoints take the same time. One that is under way is finished first.
bool CheckpointPause::is_time_over() const {
    if (!wishes_.time_limit) return false;
    const double passed = std::chrono::duration<double>(Clock::now() - process_start_).count();
    const int to_write = under_way_ != nullptr ? 2 : 1;
    return passed + std::max(1.5 * to_write * took_, 0.02 * *wishes_.time_limit) >= *wishes_.time_limit;
}

bool CheckpointPause::pending(CurrentRun& run, std::uint64_t) {
    if (under_way_ != nullptr && under_way_->is_done) settle(run);
    return run.session().pacer().any(is_time_due(run) || is_time_over() || (wishes_.keep && wishes_.keep()));
}

Outcome CheckpointPause::arrive(CurrentRun& run, const Arrival& arrival) {
    if (arrival.is_last) return Outcome::go_on;
    if (under_way_ != nullptr && under_way_->is_done) settle(run);
    const bool is_asked = wishes_.keep && wishes_.keep();
    if ((arrival.is_new && is_due(run)) || (is_asked && run.step() > 0 && !is_kept(run.step()))) write(run);
    if (is_asked && wishes_.kept) wishes_.kept();
    if (arrival.ends || !is_time_over()) return Outcome::go_on;
    time_is_over_ = true;
    return Outcome::stop;
}

// By its time, and not by its last step or by what stops it.
bool CheckpointPause::is_paused(const CurrentRun& run) const {
    if (time_is_over_) return true;
    return run.report().status == "interrupted" && wishes_.out_of_time && wishes_.out_of_time();
}

void CheckpointPause::keep_at_end(CurrentRun& run) {
    wait(run);
    if (written_ == run.step() || run.step() == 0) return;
    write(run);
    wait(run);
    if (written_ == run.step()) return;
    throw Error(Failure::output, fmt::format("there is no checkpoint of the last state, after step {}", run.step()), "see above",
                fmt::format("`tessera resume {}` goes on from the one before", run.folder().path().string()));
}

bool CheckpointPause::resumes(CurrentRun& run) {
    const bool paused = is_paused(run);
    if (time_is_over_ && run.step() == first_) // by the limit that the run was given; a queue knows what it does
        throw Error(Failure::output, "the time was over before a step was made", fmt::format("the run is at step {} as before", first_),
                    "give it more time");
    if (paused || run.session().interrupted() || *run.setup().agenda.checkpoint->at_end) keep_at_end(run);
    wait(run);
    if (paused) run.report().status = "paused";
    return false;
}

std::optional<KeptRun> CheckpointPause::saved(const CurrentRun& run) const {
    run.outbox().wait();
    auto found = checkpoint::find_last(run.folder(), number_);
    if (!found.last) return std::nullopt;
    return KeptRun{std::move(found.last->state), found.last->record.report.phases, found.last->record.report.fused.steps};
}

// All but the state and what outputs have written.
CheckpointPause::Contents CheckpointPause::contents_of(CurrentRun& run, Clock::time_point begun) const {
    const auto& report = run.report();
    const auto& simulation = run.run().simulation();
    Contents contents;
    auto& record = contents.record;
    record.run = number_;
    record.on_one_cpu = run.setup().modes().on_one_cpu;
    for (const auto& edit : report.edits) contents.files.insert(contents.files.end(), edit.files.begin(), edit.files.end());
    record.report = report;
    auto& sums = record.report;
    sums.phases = simulation.timings();
    sums.fused.steps = simulation.fused_steps();
    sums.earlier_seconds += std::chrono::duration<double>(begun - process_start_).count();
    sums.writing_seconds += run.outbox().working_seconds();
    contents.run_file = kept_run_file(run.setup(), run.run().run_file(), sources_of(report.edits));
    contents.positions = run.run().outputs().positions();
    const auto& wanted = *run.setup().agenda.checkpoint;
    contents.keeping = {*wanted.keep, *wanted.compress};
    contents.known = known_;
    return contents;
}

// By any thread, once all that was handed over before is written. A failure of outputs is thrown, one of the checkpoint's is noted.
void CheckpointPause::commit(const ResultFolder& folder, const State& state, Contents& contents, Attempt& attempt) {
    contents.record.outputs = contents.positions();
    synchronise_names(folder.handle(), folder.path(), contents.files);
    try {
        attempt.unchanging =
            checkpoint::write(folder, state, contents.run_file, std::move(contents.record), contents.keeping, contents.known);
        attempt.is_kept = true;
    } catch (const Error& error) {
        if (error.kind() != Failure::output) throw;
        attempt.why_not = error.what();
    }
}

// On a GPU as it stands there, so that the run waits for nothing; else as files have it, in memory of the host. Nothing where there is no
// room, or none is to be taken.
std::optional<State> CheckpointPause::captured(CurrentRun& run, const State& state) {
    auto& memory = run.outbox().checkpoint_memory();
    if (!memory.fits(1)) return std::nullopt;
    if (!copies_) copies_.emplace([&memory](std::size_t bytes) { return memory.fits(bytes); });
    if (auto copied = run.run().simulation().copied(*copies_, checkpoint::columns_of(state, known_))) {
        log_debug("the state after step {} is copied {}", run.step(),
                  copies_->where() == ColumnCopies::Where::device ? "on the device" : "into page-locked memory");
        return copied;
    }
    try {
        if (memory.fits(checkpoint::bytes_of(state, known_))) return checkpoint::captured(state, known_, memory);
    } catch (const std::bad_alloc&) {} // then it is written from where it is
    return std::nullopt;
}

void CheckpointPause::write(CurrentRun& run) {
    const auto due = Clock::now();
    wait(run); // one at a time
    const auto begun = Clock::now();
    waited_ += std::chrono::duration<double>(begun - due).count();
    tell_of_waiting();
    auto& outbox = run.outbox();
    outbox.check();
    const auto attempt = std::make_shared<Attempt>(run.step(), begun);
    if (std::exchange(known_replacements_, run.replacements()) != run.replacements()) {
        known_ = {}; // by an edit they may be others
        copies_.reset();
    }
    const auto contents = std::make_shared<Contents>(contents_of(run, begun));
    const auto state = run.run().simulation().state();
    const auto captured = this->captured(run, state);
    under_way_ = attempt;
    if (captured)
        outbox.add([&outbox, &folder = run.folder(), contents, attempt, captured](Outbox::Ticket mine) {
            const Done done(*attempt);
            if (outbox.wait_before(mine)) commit(folder, *captured, *contents, *attempt);
        });
    else {
        tell_of_standing_still(run, checkpoint::bytes_of(state, known_));
        const Done done(*attempt);
        outbox.wait();
        outbox.check();
        commit(run.folder(), state, *contents, *attempt);
    }
    run.report().checkpoint_seconds += std::chrono::duration<double>(Clock::now() - begun).count();
    if (!captured) settle(run);
}

void CheckpointPause::wait(CurrentRun& run) {
    if (under_way_ == nullptr) return;
    const auto begun = Clock::now();
    run.outbox().wait();
    run.report().checkpoint_seconds += std::chrono::duration<double>(Clock::now() - begun).count();
    settle(run);
}

// What came of the one that was under way.
void CheckpointPause::settle(CurrentRun& run) {
    const auto attempt = std::exchange(under_way_, nullptr);
    if (copies_) copies_->give_way();
    last_ = attempt->ended;
    took_ = std::chrono::duration<double>(attempt->ended - attempt->begun).count();
    if (attempt->is_kept) written_ = attempt->step;
    known_ = attempt->unchanging; // of one that failed, none: the next one writes all
    if (!attempt->why_not.empty()) {
        log_warning("the state after step {} is not kept: {}", attempt->step, attempt->why_not);
        if (!run.session().interrupted()) log_warning("the run goes on; the next checkpoint is tried when it is due");
    }
    log_debug("a checkpoint of step {} took {:.3g} s", attempt->step, took_);
    tell_of_time(took_);
}

void CheckpointPause::tell_of_time(double seconds) {
    constexpr double longest = 20; // of the 30 s that a queue waits after its signal
    if (seconds <= longest || std::exchange(told_of_time_, true)) return;
    log_info("a checkpoint took {:.0f} s: have the queue send its signal in time, as with `sbatch --signal=TERM@{:.0f}` and a run that "
             "`srun` starts",
             seconds, 2 * seconds + 30);
}

void CheckpointPause::tell_of_waiting() {
    constexpr double longest = 1;
    if (waited_ <= longest || std::exchange(told_of_waiting_, true)) return;
    log_info("the run waits, since a checkpoint is due before the one before it is on the disk: with a longer `every` in "
             "`run.checkpoint` it waits less");
}

void CheckpointPause::tell_of_standing_still(CurrentRun& run, std::size_t bytes) {
    if (!run.outbox().checkpoint_memory().fits(1) || std::exchange(told_of_standing_still_, true)) return; // nobody wanted a copy
    log_info(
        "the run stands still while a checkpoint is written, since a copy of its {:.3g} MB finds no room: `run.checkpoint.memory` says "
        "how much there is, a quarter of what is available if nothing is said",
        static_cast<double>(bytes) * 1e-6);
}

} // namespace tessera
