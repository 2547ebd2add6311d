#include "host/run/run.hpp"

#include "device_runtime/devices.hpp"
#include "device_runtime/error.hpp"
#include "device_runtime/float_environment.hpp"
#include "host/run/as_error.hpp"
#include "host/run/changes.hpp"
#include "host/run/check_results.hpp"
#include "host/run/choose_devices.hpp"
#include "host/run/enough_ids.hpp"
#include "host/run/hooks.hpp"
#include "host/run/interrupt.hpp"
#include "host/run/kept_state.hpp"
#include "host/run/keys.hpp"
#include "host/run/progress.hpp"
#include "host/run/room.hpp"
#include "host/run/run_record.hpp"
#include "host/run/running.hpp"
#include "host/schedule/exchange_check.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <memory>
#include <utility>

namespace tessera {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

ResultFolder result_folder(const Prepared& prepared, const RunOptions& options) {
    const auto& said = prepared.setup.run.run.out;
    const auto out = options.out ? options.out : said ? std::optional(prepared.setup.run.resolve(**said)) : std::nullopt;
    if (out) return options.again ? new_result_folder(*out) : claim_result_folder(*out, options.overwrite);
    return new_result_folder(std::filesystem::path("results") / prepared.name);
}

RunGround told(RunGround ground) {
    ground.was_told = true;
    return ground;
}

// The loop over steps: stops where an output is due, where the condition is looked at, where the run changes, and at the end.
class Loop {
public:
    Loop(std::unique_ptr<Running>& running, const RunGround& ground, const ResultFolder& folder, RunReport& report,
         const RunOptions& options, const InterruptGuard& interrupt, RunRecord& record, Hooks& hooks)
        : running_(running), ground_(ground), told_ground_(told(ground)), folder_(folder), report_(report), options_(options),
          interrupt_(interrupt), record_(record), hooks_(hooks), room_follows_(has_growing_lists(setup())),
          progress_(end_given() ? std::optional(end()) : std::nullopt, places(), options.quiet) {
        if (may_begin_again()) first_hash_ = simulation().hash();
        if (options_.changes != nullptr) keep_edit(folder_, report_.edits, 0, setup());
    }

    // Whether somebody wants it made again from its beginning.
    [[nodiscard]] bool run() {
        bool stopped = arrive();
        do {
            while (!stopped && !interrupt_.interrupted() && simulation().step() < end()) {
                while (take_change()) {} // two may be of one step
                fit_room();
                stopped = make([&] { advance(); });
                if (!stopped && tuner_is_ready(simulation().step())) stopped = make([&] { running_->tuner().work(next_halt()); });
            }
        } while (goes_on_after_change(stopped));
        hooks_.call_last(*running_);
        look(true);
        progress_.finish();
        if (stopped)
            report_.status = "stopped";
        else if (simulation().step() < end())
            report_.status = "interrupted";
        return begins_again_;
    }

private:
    [[nodiscard]] const Setup& setup() const noexcept { return running_->setup(); }
    [[nodiscard]] Simulation& simulation() const noexcept { return running_->simulation(); }
    [[nodiscard]] bool end_given() const { return setup().run.run.steps.has_value(); }
    [[nodiscard]] std::uint64_t end() const { return end_given() ? **setup().run.run.steps : (std::uint64_t{1} << 32) - 1; }
    [[nodiscard]] std::int64_t places() const {
        std::int64_t sum = 0;
        for (const auto& collection : setup().collections)
            if (!collection.crowd) sum += collection.places();
        return sum;
    }
    [[nodiscard]] std::uint64_t next_halt() const {
        const auto next = simulation().step() + 1;
        if (room_follows_ && !may_begin_again()) return next; // it has to see in time whether there is room
        auto halt = hooks_.next_due(next, running_->outputs().next_due(next, end()));
        const auto every = *setup().run.run.stop_every;
        if (setup().run.run.stop) halt = std::min(halt, (next + every - 1) / every * every);
        if (options_.changes != nullptr) halt = std::min(halt, std::max(options_.changes->next(next), next));
        return std::min(halt, end());
    }

