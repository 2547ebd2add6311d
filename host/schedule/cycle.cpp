#include "host/schedule/cycle.hpp"

#include "host/schedule/exchange.hpp"
#include "host/setup/seams.hpp"

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

const KernelSetup* kernel_of(const Setup& setup, const Task& task) {
    const auto* call = std::get_if<CallWork>(&task.work);
    return call != nullptr ? &setup.kernels[call->kernel] : nullptr;
}

// How far a task looks beyond its rows. Along links it looks anywhere, and is sent that besides.
std::int64_t reach_of(const Setup& setup, const Task& task, std::size_t touch) {
    const auto* const kernel = kernel_of(setup, task);
    const auto& [column, use, aside] = kernel != nullptr && touch < kernel->accesses.size() ? kernel->accesses[touch] : Access{};
    if (use.everywhere) {
        const auto axis = static_cast<std::size_t>(setup.collections[setup.columns[column].collection].dimensions - 1);
        return std::max(use.low[axis][axis], use.high[axis][axis]);
    }
    const auto& read = task.touches[touch].read.front();
    return std::max(task.rows.first - read.first, read.end - task.rows.end);
}

// From the last call to the first. Returns what is needed before them.
Needs needs_before(const Setup& setup, const std::vector<Task>& tasks, std::vector<Call>& calls) {
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
        for (std::size_t i = 0; i < one.touches.size(); ++i)
            if (const auto& touch = one.touches[i]; touch.reads)
                needs[touch.in] = std::max(need_of(needs, touch.in), call->beyond + reach_of(setup, one, i));
    }
    return needs;
}

// What names no column makes no rows that anybody needs.
std::optional<CollectionId> collection_of(const Setup& setup, const Task& task) {
    if (task.touches.empty()) return {};
    return setup.columns[task.touches.front().column].collection;
}

// The rows around a stripe that a call makes too: beyond a torus' edge those of the other side, beyond others' none.
RowRange widened(const CollectionSetup& collection, const RowRange& stripe, std::int64_t beyond) {
    const RowRange rows{stripe.first - beyond, stripe.end + beyond}, whole = collection.whole();
    if (collection.boundary[static_cast<std::size_t>(collection.dimensions - 1)] == Boundary::torus && collection.dimensions > 1)
        return rows;
    return {std::max(rows.first, whole.first), std::min(rows.end, whole.end)};
}

void widen(Task& task, const RowRange& rows) {
    for (auto& touch : task.touches) {
        if (touch.reads)
            touch.read = {{touch.read.front().first - task.rows.first + rows.first, touch.read.front().end - task.rows.end + rows.end}};
        if (touch.writes) touch.written = rows;
    }
    task.rows = rows;
}

// Behind a call, for the calls after it: the ghosts of mirrors, from the rows that the partition itself has made.
void append_mirrored(const CollectionSetup& collection, const Call& call, const Task& task, const RowRange& stripe,
                     std::vector<Task>& tasks) {
    for (const auto& touch : task.touches) {
        if (!touch.writes) continue;
        const auto needed = need_of(call.after, touch.out);
        for (const auto& sent : rows_mirrored(collection, task.partition, {stripe.first - needed, stripe.end + needed})) {
            tasks.push_back(copy_of(touch.column, touch.out, task.partition, sent.first, task.partition, sent.rows, task.partition));
            tasks.back().counted = task.counted;
        }
    }
}

// Before a call along links: what it reads anywhere, whole. Touches are the kernel's accesses, in their order.
void append_exchange_along_links(const Setup& setup, const Task& call, std::vector<Task>& tasks) {
    const auto* const kernel = kernel_of(setup, call);
    for (std::size_t i = 0; kernel != nullptr && i < kernel->accesses.size(); ++i)
        if (is_read_anywhere(setup, kernel->accesses[i]))
            append_exchange_of_rows_anywhere(setup, call.touches[i].column, call.touches[i].in, kernel->collection, call.counted, tasks);
}

