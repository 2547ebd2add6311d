// Simulation's trials of programs: the same steps on the side and one at a time.
#include "device_runtime/error.hpp"
#include "host/schedule/simulation.hpp"

#include <algorithm>
#include <new>

namespace tessera {
namespace {

// Buffers of a trial, given back at its end.
class Scratch {
public:
    explicit Scratch(World& world) : world_(world) {}
    ~Scratch() {
        for (const int buffer : buffers_) world_.release(buffer);
    }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;

    // Stands for a column's spare in `placement`.
    void replace_spare(Placement& placement, std::size_t collection, std::size_t member) {
        buffers_.push_back(world_.add_scratch(collection, member));
        placement.spare[world_.slot(collection, member)] = buffers_.back();
    }

private:
    World& world_;
    std::vector<int> buffers_;
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

std::optional<Trial> Simulation::try_programs(const LoadedPrograms& loaded, std::uint64_t until) {
    while (!queued_.empty()) wait_for_oldest();
    const auto before = steps_before_trial(loaded.kernels.front().program.view, until);
    if (!before) return {};
    if (*before > 0) (void)make_timed_steps(*before);
    const auto times = times_for_trial(loaded.kernels.front().program.view, until);
    const auto count = times * static_cast<std::uint64_t>(loaded.kernels.front().program.view.depth);

    Trial trial;
    Placement aside = world_.placement();
    Scratch scratch(world_);
    Memory differ;
    const bool made = passes(trial, [&] {
        differ = device_.allocate(sizeof(std::uint64_t));
        for (const auto& fused : loaded.kernels) {
            const auto spared = columns_with_spares(setup_, fused);
            for (std::size_t c = 0; c < spared.size(); ++c)
                if (spared[c]) scratch.replace_spare(aside, fused.program.step.collection, c);
        }
        std::vector<Launch> launches;
        for (const auto& fused : loaded.kernels) plan_.append_program(fused, times, 0, aside, launches);
        trial.fused_step_seconds = seconds_of(launches) / static_cast<double>(count);
    });
    if (!made) return trial;
    trial.single_step_seconds = make_timed_steps(count);
    (void)passes(trial, [&] { trial.same = same_values(loaded, aside, world_.placement(), differ); });
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

// What launches take, over and over again, recorded as the steps of a run are. They leave the same behind however often they are made.
double Simulation::seconds_of(const std::vector<Launch>& launches) {
    constexpr double enough = 1e-3;
    const auto timed = [&](const Recording& recording) {
        const auto begin = queue_->mark();
        queue_->replay(recording);
        const auto end = queue_->mark();
        return device_.seconds_between(begin, end);
    };
    const auto once = queue_->record(launches);
    timed(*once); // loads the code
    double best = timed(*once);
    const auto times = static_cast<std::size_t>(std::clamp(enough / std::max(best, 1e-7), 1.0, 64.0));
    std::vector<Launch> many;
    for (std::size_t i = 0; i < times; ++i) many.insert(many.end(), launches.begin(), launches.end());
    const auto recording = queue_->record(many);
    for (int i = 0; i < 3; ++i) best = std::min(best, timed(*recording) / static_cast<double>(times));
    return best;
}

// Makes steps one at a time; what one of them takes.
double Simulation::make_timed_steps(std::uint64_t count) {
    Segment segment;
    const auto launches = launches_of(segment, count, true);
    const auto begin = queue_->mark();
    launch_steps(launches, segment);
    const auto end = queue_->mark();
    world_.placement() = segment.after;
    count_runs(count);
    step_ += count;
    // Launched one by one, small kernels wait for the host; recorded ones, as the run's are, do not.
    const double seconds = device_.seconds_between(begin, end) / static_cast<double>(count);
    return step_seconds_ > 0 ? std::min(seconds, step_seconds_) : seconds;
}

// Whether all members of the programs' collections have the same values in both.
bool Simulation::same_values(const LoadedPrograms& loaded, const Placement& a, const Placement& b, const Memory& differ) {
    struct Arguments {
        const void *a, *b, *differ;
        std::int64_t row_bytes, pitch, rows;
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
                    launch.args = bytes_of(Arguments{static_cast<const std::byte*>(world_.origin(a.current[slot])) + offset,
                                                     static_cast<const std::byte*>(world_.origin(b.current[slot])) + offset,
                                                     differ.address(), collection.size[0] * bytes, layout.row * bytes, collection.size[1]});
                    queue_->launch(launch);
                }
        }
    }
    std::uint64_t result = 0;
    queue_->read(&result, differ.address(), sizeof(result));
    return result == 0;
}

} // namespace tessera
