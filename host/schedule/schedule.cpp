#include "host/schedule/schedule.hpp"

#include "device_runtime/error.hpp"
#include "host/schedule/cycle.hpp"
#include "host/setup/call_sequence.hpp"
#include "host/setup/seams.hpp"
#include "host/setup/uniforms.hpp"
#include "host/views/program_plan.hpp"
#include "kernels/launch/arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace tessera {
namespace {

// What a task makes of a column, or goes between a column and its words.
struct Change {
    bool reads = false, writes = false;
    int in = Placement::none, out = Placement::none;
};

Touch touch_of(const Setup& setup, ColumnId column, const Change& change, const model::Use& sees, const RowRange& rows,
               std::size_t partition) {
    const auto& collection = setup.collections[setup.columns[column].collection];
    Touch touch;
    touch.column = column;
    touch.reads = change.reads;
    touch.writes = change.writes;
    touch.in = change.in;
    touch.out = change.out;
    if (setup.own_memory()) touch.in_of = touch.out_of = partition;
    if (touch.reads && setup.own_memory())
        touch.read = {rows_seen(collection, sees, rows)};
    else if (touch.reads)
        touch.read = rows_read(collection, sees, rows);
    if (touch.writes) touch.written = rows;
    return touch;
}

// Where a call stores what it writes besides, an entry for each of the other partitions: of one that does not have all rows, or is out of
// reach, nothing.
void append_stored_everywhere(const Setup& setup, const KernelSetup& kernel, std::size_t partition, std::vector<Touch>& touches) {
    for (const auto access : accesses_stored_everywhere(setup, kernel))
        for (std::size_t other = 0; other < setup.partitions(); ++other) {
            if (other == partition) continue;
            Touch touch;
            touch.column = kernel.accesses[access].column;
            touch.in = touch.out = Placement::none;
            if (setup.reaches(partition, other) && has_all_rows(setup, touch.column, other)) {
                touch.writes = true;
                touch.out = touches[access].out;
                touch.out_of = other;
                touch.written = touches[access].written;
            }
            touches.push_back(std::move(touch));
        }
}

// A task for each partition that has rows of the collection; `touches(rows, partition)` are what it touches.
template<class Work, class Touches>
void append_stripes(const Setup& setup, CollectionId collection, const Work& work, std::uint64_t counted, const Touches& touches,
                    std::vector<Task>& tasks) {
    for (std::size_t partition = 0; partition < setup.partitions(); ++partition) {
        Task task;
        task.rows = setup.stripe(collection, partition);
        if (task.rows.rows() == 0) continue;
        task.work = work;
        task.partition = partition;
        task.counted = counted;
        task.touches = touches(task.rows, partition);
        tasks.push_back(std::move(task));
    }
}

// One task, of the first partition that has rows, for the rows of all.
template<class Work, class Touches>
void append_whole(const Setup& setup, CollectionId collection, const Work& work, std::uint64_t counted, const Touches& touches,
                  std::vector<Task>& tasks) {
    Task task;
    while (setup.stripe(collection, task.partition).rows() == 0) ++task.partition;
    task.work = work;
    task.rows = setup.collections[collection].whole();
    task.counted = counted;
    task.touches = touches(task.rows, task.partition);
    tasks.push_back(std::move(task));
}

// What all steps of a program see together.
struct Sight {
    model::Use reach;        // along the last axis, the same for each column
    std::vector<bool> reads; // of each column, whether anything of it is loaded
};
Sight sight_of(const Setup& setup, const ProgramSteps& steps) {
    const auto& collection = setup.collections[steps.program.step.collection];
    const auto plan = plan_of(setup, steps.all, steps.program.view);
    const std::size_t dims = static_cast<std::size_t>(collection.dimensions - 1), axis = dims == 2 ? 2 : 1;
    Sight sight;
    sight.reach.low[dims][axis] = plan.low_of_all(1);
    sight.reach.high[dims][axis] = plan.high_of_all(1);
    sight.reads.resize(collection.columns.size());
    for (const auto& made : plan.version)
        for (std::size_t c = 0; c < made.size(); ++c)
            if (made[c].used && made[c].loaded) sight.reads[c] = true;
    return sight;
}

// Makes cycles of programs in a row, of as many as the steps of one allow, where partitions have memory of their own.
class Cycles {
public:
    Cycles(const Setup& setup, const ProgramSteps& steps, std::vector<Task>& tasks)
        : setup_(setup), tasks_(tasks), begin_(tasks.size()),
          programs_(std::max<std::uint64_t>(setup.distribution().steps_a_cycle / static_cast<std::uint64_t>(steps.program.view.depth), 1)) {
    }