    // Of a checked run one step, so that what it begins with can be looked at.
    void advance() {
        const auto go_on = [this](std::uint64_t step) { return proceed(step); };
        if (!setup().checked) return simulation().advance(next_halt(), go_on);
        kept_.keep(setup(), simulation());
        try {
            simulation().advance(simulation().step() + 1, go_on);
        } catch (const OutgrownRoom&) { // which is no mistake
            throw;
        } catch (const Error& error) {
            if (error.kind() == Failure::model) write_kept();
            throw;
        }
    }
    void write_kept() const {
        try {
            kept_.write(setup(), folder_, ground_.pool, running_->outputs());
            spdlog::info("the state before that step is in {}", (folder_.path() / "before").string());
        } catch (const Error& error) { // the model's mistake is the one that counts
            spdlog::warn("the state before that step is not written: {}", error.what());
        }
    }

    // Steps, and what is due at the state that they end in; whether that ends the run.
    template<class Steps> bool make(const Steps& steps) {
        const auto begun = Clock::now();
        const auto done_before = simulation().step();
        try {
            steps();
        } catch (const OutgrownRoom& outgrown) {
            make_again(outgrown, done_before);
        }
        report_.step_seconds += seconds_since(begun);
        report_.steps = simulation().step();
        record_.update(simulation().step());
        return simulation().step() > done_before && arrive();
    }

    bool proceed(std::uint64_t step) {
        if (report_.first_step_seconds == 0) report_.first_step_seconds = seconds_since(options_.process_start);
        progress_.update(step, simulation().device_timings(), [this] { return populations(); });
        record_.update(step);
        return !interrupt_.interrupted() && !room_is_due() && !tuner_is_ready(step) &&
               !(options_.changes != nullptr && options_.changes->pending(step));
    }
    [[nodiscard]] std::vector<Population> populations() const {
        std::vector<Population> all;
        for (const auto id : setup().collections.ids())
            if (setup().collections[id].crowd) all.push_back({setup().collections[id].name, simulation().population(id)});
        return all;
    }
    // Compiling candidates takes its time from compiling what is being edited.
    [[nodiscard]] bool tuner_is_ready(std::uint64_t step) {
        return (options_.changes == nullptr || !options_.changes->is_restless()) && running_->tuner().ready(end() - step);
    }

    // ---- room of lists

