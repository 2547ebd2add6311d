// Simulation's trials of programs: the same steps on the side and one at a time.
#include "device_runtime/error.hpp"
#include "device_runtime/kernels/compare_arguments.hpp"
#include "host/schedule/simulation.hpp"

#include <algorithm>
#include <new>
#include <utility>
#include <vector>

namespace tessera {
namespace {

constexpr double enough_to_time = 1e-3; // seconds

// Buffers of a trial, given back at its end.
class Scratch {
public:
    explicit Scratch(World& world) : world_(world) {}
    ~Scratch() {
        for (const auto& [slot, buffer] : buffers_) world_.release(buffer);
    }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;

    // One more, to stand for a column's spare.
    void add(std::size_t collection, std::size_t member) {
        buffers_.emplace_back(world_.slot(collection, member), world_.add_scratch(collection, member));
    }
    // The world's placement with these for spares.
    [[nodiscard]] Placement aside() const {
        Placement placement = world_.placement();
        for (const auto& [slot, buffer] : buffers_) placement.spare[slot] = buffer;
        return placement;
    }

private:
    World& world_;
    std::vector<std::pair<std::size_t, int>> buffers_;
};

// Notes what `run` throws as the trial's obstacle; whether it threw nothing.
template<class Run> bool passes(Trial& trial, const Run& run) {
    try {
        run();
    } catch (const Error& error) {
        trial.obstacle = error.what();
        trial.no_memory = error.kind() == Failure::memory;
    } catch (const std::bad_alloc&) {
        trial.obstacle = "there is no memory for that";
        trial.no_memory = true;
    }
    return trial.obstacle.empty();
}

} // namespace

std::optional<Trial> Simulation::try_programs(const LoadedPrograms& loaded, std::uint64_t until, Timed timed) {
    constexpr int samples = 4;
    while (!queue_.empty()) wait_for_oldest();
    const auto& view = loaded.kernels.front().program.view;
    const auto before = steps_before_trial(view, until);
    if (!before) return {};
    if (*before > 0) (void)make_timed_steps(*before);
    const auto times = times_for_trial(view, until), count = times * static_cast<std::uint64_t>(view.depth);

    Trial trial;
    Scratch scratch(world_);
    Memory differ;
    Placement aside;
    const auto sample_programs = [&](double expected) { // what a step takes by them, which may be made again and again
        aside = scratch.aside();
        std::vector<Launch> launches;
        for (const auto& fused : loaded.kernels) plan_.append_program(fused, times, 0, aside, launches);
        const double often = enough_to_time / (expected * static_cast<double>(count));
        return sample_of(launches, expected > 0 ? static_cast<std::size_t>(std::clamp(often, 1.0, 64.0)) : 1) / static_cast<double>(count);
    };
    const bool made = passes(trial, [&] {
        differ = device_.allocate(sizeof(std::uint64_t));
        for (const auto& fused : loaded.kernels) {
            const auto spared = columns_with_spares(setup_, fused);
            for (std::size_t c = 0; c < spared.size(); ++c)
                if (spared[c]) scratch.add(fused.program.step.collection, c);
        }
        (void)sample_programs(0); // loads the code
        trial.fused_step_seconds = std::max(sample_programs(0), 1e-12);
        if (timed == Timed::yes) trial.fused_step_seconds = std::min(trial.fused_step_seconds, sample_programs(trial.fused_step_seconds));
    });
    if (!made) return trial;
    trial.single_step_seconds = make_timed_steps(count);
    if (!passes(trial, [&] { trial.same = same_values(loaded, aside, world_.placement(), differ); })) return trial;

    // By turns, so that a device that is slower for a while is so for both.
    for (int sample = 1; sample < samples && timed == Timed::yes && trial.same; ++sample) {
        const auto steps = steps_for_sample(trial.single_step_seconds, count, until);
        if (steps == 0) break;
        trial.single_step_seconds = std::min(trial.single_step_seconds, make_timed_steps(steps));
        const auto again = [&] {
            trial.fused_step_seconds = std::min(trial.fused_step_seconds, sample_programs(trial.fused_step_seconds));
        };
        if (!passes(trial, again)) return trial;
    }
    return trial;
}

// How many steps come first until there are enough usual ones in a row; nothing if that is not before `until`.
std::optional<std::uint64_t> Simulation::steps_before_trial(const FusedView& view, std::uint64_t until) const {
    const auto depth = static_cast<std::uint64_t>(view.depth);
    std::uint64_t usual = 0;
    for (std::uint64_t k = 0; k < longest_segment && step_ + k < until; ++k) {
        usual = runs_exactly(setup_, usual_phases_, step_ + k) ? usual + 1 : 0;
        if (usual == depth) return k + 1 - depth;
    }
    return {};
}

// How often a trial makes a program's steps: once; of words, as often as a run would in a row, within what may be queued.
std::uint64_t Simulation::times_for_trial(const FusedView& view, std::uint64_t until) const {
    constexpr double most_seconds = 0.02;
    const auto depth = static_cast<std::uint64_t>(view.depth);
    const double fitting = step_seconds_ > 0 ? most_seconds / step_seconds_ : 0;
    const auto most = view.words ? std::max(depth, std::min(longest_segment, static_cast<std::uint64_t>(fitting))) : depth;
    return usual_steps_from(step_, std::min(most, until - step_)) / depth;
}

// Usual steps from here that are enough to be timed; fewer, if `until` comes first.
std::uint64_t Simulation::steps_for_sample(double step_seconds, std::uint64_t least, std::uint64_t until) const {
    const double wanted = enough_to_time / std::max(step_seconds, 1e-9);
    const auto steps = std::max(static_cast<std::uint64_t>(std::min(wanted, static_cast<double>(longest_segment))), least);
    return usual_steps_from(step_, std::min(steps, until - step_));
}

// What launches take that leave the same behind however often they are made, `times` in a row, recorded as the steps of a run are.
double Simulation::sample_of(const std::vector<Launch>& launches, std::size_t times) {
    std::vector<Launch> many;
    for (std::size_t i = 0; i < times; ++i) many.insert(many.end(), launches.begin(), launches.end());
    const auto recording = device_.record(many);
    const auto begin = device_.mark();
    device_.replay(*recording);
    const auto end = device_.mark();
    return device_.seconds_between(*begin, *end) / static_cast<double>(times);
}

// Makes steps one at a time, recorded as those of a run are: launched one by one, small kernels would wait for the host. What one of them
// takes.
double Simulation::make_timed_steps(std::uint64_t count) {
    Segment segment;
    segment.recording = device_.record(launches_of(segment, count, true));
    const auto begin = device_.mark();
    replay_steps(segment);
    const auto end = device_.mark();
    const double seconds = device_.seconds_between(*begin, *end) / static_cast<double>(count);
    world_.placement() = segment.after;
    count_runs(count);
    step_ += count;
    return seconds;
}

// Whether all members of the programs' collections have the same values in both.
bool Simulation::same_values(const LoadedPrograms& loaded, const Placement& a, const Placement& b, const Memory& differ) {
    const auto place = [&](const Placement& placement, std::size_t slot, std::int64_t bytes) {
        return static_cast<const unsigned char*>(world_.origin(placement.current[slot])) + bytes;
    };
    for (const auto& fused : loaded.kernels) {
        const auto& collection = setup_.collections[fused.program.step.collection];
        for (std::size_t m = 0; m < collection.columns.size(); ++m) {
            const auto slot = world_.slot(fused.program.step.collection, m);
            const auto& layout = collection.columns[m].layout;
            const auto bytes = static_cast<std::int64_t>(size_of(layout.type));
            if (a.current[slot] == b.current[slot]) continue;
            for (int e = 0; e < layout.elements; ++e)
                for (std::int64_t z = 0; z < collection.size[2]; ++z) {
                    const std::int64_t offset = (e * layout.element + z * layout.plane) * bytes;
                    Launch launch;
                    launch.kernel = &loaded.program->kernel("tessera_compare");
                    launch.items = collection.size[1];
                    launch.block = {block_threads, 1, 1};
                    launch.grid = {static_cast<unsigned>(std::min<std::int64_t>(collection.size[1], 4096)), 1, 1};
                    launch.args = bytes_of(compare_arguments{place(a, slot, offset), place(b, slot, offset),
                                                             static_cast<std::uint64_t*>(differ.address()), collection.size[0] * bytes,
                                                             layout.row * bytes, collection.size[1]});
                    device_.launch(launch);
                }
        }
    }
    std::uint64_t result = 0;
    device_.read(&result, differ.address(), sizeof(result));
    return result == 0;
}

} // namespace tessera