    // Behind the tasks of a program.
    void add() {
        if (++added_ % programs_ == 0) end();
    }
    void end() {
        make_cycle(setup_, tasks_, begin_);
        begin_ = tasks_.size();
    }

private:
    const Setup& setup_;
    std::vector<Task>& tasks_;
    std::size_t begin_;
    std::uint64_t programs_, added_ = 0;
};

// Columns [0, size) of a collection, from their spares where these were written, and then by the names that a program leaves them.
void rename(Placement& placement, ColumnId first, const std::vector<std::size_t>& named) {
    const Placement before = placement;
    for (std::size_t m = 0; m < named.size(); ++m) placement.current[first.index() + m] = before.current[first.index() + named[m]];
}

} // namespace

std::vector<bool> columns_used(const Setup& setup, const CallSequence& all) {
    std::vector<bool> used(all.after.size());
    for (std::size_t call = 0; call < all.phases.size(); ++call) {
        const auto uses = uses_of(setup, all.phases[call]);
        for (std::size_t m = 0; m < uses.size(); ++m)
            if (uses[m].reads || uses[m].writes) used[all.columns[call][m]] = true;
    }
    for (std::size_t m = 0; m < used.size(); ++m)
        if (all.after[m] != m) used[m] = true;
    return used;
}

std::vector<bool> columns_with_spares(const Setup& setup, const ProgramSteps& steps) {
    auto columns = steps.all.written(setup);
    // Words are spread only behind the last of several programs. Where names rotate, that may be any column.
    if (steps.program.view.words)
        for (std::size_t m = 0; m < columns.size(); ++m)
            if (steps.all.after[m] != m) columns[m] = columns[steps.all.after[m]] = true;
    return columns;
}

void Schedule::append_phase(PhaseId number, std::uint64_t step, std::uint64_t counted, Placement& placement,
                            std::vector<Task>& tasks) const {
    const auto& phase = setup_.phases[number];
    const auto* const called = std::get_if<CallPhase>(&phase.action);
    const auto arrive = [&] {
        for (std::size_t i = 0; called != nullptr && i < called->arrivals.size(); ++i)
            append_call({called->arrivals[i], phase.call_in_step, number.index() + 1}, counted, placement, tasks);
    };
    if (!phase.timing.includes(step)) return arrive();
    for (const auto uniform : uniforms_before(setup_, number, step)) append_uniform({uniform, 1}, counted, tasks);
    if (called != nullptr) {
        append_call({called->kernel, phase.call_in_step, number.index() + 1}, counted, placement, tasks);
        if (called->shares) append_call({*called->shares, phase.call_in_step, number.index() + 1}, counted, placement, tasks);
        arrive();
    } else if (const auto* manage = std::get_if<ManagePhase>(&phase.action))
        for (const auto kernel : setup_.launched_for(*manage))
            append_call({kernel, phase.call_in_step, number.index() + 1}, counted, placement, tasks);
    else if (const auto* reduce = std::get_if<ReducePhase>(&phase.action))
        append_reduction(reduce->reduction, number.index() + 1, counted, placement, tasks);
    else if (const auto* until = std::get_if<UntilPhase>(&phase.action))
        append_reduction(until->question, number.index() + 1, counted, placement, tasks);
    else if (const auto* rotate = std::get_if<RotatePhase>(&phase.action)) {
        const int last = placement.current_of(rotate->columns.back());
        for (std::size_t i = rotate->columns.size() - 1; i > 0; --i)
            placement.current_of(rotate->columns[i]) = placement.current_of(rotate->columns[i - 1]);
        placement.current_of(rotate->columns.front()) = last;
    } // exchangeAll moves nothing on one partition
}

void Schedule::append_uniforms(std::uint64_t count, std::vector<Task>& tasks) const {
    const auto uniforms = uniforms_of_steps(setup_);
    if (!uniforms.empty() && count > uniform_rows) throw Error(Failure::internal, "more steps than have uniforms were to be queued");
    for (const auto uniform : uniforms) append_uniform({uniform, count}, 0, tasks);
}

// Of each partition. What reads it comes later in the same queue, so that it touches nothing that others would wait for.
void Schedule::append_uniform(const UniformWork& work, std::uint64_t counted, std::vector<Task>& tasks) const {
    for (std::size_t partition = 0; partition < setup_.partitions(); ++partition) {
        Task task;
        task.work = work;
        task.partition = partition;
        task.counted = counted;
        tasks.push_back(std::move(task));
    }
}

