#include "host/setup/seams.hpp"

#include "kernels/launch/geometry.hpp"

#include <algorithm>
#include <optional>

namespace tessera {
namespace {

using run_file::Boundary;

// The row of the grid that a row beyond a stripe repeats.
std::optional<std::int64_t> repeated(const CollectionSetup& collection, std::int64_t row) {
    const auto n = collection.whole().end;
    if (row >= 0 && row < n) return row;
    switch (collection.boundary[static_cast<std::size_t>(collection.dimensions - 1)]) {
    case Boundary::torus: return source_of(row, n, boundary::torus);
    case Boundary::reflect: return source_of(row, n, boundary::reflect);
    case Boundary::fixed:
    case Boundary::open: break;
    }
    return {};
}

std::size_t owner_of(const std::vector<RowRange>& stripes, std::int64_t row) {
    std::size_t owner = 0;
    while (row < stripes[owner].first || row >= stripes[owner].end) ++owner;
    return owner;
}

// Adds a row; to the last ones, where it follows them.
void add(std::vector<SentRows>& sent, std::int64_t row, std::size_t owner, std::int64_t from) {
    const bool follows =
        !sent.empty() && sent.back().rows.end == row && sent.back().owner == owner && sent.back().first + sent.back().rows.rows() == from;
    if (follows)
        ++sent.back().rows.end;
    else
        sent.push_back({{row, row + 1}, owner, from});
}

// How far a kernel sees from a row, of a column. Of what it settles that is not what it is declared to see, by which it waits
// (host/storage/accesses.hpp).
int rows_looked_at(const Setup& setup, const KernelSetup& kernel, ColumnId column) {
    const auto of = setup.columns[column].collection;
    column = kernel.kind->seen_as(setup, kernel, column);
    const auto axis = static_cast<std::size_t>(setup.collections[of].dimensions - 1);
    int rows = 0; // of a line or a list, which are not cut, there are none beside it
    if (axis == 0 || setup[column].cells > 0) return rows;
    for (const auto& [other, use, aside] : kernel.accesses)
        if (other == column) rows = std::max({rows, use.low[axis][axis], use.high[axis][axis]});
    return rows;
}

} // namespace

std::vector<SentRows> rows_sent_to(const CollectionSetup& collection, const std::vector<RowRange>& stripes, std::size_t partition,
                                   std::int64_t ghost) {
    std::vector<SentRows> sent;
    const auto& stripe = stripes[partition];
    if (stripe.rows() == 0 || collection.dimensions == 1) return sent;
    for (const RowRange& side : {RowRange{stripe.first - ghost, stripe.first}, RowRange{stripe.end, stripe.end + ghost}})
        for (auto row = side.first; row < side.end; ++row)
            if (const auto from = repeated(collection, row)) add(sent, row, owner_of(stripes, *from), *from);
    return sent;
}

std::vector<SentRows> rows_mirrored(const CollectionSetup& collection, std::size_t partition, const RowRange& rows) {
    std::vector<SentRows> mirrored;
    const auto whole = collection.whole();
    if (collection.dimensions == 1 || collection.boundary[static_cast<std::size_t>(collection.dimensions - 1)] != Boundary::reflect)
        return mirrored;
    for (const RowRange& side : {RowRange{rows.first, whole.first}, RowRange{whole.end, rows.end}})
        for (auto row = side.first; row < side.end; ++row) add(mirrored, row, partition, source_of(row, whole.end, boundary::reflect));
    return mirrored;
}

int rows_settled_beyond(const Setup& setup, const KernelSetup& kernel) {
    const auto& collection = setup.collections[kernel.collection];
    if (!collection.agents || collection.dimensions == 1) return 0;
    return kernel.kind->rows_beyond(setup, kernel);
}

int rows_sent_before(const Setup& setup, const KernelSetup& kernel, ColumnId column) {
    if (kernel.kind->is_only_written(setup, kernel, column)) return 0;
    const auto beyond = rows_settled_beyond(setup, kernel), seen = rows_looked_at(setup, kernel, column);
    // Whether a child of a parent who comes in is born is decided beyond the stripe, where nothing else is; the parent is found within.
    return kernel.kind->rows_gone(setup, kernel) > 0 ? beyond + seen : std::max(beyond, seen);
}

int rows_of_memory(const Setup& setup, const KernelSetup& kernel, ColumnId column) {
    const auto beyond = rows_settled_beyond(setup, kernel);
    return beyond + std::max(beyond, rows_sent_before(setup, kernel, column));
}

bool is_read_anywhere(const Setup& setup, const Access& access) {
    if (!access.use.everywhere || !access.use.reads) return false;
    const auto& column = setup[access.column];
    const auto& links = setup.collections[setup.columns[access.column].collection].links;
    // Of links with the same ends their number among these is found by those before them.
    return column.role == Role::member || (column.role == Role::link_end && links->parallel);
}

bool has_all_rows(const Setup& setup, ColumnId column, std::size_t partition) {
    return std::any_of(setup.kernels.begin(), setup.kernels.end(), [&](const KernelSetup& kernel) {
        return setup.stripe(kernel.collection, partition).rows() > 0 &&
               std::any_of(kernel.accesses.begin(), kernel.accesses.end(),
                           [&](const Access& access) { return access.column == column && is_read_anywhere(setup, access); });
    });
}

bool is_stored_everywhere(const Setup& setup, ColumnId column) {
    if (!setup.own_memory() || setup.wishes.inject_latency) return false;
    if (!setup.collections[setup.columns[column].collection].count || setup[column].role != Role::member) return false;
    bool is_read = false;
    for (std::size_t p = 0; p < setup.partitions(); ++p) is_read |= has_all_rows(setup, column, p);
    const auto is_renamed = [&](const PhaseSetup& phase) {
        const auto* const rotate = std::get_if<RotatePhase>(&phase.action);
        return rotate != nullptr && std::find(rotate->columns.begin(), rotate->columns.end(), column) != rotate->columns.end();
    };
    const auto stores_for_itself = [&](const KernelSetup& kernel) { // such as views of grids
        if (kernel.is_function() && setup.function_of(kernel).is_init) return false;
        return (!setup.goes_by_numbers(kernel) || setup.is_among_agents(kernel)) &&
               std::any_of(kernel.accesses.begin(), kernel.accesses.end(),
                           [&](const Access& access) { return access.column == column && (access.use.writes || access.also_written); });
    };
    return is_read && std::none_of(setup.phases.begin(), setup.phases.end(), is_renamed) &&
           std::none_of(setup.kernels.begin(), setup.kernels.end(), stores_for_itself);
}

std::vector<std::size_t> accesses_stored_everywhere(const Setup& setup, const KernelSetup& kernel) {
    std::vector<std::size_t> stored;
    if (!setup.own_memory() || !setup.goes_by_numbers(kernel) || setup.function_of(kernel).is_init) return stored;
    for (std::size_t i = 0; i < kernel.accesses.size(); ++i)
        if (kernel.accesses[i].use.writes && is_stored_everywhere(setup, kernel.accesses[i].column)) stored.push_back(i);
    return stored;
}

} // namespace tessera
