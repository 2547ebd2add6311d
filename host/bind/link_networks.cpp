#include "host/bind/link_networks.hpp"

#include "host/bind/add_links.hpp"

#include <tessera/random.hpp>

#include <algorithm>
#include <utility>

namespace tessera {
namespace {

void add_link(LinkTable& links, std::int64_t from, std::int64_t to) {
    links.from.push_back(static_cast<std::int32_t>(from));
    links.to.push_back(static_cast<std::int32_t>(to));
}

std::uint32_t below_count(random_stream& stream, std::int64_t count) { return stream.below(static_cast<std::uint32_t>(count)); }

// Each place as often as it is an end.
std::vector<std::int32_t> ends_of(const std::vector<std::int64_t>& degrees) {
    std::vector<std::int32_t> ends;
    for (std::size_t place = 0; place < degrees.size(); ++place)
        ends.insert(ends.end(), static_cast<std::size_t>(degrees[place]), static_cast<std::int32_t>(place));
    return ends;
}

} // namespace

LinkTable small_world(std::int64_t places, std::int64_t after, double rewire, std::uint64_t key, ThreadPool& pool) {
    LinkTable links;
    add_links(links, places * after, pool, [&](std::int64_t link) {
        random_stream stream(key, static_cast<std::uint64_t>(link), 0);
        const auto place = link / after;
        auto other = (place + link % after + 1) % places;
        if (places > 1 && stream.uniform64() < rewire) {
            other = below_count(stream, places - 1);
            if (other >= place) ++other; // any but itself
        }
        return LinkEnds{place, other};
    });
    return links;
}

// Ends of links in a row: end 2 i is the place that brings link i, and end 2 i + 1 is one of those before it.
LinkTable preferential(std::int64_t places, std::int64_t degree, std::uint64_t key, ThreadPool& pool) {
    LinkTable links;
    add_links(links, places * degree, pool, [&](std::int64_t link) {
        std::uint64_t end = 2 * static_cast<std::uint64_t>(link) + 1;
        while (end % 2 == 1) {
            random_stream stream(key, end, 0);
            end = static_cast<std::uint64_t>(stream.uniform64() * static_cast<double>(end));
        }
        return LinkEnds{link / degree, static_cast<std::int64_t>(end / 2) / degree};
    });
    return links;
}

LinkTable of_degrees(const std::vector<std::int64_t>& degrees, std::uint64_t key, ThreadPool& pool) {
    auto ends = ends_of(degrees);
    mix_ends(ends, key, pool);
    LinkTable links;
    for (std::size_t i = 0; i + 1 < ends.size(); i += 2) add_link(links, ends[i], ends[i + 1]);
    return links;
}

LinkTable of_degrees(const std::vector<std::int64_t>& from, const std::vector<std::int64_t>& to, std::uint64_t key, ThreadPool& pool) {
    LinkTable links;
    links.from = ends_of(from);
    links.to = ends_of(to);
    mix_ends(links.to, key, pool);
    return links;
}

void mix_ends(std::vector<std::int32_t>& ends, std::uint64_t key, ThreadPool& pool) {
    constexpr std::size_t at_a_time = 1 << 18; // draws, which stay in a cache
    constexpr std::size_t ahead = 16;          // of those that are exchanged one waits for memory
    std::vector<std::uint32_t> drawn(std::min(ends.size(), at_a_time));
    for (std::size_t left = ends.size(); left > 1;) {
        const auto count = std::min(left - 1, at_a_time);
        pool.run(static_cast<std::int64_t>(count), [&](std::int64_t first, std::int64_t last) {
            for (auto d = static_cast<std::size_t>(first); d < static_cast<std::size_t>(last); ++d) {
                random_stream stream(key, left - d, 0);
                drawn[d] = stream.below(static_cast<std::uint32_t>(left - d));
            }
        });
        for (std::size_t d = 0; d < count; ++d) {
            if (d + ahead < count) __builtin_prefetch(&ends[drawn[d + ahead]], 1);
            std::swap(ends[left - d - 1], ends[drawn[d]]);
        }
        left -= count;
    }
}

LinkTable linked_grid(const std::array<std::int64_t, 3>& size, bool is_torus, bool is_directed) {
    LinkTable links;
    const std::array<std::int64_t, 3> stride{1, size[0], size[0] * size[1]};
    for (std::int64_t place = 0; place < size[0] * size[1] * size[2]; ++place)
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const auto at = place / stride[axis] % size[axis];
            if (size[axis] == 1 || (at + 1 == size[axis] && (!is_torus || size[axis] == 2))) continue; // two are joined once
            const auto next = at + 1 < size[axis] ? place + stride[axis] : place - at * stride[axis];
            add_link(links, place, next);
            if (is_directed) add_link(links, next, place);
        }
    return links;
}

} // namespace tessera