void Schedule::append_call(const CallWork& call, std::uint64_t counted, Placement& placement, std::vector<Task>& tasks) const {
    const auto& kernel = setup_.kernels[call.kernel];
    // A column that is read around and written goes from its current buffer into its spare; every other stays where it is.
    const auto moves = [&](const Access& access) { return access.use.writes && access.use.around && setup_[access.column].has_spare; };
    const auto touches = [&](const RowRange& rows, std::size_t partition) {
        std::vector<Touch> all;
        for (const auto& access : kernel.accesses) {
            const int in = placement.current_of(access.column), out = moves(access) ? placement.spare_of(access.column) : in;
            all.push_back(touch_of(setup_, access.column, {access.use.reads, access.use.writes, in, out}, access.use, rows, partition));
        }
        append_stored_everywhere(setup_, kernel, partition, all);
        return all;
    };
    if (kernel.kind->is_of_all_rows())
        append_whole(setup_, kernel.collection, call, counted, touches, tasks);
    else
        append_stripes(setup_, kernel.collection, call, counted, touches, tasks);
    for (const auto& access : kernel.accesses)
        if (moves(access)) std::swap(placement.current_of(access.column), placement.spare_of(access.column));
}

void Schedule::append_reduction(ReductionId reduction, std::uint64_t phase, std::uint64_t counted, Placement& placement,
                                std::vector<Task>& tasks) const {
    const auto partitions = setup_.partitions();
    const int buffer = Touch::buffer_of(reduction);
    const RowRange all{0, static_cast<std::int64_t>(partitions)};
    const auto touch = [&](std::size_t from, std::size_t to, const RowRange& words) {
        Touch one;
        one.reads = one.writes = true;
        one.in = one.out = buffer;
        one.in_of = from;
        one.out_of = to;
        one.read = {words};
        one.written = words;
        return one;
    };
    const auto own = [](std::size_t partition) {
        return RowRange{static_cast<std::int64_t>(partition), static_cast<std::int64_t>(partition) + 1};
    };
    for (const auto kernel : setup_.reductions[reduction].kernels) {
        const auto first = tasks.size();
        append_call({kernel, 0, phase}, counted, placement, tasks);
        for (auto t = first; t < tasks.size(); ++t)
            tasks[t].touches.push_back(touch(tasks[t].partition, tasks[t].partition, own(tasks[t].partition)));
    }
    const auto append = [&](std::size_t partition, const auto& work, Touch touches) {
        Task task;
        task.work = work;
        task.touches.push_back(std::move(touches));
        task.partition = partition;
        task.counted = counted;
        tasks.push_back(std::move(task));
    };
    const auto staging = setup_.staging_of(0);
    for (std::size_t p = 0; partitions > 1 && p < partitions; ++p) append(p, ShareWork{reduction, true}, touch(p, staging, own(p)));
    for (std::size_t p = 0; partitions > 1 && p < partitions; ++p) append(p, ShareWork{reduction, false}, touch(staging, p, all));
    for (std::size_t p = 0; p < partitions; ++p) append(p, JoinWork{reduction, phase}, touch(p, p, all));
}

void Schedule::append_program(const ProgramSteps& steps, std::size_t number, std::uint64_t times, std::uint64_t counted,
                              Placement& placement, std::vector<Task>& tasks) const {
    if (steps.program.view.words) return append_words(steps, number, times, counted, placement, tasks);
    Cycles cycles(setup_, steps, tasks);
    for (std::uint64_t i = 0; i < times; ++i) {
        append_columns(steps, number, counted + i * static_cast<std::uint64_t>(steps.program.view.depth), placement, tasks);
        cycles.add();
    }
    cycles.end();
}

void Schedule::append_columns(const ProgramSteps& steps, std::size_t number, std::uint64_t counted, Placement& placement,
                              std::vector<Task>& tasks) const {
    const auto& collection = setup_.collections[steps.program.step.collection];
    const auto written = steps.all.written(setup_);
    const auto sees = sight_of(setup_, steps);
    const auto touches = [&](const RowRange& rows, std::size_t partition) {
        std::vector<Touch> all;
        for (std::size_t c = 0; c < written.size(); ++c) {
            const auto column = setup_.column_of(steps.program.step.collection, c);
            const int in = placement.current_of(column), out = written[c] ? placement.spare_of(column) : in;
            all.push_back(touch_of(setup_, column, {sees.reads[c], written[c], in, out}, sees.reach, rows, partition));
        }
        return all;
    };
    append_stripes(setup_, steps.program.step.collection, ProgramWork{number}, counted, touches, tasks);
    for (std::size_t c = 0; c < written.size(); ++c) {
        const auto column = setup_.column_of(steps.program.step.collection, c);
        if (written[c]) std::swap(placement.current_of(column), placement.spare_of(column));
    }
    rename(placement, collection.first_column, steps.all.after);
}

