// Networks by the rules of run files, from what docs/manual.md says of them ("How links are drawn"): sets, lists and plain loops.
#pragma once

#include "tests/conformance/philox.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tessera::test::plain_networks {

using Pair = std::pair<std::int64_t, std::int64_t>; // from, to; without a direction the lower one first
using Pairs = std::vector<Pair>;

struct Kind {
    std::int64_t places = 0;
    bool directed = false, loops = false;
};
inline Pair pair_of(const Kind& kind, std::int64_t a, std::int64_t b) { return !kind.directed && a > b ? Pair(b, a) : Pair(a, b); }
// In the order of a run: by where they lead to.
inline Pairs in_order(Pairs pairs) {
    std::stable_sort(pairs.begin(), pairs.end(),
                     [](const Pair& x, const Pair& y) { return std::pair(x.second, x.first) < std::pair(y.second, y.first); });
    return pairs;
}
inline Pairs all_pairs(const Kind& kind) {
    Pairs pairs;
    for (std::int64_t a = 0; a < kind.places; ++a)
        for (std::int64_t b = kind.directed ? 0 : a; b < kind.places; ++b)
            if (a != b || kind.loops) pairs.emplace_back(a, b);
    return pairs;
}
inline Pairs without(const Kind& kind, const Pairs& missing) {
    const std::set<Pair> out(missing.begin(), missing.end());
    Pairs rest;
    for (const auto& pair : all_pairs(kind))
        if (!out.contains(pair)) rest.push_back(pair);
    return rest;
}
inline double uniform64(Stream& stream) {
    const double upper = stream.word() / 32;
    return (upper * 67108864.0 + stream.word() / 64) / 9007199254740992.0;
}
inline std::uint64_t key_of_links(std::uint64_t seed, const std::string& name) { return key_of(seed, "links " + name, 0); }

// { rule = "random", links = ... }
inline Pairs random(const Kind& kind, std::size_t links, bool parallel, std::uint64_t key) {
    const auto all = all_pairs(kind).size();
    if (!parallel && 2 * links > all) return in_order(without(kind, random(kind, all - links, false, key)));
    const auto places = static_cast<std::uint64_t>(kind.places);
    std::vector<std::size_t> left(links);
    for (std::size_t i = 0; i < links; ++i) left[i] = i;
    Pairs made;
    std::set<Pair> joined;
    for (std::uint64_t round = 0; !left.empty(); ++round) {
        std::vector<std::size_t> again;
        for (const auto link : left) {
            Stream stream(key, link, round);
            const std::int64_t a = stream.below(places);
            std::int64_t b = stream.below(places + (!kind.directed && kind.loops ? 1 : 0));
            if (b == kind.places) b = a;
            const auto pair = pair_of(kind, a, b);
            if ((a == b && !kind.loops) || (!parallel && joined.contains(pair)))
                again.push_back(link);
            else
                made.push_back(pair), joined.insert(pair);
        }
        left = again;
    }
    return in_order(made);
}

// { rule = "random", chance = ... }; the mathematical log is not rounded as the product's, which matters to no draw of a test.
inline Pairs by_chance(const Kind& kind, double chance, std::uint64_t key) {
    Pairs numbered;
    if (kind.directed)
        numbered = all_pairs({kind.places, true, true});
    else
        numbered = in_order(all_pairs(kind));
    Pairs made;
    double at = -1;
    for (std::uint64_t i = 0;; ++i) {
        Stream stream(key, i, 0);
        at += 1 + std::floor(std::log1p(-uniform64(stream)) / std::log1p(-chance));
        if (at >= static_cast<double>(numbered.size())) return in_order(made);
        const auto& pair = numbered[static_cast<std::size_t>(at)];
        if (pair.first != pair.second || kind.loops) made.push_back(pair);
    }
}

