// Links that are drawn pair by pair: so many of them, or each pair by chance.
#pragma once

#include "host/bind/place_pairs.hpp"
#include "host/bind/sorted_links.hpp"

#include <cstdint>
#include <vector>

namespace tessera {

// So many links of these pairs.
struct LinkDrawing {
    PlacePairs pairs;
    std::int64_t links = 0;
    std::uint64_t key = 0; // of what is drawn
};

// Of each drawing as many links as it says, in the order of a run. No two drawings have a pair in common, and each has at least as many
// pairs as links; where links may be parallel, one pair.
//
// Link i of a drawing is drawn by the stream (key, i, 0). Then comes round after round: the links that are no pair, and those with the ends
// of an earlier one unless links may be parallel, are drawn again in the order of their numbers, in round r by the stream (key, i, r).
// Earlier ones are those of earlier rounds, and those of the same round with a lower number. Where more than half of the pairs are asked
// for, the pairs without a link are drawn in this way.
[[nodiscard]] LinkTable drawn_links(const std::vector<LinkDrawing>& drawings, const LinkOrder& order, ThreadPool& pool);

// Each pair with the same probability, 0 to 1: how many numbers of pairs are passed over until the next link is
// floor(log(1 - u) / log(1 - chance)), with u the uniform64 of the stream (key, i, 0), i = 0, 1, ...
void add_by_chance(LinkTable& links, const PlacePairs& pairs, double chance, std::uint64_t key);

} // namespace tessera
