#include "host/schedule/tuner.hpp"

#include "device_runtime/error.hpp"
#include "host/schedule/candidates.hpp"
#include "host/schedule/kernel_image.hpp"
#include "host/schedule/packing.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <sstream>

namespace tessera {
namespace {

constexpr double shortest_wait = 0.25;        // seconds of steps before a run is looked at
constexpr double worth_it = 4;                // seconds that must be left
constexpr double worth_a_change = 0.97;       // of the time of single steps
constexpr int most_put_off = 8;

std::string as_text(const FusedView& view) {
    return fmt::format("{} {} {} {} {} {}", static_cast<int>(view.kind), view.depth, view.cells, view.rows, view.bits, view.tall);
}

std::optional<FusedView> view_of(const std::string& text) {
    std::istringstream in(text);
    FusedView view;
    int kind = 0;
    if (!(in >> kind >> view.depth >> view.cells >> view.rows >> view.bits >> view.tall)) return {};
    view.kind = static_cast<FusedView::Kind>(kind);
    return view;
}

} // namespace

Tuner::Tuner(const Setup& setup, const DeviceInfo& device, const std::string& driver, Simulation& simulation, jit::Compiler& compiler)
    : setup_(setup), device_(device), simulation_(simulation), compiler_(compiler), topic_(fmt::format("fused view 2, {}, {}", device.description, driver)) {
    if (*setup.run.schedule.tune == run_file::Tune::off || *setup.run.schedule.view != run_file::View::automatic) return;
    sequences_ = fusible_sequences(setup);
    if (sequences_.empty()) return;
    state_ = State::waiting;
    recall();
}

Tuner::~Tuner() {
    if (compiling_.valid()) compiling_.wait();
}

// What an earlier run chose is compiled or, most likely, fetched from the cache.
void Tuner::recall() {
    const auto noted = compiler_.noted(job(), topic_);
    const auto view = noted ? view_of(*noted) : std::nullopt;
    if (!noted) return;
    if (!view || programs_for(setup_, sequences_, *view).empty()) {
        state_ = State::done;
        verdict_ = "one step at a time, as an earlier run found";
        return;
    }
    candidates_ = {*view};
    state_ = State::recalling;
    compile_next();
}

bool Tuner::worth_beginning(std::uint64_t steps_left) const {
    return std::chrono::duration<double>(Clock::now() - begun_).count() > shortest_wait && simulation_.step_seconds() > 0 &&
           static_cast<double>(steps_left) * simulation_.step_seconds() > worth_it;
}

bool Tuner::ready(std::uint64_t steps_left) {
    switch (state_) {
    case State::waiting: return worth_beginning(steps_left);
    case State::compiling:
    case State::recalling: return compiling_.valid() && compiling_.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
    case State::done: break;
    }
    return false;
}

void Tuner::work(std::uint64_t until) {
    if (state_ == State::waiting) begin();
    else if (state_ != State::done) try_compiled(until);
}

void Tuner::begin() {
    const std::size_t most = *setup_.run.schedule.tune == run_file::Tune::full ? full_candidates : quick_candidates;
    const int bits = device_.name != "cpu" && sequences_.size() == 1 ? bits_of_state() : 0;
    candidates_ = packed_and_plain_candidates(setup_, sequences_.front(), device_, simulation_.step_seconds(), bits, most);
    spdlog::info("looking for a faster way to make the same steps: {} candidates", candidates_.size());
    state_ = State::compiling;
    compile_next();
}

// The bits that a byte needs where 32 places go into a word; 0 if they do not.
int Tuner::bits_of_state() const {
    const auto& sequence = sequences_.front();
    return packing_of(setup_, sequence, [&](std::size_t member) { return simulation_.read(sequence.collection, member); }).bits;
}

jit::Job Tuner::job() const {
    return kernels_job(setup_, simulation_.views(), target_for(setup_, device_.name != "cpu", device_.architecture));
}

void Tuner::compile_next() {
    if (next_ == candidates_.size()) return decide();
    compiling_ = std::async(std::launch::async, [this, programs = programs_for(setup_, sequences_, candidates_[next_])] {
        return compile_programs(setup_, programs, target_for(setup_, device_.name != "cpu", device_.architecture), compiler_);
    });
}

void Tuner::pass_over(const std::string& why) {
    spdlog::debug("{}: passed over: {}", to_string(candidates_[next_]), why);
    // A body that does not compile for bits does not with other depths either.
    const int bits = candidates_[next_].bits;
    if (bits > 0) candidates_.erase(std::remove_if(candidates_.begin() + static_cast<std::ptrdiff_t>(next_) + 1, candidates_.end(), [bits](const FusedView& view) { return view.bits == bits; }), candidates_.end());
}

void Tuner::try_compiled(std::uint64_t until) {
    const FusedView view = candidates_[next_];
    try {
        auto loaded = simulation_.load_programs(programs_for(setup_, sequences_, view), compiling_.get());
        if (state_ == State::recalling) { // it was compared when it was chosen
            if (const int bits = view.bits > 0 ? bits_of_state() : 0; bits > view.bits) throw Error(Failure::input, "the state has larger values than an earlier run's");
            simulation_.use(std::move(loaded));
            state_ = State::done;
            verdict_ = fmt::format("{}, as an earlier run found", to_string(view));
            spdlog::info("steps are made by {}", verdict_);
            return;
        }
        const auto trial = simulation_.try_programs(loaded, until);
        if (!trial && ++put_off_ < most_put_off) { // an output comes first; again after it
            std::promise<jit::Image> again;
            again.set_value(std::move(loaded.image));
            compiling_ = again.get_future();
            return;
        }
        if (!trial) throw Error(Failure::input, "outputs are due too often for so many steps at a time");
        spdlog::debug("{}: {:.3f} us a step, {:.3f} us one at a time{}", to_string(view), trial->fused_step_seconds * 1e6, trial->single_step_seconds * 1e6,
                      trial->same ? "" : ", but other values");
        if (!trial->same) spdlog::warn("{} gave other values than single steps and is not used; this is a defect of Tessera", to_string(view));
        else if (trial->fused_step_seconds < (best_ ? best_->fused_step_seconds : worth_a_change * trial->single_step_seconds)) {
            simulation_.use(std::move(loaded)); // at once; there may be a better one yet
            best_ = *trial;
        }
    } catch (const Error& error) {
        pass_over(error.what());
    }
    ++next_;
    put_off_ = 0;
    if (state_ == State::recalling) { // what was noted cannot be had any more: look again
        next_ = 0;
        candidates_.clear();
        state_ = State::waiting;
        return;
    }
    compile_next();
}

void Tuner::decide() {
    state_ = State::done;
    const auto& used = simulation_.fused();
    verdict_ = best_ ? fmt::format("{}: {:.3f} us a step instead of {:.3f}", to_string(used.front().program.view), best_->fused_step_seconds * 1e6,
                                   best_->single_step_seconds * 1e6)
                     : "one step at a time: nothing was faster";
    spdlog::info("steps are made by {}", verdict_);
    compiler_.note(job(), topic_, best_ ? as_text(used.front().program.view) : "single");
}

} // namespace tessera
