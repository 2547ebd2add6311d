// How the grids of a run are spread over its devices: a stripe of rows of the last axis each.
#pragma once

#include "host/setup/setup.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tessera {

// Every collection in `partitions` stripes, one a device of one process: where the run file says (`cuts`), else in proportion to its
// `weights`, else equally, also where they are to be measured. Those of devices that do not make the collection (`devices`) are empty. Of
// fewer rows than devices that make it, the first of these make one each: a grid of one dimension, which is one row, is made by the first.
// Throws Failure::input, with file and line, for devices, cuts and weights that do not fit.
[[nodiscard]] Distribution divided(const Setup& setup, std::size_t partitions);

// Cuts that the run file does not give move by up to 1 % of the stripes beside them, where rows begin nearer to a page of that many bytes:
// of partitions that share memory a page is on one device, and rows on the wrong side of a seam are read over the link. The first seam
// stays, since the columns' buffers are placed so that it begins a page (World).
void settle_on_pages(const Setup& setup, Distribution& distribution, std::int64_t page);
inline constexpr std::int64_t gpu_page = std::int64_t{2} << 20; // bytes

// Cuts that are to be measured (`cuts = "measured"`), of which there are some or none, and moving them to stripes in proportion to speeds,
// one a partition, positive.
[[nodiscard]] bool cuts_are_measured(const Setup& setup, const CollectionSetup& collection);
void move_cuts(const Setup& setup, Distribution& distribution, const std::vector<double>& speeds);

// Each partition of several has its own columns from now on. It exchanges rows every so many steps and has ghosts for up to
// `steps_of_ghosts` in a row, which are no fewer.
void give_own_memory(const Setup& setup, Distribution& distribution, std::uint64_t steps_a_cycle, std::uint64_t steps_of_ghosts);

// The most steps whose ghosts take no more than half of any stripe's rows on either side; at least 1.
[[nodiscard]] std::uint64_t steps_with_room(const Setup& setup, const Distribution& distribution);
// Ghosts for as many steps as are worth fusing, where there is room for them.
[[nodiscard]] std::uint64_t steps_worth_ghosts(const Setup& setup, const Distribution& distribution);

// Whether some of the devices that would make the collection make nothing of it.
[[nodiscard]] bool has_too_few_rows(const Setup& setup, const CollectionSetup& collection, std::size_t partitions);

// Those that the run file gives.
[[nodiscard]] const std::vector<run_file::Located<std::int64_t>>& cuts_of(const Setup& setup, const CollectionSetup& collection);

// Agents of which no partition has rows of its own: where those in a list stand in memory follows from who is there, and those in slots who
// go anywhere may go to any.
[[nodiscard]] bool belong_to_no_rows(const CollectionSetup& agents) noexcept;
// Whether one device makes all of these links and of the places that they join, the first that makes any of each: of links that begin and
// end, along which functions send, or which agents know.
[[nodiscard]] bool are_of_one_device(const Setup& setup, CollectionId links);
// Agents on places without a shape: one device makes all of them, and of their places.
[[nodiscard]] bool stand_on_numbers(const Setup& setup, const CollectionSetup& agents) noexcept;
// In memory of their own, one device makes all the places of such agents: the first that makes any of them. Which agents are the reason for
// stripes that are others now.
std::vector<CollectionId> keep_whole_under_agents(const Setup& setup, Distribution& distribution);

// How far the calls of a step see together along the last axis: no more rows around a stripe are ever needed for a step.
[[nodiscard]] int reach_of_step(const Setup& setup, CollectionId collection);

} // namespace tessera
