#include "host/bind/link_networks.hpp"

#include "host/bind/add_links.hpp"

#include <tessera/random.hpp>

#include <algorithm>
#include <unordered_set>
#include <utility>
#include <vector>

namespace tessera {
namespace {

void add_link(LinkTable& links, std::int64_t from, std::int64_t to) {
    links.from.push_back(static_cast<std::int32_t>(from));
    links.to.push_back(static_cast<std::int32_t>(to));
}

// The links of a ring while their second ends are moved, one after the other.
class Rewiring {
public:
    Rewiring(const SmallWorld& world, std::uint64_t key)
        : world_(world), key_(key), is_moved_(static_cast<std::size_t>(world.places * world.after)),
          degrees_(static_cast<std::size_t>(world.places), static_cast<std::int32_t>(world.is_directed ? world.after : 2 * world.after)) {}

    // Where a link leads to that is to be moved, and whose first draw is `other`.
    std::int64_t moved(std::int64_t link, std::int64_t other) {
        const auto place = link / world_.after, before = end_in_ring(link);
        if (degrees_[static_cast<std::size_t>(place)] == world_.places - 1) return before;
        for (std::uint32_t round = 1; has(place, other); ++round) {
            random_stream stream(key_, static_cast<std::uint64_t>(link), round);
            other = drawn(stream, place);
        }
        is_moved_[static_cast<std::size_t>(link)] = true;
        moved_.insert(key_of(place, other));
        if (!world_.is_directed) --degrees_[static_cast<std::size_t>(before)], ++degrees_[static_cast<std::size_t>(other)];
        return other;
    }
    [[nodiscard]] std::int64_t end_in_ring(std::int64_t link) const {
        return (link / world_.after + link % world_.after + 1) % world_.places;
    }
    // Any place but this one.
    [[nodiscard]] std::int64_t drawn(random_stream& stream, std::int64_t place) const {
        const std::int64_t other = stream.below(static_cast<std::uint32_t>(world_.places - 1));
        return other + (other >= place ? 1 : 0);
    }

private:
    [[nodiscard]] std::uint64_t key_of(std::int64_t place, std::int64_t other) const {
        if (!world_.is_directed && place > other) std::swap(place, other);
        return static_cast<std::uint64_t>(place) << 32 | static_cast<std::uint64_t>(other);
    }
    [[nodiscard]] bool has_in_ring(std::int64_t place, std::int64_t other) const {
        const auto by = other > place ? other - place : other - place + world_.places;
        return by <= world_.after && !is_moved_[static_cast<std::size_t>(place * world_.after + by - 1)];
    }
    [[nodiscard]] bool has(std::int64_t place, std::int64_t other) const {
        return has_in_ring(place, other) || (!world_.is_directed && has_in_ring(other, place)) || moved_.contains(key_of(place, other));
    }

    const SmallWorld& world_;
    std::uint64_t key_;
    std::vector<bool> is_moved_;
    std::vector<std::int32_t> degrees_; // of links that are there; with a direction, of those that begin at a place
    std::unordered_set<std::uint64_t> moved_;
};

} // namespace

LinkTable small_world(const SmallWorld& world, std::uint64_t key, ThreadPool& pool) {
    Rewiring rewiring(world, key);
    LinkTable links;
    add_links(links, world.places * world.after, pool, [&](std::int64_t link) {
        random_stream stream(key, static_cast<std::uint64_t>(link), 0);
        const auto place = link / world.after;
        const bool is_moved = world.places > 1 && stream.uniform64() < world.rewire;
        return LinkEnds{place, is_moved ? -1 - rewiring.drawn(stream, place) : rewiring.end_in_ring(link)};
    });
    for (std::size_t link = 0; link < links.size(); ++link) {
        if (links.to[link] >= 0) continue;
        const std::int64_t other = -1 - links.to[link];
        links.to[link] = static_cast<std::int32_t>(world.parallel ? other : rewiring.moved(static_cast<std::int64_t>(link), other));
    }
    return links;
}

LinkTable preferential(std::int64_t places, std::int64_t degree, std::uint64_t key, ThreadPool& pool) {
    constexpr std::int64_t at_a_time = 1 << 16; // first draws, which stay in a cache
    constexpr std::int64_t ahead = 16;          // of links whose other end is looked up one waits for memory
    const auto count = degree * (places - degree);
    LinkTable links;
    add_links(links, count, pool, [&](std::int64_t link) { return LinkEnds{degree + link / degree, link}; });
    // Which end of those of earlier places.
    const auto drawn_end = [&](std::int64_t link, std::uint32_t round) {
        random_stream stream(key, static_cast<std::uint64_t>(link), round);
        return static_cast<std::int64_t>(stream.uniform64() * static_cast<double>(2 * (link - link % degree)));
    };
    std::vector<std::int64_t> drawn(static_cast<std::size_t>(std::min(count, at_a_time)));
    auto* const to = links.to.data();
    for (std::int64_t begin = degree; begin < count; begin += at_a_time) {
        const auto end = std::min(begin + at_a_time, count);
        pool.run(end - begin, [&](std::int64_t first, std::int64_t last) {
            for (auto i = first; i < last; ++i) drawn[static_cast<std::size_t>(i)] = drawn_end(begin + i, 0);
        });
        for (auto link = begin; link < end; ++link) {
            if (link + ahead < end) __builtin_prefetch(&to[drawn[static_cast<std::size_t>(link + ahead - begin)] / 2]);
            const auto *const first = to + (link - link % degree), *const mine = to + link;
            auto chosen = drawn[static_cast<std::size_t>(link - begin)];
            for (std::uint32_t round = 0;; chosen = drawn_end(link, ++round)) {
                const auto other = chosen % 2 == 0 ? links.from[static_cast<std::size_t>(chosen / 2)] : to[chosen / 2];
                if (std::find(first, mine, other) != mine) continue;
                to[link] = other;
                break;
            }
        }
    }
    return links;
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