    // So seldom that looking costs nothing. Those who outgrow their room between two looks are told by a fault.
    [[nodiscard]] bool room_is_due() const { return room_follows_ && Clock::now() - room_looked_at_ > std::chrono::milliseconds(500); }
    void fit_room() {
        if (!room_follows_) return;
        room_looked_at_ = Clock::now();
        auto next = with_room_that_fits();
        if (!next) return;
        next->count_on_from(*running_);
        follow(std::move(next));
        spdlog::info("step {}: there is room for {} now", simulation().step(), rooms_text(setup()));
    }
    // The state at hand, if it has to have more room, and that can be had.
    [[nodiscard]] std::unique_ptr<Running> with_room_that_fits() {
        try {
            auto next = with_fitting_room(setup(), [this](CollectionId agents) { return simulation().population(agents); });
            return next ? std::make_unique<Running>(running_->model(), std::move(*next), told_ground_, *running_) : nullptr;
        } catch (const std::exception& thrown) {
            const auto error = as_error(thrown);
            room_follows_ = error.kind() == Failure::interrupted;
            if (!room_follows_) spdlog::info("there is no more room than before, {}: {}", rooms_text(setup()), error.what());
            return nullptr;
        }
    }
    // What hooks have done cannot be done again, nor what changed on the way.
    [[nodiscard]] bool may_begin_again() const { return has_growing_lists(setup()) && hooks_.empty() && options_.changes == nullptr; }
    // State 0 with more room; nothing where there is none.
    [[nodiscard]] std::unique_ptr<Running> begun_with_more(const OutgrownRoom& outgrown, Spare spare) const {
        try {
            auto more = with_more_room(setup(), outgrown, spare);
            return more ? std::make_unique<Running>(running_->model(), std::move(*more), told_ground_) : nullptr;
        } catch (const std::exception& thrown) {
            const auto error = as_error(thrown);
            if (error.kind() != Failure::interrupted) spdlog::warn("there is no room for more: {}", error.what());
            return nullptr;
        }
    }
    // The state of step `until`, up to which all is written, with more room: made anew from the beginning, for the one at hand is amid a
    // step. Where that cannot be done, it throws what happened.
    void make_again(const OutgrownRoom& outgrown, std::uint64_t until) {
        if (!may_begin_again()) throw outgrown;
        auto next = begun_with_more(outgrown, Spare::ample);
        if (!next && !interrupt_.interrupted()) next = begun_with_more(outgrown, Spare::little);
        if (interrupt_.interrupted()) end_amid_a_step(until);
        if (!next) throw outgrown;
        if (next->simulation().hash() != first_hash_) {
            spdlog::warn("the run cannot begin again with more room: the files of its first state have changed");
            throw outgrown;
        }
        spdlog::info("{}; the run is made again up to step {}, with room for {}", outgrown.problem(), until, rooms_text(next->setup()));
        next->simulation().advance(until, [this](std::uint64_t) { return !interrupt_.interrupted(); });
        if (next->simulation().step() < until) end_amid_a_step(until);
        follow(std::move(next));
    }
    // What is written stays, and no state belongs to it.
    [[noreturn]] void end_amid_a_step(std::uint64_t written) {
        report_.is_amid_a_step = true;
        report_.steps = written;
        throw Error(Failure::interrupted, "interrupted", fmt::format("the steps up to {} were being made again, with more room", written));
    }
    // From now on the run is that one.
    void follow(std::unique_ptr<Running> next) {
        next->write_to(folder_, running_.get());
        record_.follow(*next);
        running_ = std::move(next);
    }

    // ---- changes

    // Makes the next steps of what has changed, from this state on. Where that cannot be done it is told, and nothing changes.
    bool take_change() {
        auto* const changes = options_.changes;
        if (changes == nullptr || !changes->pending(simulation().step())) return false;
        const auto begun = Clock::now();
        try {
            const auto ahead = running_->compile_ahead(ground_.compiler);
            auto prepared = changes->take(setup());
            if (!prepared) return false;
            check_exchanges(prepared->setup);
            tell_of_other_hooks(prepared->setup);
            prepared->setup.hooked = !hooks_.empty();
            auto next = std::make_unique<Running>(std::move(prepared->model), std::move(prepared->setup), ground_, *running_);
            for (const auto& line : next->left_behind()) spdlog::warn("{}", line);
            follow(std::move(next));
            room_follows_ = has_growing_lists(setup());
        } catch (const Error& error) {
            if (!changes->waits_at_end()) throw; // nobody is there who could change it again
            if (error.kind() == Failure::interrupted) return false;
            spdlog::error("{}", error.what());
            spdlog::info("the run goes on as before");
            return false;
        }
        keep_edit(folder_, report_.edits, simulation().step(), setup());
        spdlog::info("changed from step {} on, {:.0f} ms after it was seen", simulation().step(), 1000 * seconds_since(begun));
        return true;
    }
    // Hooks are native code, which is not unloaded: they stay those that the run began with.
    void tell_of_other_hooks(const Setup& next) {
        if (!next.hooked && hooks_.empty()) return;
        if (!std::exchange(told_of_hooks_, true)) spdlog::info("changes of hooks take effect when the run begins again");
    }
    // Changes at the end, for which a run that somebody watches waits: whether there is more to do then.
    bool goes_on_after_change(bool& stopped) {
        if (options_.changes == nullptr || interrupt_.interrupted()) return false;
        if (options_.waits_at_end) {
            look(true);
            progress_.finish();
            spdlog::info("step {}: the run {}; waiting for a change, {}", simulation().step(), stopped ? "has stopped" : "is at its end",
                         Keys().heard() ? "r begins again, q ends it" : "Ctrl-C ends it");
        }
        do {
            if (take_change()) {
                stopped = arrive();
                if (!stopped && simulation().step() < end()) return true;
            } else if (!options_.waits_at_end || has_heard_enough())
                return false;
        } while (!interrupt_.interrupted());
        return false;
    }
    // Waits for keys until there is something else to do; whether one ends the run.
    [[nodiscard]] bool has_heard_enough() {
        const Keys keys;
        while (!interrupt_.interrupted() && !options_.changes->pending(simulation().step())) {
            const auto key = keys.next(std::chrono::milliseconds(10));
            begins_again_ = key == 'r' && options_.changes->is_run();
            if (key == 'q' || begins_again_) return true;
            if (key == 'r') spdlog::warn("the run does not begin again (the files as saved are not a valid run) correct them first");
        }
        return false;
    }

