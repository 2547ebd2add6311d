#include "host/execute/trial.hpp"

#include "device_runtime/error.hpp"

#include <algorithm>
#include <new>

namespace tessera {
namespace {

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
        : model_(model), setup_(model.setup()), device_(model.device()), queue_(model.queue()), stepper_(stepper), programs_(programs) {}

    std::optional<Trial> run(std::uint64_t until) {
        stepper_.drain();
        const auto before = steps_before(until);
        if (!before) return {};
        if (*before > 0) (void)stepper_.make_timed_steps(*before);
        const auto times = this->times(until);
        const auto count = times * programs_.depth();

        Trial trial;
        Placement aside = model_.world().placement();
        HeldBuffers scratch(model_.world());
        Memory differ;
        const bool made = passes(trial, [&] {
            differ = device_.allocate(sizeof(std::uint64_t));
            replace_spares(aside, scratch);
            std::vector<Task> tasks;
            for (std::size_t i = 0; i < programs_.programs.size(); ++i)
                model_.schedule().append_program(programs_.programs[i].steps, i, times, 0, aside, tasks);
            trial.fused_step_seconds = seconds_of(model_.binder().bind(tasks, programs_)) / static_cast<double>(count);
        });
        if (!made) return trial;
        trial.single_step_seconds = stepper_.make_timed_steps(count);
        (void)passes(trial, [&] { trial.same = same_values(aside, model_.world().placement(), differ); });
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

    // So that the programs write nothing of the run's.
    void replace_spares(Placement& aside, HeldBuffers& scratch) const {
        for (const auto& program : programs_.programs) {
            const auto spared = columns_with_spares(setup_, program.steps);
            for (std::size_t m = 0; m < spared.size(); ++m) {
                const auto column = setup_.column_of(program.steps.program.step.collection, m);
                if (spared[m]) aside.spare_of(column) = scratch.add(column);
            }
        }
    }

    // What launches take, over and over again, recorded as the steps of a run are. They leave the same behind however often they are made.
    double seconds_of(const std::vector<Launch>& launches) {
        constexpr double enough = 1e-3;
        const auto timed = [&](const Recording& recording) {
            const auto begin = queue_.mark();
            queue_.replay(recording);
            const auto end = queue_.mark();
            return device_.seconds_between(begin, end);
        };
        const auto once = queue_.record(launches);
        timed(*once); // loads the code
        double best = timed(*once);
        const auto times = static_cast<std::size_t>(std::clamp(enough / std::max(best, 1e-7), 1.0, 64.0));
        std::vector<Launch> many;
        for (std::size_t i = 0; i < times; ++i) many.insert(many.end(), launches.begin(), launches.end());
        const auto recording = queue_.record(many);
        for (int i = 0; i < 3; ++i) best = std::min(best, timed(*recording) / static_cast<double>(times));
        return best;
    }

    // Whether all members of the programs' collections have the same values in both.
    bool same_values(const Placement& a, const Placement& b, const Memory& differ) {
        for (const auto& program : programs_.programs) {
            const auto collection = program.steps.program.step.collection;
            for (std::size_t m = 0; m < setup_.collections[collection].columns.size(); ++m) {
                const auto column = setup_.column_of(collection, m);
                if (a.current_of(column) != b.current_of(column))
                    launch_comparison(column, a.current_of(column), b.current_of(column), differ);
            }
        }
        std::uint64_t result = 0;
        queue_.read(&result, differ.address(), sizeof(result));
        return result == 0;
    }

    // Of two buffers of a column, plane by plane.
    void launch_comparison(ColumnId column, int a, int b, const Memory& differ) {
        struct Arguments {
            const void *a, *b, *differ;
            std::int64_t row_bytes, pitch, rows;
        };
        const auto& layout = setup_[column].layout;
        const auto bytes = static_cast<std::int64_t>(size_of(layout.type));
        for (int e = 0; e < layout.elements; ++e)
            for (std::int64_t z = 0; z < layout.size[2]; ++z) {
                const std::int64_t offset = (e * layout.element + z * layout.plane) * bytes;
                const auto plane = [&](int buffer) { return static_cast<const std::byte*>(model_.world().origin(buffer)) + offset; };
                Launch launch;
                launch.kernel = &programs_.loaded->kernel("tessera_compare");
                launch.items = layout.size[1];
                launch.block = {block_threads, 1, 1};
                launch.grid = {static_cast<unsigned>(std::min<std::int64_t>(layout.size[1], 4096)), 1, 1};
                launch.args =
                    bytes_of(Arguments{plane(a), plane(b), differ.address(), layout.size[0] * bytes, layout.row * bytes, layout.size[1]});
                queue_.launch(launch);
            }
    }

    LoadedModel& model_;
    const Setup& setup_;
    Device& device_;
    Queue& queue_;
    Stepper& stepper_;
    const LoadedPrograms& programs_;
};

} // namespace

std::optional<Trial> try_programs(LoadedModel& model, Stepper& stepper, const LoadedPrograms& programs, std::uint64_t until) {
    return TrialRun(model, stepper, programs).run(until);
}

} // namespace tessera
