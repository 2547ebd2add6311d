#include "host/execute/trial.hpp"

#include "device_runtime/error.hpp"
#include "kernels/launch/compare_arguments.hpp"

#include <algorithm>
#include <new>
#include <utility>
#include <vector>

namespace tessera {
namespace {

constexpr double enough_to_time = 1e-3; // seconds

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

class TrialRun {
public:
    TrialRun(LoadedModel& model, Stepper& stepper, const LoadedPrograms& programs)
        : model_(model), setup_(model.setup()), executor_(model.executor()), stepper_(stepper), programs_(programs),
          scratch_(model.world()) {}

    std::optional<Trial> run(std::uint64_t until, Timed timed) {
        constexpr int samples = 4;
        stepper_.drain();
        const auto before = steps_before(until);
        if (!before) return {};
        if (*before > 0) (void)stepper_.make_timed_steps(*before, programs_);
        times_ = times(until);
        const auto count = times_ * programs_.depth();

        Trial trial;
        std::vector<Memory> differ; // by partition
        const bool made = passes(trial, [&] {
            for (const auto& partition : model_.partitions()) differ.push_back(partition.device->allocate(sizeof(std::uint64_t)));
            add_spares();
            (void)sample_programs(0); // loads the code
            trial.fused_step_seconds = std::max(sample_programs(0), 1e-12);
            if (timed == Timed::yes)
                trial.fused_step_seconds = std::min(trial.fused_step_seconds, sample_programs(trial.fused_step_seconds));
        });
        if (!made) return trial;
        trial.single_step_seconds = stepper_.make_timed_steps(count, programs_);
        if (!passes(trial, [&] { trial.same = same_values(aside_, model_.world().placement(), differ); })) return trial;

        // By turns, so that a device that is slower for a while is so for both.
        for (int sample = 1; sample < samples && timed == Timed::yes && trial.same; ++sample) {
            const auto steps = steps_for_sample(trial.single_step_seconds, count, until);
            if (steps == 0) break;
            trial.single_step_seconds = std::min(trial.single_step_seconds, stepper_.make_timed_steps(steps, programs_));
            const auto again = [&] {
                trial.fused_step_seconds = std::min(trial.fused_step_seconds, sample_programs(trial.fused_step_seconds));
            };
            if (!passes(trial, again)) return trial;
        }
        return trial;
    }

private:
    // How many steps come first until there are enough usual ones in a row; nothing if that is not before `until`.
    [[nodiscard]] std::optional<std::uint64_t> steps_before(std::uint64_t until) const {
        const auto depth = programs_.depth();
        for (std::uint64_t k = 0; k < Stepper::longest_segment && stepper_.step() + k + depth <= until;) {
            const auto usual = stepper_.usual_steps_from(stepper_.step() + k, depth);
            if (usual == depth) return k;
            k += usual + 1;
        }
        return {};
    }

    // How often a trial makes a program's steps: once; of words, as often as a run would in a row, within what may be queued.
    [[nodiscard]] std::uint64_t times(std::uint64_t until) const {
        constexpr double most_seconds = 0.02;
        const double fitting = stepper_.step_seconds() > 0 ? most_seconds / stepper_.step_seconds() : 0;
        const auto depth = programs_.depth();
        const auto most =
            programs_.view().words ? std::max(depth, std::min(Stepper::longest_segment, static_cast<std::uint64_t>(fitting))) : depth;
        return stepper_.usual_steps_from(stepper_.step(), std::min(most, until - stepper_.step())) / depth;
    }

    // Usual steps from here that are enough to be timed; fewer, if `until` comes first.
    [[nodiscard]] std::uint64_t steps_for_sample(double step_seconds, std::uint64_t least, std::uint64_t until) const {
        const double wanted = enough_to_time / std::max(step_seconds, 1e-9);
        const auto most = static_cast<double>(Stepper::longest_segment);
        const auto steps = std::max(static_cast<std::uint64_t>(std::min(wanted, most)), least);
        return stepper_.usual_steps_from(stepper_.step(), std::min(steps, until - stepper_.step()));
    }

    // Buffers for the programs to write, so that they write nothing of the run's.
    void add_spares() {
        for (const auto& program : programs_.programs) {
            const auto spared = columns_with_spares(setup_, program.steps);
            for (std::size_t m = 0; m < spared.size(); ++m) {
                const auto column = setup_.column_of(program.steps.program.step.collection, m);
                if (spared[m]) spares_.emplace_back(column, scratch_.add(column));
            }
        }
    }