    // Hooks come first, so that outputs show the state that the run goes on from.
    bool arrive() {
        const bool stopped = hooks_.call_due(*running_);
        return look(false) || stopped;
    }

    // Writes what is due at this state, and says whether the stop condition holds. The last look writes what is left.
    bool look(bool is_last) {
        const auto begun = Clock::now();
        const auto step = simulation().step();
        const StateView state(setup(), step, simulation().reader(), ground_.pool,
                              [this](CollectionId agents) { return simulation().counters(agents); });
        running_->outputs().write(state, is_last);
        const bool condition = !is_last && setup().run.run.stop && step % *setup().run.run.stop_every == 0 &&
                               expression::is_true(state.evaluate(*setup().run.run.stop));
        report_.output_seconds += seconds_since(begun);
        return condition;
    }

    std::unique_ptr<Running>& running_;
    const RunGround& ground_;
    const RunGround told_ground_;
    const ResultFolder& folder_;
    RunReport& report_;
    const RunOptions& options_;
    const InterruptGuard& interrupt_;
    RunRecord& record_;
    Hooks& hooks_;
    bool told_of_hooks_ = false, begins_again_ = false;
    bool room_follows_; // that of lists, as long as there can be more
    Clock::time_point room_looked_at_{};
    std::uint64_t first_hash_ = 0;
    Progress progress_;
    KeptState kept_; // of a checked run
};

std::vector<std::unique_ptr<Device>> open_chosen(const Setup& setup, int threads, RunReport& report) {
    const auto chosen = choose_devices(setup);
    report.why_devices = chosen.why;
    if (chosen.names.size() > 1 && !chosen.why.empty()) spdlog::info("devices = \"auto\": {}", chosen.why);
    std::vector<std::unique_ptr<Device>> devices;
    if (setup.checked && chosen.names == std::vector<std::string>{"cpu"})
        devices.push_back(open_cpu_device(threads, Overruns::stop));
    else
        devices = open_devices(chosen.names, threads);
    return devices;
}

// "cuda:0 (NVIDIA H200) and cuda:1 (NVIDIA H200)".
std::string devices_text(const std::vector<DeviceInfo>& devices) {
    std::string text;
    for (std::size_t i = 0; i < devices.size(); ++i)
        text += fmt::format("{}{} ({})", i == 0 ? "" : i + 1 == devices.size() ? " and " : ", ", devices[i].name, devices[i].description);
    return text;
}

// What each of several devices made, and, of a sampled step, how long it took and how long it waited.
std::string shares_text(const Setup& setup, const RunReport& report) {
    if (report.devices.size() < 2) return {};
    std::string text;
    for (std::size_t p = 0; p < report.devices.size(); ++p) {
        std::string rows;
        for (const auto& collection : setup.collections) {
            if (collection.crowd) continue; // they are where their places are
            const auto stripe = collection.stripe(p);
            rows +=
                fmt::format("{}{} of {}", rows.empty() ? "" : ", ",
                            stripe.rows() == 0 ? "no rows" : fmt::format("rows {} to {}", stripe.first, stripe.end - 1), collection.name);
        }
        text += fmt::format("  {}, {}: {}", p + 1, report.devices[p].name, rows);
        if (const auto& [samples, working, waiting] = report.device_timings[p]; samples > 0)
            text += fmt::format("; of a step {:.1f} us work, {:.1f} us waiting for others", working / static_cast<double>(samples) * 1e6,
                                waiting / static_cast<double>(samples) * 1e6);
        text += "\n";
    }
    return text;
}

void record_failure(const Error& error, const Simulation& simulation, RunReport& report, RunRecord& record) {
    const bool interrupted = error.kind() == Failure::interrupted; // while an output waited for its reader
    report.status = interrupted ? "interrupted" : "failed";
    if (!report.is_amid_a_step) report.steps = simulation.step();
    report.error = error.what();
    spdlog::warn("the run {} after step {}; its results until then are in {}", interrupted ? "ended" : "failed", report.steps,
                 record.folder().string());
    try {
        if (interrupted && !report.is_amid_a_step) report.state_hash = simulation.hash();
        record.finish();
    } catch (const std::exception& again) { // a full disk, say: the first failure is the one that counts
        spdlog::warn("there is no manifest: {}", again.what());
    }
}

} // namespace

