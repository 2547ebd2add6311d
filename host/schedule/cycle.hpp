// What partitions with memory of their own do between two exchanges of rows: some calls, and more rows of the earlier ones, so that the
// later ones find what they look at. (The B+2R scheme, for functions of any reach in any order.)
#pragma once

#include "host/schedule/task.hpp"
#include "host/world/placement.hpp"

#include <cstddef>
#include <vector>

namespace tessera {

// Makes the calls from tasks[first] on, of functions and programs, one cycle. They are those of stripes, as Schedule appends them. Before
// them come copies of the rows around each stripe, as many as are needed of each column, or of its words; a call makes as many rows beyond
// its stripe as later calls look at; what a mirror repeats of these is copied behind it. The columns have as many ghosts (give_own_memory).
void make_cycle(const Setup& setup, std::vector<Task>& tasks, std::size_t first);

// Copies of all rows around each stripe that the columns have ghosts for, where partitions have memory of their own. Of columns that no
// phase changes, cycles copy none.
void append_exchange_of_all(const Setup& setup, const Placement& placement, std::vector<Task>& tasks);

} // namespace tessera
