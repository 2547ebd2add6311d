// The pairs of places that links of a rule can join, as numbers.
#pragma once

#include "host/bind/add_links.hpp"

#include <tessera/random.hpp>

#include <cstdint>

namespace tessera {

// Places with numbers that follow one another.
struct PlaceSpan {
    std::int64_t first = 0, count = 0;
};

// Each place of a span with each of another; or, of links without a direction, each two of one span once.
struct PlacePairs {
    PlaceSpan from, to;
    bool is_halved = false; // `from` and `to` are one span, and a pair has no direction
    bool are_one = false;   // both are of one collection, in which a place may be joined to itself
    bool loops = false;     // which counts as a pair, then

    // How many pairs there are.
    [[nodiscard]] std::int64_t count() const noexcept;
    // Numbers of pairs are below this. Where a direction counts, a place with itself has a number in any case.
    [[nodiscard]] std::int64_t numbers() const noexcept;
    [[nodiscard]] LinkEnds pair(std::int64_t number) const noexcept;
    // Whether these ends are a pair: no place with itself, unless that counts.
    [[nodiscard]] bool has(const LinkEnds& ends) const noexcept { return loops || !are_one || ends.from != ends.to; }
    // Any pair, each with the same probability, if it is one (`has`): two draws.
    [[nodiscard]] LinkEnds draw(random_stream& stream) const;
};

// Calls `each(ends)` for all pairs but those of a table in the order of a run (sorted_links), of which each is a pair and stands there
// once.
template<class Each> void for_all_but(const LinkTable& table, const PlacePairs& pairs, const Each& each) {
    std::size_t at = 0;
    for (auto to = pairs.to.first; to < pairs.to.first + pairs.to.count; ++to) {
        const auto end = pairs.is_halved ? to + 1 : pairs.from.first + pairs.from.count;
        for (auto from = pairs.from.first; from < end; ++from) {
            if (!pairs.has({from, to})) continue;
            if (at < table.size() && table.from[at] == from && table.to[at] == to)
                ++at;
            else
                each(LinkEnds{from, to});
        }
    }
}

} // namespace tessera
