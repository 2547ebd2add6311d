#include "host/bind/sorted_links.hpp"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

namespace tessera {
namespace {

struct Placed {
    std::uint64_t key; // where it leads to, and where it comes from
    std::uint32_t number;
};

std::vector<Placed> placed(const LinkTable& given, bool is_directed) {
    std::vector<Placed> links;
    links.reserve(given.size());
    for (std::size_t i = 0; i < given.size(); ++i) {
        auto from = static_cast<std::uint64_t>(given.from[i]), to = static_cast<std::uint64_t>(given.to[i]);
        if (!is_directed && from > to) std::swap(from, to);
        links.push_back({to << 32 | from, static_cast<std::uint32_t>(i)});
    }
    std::stable_sort(links.begin(), links.end(), [](const Placed& a, const Placed& b) { return a.key < b.key; });
    return links;
}

// Tells of them in the order in which they are given, so that of several mistakes in a file the first is told.
std::vector<Placed> without_refused(std::vector<Placed> links, const LinkOrder& order, const Refused& refused) {
    struct Mistake {
        std::int64_t link, twin;
    };
    std::vector<Mistake> mistakes;
    std::vector<Placed> left;
    left.reserve(links.size());
    for (const auto& link : links) {
        const bool is_loop = link.key >> 32 == (link.key & 0xffffffff);
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
    const auto links = without_refused(placed(given, order.is_directed), order, refused);
    LinkTable sorted;
    sorted.from.reserve(links.size());
    sorted.to.reserve(links.size());
    for (const auto& link : links) {
        sorted.from.push_back(static_cast<std::int32_t>(link.key & 0xffffffff));
        sorted.to.push_back(static_cast<std::int32_t>(link.key >> 32));
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