// Ends that are joined two by two; `froms` are the places at which links with a direction begin.
inline Pairs joined_ends(const Kind& kind, std::vector<std::int64_t> ends, const std::vector<std::int64_t>& froms, bool parallel,
                         std::uint64_t key) {
    for (std::size_t i = ends.size(); i > 1; --i) std::swap(ends[i - 1], ends[Stream(key, i, 0).below(i)]);
    Pairs links;
    for (std::size_t k = 0; k < (kind.directed ? ends.size() : ends.size() / 2); ++k)
        links.push_back(kind.directed ? Pair(froms[k], ends[k]) : Pair(ends[2 * k], ends[2 * k + 1]));
    std::multiset<Pair> there;
    const auto may_be = [&](const Pair& ends_of_one) {
        return (kind.loops || ends_of_one.first != ends_of_one.second) &&
               (parallel || !there.contains(pair_of(kind, ends_of_one.first, ends_of_one.second)));
    };
    std::set<std::size_t> left;
    for (std::size_t k = 0; k < links.size(); ++k)
        if (may_be(links[k]))
            there.insert(pair_of(kind, links[k].first, links[k].second));
        else
            left.insert(k);
    int in_vain = 0;
    for (std::uint64_t round = 1; !left.empty() && in_vain < 300; ++round) {
        ++in_vain;
        for (const auto k : std::vector<std::size_t>(left.begin(), left.end())) {
            if (!left.contains(k)) continue; // another has taken it along
            Stream stream(key, k, round);
            const std::size_t other = stream.below(links.size());
            const bool turned = !kind.directed && stream.below(2) == 1;
            if (other == k) continue;
            const auto [a, b] = links[k];
            const auto [c, d] = links[other];
            const Pair one = turned ? Pair(a, c) : Pair(a, d), two = turned ? Pair(b, d) : Pair(c, b);
            const bool are_one = pair_of(kind, one.first, one.second) == pair_of(kind, two.first, two.second);
            if (!may_be(one) || !may_be(two) || (!parallel && are_one)) continue;
            if (left.erase(other) == 0) there.erase(there.find(pair_of(kind, c, d)));
            left.erase(k);
            links[k] = one, links[other] = two;
            there.insert(pair_of(kind, one.first, one.second)), there.insert(pair_of(kind, two.first, two.second));
            in_vain = 0;
        }
    }
    return in_order(Pairs(there.begin(), there.end()));
}

inline std::vector<std::int64_t> ends_of(const std::vector<std::int64_t>& degrees) {
    std::vector<std::int64_t> ends;
    for (std::size_t place = 0; place < degrees.size(); ++place)
        for (std::int64_t i = 0; i < degrees[place]; ++i) ends.push_back(static_cast<std::int64_t>(place));
    return ends;
}

// { rule = "regular", degree = ... } of one collection of places.
inline Pairs regular(const Kind& kind, std::int64_t degree, std::uint64_t key) {
    const std::vector<std::int64_t> degrees(static_cast<std::size_t>(kind.places), degree);
    if (const auto most = kind.places - (kind.loops ? 0 : 1); 2 * degree > most && (kind.directed || !kind.loops)) {
        const std::vector<std::int64_t> missing(degrees.size(), most - degree);
        return in_order(without(kind, joined_ends(kind, ends_of(missing), ends_of(missing), false, key)));
    }
    std::vector<std::int64_t> ends;
    for (std::int64_t i = 0; i < degree; ++i)
        for (std::int64_t place = 0; place < kind.places; ++place) ends.push_back(place);
    return joined_ends(kind, ends, ends_of(degrees), false, key);
}

// { rule = "small_world", degree = ..., rewire = ... }; `after` is half the degree, or with a direction the degree.
inline Pairs small_world(const Kind& kind, std::int64_t after, double rewire, std::uint64_t key) {
    Pairs links;
    for (std::int64_t i = 0; i < kind.places * after; ++i) links.emplace_back(i / after, (i / after + i % after + 1) % kind.places);
    std::set<Pair> there;
    for (const auto& [a, b] : links) there.insert(pair_of(kind, a, b));
    for (std::size_t i = 0; i < links.size(); ++i) {
        Stream stream(key, i, 0);
        if (uniform64(stream) >= rewire) continue;
        const auto place = links[i].first;
        std::int64_t known = 0;
        for (std::int64_t other = 0; other < kind.places; ++other) known += there.contains(pair_of(kind, place, other)) ? 1 : 0;
        if (known == kind.places - 1) continue;
        std::int64_t other = stream.below(static_cast<std::uint64_t>(kind.places - 1));
        if (other >= place) ++other;
        for (std::uint64_t round = 1; there.contains(pair_of(kind, place, other)); ++round) {
            other = Stream(key, i, round).below(static_cast<std::uint64_t>(kind.places - 1));
            if (other >= place) ++other;
        }
        there.erase(pair_of(kind, place, links[i].second));
        there.insert(pair_of(kind, place, other));
    }
    return in_order(Pairs(there.begin(), there.end()));
}

// { rule = "preferential", degree = ... }
inline Pairs preferential(const Kind& kind, std::int64_t degree, std::uint64_t key) {
    std::vector<std::int64_t> ends; // of all links, one after the other
    Pairs links;
    std::uint64_t number = 0;
    for (auto place = degree; place < kind.places; ++place) {
        std::set<std::int64_t> chosen;
        const auto before = ends;
        for (std::int64_t i = 0; i < degree; ++i, ++number) {
            auto other = i;
            for (std::uint64_t round = 0; place > degree; ++round) {
                Stream stream(key, number, round);
                const double drawn = std::floor(uniform64(stream) * static_cast<double>(before.size()));
                other = before[static_cast<std::size_t>(drawn)];
                if (!chosen.contains(other)) break;
            }
            chosen.insert(other);
            ends.push_back(place), ends.push_back(other);
            links.push_back(pair_of(kind, place, other));
        }
    }
    return in_order(links);
}

} // namespace tessera::test::plain_networks