    // What a step takes by the programs, from where the run stands; `expected` is what it may take, 0 if nobody knows. It may be done again
    // and again, and leaves `aside_` behind.
    double sample_programs(double expected) {
        aside_ = model_.world().placement();
        for (const auto& [column, buffer] : spares_) aside_.spare_of(column) = buffer;
        std::vector<Task> tasks;
        for (std::size_t i = 0; i < programs_.programs.size(); ++i)
            model_.schedule().append_program(programs_.programs[i].steps, i, times_, 0, aside_, tasks);
        const auto count = static_cast<double>(times_ * programs_.depth());
        // Several devices wait for each other before and after; between that, they have to be at work for a while.
        const double least = model_.partitions().size() > 1 ? 4 : 1;
        const double often = expected > 0 ? std::clamp(enough_to_time / (expected * count), least, 64.0) : 1;
        return sample_of(tasks, static_cast<std::size_t>(often)) / count;
    }

    // What tasks take that leave the same behind however often they are made, `times` in a row, recorded as the steps of a run are.
    double sample_of(const std::vector<Task>& tasks, std::size_t times) {
        std::vector<Task> many;
        model_.schedule().append_uniforms(times_ * programs_.depth(), many);
        for (std::size_t i = 0; i < times; ++i) many.insert(many.end(), tasks.begin(), tasks.end());
        auto work = executor_.bind(std::move(many), programs_);
        executor_.record(work);
        const auto begin = executor_.now();
        executor_.start(work);
        const auto end = executor_.now();
        executor_.wait(end);
        return executor_.longest_between(begin, end) / static_cast<double>(times);
    }

    // Whether all members of the programs' collections have the same values in both.
    bool same_values(const Placement& a, const Placement& b, const std::vector<Memory>& differ) {
        executor_.synchronize(); // what a device compares another may have written
        std::uint64_t sum = 0;
        for (std::size_t p = 0; p < differ.size(); ++p) {
            for (const auto& program : programs_.programs) {
                const auto collection = program.steps.program.step.collection;
                for (std::size_t m = 0; m < setup_.collections[collection].columns.size(); ++m) {
                    const auto column = setup_.column_of(collection, m);
                    if (a.current_of(column) != b.current_of(column))
                        launch_comparison(p, column, a.current_of(column), b.current_of(column), differ[p]);
                }
            }
            std::uint64_t result = 0;
            model_.partitions()[p].queue->read(&result, differ[p].address(), sizeof(result));
            sum += result;
        }
        return sum == 0;
    }

    // Of a partition's rows in two buffers of a column, plane by plane.
    void launch_comparison(std::size_t p, ColumnId column, int a, int b, const Memory& differ) {
        const auto id = setup_.columns[column].collection;
        const auto& layout = setup_[column].layout;
        const auto bytes = static_cast<std::int64_t>(size_of(layout.type));
        const bool has_planes = setup_.collections[id].dimensions == 3;
        const auto stripe = setup_.stripe(id, p);
        const RowRange planes = has_planes ? stripe : RowRange{0, 1}, rows = has_planes ? RowRange{0, layout.size[1]} : stripe;
        for (int e = 0; e < layout.elements; ++e)
            for (std::int64_t z = planes.first; z < planes.end; ++z) {
                const std::int64_t offset = layout.index(0, rows.first, z, e) - layout.origin;
                const auto plane = [&](int buffer) {
                    return static_cast<const unsigned char*>(model_.world().origin(buffer, p)) + offset * bytes;
                };
                Launch launch;
                launch.kernel = &programs_.loaded[p]->kernel("tessera_compare");
                launch.items = rows.rows();
                launch.block = {block_threads, 1, 1};
                launch.grid = {static_cast<unsigned>(std::clamp<std::int64_t>(rows.rows(), 1, 4096)), 1, 1};
                launch.args = bytes_of(compare_arguments{plane(a), plane(b), static_cast<std::uint64_t*>(differ.address()),
                                                         layout.size[0] * bytes, layout.row * bytes, rows.rows()});
                model_.partitions()[p].queue->launch(launch);
            }
    }

    LoadedModel& model_;
    const Setup& setup_;
    Executor& executor_;
    Stepper& stepper_;
    const LoadedPrograms& programs_;
    HeldBuffers scratch_;
    std::vector<std::pair<ColumnId, int>> spares_;
    std::uint64_t times_ = 0;
    Placement aside_;
};

} // namespace

std::optional<Trial> try_programs(LoadedModel& model, Stepper& stepper, const LoadedPrograms& programs, std::uint64_t until, Timed timed) {
    return TrialRun(model, stepper, programs).run(until, timed);
}

} // namespace tessera
