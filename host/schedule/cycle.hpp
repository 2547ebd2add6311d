// What partitions with memory of their own do between two exchanges of rows: some calls, and more rows of the earlier ones, so that the
// later ones find what they look at. (The B+2R scheme, for functions of any reach in any order.)
#pragma once

#include "host/schedule/task.hpp"

#include <cstddef>
#include <vector>

namespace tessera {

// Makes the calls from tasks[first] on, of functions and programs, one cycle. They are those of stripes, as Schedule appends them. Before
// them come copies of the rows around each stripe, as many as are needed of each column, or of its words; a call makes as many rows beyond
// its stripe as later calls look at; what a mirror repeats of these is copied behind it. The columns have as many ghosts (give_own_memory).
// Each call of a kernel among agents is a cycle of its own, for what it makes follows from the state.
void make_cycle(const Setup& setup, std::vector<Task>& tasks, std::size_t first);

} // namespace tessera
