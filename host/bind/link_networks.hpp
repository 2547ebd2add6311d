// Networks that people know by their authors' names: which places they join. link_rules.hpp says for which places each rule may be.
#pragma once

#include "host/setup/link_table.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace tessera {

class ThreadPool;

// A small world (Watts and Strogatz 1998): a ring in which each place is joined with `after` places after it, and of each link the second
// end is moved with probability `rewire` to a place drawn from all others. Fewer than 2^31 places.
[[nodiscard]] LinkTable small_world(std::int64_t places, std::int64_t after, double rewire, std::uint64_t key, ThreadPool& pool);

// A network without a scale (Barabasi and Albert 1999): place after place brings `degree` links, whose other ends are drawn among the ends
// that are there, so that a place with many links gets more. Each link follows from chains of hashes (Sanders and Schulz 2016). The first
// places have links to themselves, and two places may be joined twice.
[[nodiscard]] LinkTable preferential(std::int64_t places, std::int64_t degree, std::uint64_t key, ThreadPool& pool);

// The neighbours along the axes of a grid, whose place (x, y, z) is number (z * ny + y) * nx + x; a torus joins its edges. Links with a
// direction come both ways.
[[nodiscard]] LinkTable linked_grid(const std::array<std::int64_t, 3>& size, bool is_torus, bool is_directed);

// A random network in which each place has as many links as it says (the configuration model): all their ends are put into a random order,
// and joined two by two. The degrees add up to an even number.
[[nodiscard]] LinkTable of_degrees(const std::vector<std::int64_t>& degrees, std::uint64_t key, ThreadPool& pool);

// The same of links with a direction, by how many begin at each place and how many lead to each: both add up to the same number.
[[nodiscard]] LinkTable of_degrees(const std::vector<std::int64_t>& from, const std::vector<std::int64_t>& to, std::uint64_t key,
                                   ThreadPool& pool);

// Puts them into a random order (Fisher and Yates); each order is as likely. All threads draw, one exchanges them.
void mix_ends(std::vector<std::int32_t>& ends, std::uint64_t key, ThreadPool& pool);

} // namespace tessera
