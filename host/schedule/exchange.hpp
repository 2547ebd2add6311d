// Copies of rows between partitions with memory of their own, as tasks.
#pragma once

#include "host/schedule/task.hpp"
#include "host/world/placement.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tessera {

// Rows of a buffer, from `from` on in the one of `in_of`, into the one of `out_of`; by the queue of `partition`.
[[nodiscard]] Task copy_of(ColumnId column, int buffer, std::size_t in_of, std::int64_t from, std::size_t out_of, const RowRange& rows,
                           std::size_t partition);

// The rows around each stripe of a column that phases change, `ghosts` on either side, for a call of step `counted`. Throws
// Failure::internal where there is no room for so many.
void append_exchange(const Setup& setup, ColumnId column, int buffer, std::int64_t ghosts, std::uint64_t counted, std::vector<Task>& tasks);

// All rows of a column that phases change, to each partition that makes rows of `readers`, for a call of step `counted` that reads it
// anywhere (is_read_anywhere); but for what is stored there already (is_stored_everywhere).
void append_exchange_of_rows_anywhere(const Setup& setup, ColumnId column, int buffer, CollectionId readers, std::uint64_t counted,
                                      std::vector<Task>& tasks);

// Copies of all rows around each stripe that the columns have ghosts for, and of those that are read anywhere, where partitions have
// memory of their own. Of columns that no phase changes, cycles copy none.
void append_exchange_of_all(const Setup& setup, const Placement& placement, std::vector<Task>& tasks);

} // namespace tessera