// Of calls alone.
void make_cycle_of_calls(const Setup& setup, std::vector<Task>& tasks, std::size_t first) {
    if (tasks.size() == first) return;
    auto calls = calls_of(tasks, first);
    const auto needs = needs_before(setup, tasks, calls);
    std::vector<Task> cycle;
    std::map<int, ColumnId> columns; // of each buffer that is read
    for (const auto& call : calls)
        for (const auto& touch : tasks[call.first].touches)
            if (touch.reads) columns.emplace(touch.in, touch.column);
    for (const auto& [buffer, rows] : needs) append_exchange(setup, columns.at(buffer), buffer, rows, tasks[first].counted, cycle);
    for (const auto& call : calls) append_exchange_along_links(setup, tasks[call.first], cycle);
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

const KernelSetup* kernel_among_agents(const Setup& setup, const Task& task) {
    const auto* kernel = kernel_of(setup, task);
    return kernel != nullptr && setup.is_among_agents(*kernel) && !kernel->is_reduction() ? kernel : nullptr;
}

// One partition's, on its stripe and the rows around it that it settles too.
void widen_among_agents(const Setup& setup, const KernelSetup& kernel, Task& task) {
    const auto& collection = setup.collections[kernel.collection];
    const std::int64_t beyond = rows_settled_beyond(setup, kernel);
    const auto stripe = task.rows;
    for (std::size_t i = 0; i < task.touches.size(); ++i) { // which are the accesses, in their order
        auto& touch = task.touches[i];
        touch.writes |= kernel.accesses[i].also_written;
        const auto seen = rows_sent_before(setup, kernel, touch.column);
        if (touch.reads && !kernel.accesses[i].use.everywhere) touch.read = {{stripe.first - seen, stripe.end + seen}};
        if (touch.writes) touch.written = {stripe.first - 2 * beyond, stripe.end + 2 * beyond}; // who is settled may go as far again
    }
    task.rows = widened(collection, stripe, beyond);
}

// Before such a call: the rows around each stripe that it looks at, of what it reads.
void append_exchange_among_agents(const Setup& setup, const KernelSetup& kernel, const Task& call, std::vector<Task>& tasks) {
    for (const auto& touch : call.touches) {
        const auto rows = rows_sent_before(setup, kernel, touch.column);
        if (touch.reads && rows > 0) append_exchange(setup, touch.column, touch.in, rows, call.counted, tasks);
    }
}

// A call that goes along links finds them by the numbers of its places, which rows beyond a torus' edge have not.
bool goes_by_numbers(const Setup& setup, const Task& task) {
    const auto* kernel = kernel_of(setup, task);
    return kernel != nullptr && setup.goes_by_numbers(*kernel);
}

} // namespace

// A reduce adds up the rows that are each partition's own: a cycle ends before it, and before what agents do. Uniforms that are made amid
// steps are of values that a reduce has made. A call along links is a cycle of its own, which makes its own rows alone.
void make_cycle(const Setup& setup, std::vector<Task>& tasks, std::size_t first) {
    if (!setup.own_memory()) return;
    const std::vector<Task> given(std::make_move_iterator(tasks.begin() + static_cast<std::ptrdiff_t>(first)),
                                  std::make_move_iterator(tasks.end()));
    tasks.resize(first);
    auto begin = first;
    for (std::size_t i = 0; i < given.size(); ++i) {
        const auto* kernel = kernel_among_agents(setup, given[i]);
        const bool is_next = i > 0 && !is_of_the_same_call(given[i - 1], given[i]);
        if (is_next && (goes_by_numbers(setup, given[i - 1]) || goes_by_numbers(setup, given[i]))) {
            make_cycle_of_calls(setup, tasks, begin);
            begin = tasks.size();
        }
        if (kernel == nullptr && !is_of_step_values(setup, given[i])) {
            tasks.push_back(given[i]);
            continue;
        }
        make_cycle_of_calls(setup, tasks, begin);
        if (kernel != nullptr && (i == 0 || !is_of_the_same_call(given[i - 1], given[i]))) {
            append_exchange_among_agents(setup, *kernel, given[i], tasks);
            append_exchange_along_links(setup, given[i], tasks);
        }
        tasks.push_back(given[i]);
        if (kernel != nullptr) widen_among_agents(setup, *kernel, tasks.back());
        begin = tasks.size();
    }
    make_cycle_of_calls(setup, tasks, begin);
}

} // namespace tessera
