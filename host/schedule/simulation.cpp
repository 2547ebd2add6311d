#include "host/schedule/simulation.hpp"

#include "host/schedule/exchange_check.hpp"
#include "host/schedule/kernel_image.hpp"
#include "host/world/initial_state.hpp"
#include "host/world/state_hash.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstring>
#include <tuple>
#include <utility>

namespace tessera {
namespace {

constexpr double wanted_segment_seconds = 0.02;
constexpr std::size_t most_queued = 3; // segments: together well below 100 ms
constexpr auto sample_interval = std::chrono::seconds(1);

bool is_cuda(const Device& device) { return device.info().kind == DeviceKind::cuda; }

// Of a phase that does something; exchangeAll moves nothing on one partition.
std::optional<std::size_t> collection_of(const Setup& setup, const PhaseSetup& phase) {
    if (const auto* call = std::get_if<CallPhase>(&phase.action)) return setup.kernels[call->kernel].collection;
    if (const auto* rotate = std::get_if<RotatePhase>(&phase.action)) return rotate->collection;
    return {};
}

std::vector<ViewChoice> choose_views(const Setup& setup, const Device& device) {
    std::vector<ViewChoice> views;
    for (const auto& kernel : setup.kernels) views.push_back(choose_view(setup, kernel, is_cuda(device)));
    return views;
}

} // namespace

Simulation::Simulation(const Setup& setup, Device& device, jit::Compiler& compiler, ThreadPool& pool, std::vector<ViewChoice> views)
    : setup_(setup), device_(device), queue_(device.queue(Priority::normal, Execution::inline_)), pool_(pool),
      views_(views.empty() ? choose_views(setup, device) : std::move(views)), world_(setup, device, *queue_, pool),
      plan_(setup, world_, kernels_), usual_phases_(usual_phases(setup)) {
    check_exchanges(setup_);
    for (const auto& phase : setup_.phases) {
        PhaseTiming timing;
        timing.name = phase.name;
        if (const auto* call = std::get_if<CallPhase>(&phase.action)) timing.view = to_string(views_[call->kernel]);
        timings_.push_back(timing);
    }
    load_kernels(compiler);
    if (!*setup_.run.run.bake && !setup_.parameters.empty()) set_parameters(*program_);
    initialise();
}

Simulation::~Simulation() {
    try {
        queue_->synchronize(); // what is queued uses the columns
    } catch (const std::exception& error) {
        spdlog::debug("while ending the simulation: {}", error.what());
    }
}

void Simulation::load_kernels(jit::Compiler& compiler) {
    image_ = compile_kernels(setup_, views_, target_for(setup_, is_cuda(device_), device_.info().architecture), compiler);
    program_ = load(image_);
    for (std::size_t i = 0; i < setup_.kernels.size(); ++i) {
        kernels_.calls.push_back(&program_->kernel(setup_.kernels[i].symbol));
        kernels_.shapes.push_back(launch_shape(setup_.collections[setup_.kernels[i].collection], views_[i]));
        spdlog::debug("{}: view {}", setup_.kernels[i].name, to_string(views_[i]));
    }
    kernels_.advance = &program_->kernel(advance_symbol);
}

// A shared library is loaded by its file, code for a GPU from memory under the model's name.
std::unique_ptr<Program> Simulation::load(const jit::Image& image) {
    return image.file.empty() ? device_.load({setup_.model->path, image.bytes}) : device_.load(image.file);
}

LoadedPrograms Simulation::load_programs(const std::vector<FusedProgram>& programs, jit::Image image) {
    LoadedPrograms loaded;
    loaded.image = std::move(image);
    loaded.program = load(loaded.image);
    if (!*setup_.run.run.bake && !setup_.parameters.empty()) set_parameters(*loaded.program);
    for (const auto& program : programs) {
        FusedKernel fused{program, repeated(program.step, program.view.depth), &loaded.program->kernel(program.symbol),
                          launch_shape(setup_, program)};
        if (program.view.words) {
            const auto layout = word_layout(setup_.collections[program.step.collection], program.view);
            fused.pack = &loaded.program->kernel(pack_symbol(program));
            fused.unpack = &loaded.program->kernel(unpack_symbol(program));
            fused.convert = layout.shape;
            for (const bool used : columns_used(setup_, fused.all)) {
                auto& memory = fused.words.emplace_back();
                if (used) memory = {device_.allocate(layout.bytes), device_.allocate(layout.bytes)};
            }
        }
        loaded.kernels.push_back(std::move(fused));
    }
    return loaded;
}

void Simulation::fuse(const std::vector<FusedProgram>& programs, jit::Compiler& compiler) {
    use(load_programs(programs,
                      compile_programs(setup_, programs, target_for(setup_, is_cuda(device_), device_.info().architecture), compiler)));
}

void Simulation::use(LoadedPrograms loaded) {
    while (!queued_.empty()) wait_for_oldest();
    std::vector<std::pair<std::size_t, std::size_t>> added;
    try {
        for (const auto& fused : loaded.kernels) {
            const auto spared = columns_with_spares(setup_, fused);
            for (std::size_t c = 0; c < spared.size(); ++c)
                if (spared[c] && world_.add_spare(fused.program.step.collection, c)) added.push_back({fused.program.step.collection, c});
        }
        launch_aside(loaded);
    } catch (...) {
        for (const auto& [collection, member] : added) world_.remove_spare(collection, member);
        throw;
    }
    segments_.clear(); // recordings launch what is let go here
    fused_ = std::move(loaded);
}

// Programs write spares alone, so that the state stays what it is: whether they can be launched at all.
void Simulation::launch_aside(const LoadedPrograms& loaded) {
    Placement aside = world_.placement();
    std::vector<Launch> launches;
    for (const auto& fused : loaded.kernels) plan_.append_program(fused, 1, 0, aside, launches);
    for (const auto& launch : launches) queue_->launch(launch);
    queue_->synchronize();
}

std::string Simulation::fused_view() const { return fused_.kernels.empty() ? "" : to_string(fused_.kernels.front().program.view); }

void Simulation::set_parameters(Program& program) {
    Launch launch;
    launch.kernel = &program.kernel(parameters_symbol);
    for (const auto& parameter : setup_.parameters) {
        launch.args.insert(launch.args.end(), parameter.bytes.begin(), parameter.bytes.end());
        launch.args.resize((launch.args.size() + 7) / 8 * 8);
    }
    queue_->launch(launch);
}

void Simulation::initialise() {
    const auto begun = Clock::now();
    for (std::size_t c = 0; c < setup_.collections.size(); ++c)
        for (std::size_t m = 0; m < setup_.collections[c].columns.size(); ++m)
            if (const auto values = initial_values(setup_, c, m, pool_)) world_.write(c, m, *values);
    run_init_kernels();
    queue_->synchronize();
    initialise_seconds_ = std::chrono::duration<double>(Clock::now() - begun).count();
}

// What the run file gives stays, whatever an init function writes.
void Simulation::run_init_kernels() {
    for (const auto number : setup_.init_kernels) {
        const auto& kernel = setup_.kernels[number];
        std::vector<Launch> launches;
        plan_.append_call(number, 0, 0, world_.placement(), launches);
        try {
            for (const auto& launch : launches) queue_->launch(launch);
        } catch (const KernelFault& fault) {
            fail(fault, 0);
        }
        const auto& uses = setup_.description().functions[kernel.function].uses;
        for (std::size_t m = 0; m < uses.size(); ++m)
            if (uses[m].writes && is_given(setup_, kernel.collection, m))
                if (const auto values = initial_values(setup_, kernel.collection, m, pool_)) world_.write(kernel.collection, m, *values);
    }
}

void Simulation::advance(std::uint64_t until, const std::function<bool(std::uint64_t)>& proceed) {
    const auto begun = last_done_ = Clock::now();
    const auto first = step_;
    const auto measure = [&] { // with the calls before, as long as these were too short to tell
        const double seconds = measured_seconds_ + std::chrono::duration<double>(Clock::now() - begun).count();
        const auto steps = measured_steps_ + (step_ - first);
        if (seconds > wanted_segment_seconds && steps > 0) step_seconds_ = seconds / static_cast<double>(steps);
        return std::pair(seconds, steps);
    };
    bool go_on = true;
    while (go_on && step_ < until) {
        if (queued_.empty() && step_ > 0 && Clock::now() >= next_sample_)
            run_sampled_step();
        else
            queue_steps(std::min(std::max(segment_steps_ / fused_depth(), std::uint64_t{1}) * fused_depth(), until - step_));
        while (queued_.size() >= most_queued) wait_for_oldest();
        measure();
        go_on = proceed(step_);
    }
    while (!queued_.empty()) wait_for_oldest();
    queue_->synchronize();
    std::tie(measured_seconds_, measured_steps_) = measure();
    if (measured_seconds_ > wanted_segment_seconds) measured_seconds_ = 0, measured_steps_ = 0;
}

void Simulation::queue_steps(std::uint64_t count) {
    constexpr std::size_t most_segments = 64; // irregular schedules make many, and would never meet them again
    const auto begun = Clock::now();
    if (segments_.size() > most_segments) segments_.clear();
    auto& segment = segments_[{world_.placement(), plan_.activity(step_, count)}];
    try {
        if (segment.recording == nullptr) {
            const auto launches = launches_of(segment, count);
            if (++segment.met > 1 && count > 1)
                segment.recording = queue_->record(launches);
            else
                launch_steps(launches, segment);
        }
        if (segment.recording != nullptr) replay_steps(segment);
    } catch (const GivenUp& given_up) {
        return make_singly_from(given_up);
    }
    world_.placement() = segment.after;
    fused_steps_ += segment.fused_steps;
    count_runs(count);
    step_ += count;
    queued_.push_back({queue_->mark(), begun, count});
}

// The launches of `count` steps from here, which `segment` is told of; `singly`: without the programs in use.
std::vector<Launch> Simulation::launches_of(Segment& segment, std::uint64_t count, bool singly) const {
    std::vector<Launch> launches;
    Placement placement = world_.placement();
    segment.steps.clear();
    segment.fused_steps = 0;
    for (std::uint64_t k = 0; k < count;) {
        const auto programs = singly ? 0 : programs_from(step_ + k, count - k);
        const bool fused = programs > 0;
        const auto made = fused ? programs * fused_depth() : 1;
        for (const auto& kernel : fused_.kernels)
            if (fused) plan_.append_program(kernel, programs, k, placement, launches);
        segment.steps.resize(launches.size(), k);
        for (std::uint64_t j = k; j < k + made; ++j) {
            append_step(step_ + j, j, placement, launches, fused);
            segment.steps.resize(launches.size(), j);
        }
        segment.fused_steps += fused ? made : 0;
        k += made;
    }
    launches.push_back(plan_.advance(count));
    segment.steps.push_back(count);
    segment.after = placement;
    return launches;
}

std::uint64_t Simulation::fused_depth() const {
    return fused_.kernels.empty() ? 1 : static_cast<std::uint64_t>(fused_.kernels.front().program.view.depth);
}

std::uint64_t Simulation::usual_steps_from(std::uint64_t step, std::uint64_t most) const {
    std::uint64_t usual = 0;
    while (usual < most && runs_exactly(setup_, usual_phases_, step + usual)) ++usual;
    return usual;
}

// How often in a row the programs in use can make the next steps, of `left`.
std::uint64_t Simulation::programs_from(std::uint64_t step, std::uint64_t left) const {
    if (fused_.kernels.empty()) return 0;
    const auto times = usual_steps_from(step, left) / fused_depth();
    return fused_.kernels.front().program.view.words ? times : std::min<std::uint64_t>(times, 1); // words are worth it over several
}

// `counted` steps after the one that the device's counter stands at; beside programs, the phases of the collections that these leave out.
// Collections do not see each other, so that those may follow.
void Simulation::append_step(std::uint64_t step, std::uint64_t counted, Placement& placement, std::vector<Launch>& launches,
                             bool beside_programs) const {
    const auto is_fused = [this](std::size_t collection) {
        return std::any_of(fused_.kernels.begin(), fused_.kernels.end(),
                           [&](const FusedKernel& fused) { return fused.program.step.collection == collection; });
    };
    for (std::size_t p = 0; p < setup_.phases.size(); ++p) {
        const auto of = beside_programs ? collection_of(setup_, setup_.phases[p]) : std::nullopt;
        if (!of || !is_fused(*of)) plan_.append_phase(p, step, counted, placement, launches);
    }
}

void Simulation::launch_steps(const std::vector<Launch>& launches, const Segment& segment) {
    for (std::size_t i = 0; i < launches.size(); ++i) try {
            queue_->launch(launches[i]);
        } catch (const KernelFault& fault) {
            fail(fault, segment.steps[i]);
        }
}

void Simulation::replay_steps(const Segment& segment) {
    try {
        queue_->replay(*segment.recording);
    } catch (const KernelFault& fault) {
        fail(fault, segment.steps[fault.launch()]);
    }
}

void Simulation::fail(const KernelFault& fault, std::uint64_t counted) const {
    if (std::any_of(fused_.kernels.begin(), fused_.kernels.end(),
                    [&](const FusedKernel& fused) { return fused.program.symbol == fault.kernel(); }))
        throw GivenUp{counted};
    const auto is_this = [&](const auto& kernel) { return kernel.symbol == fault.kernel(); };
    const auto kernel = std::find_if(setup_.kernels.begin(), setup_.kernels.end(), is_this);
    throw Error(Failure::model,
                fmt::format("{} {} in step {}", kernel == setup_.kernels.end() ? fault.kernel() : kernel->name, fault.what_happened(),
                            step_ + counted),
                fault.why(), fault.advice());
}

// A program that is given up has written spares alone, and all before it is done: from its first step on, functions are called one by one,
// which says which of them is at fault, and when.
void Simulation::make_singly_from(const GivenUp& given_up) {
    Segment made;
    const auto counted = given_up.counted;
    if (counted > 0)
        (void)launches_of(made, counted);
    else
        made.after = world_.placement();
    spdlog::debug("steps from {} on are made one at a time: {} gave up", step_ + counted, fused_view());
    queue_->launch(plan_.advance(counted));
    world_.placement() = made.after;
    fused_steps_ += made.fused_steps;
    count_runs(counted);
    step_ += counted;
    segments_.clear();
    fused_ = {};
}

// One step with a mark behind each phase.
void Simulation::run_sampled_step() {
    std::vector<Mark> marks;
    marks.push_back(queue_->mark());
    for (std::size_t p = 0; p < setup_.phases.size(); ++p) {
        std::vector<Launch> launches;
        plan_.append_phase(p, step_, 0, world_.placement(), launches);
        try {
            for (const auto& launch : launches) queue_->launch(launch);
        } catch (const KernelFault& fault) {
            fail(fault, 0);
        }
        marks.push_back(queue_->mark());
    }
    queue_->launch(plan_.advance(1));
    for (std::size_t p = 0; p < setup_.phases.size(); ++p)
        if (setup_.phases[p].timing.includes(step_)) {
            ++timings_[p].samples;
            timings_[p].sampled_seconds += device_.seconds_between(marks[p], marks[p + 1]);
        }
    count_runs(1);
    ++step_;
    next_sample_ = Clock::now() + sample_interval;
}

void Simulation::wait_for_oldest() {
    queued_.front().end.wait();
    pace(queued_.front());
    queued_.erase(queued_.begin());
}

// Makes segments long enough to be cheap and short enough to stay responsive.
void Simulation::pace(const Queued& done) {
    const auto now = Clock::now();
    const double seconds = std::chrono::duration<double>(now - std::max(last_done_, done.begun)).count();
    last_done_ = now;
    if (done.steps + fused_depth() <= segment_steps_) return; // cut short by `until`
    if (seconds < wanted_segment_seconds / 4)
        segment_steps_ = std::min(segment_steps_ * 4, longest_segment);
    else if (seconds > wanted_segment_seconds * 2)
        segment_steps_ = std::max<std::uint64_t>(segment_steps_ / 4, 1);
}

void Simulation::count_runs(std::uint64_t count) {
    for (std::size_t p = 0; p < setup_.phases.size(); ++p)
        for (std::uint64_t k = step_; k < step_ + count; ++k) timings_[p].runs += setup_.phases[p].timing.includes(k) ? 1 : 0;
}

std::uint64_t Simulation::hash() const {
    return state_hash(
        setup_, [this](std::size_t collection, std::size_t member) { return read(collection, member); }, pool_);
}

std::vector<PhaseTiming> Simulation::timings() const { return timings_; }

} // namespace tessera
