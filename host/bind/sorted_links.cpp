#include "host/bind/sorted_links.hpp"

#include "device_runtime/stable_places.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

namespace tessera {
namespace {

struct Placed {
    std::uint64_t key; // where it leads to, and where it comes from
    std::uint32_t number;
};

// The keys of links: the lower bits say where they come from.
struct Keys {
    unsigned width = 0; // of these bits

    explicit Keys(const LinkTable& links) {
        std::uint32_t highest = 0;
        for (const auto* const ends : {&links.from, &links.to})
            for (const auto end : *ends) highest |= static_cast<std::uint32_t>(end);
        while (highest >> width != 0) ++width;
    }
    [[nodiscard]] std::uint64_t key(std::int32_t from, std::int32_t to) const {
        return static_cast<std::uint64_t>(to) << width | static_cast<std::uint64_t>(from);
    }
    [[nodiscard]] std::int32_t from(const Placed& link) const {
        return static_cast<std::int32_t>(link.key & ((std::uint64_t{1} << width) - 1));
    }
    [[nodiscard]] std::int32_t to(const Placed& link) const { return static_cast<std::int32_t>(link.key >> width); }
};

// Not filled with zeros: those who write there first touch its memory first.
struct PlacedLinks {
    std::unique_ptr<Placed[]> links;
    std::int64_t count = 0;

    explicit PlacedLinks(std::int64_t links_there) : links(new Placed[static_cast<std::size_t>(links_there)]), count(links_there) {}
    [[nodiscard]] Placed& operator[](std::int64_t i) const { return links[static_cast<std::size_t>(i)]; }
};

// By digits of their keys, the lowest first, each time in the order in which they stand (radix sort): there may be hundreds of millions.
PlacedLinks by_key(PlacedLinks links, unsigned bits, ThreadPool& pool) {
    constexpr unsigned digit_bits = 11;
    constexpr std::size_t digits = std::size_t{1} << digit_bits;
    PlacedLinks sorted(links.count);
    for (unsigned shift = 0; shift < bits; shift += digit_bits) {
        (void)put_in_places<std::int64_t>(
            pool, links.count, digits, [&](std::int64_t i) { return static_cast<std::size_t>(links[i].key >> shift) % digits; },
            [&](std::int64_t i, std::int64_t place) { sorted[place] = links[i]; });
        std::swap(links, sorted);
    }
    return links;
}

PlacedLinks placed(const LinkTable& given, const Keys& keys, bool is_directed, ThreadPool& pool) {
    PlacedLinks links(static_cast<std::int64_t>(given.size()));
    pool.run(links.count, [&](std::int64_t first, std::int64_t last) {
        for (auto i = first; i < last; ++i) {
            auto from = given.from[static_cast<std::size_t>(i)], to = given.to[static_cast<std::size_t>(i)];
            if (!is_directed && from > to) std::swap(from, to);
            links[i] = {keys.key(from, to), static_cast<std::uint32_t>(i)};
        }
    });
    return by_key(std::move(links), 2 * keys.width, pool);
}

// Tells of them in the order in which they are given, so that of several mistakes in a file the first is told.
PlacedLinks without_refused(PlacedLinks links, const Keys& keys, const LinkOrder& order, const Refused& refused) {
    if (order.loops && order.parallel) return links;
    struct Mistake {
        std::int64_t link, twin;
    };
    std::vector<Mistake> mistakes;
    std::int64_t left = 0;
    for (std::int64_t i = 0; i < links.count; ++i) {
        const auto link = links[i];
        const bool is_loop = keys.from(link) == keys.to(link);
        const bool is_twin = left > 0 && links[left - 1].key == link.key;
        if (is_loop && !order.loops)
            mistakes.push_back({link.number, -1});
        else if (is_twin && !order.parallel)
            mistakes.push_back({link.number, links[left - 1].number});
        else
            links[left++] = link;
    }
    links.count = left;
    std::sort(mistakes.begin(), mistakes.end(), [](const Mistake& a, const Mistake& b) { return a.link < b.link; });
    for (const auto& mistake : mistakes) refused(mistake.link, mistake.twin);
    return links;
}

} // namespace

LinkTable sorted_links(const LinkTable& given, const LinkOrder& order, const Refused& refused, ThreadPool& pool) {
    const Keys keys(given);
    const auto links = without_refused(placed(given, keys, order.is_directed, pool), keys, order, refused);
    const auto count = static_cast<std::size_t>(links.count);
    LinkTable sorted;
    sorted.from.resize(count);
    sorted.to.resize(count);
    pool.run(links.count, [&](std::int64_t first, std::int64_t last) {
        for (auto i = first; i < last; ++i) {
            sorted.from[static_cast<std::size_t>(i)] = keys.from(links[i]);
            sorted.to[static_cast<std::size_t>(i)] = keys.to(links[i]);
        }
    });
    for (const auto& column : given.columns) {
        const auto bytes = given.size() == 0 ? 0 : column.values.size() / given.size();
        auto& into = sorted.columns.emplace_back();
        into.member = column.member;
        into.values.resize(count * bytes);
        for (std::size_t i = 0; i < count; ++i)
            std::memcpy(into.values.data() + i * bytes, column.values.data() + links[static_cast<std::int64_t>(i)].number * bytes, bytes);
    }
    return sorted;
}

} // namespace tessera
