// Random networks in which each place has as many links as it says.
#pragma once

#include "host/bind/sorted_links.hpp"

#include <cstdint>
#include <vector>

namespace tessera {

// The ends of links in a random order, two of which make a link (the configuration model). Links without a direction: each place is as many
// ends as its degree, ends 2 i and 2 i + 1 are link i, and the degrees add up to an even number.
[[nodiscard]] LinkTable of_degrees(const std::vector<std::int64_t>& degrees, std::uint64_t key, ThreadPool& pool);

// The same of links with a direction, by how many begin at each place and how many lead to each: both add up to the same number. The links
// begin at place after place, and their other ends are in a random order.
[[nodiscard]] LinkTable of_degrees(const std::vector<std::int64_t>& from, const std::vector<std::int64_t>& to, std::uint64_t key,
                                   ThreadPool& pool);

// The links with their ends exchanged until no link leads from a place to itself or has the ends of another, as far as `order` does not
// allow these. `left_out` is how many found no place. Each place keeps its degree but for those.
//
// Round after round, each link that has to change draws another in the order of their numbers: in round r = 1, 2, ... by the stream
// (key, link, r), a number below that of all links, and without a direction another below 2. If the two are (a, b) and (c, d), they become
// (a, d) and (c, b), or where the second number is 1, (a, c) and (b, d); unless that makes a loop or ends that a link has. It ends when no
// link has to change, and when 300 rounds in a row have changed nothing.
[[nodiscard]] MadeLinks with_exchanged_ends(LinkTable links, const LinkOrder& order, std::uint64_t key, ThreadPool& pool);

// Puts them into a random order (Fisher and Yates); each order is as likely. All threads draw, one exchanges them: end i - 1 with the end
// that the stream (key, i, 0) draws below i, for i from their number down to 2.
void mix_ends(std::vector<std::int32_t>& ends, std::uint64_t key, ThreadPool& pool);

} // namespace tessera
