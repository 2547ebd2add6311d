#include "host/schedule/schedule.hpp"

#include "host/schedule/seams.hpp"
#include "host/setup/call_sequence.hpp"
#include "host/views/program_plan.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

namespace tessera {
namespace {

// What a program makes of a column, or what goes between a column and its words.
Touch touch_of(ColumnId column, int in, int out, bool writes, const Band& written, std::vector<Band> read) {
    Touch touch;
    touch.column = column;
    touch.reads = true;
    touch.writes = writes;
    touch.in = in;
    touch.out = out;
    touch.read = std::move(read);
    touch.written = written;
    return touch;
}

// A task for each partition that has rows of the collection; `touches(rows, partition)` are what it touches.
template<class Work, class Touches>
void append_stripes(const CollectionSetup& collection, const Work& work, std::uint64_t counted, const Touches& touches,
                    std::vector<Task>& tasks) {
    for (std::size_t partition = 0; partition < std::max<std::size_t>(collection.stripes.size(), 1); ++partition) {
        Task task;
        task.rows = collection.stripe(partition);
        if (task.rows.rows() == 0) continue;
        task.work = work;
        task.partition = partition;
        task.counted = counted;
        task.touches = touches(task.rows, partition);
        tasks.push_back(std::move(task));
    }
}

// How far all steps of a program see together along the last axis, the same for each column.
model::Use reach_of(const Setup& setup, const ProgramSteps& steps) {
    const auto& collection = setup.collections[steps.program.step.collection];
    const auto plan = plan_of(setup, steps.all, steps.program.view);
    const std::size_t dims = static_cast<std::size_t>(collection.dimensions - 1), axis = dims == 2 ? 2 : 1;
    model::Use sees;
    sees.low[dims][axis] = plan.low_of_all(1);
    sees.high[dims][axis] = plan.high_of_all(1);
    return sees;
}

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
    if (!phase.timing.includes(step)) return;
    if (const auto* call = std::get_if<CallPhase>(&phase.action))
        append_call(call->kernel, phase.call_in_step, counted, placement, tasks);
    else if (const auto* rotate = std::get_if<RotatePhase>(&phase.action)) {
        const int last = placement.current_of(rotate->columns.back());
        for (std::size_t i = rotate->columns.size() - 1; i > 0; --i)
            placement.current_of(rotate->columns[i]) = placement.current_of(rotate->columns[i - 1]);
        placement.current_of(rotate->columns.front()) = last;
    } // exchangeAll moves nothing on one partition
}

void Schedule::append_call(KernelId number, int call_in_step, std::uint64_t counted, Placement& placement, std::vector<Task>& tasks) const {
    const auto& kernel = setup_.kernels[number];
    const auto& collection = setup_.collections[kernel.collection];
    // A column that is read around and written goes from its current buffer into its spare; every other stays where it is.
    const auto moves = [&](const Access& access) { return access.use.writes && access.use.around && setup_[access.column].has_spare; };
    const auto touches = [&](const Band& rows, std::size_t partition) {
        std::vector<Touch> all;
        for (const auto& access : kernel.accesses) {
            Touch touch;
            touch.column = access.column;
            touch.reads = access.use.reads;
            touch.writes = access.use.writes;
            touch.in = placement.current_of(access.column);
            touch.out = moves(access) ? placement.spare_of(access.column) : touch.in;
            if (touch.reads) touch.read = rows_read(collection, access.use, rows);
            if (touch.writes) touch.written = rows;
            if (setup_.own_memory) touch.in_of = touch.out_of = partition;
            if (setup_.own_memory && touch.reads) touch.read = {rows_seen(collection, access.use, rows)};
            all.push_back(std::move(touch));
        }
        return all;
    };
    append_stripes(collection, CallWork{number, call_in_step}, counted, touches, tasks);
    for (const auto& access : kernel.accesses)
        if (moves(access)) std::swap(placement.current_of(access.column), placement.spare_of(access.column));
    if (setup_.own_memory) append_sent_rows(kernel, counted, placement, tasks);
}

// Of all that the kernel writes and somebody looks at from afar.
void Schedule::append_sent_rows(const KernelSetup& kernel, std::uint64_t counted, const Placement& placement,
                                std::vector<Task>& tasks) const {
    const auto& collection = setup_.collections[kernel.collection];
    for (const auto& [column, use] : kernel.accesses) {
        const int ghost = collection.ghost_rows(setup_[column]);
        for (std::size_t partition = 0; use.writes && partition < collection.stripes.size(); ++partition)
            for (const auto& [rows, owner, first] : rows_sent_to(collection, partition, ghost)) {
                Task task;
                task.work = CopyWork{first};
                task.partition = partition;
                task.rows = rows;
                task.counted = counted;
                const int buffer = placement.current_of(column);
                task.touches = {touch_of(column, buffer, buffer, true, rows, {{first, first + rows.rows()}})};
                task.touches.front().in_of = owner;
                task.touches.front().out_of = partition;
                tasks.push_back(std::move(task));
            }
    }
}

void Schedule::append_program(const ProgramSteps& steps, std::size_t number, std::uint64_t times, std::uint64_t counted,
                              Placement& placement, std::vector<Task>& tasks) const {
    if (steps.program.view.words) return append_words(steps, number, times, counted, placement, tasks);
    for (std::uint64_t i = 0; i < times; ++i)
        append_columns(steps, number, counted + i * static_cast<std::uint64_t>(steps.program.view.depth), placement, tasks);
}

void Schedule::append_columns(const ProgramSteps& steps, std::size_t number, std::uint64_t counted, Placement& placement,
                              std::vector<Task>& tasks) const {
    const auto& collection = setup_.collections[steps.program.step.collection];
    const auto written = steps.all.written(setup_);
    const auto sees = reach_of(setup_, steps);
    const auto touches = [&](const Band& rows, std::size_t) {
        std::vector<Touch> all;
        for (std::size_t c = 0; c < written.size(); ++c) {
            const auto column = setup_.column_of(steps.program.step.collection, c);
            const int current = placement.current_of(column), out = written[c] ? placement.spare_of(column) : current;
            all.push_back(touch_of(column, current, out, written[c], rows, rows_read(collection, sees, rows)));
        }
        return all;
    };
    append_stripes(collection, ProgramWork{number}, counted, touches, tasks);
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

    // `buffers(c)` are those of column c that a task reads and writes, `read(rows)` what it reads for its rows.
    const auto append = [&](const auto& work, std::uint64_t at, const auto& buffers, const auto& read) {
        const auto touches = [&](const Band& rows, std::size_t) {
            std::vector<Touch> all;
            for (std::size_t c = 0; c < columns; ++c) {
                const auto [in, out, writes] = buffers(c);
                all.push_back(touch_of(column_of(c), in, out, writes, rows, read(rows)));
            }
            return all;
        };
        append_stripes(collection, work, at, touches, tasks);
    };
    const auto place_by_place = [](const Band& rows) { return std::vector<Band>{rows}; };
    const auto around = [&, sees = reach_of(setup_, steps)](const Band& rows) { return rows_read(collection, sees, rows); };

    const auto gathered = [&](std::size_t c) {
        return std::tuple(placement.current_of(column_of(c)), steps.words[c][0], steps.words[c][0] >= 0);
    };
    append(ConvertWork{number, true}, counted, gathered, place_by_place);

    // The column that a name stands for, and which of a column's buffers of words is its newest.
    std::vector<std::size_t> named(columns), newest(columns);
    std::iota(named.begin(), named.end(), std::size_t{0});
    for (std::uint64_t i = 0; i < times; ++i) {
        const auto handed_on = [&](std::size_t c) {
            const auto& words = steps.words[named[c]];
            const auto now = newest[named[c]];
            return std::tuple(words[now], words[now ^ (written[c] ? 1U : 0U)], bool(written[c]));
        };
        append(ProgramWork{number}, counted + i * static_cast<std::uint64_t>(steps.program.view.depth), handed_on, around);
        for (std::size_t c = 0; c < columns; ++c)
            if (written[c]) newest[named[c]] ^= 1;
        const auto before = named;
        for (std::size_t m = 0; m < columns; ++m) named[m] = before[steps.all.after[m]];
    }

    const auto spread = [&](std::size_t c) {
        return std::tuple(steps.words[c][newest[c]], spared[c] ? placement.spare_of(column_of(c)) : Placement::none, bool(spared[c]));
    };
    append(ConvertWork{number, false}, counted, spread, place_by_place);
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

std::string Schedule::activity(std::uint64_t from, std::uint64_t count) const {
    std::string key;
    key.reserve(count * setup_.phases.size());
    for (std::uint64_t k = from; k < from + count; ++k)
        for (const auto& phase : setup_.phases) key += phase.timing.includes(k) ? '1' : '0';
    return key;
}

} // namespace tessera
