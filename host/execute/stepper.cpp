#include "host/execute/stepper.hpp"

#include "host/execute/faults.hpp"
#include "host/execute/step_words.hpp"
#include "host/schedule/cycle.hpp"
#include "host/setup/uniforms.hpp"
#include "jit/log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <tuple>

namespace tessera {
namespace {

constexpr double wanted_segment_seconds = 0.02;
constexpr std::uint64_t fewest_steps_of_words = 2; // to pack and spread them takes longer than to make one step

// Of steps that programs make, where these make so many at a time.
std::uint64_t fewest_queued(const FusedView& view, std::uint64_t steps) {
    return view.words ? std::max(steps, fewest_steps_of_words) : steps;
}
constexpr std::size_t most_queued = 3; // segments: together well below 100 ms

// Of a phase that does something; exchangeAll moves nothing on one partition.
std::optional<CollectionId> collection_of(const Setup& setup, const PhaseSetup& phase) {
    if (const auto* call = std::get_if<CallPhase>(&phase.action)) return setup.kernels[call->kernel].collection;
    if (const auto* rotate = std::get_if<RotatePhase>(&phase.action)) return rotate->collection;
    return {};
}

bool several_with_a_cpu(const Partitions& partitions) {
    return partitions.size() > 1 && std::any_of(partitions.begin(), partitions.end(), [](const Partition& partition) {
               return partition.device->info().kind == DeviceKind::cpu;
           });
}

// Of how many launches a plan has to be, so that it can be made again and again: 0 where it cannot. One CPU does at once what it is asked,
// but makes values for several steps together where there are any; what one GPU is asked comes as a graph, of which each costs it some 2
// us.
std::size_t launches_of_a_repeated_plan(const Partitions& partitions, const Setup& setup) {
    if (partitions.size() != 1) return 0;
    if (partitions.front().device->info().kind != DeviceKind::cpu) return 512;
    return uniforms_of_steps(setup).empty() ? 32 : 0;
}

} // namespace

Stepper::Stepper(LoadedModel& model, PhaseTimer& timer, std::uint64_t step, const Pacer& pacer)
    : model_(model), timer_(timer), pacer_(pacer), usual_phases_(usual_phases(model.setup())),
      waits_for_faults_(several_with_a_cpu(model.partitions())),
      launches_of_a_plan_(launches_of_a_repeated_plan(model.partitions(), model.setup())), step_(step) {}

Stepper::~Stepper() {
    try {
        model_.executor().synchronize();
    } catch (const std::exception& error) {
        log_debug("while ending the simulation: {}", error.what());
    }
}

// ---- programs

void Stepper::use(LoadedPrograms programs) {
    drain();
    auto& world = model_.world();
    std::vector<ColumnId> added;
    try {
        for (const auto& program : programs.programs) {
            const auto spared = columns_with_spares(model_.setup(), program.steps);
            for (std::size_t m = 0; m < spared.size(); ++m) {
                const auto column = model_.setup().column_of(program.steps.program.step.collection, m);
                if (spared[m] && world.add_spare(column)) added.push_back(column);
            }
        }
        launch_aside(programs);
    } catch (...) {
        for (const auto column : added) world.remove_spare(column);
        throw;
    }
    segments_.clear(); // recordings launch what is let go here
    programs_ = std::move(programs);
}

// Programs write spares alone, so that the state stays what it is: whether they can be launched at all.
void Stepper::launch_aside(const LoadedPrograms& programs) {
    Placement aside = model_.world().placement();
    std::vector<Task> tasks;
    model_.schedule().append_uniforms(programs.depth(), tasks);
    for (std::size_t i = 0; i < programs.programs.size(); ++i)
        model_.schedule().append_program(programs.programs[i].steps, i, 1, 0, aside, tasks);
    model_.executor().start(model_.executor().bind(std::move(tasks), programs));
    model_.executor().synchronize();
}

std::uint64_t Stepper::usual_steps_from(std::uint64_t step, std::uint64_t most) const {
    std::uint64_t usual = 0;
    while (usual < most && runs_exactly(model_.setup(), usual_phases_, step + usual)) ++usual;
    return usual;
}

// How often in a row the programs in use can make the next steps, of `left`.
std::uint64_t Stepper::programs_from(std::uint64_t step, std::uint64_t left) const {
    if (programs_.empty()) return 0;
    const auto times = usual_steps_from(step, left) / programs_.depth();
    if (!programs_.view().words) return std::min(times, programs_a_cycle());
    return times * programs_.depth() >= fewest_steps_of_words ? times : 0; // words are worth it over several
}

// Where partitions have memory of their own, as many as fit; but Segment::ahead is of one program.
std::uint64_t Stepper::programs_a_cycle() const {
    return waits_for_faults_ ? 1 : std::max<std::uint64_t>(model_.setup().distribution().steps_a_cycle / programs_.depth(), 1);
}

// ---- segments

void Stepper::advance(std::uint64_t until, const std::function<bool(std::uint64_t)>& proceed) {
    const auto begun = last_done_ = pacer_.now();
    const auto first = step_;
    const auto measure = [&] { // with the calls before, as long as these were too short to tell
        const double seconds = measured_seconds_ + pacer_.seconds_since(begun);
        const auto steps = measured_steps_ + (step_ - first);
        if (seconds > wanted_segment_seconds && steps > 0) step_seconds_ = seconds / static_cast<double>(steps);
        return std::pair(seconds, steps);
    };
    bool go_on = true;
    is_stopped_ = false;
    try {
        while (go_on && step_ < until) {
            make_some(until);
            measure();
            go_on = proceed(step_) && !is_stopped_;
        }
        drain();
    } catch (const Error& error) {
        if (error.kind() == Failure::device) lose_steps(error);
        throw;
    }
    model_.executor().synchronize();
    std::tie(measured_seconds_, measured_steps_) = measure();
    if (measured_seconds_ > wanted_segment_seconds) measured_seconds_ = 0, measured_steps_ = 0;
}

// A sample, or a segment.
void Stepper::make_some(std::uint64_t until) {
    if (step_ > 0 && timer_.due(queued_.empty())) {
        sample_steps(1);
        if (stop_) ask_stop();
    } else if (stop_) {
        make_stoppable_steps(until);
    } else if (model_.setup().asks_state_in(step_)) {
        make_asking_step();
    } else {
        const auto cycle = programs_.empty() ? model_.setup().distribution().steps_a_cycle
                                             : fewest_queued(programs_.view(), programs_a_cycle() * programs_.depth());
        const auto cycles = waits_for_faults_ && !programs_.empty() ? 1 : std::max(segment_steps_ / cycle, std::uint64_t{1});
        auto steps = std::min(cycles * cycle, until - step_);
        for (std::uint64_t k = 1; k < steps && model_.setup().asks_state(); ++k)
            if (model_.setup().asks_state_in(step_ + k)) steps = k;
        queue_steps(steps);
    }
    while (queued_.size() >= most_queued) wait_for_oldest();
}

void Stepper::drain() {
    wait_for_queued();
    check_asking_steps();
}

void Stepper::wait_for_queued() {
    while (!queued_.empty()) wait_for_oldest();
}

// Of so many steps from here, those that are planned. In a small world it takes longer to plan a step than to make it, so that one device
// goes over what is planned for a few steps again and again, as long as all are alike. A few are as many as have some launches, for there
// is one more each time.
std::uint64_t Stepper::steps_to_plan(std::uint64_t count) const {
    if (launches_of_a_plan_ == 0 || launches_a_step_ == 0 || !programs_.empty() || usual_steps_from(step_, count) < count) return count;
    const auto few = std::bit_floor(std::max<std::uint64_t>(launches_of_a_plan_ / launches_a_step_, 1));
    return std::min(few, count);
}

Stepper::Segment& Stepper::segment_of(std::uint64_t count) {
    constexpr std::size_t most_segments = 64; // irregular schedules make many, and would never meet them again
    if (segments_.size() > most_segments) segments_.clear();
    auto& segment = segments_[{model_.world().placement(), model_.schedule().activity(step_, count)}];
    if (segment.met++ == 0) plan(segment, count);
    if (launches_a_step_ == 0) launches_a_step_ = (segment.work.items.size() - 1) / count; // the last one counts the steps
    if (segment.met == 2 && (count > 1 || launches_of_a_plan_ > 0)) model_.executor().record(segment.work);
    return segment;
}

// Some fewer where what is planned does not come out even.
void Stepper::queue_steps(std::uint64_t count_) {
    const auto begun = pacer_.now();
    const auto* segment = &segment_of(steps_to_plan(count_));
    if (segment->count < count_ && segment->after != model_.world().placement()) segment = &segment_of(count_);
    const auto times = count_ / segment->count;
    const auto launched = pacer_.now();
    try {
        for (std::uint64_t time = 0; time < times; ++time) start(*segment, step_ + time * segment->count);
    } catch (const GivenUp& given_up) {
        return make_singly_from(given_up);
    }
    queued_.push_back({model_.executor().now(), begun, step_, times * segment->count, segment->steps, pacer_.now() - launched});
    count(*segment, times);
}

// What a segment's launches did, so many times, is the state now.
void Stepper::count(const Segment& made, std::uint64_t times) {
    const auto steps = times * made.count;
    model_.world().placement() = made.after;
    fused_steps_ += times * made.fused_steps;
    timer_.count_runs(step_, steps);
    step_ += steps;
}

// The work of `count` steps from here.
void Stepper::plan(Segment& segment, std::uint64_t count) const {
    const auto& setup = model_.setup();
    std::vector<Task> tasks;
    std::size_t cycle = 0; // its first task
    std::uint64_t steps_of_cycle = 0;
    const auto end_cycle = [&] {
        make_cycle(setup, tasks, cycle);
        cycle = tasks.size();
        steps_of_cycle = 0;
    };
    Placement placement = model_.world().placement();
    model_.schedule().append_uniforms(count, tasks);
    cycle = tasks.size();
    segment.count = count;
    segment.fused_steps = 0;
    for (std::uint64_t k = 0; k < count;) {
        const auto times = programs_from(step_ + k, count - k);
        const auto made = times > 0 ? times * programs_.depth() : 1;
        if (times > 0) end_cycle();
        for (std::size_t i = 0; times > 0 && i < programs_.programs.size(); ++i)
            model_.schedule().append_program(programs_.programs[i].steps, i, times, k, placement, tasks);
        if (waits_for_faults_ && times > 0) segment.ahead = model_.executor().bind(std::exchange(tasks, {}), programs_);
        if (times > 0) cycle = tasks.size();
        for (std::uint64_t j = k; j < k + made; ++j) {
            append_step(j, placement, tasks, [&](PhaseId phase) { return times == 0 || !is_fused(programs_, phase); });
            if (++steps_of_cycle == setup.distribution().steps_a_cycle) end_cycle();
        }
        segment.fused_steps += times > 0 ? made : 0;
        k += made;
    }
    end_cycle();
    for (auto& task : model_.schedule().advance(count)) tasks.push_back(std::move(task));
    segment.after = placement;
    bind(segment, std::move(tasks), programs_);
}

void Stepper::bind(Segment& segment, std::vector<Task> tasks, const LoadedPrograms& programs) const {
    std::vector<std::uint64_t> steps;
    for (const auto& task : tasks) steps.push_back(task.counted);
    segment.steps = std::make_shared<const std::vector<std::uint64_t>>(std::move(steps));
    segment.work = model_.executor().bind(std::move(tasks), programs);
}

// Of `count` steps from here, made one at a time, the phases that `wanted` says yes to; their states are behind `segment.after`.
void Stepper::plan_singly(Segment& segment, std::uint64_t count, Placement placement, const std::function<bool(PhaseId)>& wanted) const {
    std::vector<Task> tasks;
    segment.count = count;
    model_.schedule().append_uniforms(count, tasks);
    auto cycle = tasks.size(); // its first task
    for (std::uint64_t k = 0; k < count; ++k) {
        append_step(k, placement, tasks, wanted);
        if ((k + 1) % model_.setup().distribution().steps_a_cycle != 0 && k + 1 < count) continue;
        make_cycle(model_.setup(), tasks, cycle);
        cycle = tasks.size();
    }
    segment.after = placement;
    bind(segment, std::move(tasks), {});
}

// `counted` steps after the one that the device's counter stands at: of its phases those that `wanted` says yes to. Only a collection that
// no other sees has programs (fusible_sequences), so that its phases may come before or after all others.
void Stepper::append_step(std::uint64_t counted, Placement& placement, std::vector<Task>& tasks,
                          const std::function<bool(PhaseId)>& wanted) const {
    for (const auto phase : model_.setup().phases.ids())
        if (wanted(phase)) model_.schedule().append_phase(phase, step_ + counted, counted, placement, tasks);
}

// Whether a phase is of a collection that has a program among these.
bool Stepper::is_fused(const LoadedPrograms& programs, PhaseId phase) const {
    const auto of = collection_of(model_.setup(), model_.setup().phases[phase]);
    return of && std::any_of(programs.programs.begin(), programs.programs.end(),
                             [&](const LoadedProgram& program) { return program.steps.program.step.collection == *of; });
}

// `first` is the step that it begins with.
void Stepper::start(const Segment& segment, std::uint64_t first) {
    if (!segment.ahead.items.empty()) start_ahead(segment);
    try {
        model_.executor().start(segment.work);
    } catch (const KernelFault& fault) {
        fail(fault, first, (*segment.steps)[fault.launch()]);
    }
}

// They read what is the state until all of them are done.
void Stepper::start_ahead(const Segment& segment) {
    auto& executor = model_.executor();
    try {
        executor.start(segment.ahead);
        executor.wait(executor.now());
    } catch (const KernelFault& fault) {
        fail(fault, step_, 0);
    }
}

// Those of the programs' collections come first, so that their time is not that of all others. They are recorded as the steps of a run are:
// launched one by one, small kernels would wait for the host.
double Stepper::make_timed_steps(std::uint64_t count_, const LoadedPrograms& programs) {
    auto& executor = model_.executor();
    Segment timed, others;
    plan_singly(timed, count_, model_.world().placement(), [&](PhaseId phase) { return is_fused(programs, phase); });
    plan_singly(others, count_, timed.after, [&](PhaseId phase) { return !is_fused(programs, phase); });
    executor.record(timed.work);
    const auto begin = executor.now();
    start(timed, step_);
    const auto end = executor.now();
    wait({end, {}, step_, count_, timed.steps});
    const double seconds = executor.longest_between(begin, end) / static_cast<double>(count_);
    start(others, step_);
    executor.start(executor.bind(model_.schedule().advance(count_), {}));
    wait({executor.now(), {}, step_, count_, others.steps});
    check_agents();
    count(others, 1);
    return seconds;
}

void Stepper::sample_steps(std::uint64_t count_) {
    drain(); // a sample is of its step alone
    for (; count_ > 0; --count_) {
        timer_.make_step(step_);
        check_agents();
        ++step_;
    }
}

// ---- giving up

// `first` is the step of the segment's beginning, `counted` the one that failed from there.
void Stepper::fail(const KernelFault& fault, std::uint64_t first, std::uint64_t counted) const {
    if (std::any_of(programs_.programs.begin(), programs_.programs.end(),
                    [&](const LoadedProgram& program) { return program.steps.program.symbol == fault.kernel(); }))
        throw GivenUp{counted};
    tell_fault(model_.setup(), model_.partitions(), fault, first + counted);
}

// A device that fails, as a GPU after an illegal address, does not say at what: at one of the steps that are not known to be done.
void Stepper::lose_steps(const Error& error) {
    const auto first = queued_.empty() ? step_ - unchecked_steps_ : queued_.front().first, last = std::max(step_, first + 1) - 1;
    step_ = first;
    queued_.clear();
    unchecked_steps_ = 0;
    throw Error(Failure::device,
                fmt::format("{} lost: {}",
                            first == last ? fmt::format("step {} was", first) : fmt::format("steps {} to {} were", first, last),
                            error.what()));
}

// A program that is given up has written spares alone, and all before it is done: from its first step on, functions are called one by one,
// which says which of them is at fault, and when.
void Stepper::make_singly_from(const GivenUp& given_up) {
    Segment made;
    const auto counted = made.count = given_up.counted;
    if (counted > 0)
        plan(made, counted);
    else
        made.after = model_.world().placement();
    log_debug("steps from {} on are made one at a time: {} gave up", step_ + counted, to_string(programs_.view()));
    model_.executor().start(model_.executor().bind(model_.schedule().advance(counted), {}));
    count(made, 1);
    segments_.clear();
    programs_ = {};
}

// ---- pace

void Stepper::wait_for_oldest() {
    wait(queued_.front());
    check_agents();
    pace(queued_.front());
    queued_.erase(queued_.begin());
}

// What an agent did wrong ends the run before anybody looks at the state: what is queued behind it does nothing.
void Stepper::check_agents() {
    const auto fault = find_agent_fault(model_.partitions(), model_.setup());
    const bool has_reduces = model_.setup().reductions.size() > (stop_ ? 1U : 0U); // what is wrong with `stop` is not told there
    const auto of_reduce = has_reduces ? find_reduce_fault(model_.partitions(), model_.setup()) : std::nullopt;
    if (of_reduce && (!fault || std::pair(of_reduce->step, of_reduce->phase) < std::pair(fault->step, fault->phase))) {
        step_ = of_reduce->step;
        queued_.clear();
        tell_fault(model_.setup(), *of_reduce);
    }
    if (const auto of_sending = find_send_fault(model_.partitions(), model_.setup()); of_sending && !fault) {
        step_ = of_sending->step;
        queued_.clear();
        tell_fault(model_.setup(), *of_sending);
    }
    if (fault) {
        step_ = fault->step;
        queued_.clear();
        tell_fault(model_.setup(), *fault, model_.world().reader());
    }
}

void Stepper::wait(const Queued& queued) {
    try {
        model_.executor().wait(queued.end);
    } catch (const KernelFault& fault) {
        const auto counted = (*queued.steps_of_items)[fault.launch()];
        step_ = queued.first + counted; // what was queued behind it was not made
        fail(fault, queued.first, counted);
    }
}

// Makes segments long enough to be cheap and short enough to stay responsive. What is planned is made several times before longer ones are
// planned, for in a small world to plan a step takes longer than to make it. Several that are waited for together seem to have taken no
// time, but for what launching them took.
void Stepper::pace(const Queued& done) {
    const auto now = pacer_.now();
    const double seconds = std::chrono::duration<double>(std::max(now - std::max(last_done_, done.begun), done.launching)).count();
    last_done_ = now;
    if (done.steps + programs_.depth() <= segment_steps_) return; // cut short by `until`
    constexpr int often = 4;
    const auto before = segment_steps_;
    if (seconds < wanted_segment_seconds / 4 && ++made_of_these_ >= often)
        segment_steps_ = std::min(segment_steps_ * 4, longest_segment);
    else if (seconds > wanted_segment_seconds * 2)
        segment_steps_ = std::max<std::uint64_t>(segment_steps_ / 4, 1);
    if (segment_steps_ != before) made_of_these_ = 0;
}

} // namespace tessera
