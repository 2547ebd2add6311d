// Networks that people know by their authors' names: which places they join. link_rules.hpp says for which places each rule may be.
#pragma once

#include "host/setup/link_table.hpp"

#include <array>
#include <cstdint>

namespace tessera {

class ThreadPool;

// A small world (Watts and Strogatz 1998): a ring in which each place is joined with `after` places after it, and of each link the second
// end is moved with probability `rewire`. Link i joins place i / after, p, with the place i % after + 1 places after it. Link after link,
// the stream (key, i, 0) draws: if its uniform64 is below `rewire`, the second end is below(places - 1), and one more from p on, so that it
// is any place but p. Unless links may be parallel, it is drawn again, with the stream (key, i, 1) and so on, until p has no link to it at
// that time; the link stays if p has links to all others.
//
// `after` is at least 1, and unless links may be parallel, twice that (with a direction: that) is below the number of places. Fewer than
// 2^31 places. In any order.
struct SmallWorld {
    std::int64_t places = 0, after = 0;
    double rewire = 0;
    bool is_directed = false, parallel = false;
};
[[nodiscard]] LinkTable small_world(const SmallWorld& world, std::uint64_t key, ThreadPool& pool);

// A network without a scale (Barabasi and Albert 1999): each place after the first `degree` ones brings `degree` links to different places
// before it, so that a place with many links gets more. The first of them, place `degree`, is joined with all before it. Link i, brought by
// place degree + i / degree, draws one of the ends of links that places before that have brought: number floor(u n) of these n, with the
// uniform64 u of the stream (key, i, 0). End 2 j is the place that brings link j, and end 2 j + 1 the other one. It is drawn again, with
// the stream (key, i, 1) and so on, while it is a place that the same place has brought a link to. Fewer `degree` than places. In any
// order.
[[nodiscard]] LinkTable preferential(std::int64_t places, std::int64_t degree, std::uint64_t key, ThreadPool& pool);

// The neighbours along the axes of a grid, whose place (x, y, z) is number (z * ny + y) * nx + x; a torus joins its edges. Links with a
// direction come both ways.
[[nodiscard]] LinkTable linked_grid(const std::array<std::int64_t, 3>& size, bool is_torus, bool is_directed);

} // namespace tessera
