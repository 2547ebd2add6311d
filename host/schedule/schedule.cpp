#include "host/schedule/schedule.hpp"

#include "host/setup/call_sequence.hpp"
#include "host/views/program_plan.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace tessera {
namespace {

// Rows that a program makes, and those that it reads for them.
struct Stripe {
    Band rows;
    std::vector<Band> read;
};

// What a program makes of a column, or what goes between a column and its words.
Touch touch_of(ColumnId column, int in, int out, bool writes, const Stripe& stripe) {
    Touch touch;
    touch.column = column;
    touch.reads = true;
    touch.writes = writes;
    touch.in = in;
    touch.out = out;
    touch.read = stripe.read;
    touch.written = stripe.rows;
    return touch;
}

Task task_of(decltype(Task::work) work, const Stripe& stripe, std::uint64_t counted) {
    Task task;
    task.work = work;
    task.rows = stripe.rows;
    task.counted = counted;
    return task;
}

// The pieces of a program that is cut: of each column it reads as far as all its steps see together.
std::vector<Stripe> stripes_of(const Setup& setup, const ProgramSteps& steps, const std::vector<std::int64_t>& cuts) {
    const auto& collection = setup.collections[steps.program.step.collection];
    const auto bands = cut(collection.whole(), cuts);
    if (bands.size() == 1) return {{collection.whole(), {collection.whole()}}};
    const auto plan = plan_of(setup, steps.all, steps.program.view);
    const std::size_t dims = static_cast<std::size_t>(collection.dimensions - 1), axis = dims == 2 ? 2 : 1;
    model::Use sees;
    sees.low[dims][axis] = plan.low_of_all(1);
    sees.high[dims][axis] = plan.high_of_all(1);
    std::vector<Stripe> stripes;
    for (const auto& band : bands) stripes.push_back({band, rows_read(collection, sees, band)});
    return stripes;
}

// The same rows, place by place.
std::vector<Stripe> without_neighbours(std::vector<Stripe> stripes) {
    for (auto& stripe : stripes) stripe.read = {stripe.rows};
    return stripes;
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
    for (const auto& band : cut(collection.whole(), cuts_)) {
        Task task;
        task.work = CallWork{number, call_in_step};
        task.rows = band;
        task.counted = counted;
        for (const auto& access : kernel.accesses) {
            Touch touch;
            touch.column = access.column;
            touch.reads = access.use.reads;
            touch.writes = access.use.writes;
            touch.in = placement.current_of(access.column);
            touch.out = moves(access) ? placement.spare_of(access.column) : touch.in;
            if (touch.reads) touch.read = rows_read(collection, access.use, band);
            if (touch.writes) touch.written = band;
            task.touches.push_back(std::move(touch));
        }
        tasks.push_back(std::move(task));
    }
    for (const auto& access : kernel.accesses)
        if (moves(access)) std::swap(placement.current_of(access.column), placement.spare_of(access.column));
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
    for (const auto& stripe : stripes_of(setup_, steps, cuts_)) {
        auto task = task_of(ProgramWork{number}, stripe, counted);
        for (std::size_t c = 0; c < written.size(); ++c) {
            const auto column = setup_.column_of(steps.program.step.collection, c);
            const int current = placement.current_of(column);
            task.touches.push_back(touch_of(column, current, written[c] ? placement.spare_of(column) : current, written[c], stripe));
        }
        tasks.push_back(std::move(task));
    }
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
    const auto stripes = stripes_of(setup_, steps, cuts_), places = without_neighbours(stripes);

    for (const auto& stripe : places) {
        auto pack = task_of(ConvertWork{number, true}, stripe, counted);
        for (std::size_t c = 0; c < columns; ++c)
            pack.touches.push_back(
                touch_of(column_of(c), placement.current_of(column_of(c)), steps.words[c][0], steps.words[c][0] >= 0, stripe));
        tasks.push_back(std::move(pack));
    }

    // The column that a name stands for, and which of a column's buffers of words is its newest.
    std::vector<std::size_t> named(columns), newest(columns);
    std::iota(named.begin(), named.end(), std::size_t{0});
    for (std::uint64_t i = 0; i < times; ++i) {
        for (const auto& stripe : stripes) {
            auto task = task_of(ProgramWork{number}, stripe, counted + i * static_cast<std::uint64_t>(steps.program.view.depth));
            for (std::size_t c = 0; c < columns; ++c) {
                const auto& words = steps.words[named[c]];
                const auto now = newest[named[c]];
                task.touches.push_back(touch_of(column_of(c), words[now], words[now ^ (written[c] ? 1U : 0U)], written[c], stripe));
            }
            tasks.push_back(std::move(task));
        }
        for (std::size_t c = 0; c < columns; ++c)
            if (written[c]) newest[named[c]] ^= 1;
        const auto before = named;
        for (std::size_t m = 0; m < columns; ++m) named[m] = before[steps.all.after[m]];
    }

    for (const auto& stripe : places) {
        auto unpack = task_of(ConvertWork{number, false}, stripe, counted);
        for (std::size_t c = 0; c < columns; ++c)
            unpack.touches.push_back(touch_of(column_of(c), steps.words[c][newest[c]],
                                              spared[c] ? placement.spare_of(column_of(c)) : Placement::none, spared[c], stripe));
        tasks.push_back(std::move(unpack));
    }
    for (std::size_t c = 0; c < columns; ++c)
        if (spared[c]) std::swap(placement.current_of(column_of(c)), placement.spare_of(column_of(c)));
    rename(placement, collection.first_column, named);
}

Task Schedule::advance(std::uint64_t by) {
    Task task;
    task.work = AdvanceWork{by};
    return task;
}

std::string Schedule::activity(std::uint64_t from, std::uint64_t count) const {
    std::string key;
    key.reserve(count * setup_.phases.size());
    for (std::uint64_t k = from; k < from + count; ++k)
        for (const auto& phase : setup_.phases) key += phase.timing.includes(k) ? '1' : '0';
    return key;
}

} // namespace tessera
