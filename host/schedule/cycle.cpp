#include "host/schedule/cycle.hpp"

#include "device_runtime/error.hpp"
#include "host/setup/seams.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

namespace tessera {
namespace {

using run_file::Boundary;

// How many rows beyond a stripe are needed of what stands in a buffer, on either side.
using Needs = std::map<int, std::int64_t>;

std::int64_t need_of(const Needs& needs, int buffer) {
    const auto found = needs.find(buffer);
    return found == needs.end() ? 0 : found->second;
}

// Tasks [first, end), one for each partition that has rows: a call of a function, or of a program.
struct Call {
    std::size_t first = 0, end = 0;
    std::int64_t beyond = 0; // rows that it makes beyond each stripe
    Needs after;             // of what it writes
};

// Grids may be cut so that one's rows are all of partitions before those of the next, so that partitions alone do not tell calls apart.
bool is_of_the_same_call(const Task& a, const Task& b) { return a.work == b.work && a.counted == b.counted && a.partition < b.partition; }

std::vector<Call> calls_of(const std::vector<Task>& tasks, std::size_t first) {
    std::vector<Call> calls;
    for (auto i = first; i < tasks.size(); ++i) {
        if (calls.empty() || !is_of_the_same_call(tasks[i - 1], tasks[i])) calls.push_back({i, i, 0, {}});
        calls.back().end = i + 1;
    }
    return calls;
}

std::int64_t reach_of(const Touch& touch, const Band& rows) {
    return std::max(rows.first - touch.read.front().first, touch.read.front().end - rows.end);
}

// From the last call to the first. Returns what is needed before them.
Needs needs_before(const std::vector<Task>& tasks, std::vector<Call>& calls) {
    Needs needs;
    for (auto call = calls.rbegin(); call != calls.rend(); ++call) {
        const auto& one = tasks[call->first];
        for (const auto& touch : one.touches)
            if (touch.writes) {
                const auto needed = call->after[touch.out] = need_of(needs, touch.out);
                call->beyond = std::max(call->beyond, needed);
            }
        for (const auto& touch : one.touches)
            if (touch.writes) needs.erase(touch.out);
        for (const auto& touch : one.touches)
            if (touch.reads) needs[touch.in] = std::max(need_of(needs, touch.in), call->beyond + reach_of(touch, one.rows));
    }
    return needs;
}

// What names no column makes no rows that anybody needs.
std::optional<CollectionId> collection_of(const Setup& setup, const Task& task) {
    if (task.touches.empty()) return {};
    return setup.columns[task.touches.front().column].collection;
}

[[noreturn]] void fail_for_ghosts(const Setup& setup, ColumnId column, std::int64_t rows) {
    throw Error(Failure::internal, fmt::format("{} rows of {} were to come from other devices", rows, setup.name_of(column)),
                fmt::format("there is room for {}", setup.collections[setup.columns[column].collection].ghost_rows(setup[column])));
}

// Rows of a buffer, from `from` on in the one of `in_of`, into the one of `out_of`; by the queue of `partition`.
Task copy_of(ColumnId column, int buffer, std::size_t in_of, std::int64_t from, std::size_t out_of, const Band& rows,
             std::size_t partition) {
    Touch touch;
    touch.column = column;
    touch.reads = touch.writes = true;
    touch.in = touch.out = buffer;
    touch.in_of = in_of;
    touch.out_of = out_of;
    touch.read = {{from, from + rows.rows()}};
    touch.written = rows;
    Task task;
    task.work = CopyWork{from};
    task.touches.push_back(std::move(touch));
    task.partition = partition;
    task.rows = rows;
    return task;
}

// The rows around each stripe, as many on either side.
void append_exchange(const Setup& setup, ColumnId column, int buffer, std::int64_t ghosts, std::uint64_t counted,
                     std::vector<Task>& tasks) {
    const auto& collection = setup.collections[setup.columns[column].collection];
    const auto append = [&](Task task) {
        task.counted = counted;
        tasks.push_back(std::move(task));
    };
    for (std::size_t p = 0; p < collection.stripes.size(); ++p)
        for (const auto& [rows, owner, first] : rows_sent_to(collection, p, ghosts)) {
            if (setup.reaches(p, owner)) {
                append(copy_of(column, buffer, owner, first, p, rows, p));
            } else {
                const auto staged = setup.staging_of(p);
                append(copy_of(column, buffer, owner, first, staged, rows, owner));
                append(copy_of(column, buffer, staged, rows.first, p, rows, p));
            }
        }
}

// Whether a phase changes what is in the column's buffer; else its ghosts stay what they were from the start.
bool changes(const Setup& setup, ColumnId column) {
    const auto writes = [&](const PhaseSetup& phase) {
        if (const auto* rotate = std::get_if<RotatePhase>(&phase.action))
            return std::find(rotate->columns.begin(), rotate->columns.end(), column) != rotate->columns.end();
        const auto* call = std::get_if<CallPhase>(&phase.action);
        if (call == nullptr) return false;
        const auto& accesses = setup.kernels[call->kernel].accesses;
        return std::any_of(accesses.begin(), accesses.end(),
                           [&](const Access& access) { return access.column == column && access.use.writes; });
    };
    return std::any_of(setup.phases.begin(), setup.phases.end(), writes);
}

// The rows around a stripe that a call makes too: beyond a torus' edge those of the other side, beyond others' none.
Band widened(const CollectionSetup& collection, const Band& stripe, std::int64_t beyond) {
    const Band rows{stripe.first - beyond, stripe.end + beyond}, whole = collection.whole();
    if (collection.boundary[static_cast<std::size_t>(collection.dimensions - 1)] == Boundary::torus && collection.dimensions > 1)
        return rows;
    return {std::max(rows.first, whole.first), std::min(rows.end, whole.end)};
}

void widen(Task& task, const Band& rows) {
    for (auto& touch : task.touches) {
        if (touch.reads)
            touch.read = {{touch.read.front().first - task.rows.first + rows.first, touch.read.front().end - task.rows.end + rows.end}};
        if (touch.writes) touch.written = rows;
    }
    task.rows = rows;
}

// Behind a call, for the calls after it: the ghosts of mirrors, from the rows that the partition itself has made.
void append_mirrored(const CollectionSetup& collection, const Call& call, const Task& task, const Band& stripe, std::vector<Task>& tasks) {
    for (const auto& touch : task.touches) {
        if (!touch.writes) continue;
        const auto needed = need_of(call.after, touch.out);
        for (const auto& sent : rows_mirrored(collection, task.partition, {stripe.first - needed, stripe.end + needed})) {
            tasks.push_back(copy_of(touch.column, touch.out, task.partition, sent.first, task.partition, sent.rows, task.partition));
            tasks.back().counted = task.counted;
        }
    }
}

// Of calls alone.
void make_cycle_of_calls(const Setup& setup, std::vector<Task>& tasks, std::size_t first) {
    if (tasks.size() == first) return;
    auto calls = calls_of(tasks, first);
    const auto needs = needs_before(tasks, calls);
    std::vector<Task> cycle;
    std::map<int, ColumnId> columns; // of each buffer that is read
    for (const auto& call : calls)
        for (const auto& touch : tasks[call.first].touches)
            if (touch.reads) columns.emplace(touch.in, touch.column);
    for (const auto& [buffer, rows] : needs) {
        const auto column = columns.at(buffer);
        if (rows > setup.collections[setup.columns[column].collection].ghost_rows(setup[column])) fail_for_ghosts(setup, column, rows);
        if (changes(setup, column)) append_exchange(setup, column, buffer, rows, tasks[first].counted, cycle);
    }
    for (const auto& call : calls)
        for (auto i = call.first; i < call.end; ++i) {
            const auto of = collection_of(setup, tasks[i]);
            const auto stripe = tasks[i].rows;
            if (of) widen(tasks[i], widened(setup.collections[*of], stripe, call.beyond));
            cycle.push_back(tasks[i]);
            if (of) append_mirrored(setup.collections[*of], call, tasks[i], stripe, cycle);
        }
    tasks.resize(first);
    std::move(cycle.begin(), cycle.end(), std::back_inserter(tasks));
}

} // namespace

// A reduce adds up the rows that are each partition's own: a cycle ends before it.
void make_cycle(const Setup& setup, std::vector<Task>& tasks, std::size_t first) {
    if (!setup.own_memory) return;
    const std::vector<Task> given(std::make_move_iterator(tasks.begin() + static_cast<std::ptrdiff_t>(first)),
                                  std::make_move_iterator(tasks.end()));
    tasks.resize(first);
    auto begin = first;
    for (const auto& task : given) {
        const bool of_a_reduce = is_of_a_reduce(setup, task);
        if (of_a_reduce) make_cycle_of_calls(setup, tasks, begin);
        tasks.push_back(task);
        if (of_a_reduce) begin = tasks.size();
    }
    make_cycle_of_calls(setup, tasks, begin);
}

void append_exchange_of_all(const Setup& setup, const Placement& placement, std::vector<Task>& tasks) {
    if (!setup.own_memory) return;
    for (const auto column : setup.columns.ids()) {
        const auto& collection = setup.collections[setup.columns[column].collection];
        const auto ghost = collection.ghost_rows(setup[column]);
        append_exchange(setup, column, placement.current_of(column), ghost, 0, tasks);
    }
}

} // namespace tessera
