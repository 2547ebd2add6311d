#include "host/bind/sorted_links.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
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

// By digits of their keys, the lowest first, each time in the order in which they stand (radix sort): there may be hundreds of millions.
std::vector<Placed> by_key(std::vector<Placed> links, unsigned bits) {
    constexpr unsigned digit_bits = 11;
    constexpr std::size_t digits = std::size_t{1} << digit_bits;
    std::vector<Placed> sorted(links.size());
    for (unsigned shift = 0; shift < bits; shift += digit_bits) {
        const auto digit_of = [shift](const Placed& link) { return static_cast<std::size_t>(link.key >> shift) % digits; };
        std::array<std::size_t, digits + 1> starts{};
        for (const auto& link : links) ++starts[digit_of(link) + 1];
        std::partial_sum(starts.begin(), starts.end(), starts.begin());
        for (const auto& link : links) sorted[starts[digit_of(link)]++] = link;
        links.swap(sorted);
    }
    return links;
}

std::vector<Placed> placed(const LinkTable& given, const Keys& keys, bool is_directed) {
    std::vector<Placed> links;
    links.reserve(given.size());
    for (std::size_t i = 0; i < given.size(); ++i) {
        auto from = given.from[i], to = given.to[i];
        if (!is_directed && from > to) std::swap(from, to);
        links.push_back({keys.key(from, to), static_cast<std::uint32_t>(i)});
    }
    return by_key(std::move(links), 2 * keys.width);
}

// Tells of them in the order in which they are given, so that of several mistakes in a file the first is told.
std::vector<Placed> without_refused(std::vector<Placed> links, const Keys& keys, const LinkOrder& order, const Refused& refused) {
    struct Mistake {
        std::int64_t link, twin;
    };
    std::vector<Mistake> mistakes;
    std::vector<Placed> left;
    left.reserve(links.size());
    for (const auto& link : links) {
        const bool is_loop = keys.from(link) == keys.to(link);
        const bool is_twin = !left.empty() && left.back().key == link.key;
        if (is_loop && !order.loops)
            mistakes.push_back({link.number, -1});
        else if (is_twin && !order.parallel)
            mistakes.push_back({link.number, left.back().number});
        else
            left.push_back(link);
    }
    std::sort(mistakes.begin(), mistakes.end(), [](const Mistake& a, const Mistake& b) { return a.link < b.link; });
    for (const auto& mistake : mistakes) refused(mistake.link, mistake.twin);
    return left;
}

} // namespace

LinkTable sorted_links(LinkTable given, const LinkOrder& order, const Refused& refused) {
    const Keys keys(given);
    const auto links = without_refused(placed(given, keys, order.is_directed), keys, order, refused);
    LinkTable sorted;
    sorted.from.reserve(links.size());
    sorted.to.reserve(links.size());
    for (const auto& link : links) {
        sorted.from.push_back(keys.from(link));
        sorted.to.push_back(keys.to(link));
    }
    for (const auto& column : given.columns) {
        const auto bytes = given.size() == 0 ? 0 : column.values.size() / given.size();
        auto& into = sorted.columns.emplace_back();
        into.member = column.member;
        into.values.resize(links.size() * bytes);
        for (std::size_t i = 0; i < links.size(); ++i)
            std::memcpy(into.values.data() + i * bytes, column.values.data() + links[i].number * bytes, bytes);
    }
    return sorted;
}

} // namespace tessera
