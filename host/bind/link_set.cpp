#include "host/bind/link_set.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace tessera {
namespace {

constexpr std::uint64_t key(std::int64_t from, std::int64_t to) noexcept {
    return static_cast<std::uint64_t>(to) << 32 | static_cast<std::uint64_t>(from);
}

void append(LinkTable& links, std::uint64_t key) {
    links.from.push_back(static_cast<std::int32_t>(key & 0xffffffff));
    links.to.push_back(static_cast<std::int32_t>(key >> 32));
}

} // namespace

LinkSet::LinkSet(LinkTable sorted, bool is_directed) : sorted_(std::move(sorted)), is_directed_(is_directed) {}

std::uint64_t LinkSet::key_of(const LinkEnds& ends) const noexcept {
    return is_directed_ ? key(ends.from, ends.to) : key(std::min(ends.from, ends.to), std::max(ends.from, ends.to));
}

std::uint64_t LinkSet::key_at(std::size_t link) const noexcept { return key(sorted_.from[link], sorted_.to[link]); }

bool LinkSet::has(const LinkEnds& ends) const {
    const auto wanted = key_of(ends);
    std::size_t first = 0, end = sorted_.size();
    while (first < end) {
        const auto middle = first + (end - first) / 2;
        if (key_at(middle) < wanted)
            first = middle + 1;
        else
            end = middle;
    }
    const auto change = changes_.find(wanted);
    const int more = change == changes_.end() ? 0 : change->second;
    return (first < sorted_.size() && key_at(first) == wanted ? 1 : 0) + more > 0;
}

LinkTable LinkSet::take() && {
    std::vector<std::pair<std::uint64_t, int>> changes;
    std::int64_t more = 0;
    for (const auto& change : changes_)
        if (change.second != 0) changes.push_back(change), more += change.second;
    if (changes.empty()) return std::move(sorted_);
    std::sort(changes.begin(), changes.end());
    LinkTable all;
    const auto size = static_cast<std::size_t>(static_cast<std::int64_t>(sorted_.size()) + more);
    all.from.reserve(size), all.to.reserve(size);
    auto change = changes.begin();
    const auto add_before = [&](std::uint64_t end) {
        for (; change != changes.end() && change->first < end; ++change)
            for (; change->second > 0; --change->second) append(all, change->first);
    };
    for (std::size_t link = 0; link < sorted_.size(); ++link) {
        const auto there = key_at(link);
        add_before(there);
        if (change != changes.end() && change->first == there && change->second < 0)
            ++change->second;
        else
            append(all, there);
    }
    add_before(~std::uint64_t{0});
    return all;
}

} // namespace tessera
