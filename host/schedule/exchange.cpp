#include "host/schedule/exchange.hpp"

#include "device_runtime/error.hpp"
#include "host/setup/seams.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tessera {
namespace {

[[noreturn]] void fail_for_ghosts(const Setup& setup, ColumnId column, std::int64_t rows) {
    throw Error(Failure::internal, fmt::format("{} rows of {} were to come from other devices", rows, setup.name_of(column)),
                fmt::format("there is room for {}", setup.collections[setup.columns[column].collection].ghost_rows(setup[column])));
}

bool writes(const Setup& setup, KernelId kernel, ColumnId column) {
    const auto& accesses = setup.kernels[kernel].accesses;
    return std::any_of(accesses.begin(), accesses.end(),
                       [&](const Access& access) { return access.column == column && access.use.writes; });
}

// Whether a phase changes what is in the column's buffer; else its ghosts stay what they were from the start.
bool changes(const Setup& setup, ColumnId column) {
    if (setup.collections[setup.columns[column].collection].agents) return true;
    const auto is_changed_by = [&](const PhaseSetup& phase) {
        if (const auto* rotate = std::get_if<RotatePhase>(&phase.action))
            return std::find(rotate->columns.begin(), rotate->columns.end(), column) != rotate->columns.end();
        const auto* call = std::get_if<CallPhase>(&phase.action);
        return call != nullptr && (writes(setup, call->kernel, column) || (call->shares && writes(setup, *call->shares, column)) ||
                                   std::any_of(call->arrivals.begin(), call->arrivals.end(),
                                               [&](KernelId arrivals) { return writes(setup, arrivals, column); }));
    };
    return std::any_of(setup.phases.begin(), setup.phases.end(), is_changed_by);
}

const std::vector<RowRange>& stripes_of(const Setup& setup, ColumnId column) {
    return setup.distribution().stripes[setup.columns[column].collection.index()];
}

// To partition `p`.
void append_sent(const Setup& setup, ColumnId column, int buffer, std::size_t p, const SentRows& sent, std::uint64_t counted,
                 std::vector<Task>& tasks) {
    const auto& [rows, owner, first] = sent;
    const auto append = [&](Task task) {
        task.counted = counted;
        tasks.push_back(std::move(task));
    };
    if (setup.reaches(p, owner)) return append(copy_of(column, buffer, owner, first, p, rows, p));
    const auto staged = setup.staging_of(p);
    append(copy_of(column, buffer, owner, first, staged, rows, owner));
    append(copy_of(column, buffer, staged, rows.first, p, rows, p));
}

void append_rows(const Setup& setup, ColumnId column, int buffer, std::int64_t ghosts, std::uint64_t counted, std::vector<Task>& tasks) {
    const auto& stripes = stripes_of(setup, column);
    for (std::size_t p = 0; p < stripes.size(); ++p)
        for (const auto& sent : rows_sent_to(setup.collections[setup.columns[column].collection], stripes, p, ghosts))
            append_sent(setup, column, buffer, p, sent, counted, tasks);
}

// Those that others make, and have not stored there.
void append_others_rows(const Setup& setup, ColumnId column, int buffer, std::size_t p, bool some_are_stored, std::uint64_t counted,
                        std::vector<Task>& tasks) {
    const auto& stripes = stripes_of(setup, column);
    for (std::size_t owner = 0; owner < stripes.size(); ++owner)
        if (owner != p && stripes[owner].rows() > 0 && !(some_are_stored && setup.reaches(owner, p)))
            append_sent(setup, column, buffer, p, {stripes[owner], owner, stripes[owner].first}, counted, tasks);
}

} // namespace

Task copy_of(ColumnId column, int buffer, std::size_t in_of, std::int64_t from, std::size_t out_of, const RowRange& rows,
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

void append_exchange(const Setup& setup, ColumnId column, int buffer, std::int64_t ghosts, std::uint64_t counted,
                     std::vector<Task>& tasks) {
    const auto& collection = setup.collections[setup.columns[column].collection];
    if (ghosts > collection.ghost_rows(setup[column])) fail_for_ghosts(setup, column, ghosts);
    if (changes(setup, column)) append_rows(setup, column, buffer, ghosts, counted, tasks);
}

void append_exchange_of_rows_anywhere(const Setup& setup, ColumnId column, int buffer, CollectionId readers, std::uint64_t counted,
                                      std::vector<Task>& tasks) {
    if (!changes(setup, column)) return;
    const bool some_are_stored = is_stored_everywhere(setup, column);
    for (std::size_t p = 0; p < setup.partitions(); ++p)
        if (setup.stripe(readers, p).rows() > 0) append_others_rows(setup, column, buffer, p, some_are_stored, counted, tasks);
}

void append_exchange_of_all(const Setup& setup, const Placement& placement, std::vector<Task>& tasks) {
    if (!setup.own_memory()) return;
    for (const auto column : setup.columns.ids()) {
        const auto& collection = setup.collections[setup.columns[column].collection];
        const auto ghost = collection.ghost_rows(setup[column]);
        append_rows(setup, column, placement.current_of(column), ghost, 0, tasks);
        for (std::size_t p = 0; p < setup.partitions(); ++p)
            if (has_all_rows(setup, column, p)) append_others_rows(setup, column, placement.current_of(column), p, false, 0, tasks);
    }
}

} // namespace tessera
