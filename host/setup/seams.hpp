// Which rows partitions with memory of their own send each other: the ghosts around a stripe, and where each row of them comes from.
#pragma once

#include "host/setup/setup.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tessera {

// Ghost rows [rows.first, rows.end) of a stripe, which repeat as many rows of the grid, from row `first` on: those of another stripe, or on
// a torus or beside a mirror perhaps its own.
struct SentRows {
    RowRange rows;
    std::size_t owner = 0;
    std::int64_t first = 0;
};

// For one of the stripes of a collection, that of a partition, with `ghost` rows on each side. Rows beyond a fixed or open boundary are
// constants, which nobody sends.
[[nodiscard]] std::vector<SentRows> rows_sent_to(const CollectionSetup& collection, const std::vector<RowRange>& stripes,
                                                 std::size_t partition, std::int64_t ghost);

// Of a partition that has made `rows` of a grid between mirrors: the rows among them that are beyond a mirror, which it copies from itself.
[[nodiscard]] std::vector<SentRows> rows_mirrored(const CollectionSetup& collection, std::size_t partition, const RowRange& rows);

// Of a kernel among agents (Setup::is_among_agents). Who is in others' rows may want to come into a stripe, or have children there, and
// whether that is granted each partition finds out by itself: so many rows beyond either end of its stripe it settles too.
[[nodiscard]] int rows_settled_beyond(const Setup& setup, const KernelSetup& kernel);
// How many rows around the stripe have to be known before, of a column that it names: as far as it sees from the stripe, and what it
// settles. What it sees from there in turn decides of nothing within the stripe, but has to be memory: so many rows in all.
[[nodiscard]] int rows_sent_before(const Setup& setup, const KernelSetup& kernel, ColumnId column);
[[nodiscard]] int rows_of_memory(const Setup& setup, const KernelSetup& kernel, ColumnId column);

// Whether a kernel reads a column at any place, along links; of the lists of links it reads what stands at its own places. And whether a
// kernel does of which a partition makes rows: in memory of its own that one has all rows of the column.
[[nodiscard]] bool is_read_anywhere(const Setup& setup, const Access& access);
[[nodiscard]] bool has_all_rows(const Setup& setup, ColumnId column, std::size_t partition);

// Whether whatever phases write to a column of places without a shape is stored at once with all that have its rows and are within reach,
// so that nobody has to send it to these; and which accesses of a kernel those are. Behind the arguments of its accesses it has for each of
// them one for each other partition.
[[nodiscard]] bool is_stored_everywhere(const Setup& setup, ColumnId column);
[[nodiscard]] std::vector<std::size_t> accesses_stored_everywhere(const Setup& setup, const KernelSetup& kernel);

} // namespace tessera
