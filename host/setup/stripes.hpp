// How the grids of a run are spread over its devices: a stripe of rows of the last axis each.
#pragma once

#include "host/setup/setup.hpp"

#include <cstddef>
#include <cstdint>

namespace tessera {

// Divides every collection into `partitions` stripes, one a device: where the run file says (`cuts`), else in proportion to its `weights`,
// else equally. A grid of one dimension is made by the first. Throws Failure::input, with file and line, for cuts and weights that do not
// fit, and where no grid has a row for each.
void divide(Setup& setup, std::size_t partitions);

// Each partition of a divided setup has its own columns from now on. It exchanges rows every so many steps and has ghosts for up to
// `steps_of_ghosts` in a row, which are no fewer: its frames become as wide as that needs.
void give_own_memory(Setup& setup, std::uint64_t steps_a_cycle, std::uint64_t steps_of_ghosts);

// The most steps whose ghosts take no more than half of any stripe's rows on either side; at least 1.
[[nodiscard]] std::uint64_t steps_with_room(const Setup& setup);
// Ghosts for as many steps as are worth fusing, where there is room for them.
[[nodiscard]] std::uint64_t steps_worth_ghosts(const Setup& setup);

// How far the calls of a step see together along the last axis: no more rows around a stripe are ever needed for a step.
[[nodiscard]] int reach_of_step(const Setup& setup, CollectionId collection);

} // namespace tessera
