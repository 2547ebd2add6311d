#include "host/bind/link_networks.hpp"

#include "host/bind/add_links.hpp"

#include <tessera/random.hpp>

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

LinkTable of_degrees(const std::vector<std::int64_t>& degrees, std::uint64_t key) {
    auto ends = ends_of(degrees);
    mix_ends(ends, key);
    LinkTable links;
    for (std::size_t i = 0; i + 1 < ends.size(); i += 2) add_link(links, ends[i], ends[i + 1]);
    return links;
}

LinkTable of_degrees(const std::vector<std::int64_t>& from, const std::vector<std::int64_t>& to, std::uint64_t key) {
    LinkTable links;
    links.from = ends_of(from);
    links.to = ends_of(to);
    mix_ends(links.to, key);
    return links;
}

void mix_ends(std::vector<std::int32_t>& ends, std::uint64_t key) {
    for (std::size_t i = ends.size(); i > 1; --i) {
        random_stream stream(key, i, 0);
        std::swap(ends[i - 1], ends[stream.below(static_cast<std::uint32_t>(i))]);
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