namespace {

// Children before the first step may be more than there was room for.
std::unique_ptr<Running> begin(const Setup& setup, const RunGround& ground) {
    try {
        return std::make_unique<Running>(nullptr, setup, ground);
    } catch (const OutgrownRoom& outgrown) {
        auto next = with_more_room(setup, outgrown);
        if (!next) throw;
        spdlog::info("{}; there is room for {} now", outgrown.problem(), rooms_text(*next));
        return begin(*next, ground);
    }
}

} // namespace

RunResult run(const Prepared& prepared, jit::Compiler& compiler, const RunOptions& options) {
    const DefaultArithmetic ours; // and of all threads that are started from here
    check_exchanges(prepared.setup);
    for (const auto& note : births_that_may_end(prepared.setup)) spdlog::warn("{}", note);
    RunResult result;
    auto& report = result.report;
    Hooks hooks(*prepared.model, report);
    if (options.changes != nullptr) options.changes->check_hooks(report.hooks);
    const int threads = choose_threads(prepared.setup);
    const auto devices = open_chosen(prepared.setup, threads, report);
    for (const auto& device : devices) report.devices.push_back(device->info());
    report.threads = threads;
    ThreadPool pool(threads);

    const InterruptGuard interrupt; // until the manifest is written
    const jit::CancelledBy cancelled(compiler, interrupt.flag());
    const auto all = pointers_to(devices);
    const RunGround ground{all, together(report.devices), compiler, pool, [&interrupt] { return interrupt.interrupted(); }};
    auto running = begin(prepared.setup, ground);
    const auto& code = running->simulation().code();
    report.compile_seconds = code.milliseconds() / 1000;
    report.compiler_image = code.origin;
    report.initialise_seconds = running->simulation().initialise_seconds();
    const auto folder = result_folder(prepared, options); // ours until the end
    result.folder = folder.path();
    running->write_to(folder, nullptr);
    RunRecord record(folder, report, *running, options.process_start);
    record.begin();
    spdlog::info("{} on {}, results in {}", prepared.name, devices_text(report.devices), result.folder.string());
    try {
        result.begins_again = Loop(running, ground, folder, report, options, interrupt, record, hooks).run();
        running->outputs().close();
        report.state_hash = running->simulation().hash();
        check_results(folder, running->outputs(), report.edits);
    } catch (const std::exception& thrown) {
        record_failure(as_error(thrown), running->simulation(), report, record);
        throw;
    }
    record.finish();
    result.shares = shares_text(running->setup(), report);
    return result;
}

} // namespace tessera
