#include "host/tune/tuner.hpp"

#include "device_runtime/error.hpp"
#include "host/execute/kernel_image.hpp"
#include "host/views/packing.hpp"
#include "jit/diagnostics.hpp"
#include "jit/log.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <new>
#include <set>
#include <system_error>
#include <utility>
#include <variant>

namespace tessera {
namespace {

constexpr double shortest_wait = 0.25; // seconds of steps before a run is looked at
constexpr double worth_it = 4;         // seconds that must be left
constexpr int most_put_off = 8;
constexpr int most_refined = 2;
constexpr double most_compiled = 20;     // seconds, where a compilation can be cancelled
constexpr const char* single = "single"; // noted where nothing was faster

std::string as_text(const run_file::Timing& timing) {
    return fmt::format("every {} from {} until {}", timing.every, timing.from, timing.until.value_or(0));
}

// Where steps have to end. What comes more rarely than a run's longest segments costs all choices alike.
std::string halts_of(const Setup& setup) {
    constexpr std::uint64_t rare = 256;
    std::set<std::string> halts;
    const auto add = [&](run_file::Timing timing) {
        timing.every = std::min(timing.every, rare);
        halts.insert(as_text(timing));
    };
    for (const auto& output : setup.agenda.outputs) add((*output).timing);
    if (setup.agenda.stop) add({setup.agenda.stop_every, 0, {}});
    return fmt::format("{}", fmt::join(halts, ", "));
}

// Bodies that do not compile for several places at once are the author's to write otherwise, and the same in every run.
bool is_no_fault_of_the_author(const Error& error) {
    const auto* const refused = dynamic_cast<const jit::DoesNotCompile*>(&error);
    return refused != nullptr ? refused->is_ours() : error.kind() == Failure::compile;
}

} // namespace

Tuner::Tuner(const Setup& setup, const DeviceInfo& device, const std::string& driver, Simulation& simulation, jit::Compiler& compiler)
    : setup_(setup), device_(device), simulation_(simulation), compiler_(compiler), topic_(topic(setup, device, driver)),
      begun_(simulation.pacer().now()) {
    if (setup.modes().tune == run_file::Tune::off || setup.modes().view != run_file::View::automatic) return;
    if (device.architecture.empty()) return; // one image would not do
    sequences_ = fusible_sequences(setup);
    if (sequences_.empty()) return;
    if (!setup.model->has_source()) return;
    state_ = State::waiting;
    try {
        recall();
    } catch (const Error& error) {
        if (error.kind() != Failure::compile) throw;
        state_ = State::done; // the run is made of finished code, and there is no compiler here
    }
}

// A choice made for other phases, or between outputs that are further apart, may be one that makes no step at all, or a poor one.
std::string Tuner::topic(const Setup& setup, const DeviceInfo& device, const std::string& driver) {
    std::string topic = fmt::format("fused view 6, {}, {}", device.description, driver);
    const auto usual = usual_phases(setup);
    for (std::size_t p = 0; p < usual.size(); ++p)
        if (!std::holds_alternative<ExchangePhase>(setup.phases[p].action)) // moves nothing
            topic += fmt::format("; {} {}{}", setup.phases[p].name, as_text(setup.phases[p].timing), usual[p] ? "" : ", rare");
    const auto& where = setup.distribution();
    for (std::size_t c = 0; c < where.stripes.size(); ++c)
        for (const auto& stripe : where.stripes[c])
            topic += fmt::format("; {} {}-{}", setup.collections[CollectionId(c)].name, stripe.first, stripe.end);
    if (where.own_memory)
        topic += fmt::format("; own memory, {} of {} steps, islands {}", where.steps_a_cycle, where.steps_of_ghosts,
                             fmt::join(where.islands, " "));
    if (where.migrating) topic += "; managed memory";
    return fmt::format("{}; halts {}", topic, halts_of(setup));
}

Tuner::~Tuner() {
    cancel_ = true;
    if (compiling_.valid()) compiling_.wait();
}

// What an earlier run chose is compiled or, most likely, fetched from the cache. What is noted otherwise is none of ours: it is looked for
// anew.
void Tuner::recall() {
    const auto noted = compiler_.noted(job(), topic_);
    if (noted == single) {
        state_ = State::done;
        verdict_ = "one step at a time, as an earlier run found";
        return;
    }
    const auto view = noted ? read_fused_view(*noted).view : std::nullopt;
    if (!view || spelled(*view) != noted || !is_possible(*view)) return;
    candidates_ = {*view};
    state_ = State::recalling;
    compile_next();
}

bool Tuner::is_possible(const FusedView& view) const {
    if (view.bits != 0 && (device_.kind == DeviceKind::cpu || sequences_.size() > 1 || view.bits < 0 || view.bits > 8)) return false;
    if (view.bits != 0 && declared_packing(setup_, sequences_.front()).bits == 0) return false;
    const auto views = possible_views(setup_, sequences_.front(), device_, view.bits);
    return std::find(views.begin(), views.end(), view) != views.end();
}

bool Tuner::worth_beginning(std::uint64_t steps_left) const {
    return simulation_.pacer().seconds_since(begun_) > shortest_wait && simulation_.step_seconds() > 0 &&
           static_cast<double>(steps_left) * simulation_.step_seconds() > worth_it;
}

bool Tuner::ready(std::uint64_t steps_left) {
    steps_left_ = steps_left;
    switch (state_) {
    case State::waiting: return worth_beginning(steps_left);
    case State::timing_again: return simulation_.step() >= retry_from_;
    case State::compiling:
    case State::recalling:
        if (!compiling_.valid()) return false;
        if (simulation_.pacer().all(compiling_.wait_for(std::chrono::seconds(0)) != std::future_status::timeout))
            return simulation_.step() >= retry_from_;
        if (simulation_.pacer().seconds_since(compilation_began_) > most_compiled) cancel_ = true; // it is passed over
        return false;
    case State::done: break;
    }
    return false;
}

void Tuner::work(std::uint64_t until) {
    switch (state_) {
    case State::waiting: return begin();
    case State::compiling: return try_compiled(until);
    case State::recalling: return try_recalled(until);
    case State::timing_again: return time_again(until);
    case State::done: break;
    }
}

void Tuner::begin() {
    const std::size_t most = setup_.modes().tune == run_file::Tune::full ? full_candidates : quick_candidates;
    const int bits = device_.kind == DeviceKind::cuda && sequences_.size() == 1 ? bits_of_state() : 0;
    candidates_ = packed_and_plain_candidates(setup_, sequences_.front(), device_, simulation_.step_seconds(), bits, most);
    halfway_ = (candidates_.size() + 1) / 2;
    refined_ = 0;
    ranking_seconds_ = single_step_seconds_ = simulation_.step_seconds();
    log_info("looking for a faster way to make the same steps: {} candidates", candidates_.size());
    state_ = State::compiling;
    compile_next();
}

// The bits that a byte needs where 32 places go into a word; 0 if they do not.
int Tuner::bits_of_state() const { return packing_of(setup_, sequences_.front(), simulation_.reader()).bits; }

jit::Job Tuner::job() const { return kernels_job(setup_, simulation_.views(), simulation_.target()); }

// The estimate that ranked them is rough: what differs a little from the best may be better still. They come next.
void Tuner::add_neighbours() {
    ++refined_;
    if (!best_) return;
    auto next = candidates_.begin() + static_cast<std::ptrdiff_t>(next_);
    for (const auto& view : ranked_neighbours(setup_, sequences_.front(), device_, ranking_seconds_, best_->view, neighbours_tried))
        if (std::find(candidates_.begin(), candidates_.end(), view) == candidates_.end()) next = candidates_.insert(next, view) + 1;
}

// By the estimate, in the light of what others of its class took.
bool Tuner::is_hopeless(const FusedView& view) const {
    const double predicted = predicted_seconds(setup_, sequences_.front(), device_, ranking_seconds_, view);
    const bool rest = view.of->has_estimate() && hopeless(lateness_.corrected(view, predicted), single_step_seconds_);
    if (rest) log_debug("{}: not tried: others like it took far longer than estimated", to_string(view));
    return rest;
}

void Tuner::compile_next() {
    if ((next_ == halfway_ && refined_ == 0) || (next_ == candidates_.size() && refined_ < most_refined)) add_neighbours();
    while (state_ == State::compiling && next_ < candidates_.size() && is_hopeless(candidates_[next_])) ++next_;
    if (next_ == candidates_.size()) return decide();
    // What is not ready before the run ends is of no use to it.
    cut_short_ = next_ > 0 && static_cast<double>(steps_left_) * simulation_.step_seconds() < longest_compilation_;
    if (cut_short_) return decide();
    compilation_began_ = simulation_.pacer().now();
    cancel_ = false;
    const auto compile = [this, programs = programs_for(setup_, sequences_, candidates_[next_])] {
        return compile_programs(setup_, programs, simulation_.target(), compiler_, &cancel_);
    };
    try {
        compiling_ = std::async(std::launch::async, compile);
    } catch (const std::system_error&) { // no thread is to be had: here, when it is asked for
        compiling_ = std::async(std::launch::deferred, compile);
    }
}

// Goes on without a view. A device that did not survive it makes no more steps: then the run ends here.
void Tuner::reject(const FusedView& view, const std::string& why) {
    log_debug("{}: skipped: {}", to_string(view), why);
    try {
        simulation_.synchronize();
    } catch (const Error&) {
        log_warning("{} failed in a trial of {} (to run without trials: --set schedule.tune=off)", device_.name, to_string(view));
        throw;
    }
}

// Empty if it was not to be had.
std::optional<LoadedPrograms> Tuner::load_compiled() {
    const FusedView view = candidates_[next_];
    if (times_put_off_ == 0 && !cancel_)
        longest_compilation_ = std::max(longest_compilation_, simulation_.pacer().seconds_since(compilation_began_));
    try {
        return simulation_.load_programs(programs_for(setup_, sequences_, view), compiling_.get());
    } catch (const Error& error) {
        if (is_no_fault_of_the_author(error)) warn_of(view, error);
        reject(view, error.what());
        left_out_ |= error.kind() == Failure::memory || error.kind() == Failure::interrupted || is_no_fault_of_the_author(error);
        // A body that does not compile for bits does not with other depths either.
        const auto alike = [&](const FusedView& other) {
            return view.bits > 0 && error.kind() == Failure::compile && other.bits == view.bits;
        };
        candidates_.erase(std::remove_if(candidates_.begin() + static_cast<std::ptrdiff_t>(next_) + 1, candidates_.end(), alike),
                          candidates_.end());
    } catch (const std::exception& error) { // of the system: files, memory
        reject(view, error.what());
        left_out_ = true;
    }
    return {};
}

// Once a run: what keeps one candidate from compiling most likely keeps others too.
void Tuner::warn_of(const FusedView& view, const Error& error) {
    if (std::exchange(warned_, true)) return;
    const bool is_defect = dynamic_cast<const jit::DoesNotCompile*>(&error) != nullptr;
    log_warning("{} could not be compiled and is not used{}: {}", to_string(view), is_defect ? "; this is a defect of Tessera" : "",
                error.what());
}

bool Tuner::take_up(LoadedPrograms loaded) {
    try {
        simulation_.use(std::move(loaded));
        return true;
    } catch (const Error& error) {
        reject(candidates_[next_], error.what());
        left_out_ |= error.kind() == Failure::memory;
    } catch (const std::bad_alloc& error) {
        reject(candidates_[next_], error.what());
        left_out_ = true;
    }
    return false;
}

// Whether there is hope that the steps for a trial are there after the next output.
bool Tuner::put_off(std::uint64_t until) {
    retry_from_ = until;
    return ++times_put_off_ < most_put_off;
}

bool Tuner::put_off(LoadedPrograms loaded, std::uint64_t until) {
    if (!put_off(until)) return false;
    std::promise<jit::Image> again;
    again.set_value(std::move(loaded.image));
    compiling_ = again.get_future();
    return true;
}

// Fused multiplications and additions are the compiler's to choose, kernel by kernel; without them a view that gives other bits is wrong.
void Tuner::tell_of_other_values() const {
    const auto view = to_string(candidates_[next_]);
    if (setup_.modes().is_fast())
        log_info("{} gave other values than single steps, as `float = \"fast\"` allows, and is not used", view);
    else
        log_warning("{} gave other values than single steps and is not used; this is a defect of Tessera", view);
}

void Tuner::try_compiled(std::uint64_t until) {
    auto loaded = load_compiled();
    if (loaded && !try_loaded(std::move(*loaded), until)) return; // again after an output
    ++next_;
    times_put_off_ = 0;
    compile_next();
}

// What was noted was measured when it was chosen: here only its values are looked at. If it cannot be had any more, or the steps for it are
// never there, it is looked for anew.
void Tuner::try_recalled(std::uint64_t until) {
    const FusedView view = candidates_[next_];
    auto loaded = load_compiled();
    if (!loaded) return restart_search();
    if (view.bits > 0 && bits_of_state() > view.bits) { // larger values than in the earlier run
        reject(view, "the state has larger values than in an earlier run");
        return restart_search();
    }
    const auto trial = simulation_.try_programs(*loaded, until, Timed::no);
    if (!trial && put_off(std::move(*loaded), until)) return;
    if (trial && !trial->obstacle.empty()) reject(view, trial->obstacle);
    if (trial && trial->obstacle.empty() && !trial->same) tell_of_other_values();
    if (!trial || !trial->same || !take_up(std::move(*loaded))) return restart_search();
    state_ = State::done;
    verdict_ = fmt::format("{}, as an earlier run found", to_string(view));
    log_info("steps are made by {}", verdict_);
}

void Tuner::restart_search() {
    candidates_.clear();
    next_ = 0;
    times_put_off_ = 0;
    left_out_ = false;
    state_ = State::waiting;
}

// Whether that is settled; if not, the steps for it were not there.
bool Tuner::try_loaded(LoadedPrograms loaded, std::uint64_t until) {
    const FusedView view = candidates_[next_];
    const auto trial = simulation_.try_programs(loaded, until);
    if (!trial && put_off(std::move(loaded), until)) return false;
    if (!trial || !trial->obstacle.empty()) {
        left_out_ |= !trial || trial->no_memory;
        reject(view, trial ? trial->obstacle : "outputs are due too often for so many steps at a time");
        return true;
    }
    const double predicted = predicted_seconds(setup_, sequences_.front(), device_, ranking_seconds_, view);
    log_debug("{}: {:.3f} us a step{}", to_string(view), trial->fused_step_seconds * 1e6,
              std::isfinite(predicted) ? fmt::format(", by the estimate {:.3f}", predicted * 1e6) : "");
    lateness_.add(view, predicted, trial->fused_step_seconds);
    single_step_seconds_ = std::min(single_step_seconds_, trial->single_step_seconds);
    if (!trial->same)
        tell_of_other_values();
    else if (trial->fused_step_seconds < (best_ ? best_->trial.fused_step_seconds : worth_a_change * single_step_seconds_) &&
             take_up(std::move(loaded)))
        best_ = {view, *trial}; // used at once; there may be a better one yet
    return true;
}

// With the last candidate settled, the best of them has its time taken once more: what looked fast by chance does not do so twice.
void Tuner::decide() {
    if (simulation_.fused().empty()) best_.reset(); // given up meanwhile
    if (!best_ || cut_short_) return end();
    retry_from_ = 0;
    times_put_off_ = 0;
    state_ = State::timing_again;
}

void Tuner::time_again(std::uint64_t until) {
    if (simulation_.fused().empty()) return decide();
    const auto trial = simulation_.try_programs_in_use(until);
    if (!trial && put_off(until)) return;
    if (!trial) {
        cut_short_ = true; // it is used, and not noted
    } else if (trial->same && trial->fused_step_seconds < worth_a_change * trial->single_step_seconds) {
        best_->trial = *trial;
    } else {
        reject(best_->view, trial->obstacle.empty() ? fmt::format("timed again, {:.3f} us a step; one at a time {:.3f}",
                                                                  trial->fused_step_seconds * 1e6, trial->single_step_seconds * 1e6)
                                                    : trial->obstacle);
        simulation_.use({});
        best_.reset();
        left_out_ = true;
    }
    end();
}

void Tuner::end() {
    state_ = State::done;
    verdict_ = best_ ? fmt::format("{}: {:.3f} us a step instead of {:.3f}", to_string(best_->view), best_->trial.fused_step_seconds * 1e6,
                                   best_->trial.single_step_seconds * 1e6)
                     : "one step at a time: nothing was faster";
    log_info("steps are made by {}", verdict_);
    if (cut_short_ || (!best_ && left_out_)) return; // another run may find a better one
    try {
        compiler_.note(job(), topic_, best_ ? spelled(best_->view) : single);
    } catch (const std::exception& error) {
        log_debug("the choice is not kept: {}", error.what());
    }
}

} // namespace tessera