// Columns to words, the programs, and back into the spares of the columns.
void Schedule::append_words(const ProgramSteps& steps, std::size_t number, std::uint64_t times, std::uint64_t counted, Placement& placement,
                            std::vector<Task>& tasks) const {
    const auto& collection = setup_.collections[steps.program.step.collection];
    const auto written = steps.all.written(setup_), spared = columns_with_spares(setup_, steps);
    const std::size_t columns = written.size();
    const auto column_of = [&](std::size_t c) { return setup_.column_of(steps.program.step.collection, c); };

    // `change(c)` is what a task does to column c, of which it sees as much as `sees` says.
    const auto append = [&](const auto& work, std::uint64_t at, const model::Use& sees, const auto& change) {
        const auto touches = [&](const RowRange& rows, std::size_t partition) {
            std::vector<Touch> all;
            for (std::size_t c = 0; c < columns; ++c) all.push_back(touch_of(setup_, column_of(c), change(c), sees, rows, partition));
            return all;
        };
        append_stripes(setup_, steps.program.step.collection, work, at, touches, tasks);
    };
    const model::Use place_by_place{};
    Cycles cycles(setup_, steps, tasks);

    const auto gathered = [&](std::size_t c) {
        const int words = steps.words[c][0];
        return Change{words >= 0, words >= 0, placement.current_of(column_of(c)), words};
    };
    append(ConvertWork{number, true}, counted, place_by_place, gathered);

    // The column that a name stands for, and which of a column's buffers of words is its newest.
    std::vector<std::size_t> named(columns), newest(columns);
    std::iota(named.begin(), named.end(), std::size_t{0});
    const auto sees = sight_of(setup_, steps);
    for (std::uint64_t i = 0; i < times; ++i) {
        const auto handed_on = [&](std::size_t c) {
            const auto& words = steps.words[named[c]];
            const auto now = newest[named[c]];
            return Change{sees.reads[c], written[c], words[now], words[now ^ (written[c] ? 1U : 0U)]};
        };
        append(ProgramWork{number}, counted + i * static_cast<std::uint64_t>(steps.program.view.depth), sees.reach, handed_on);
        for (std::size_t c = 0; c < columns; ++c)
            if (written[c]) newest[named[c]] ^= 1;
        const auto before = named;
        for (std::size_t m = 0; m < columns; ++m) named[m] = before[steps.all.after[m]];
        cycles.add();
    }

    const auto spread = [&](std::size_t c) {
        const int spare = spared[c] ? placement.spare_of(column_of(c)) : Placement::none;
        return Change{spared[c], spared[c], steps.words[c][newest[c]], spare};
    };
    append(ConvertWork{number, false}, counted, place_by_place, spread);
    cycles.end();
    for (std::size_t c = 0; c < columns; ++c)
        if (spared[c]) std::swap(placement.current_of(column_of(c)), placement.spare_of(column_of(c)));
    rename(placement, collection.first_column, named);
}

std::vector<Task> Schedule::advance(std::uint64_t by) const {
    std::vector<Task> tasks(setup_.partitions());
    for (std::size_t partition = 0; partition < tasks.size(); ++partition) {
        tasks[partition].work = AdvanceWork{by};
        tasks[partition].partition = partition;
    }
    return tasks;
}

// Of a phase that is not in all of them: which step is its first, and in how many it is. It comes every so many steps, so that this says
// which they are.
std::string Schedule::activity(std::uint64_t from, std::uint64_t count) const {
    auto key = std::to_string(count);
    std::size_t number = 0;
    for (const auto& phase : setup_.phases) {
        const auto& timing = phase.timing;
        const auto passed = from > timing.from ? from - timing.from : 0; // since its first step of all
        const auto first = std::max(from, timing.from) + (timing.every - passed % timing.every) % timing.every;
        const auto end = std::min(from + count, timing.until.value_or(from + count));
        const auto steps = first < end ? (end - first - 1) / timing.every + 1 : 0;
        if (steps == 0)
            key += fmt::format(" {}:", number);
        else if (steps < count)
            key += fmt::format(" {}:{},{}", number, first - from, steps);
        ++number;
    }
    return key;
}

} // namespace tessera
