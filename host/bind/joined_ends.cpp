#include "host/bind/joined_ends.hpp"

#include "device_runtime/thread_pool.hpp"
#include "host/bind/link_set.hpp"

#include <tessera/random.hpp>

#include <algorithm>
#include <set>
#include <utility>

namespace tessera {
namespace {

void add_link(LinkTable& links, std::int32_t from, std::int32_t to) {
    links.from.push_back(from);
    links.to.push_back(to);
}

// Each place as often as it is an end.
std::vector<std::int32_t> ends_of(const std::vector<std::int64_t>& degrees) {
    std::vector<std::int32_t> ends;
    for (std::size_t place = 0; place < degrees.size(); ++place)
        ends.insert(ends.end(), static_cast<std::size_t>(degrees[place]), static_cast<std::int32_t>(place));
    return ends;
}

// Links with numbers, of which some have to change: they are not among those that are there.
class Exchange {
public:
    Exchange(LinkTable links, const LinkOrder& order, std::uint64_t key, ThreadPool& pool)
        : links_(std::move(links)), order_(order), key_(key),
          there_(sorted_links(
                     links_, order, [&](std::int64_t link, std::int64_t) { waiting_.insert(link); }, pool),
                 order.is_directed) {}

    MadeLinks exchanged() {
        constexpr int most_rounds_in_vain = 300;
        int in_vain = 0;
        for (std::uint32_t round = 1; !waiting_.empty() && in_vain < most_rounds_in_vain; ++round) {
            const auto before = waiting_.size();
            const std::vector<std::int64_t> asked(waiting_.begin(), waiting_.end());
            for (const auto link : asked)
                if (waiting_.contains(link)) try_to_exchange(link, round);
            in_vain = waiting_.size() < before ? 0 : in_vain + 1;
        }
        return {std::move(there_).take(), static_cast<std::int64_t>(waiting_.size())};
    }

private:
    [[nodiscard]] LinkEnds ends_of_link(std::int64_t link) const {
        return {links_.from[static_cast<std::size_t>(link)], links_.to[static_cast<std::size_t>(link)]};
    }
    void set_ends(std::int64_t link, const LinkEnds& ends) {
        links_.from[static_cast<std::size_t>(link)] = static_cast<std::int32_t>(ends.from);
        links_.to[static_cast<std::size_t>(link)] = static_cast<std::int32_t>(ends.to);
    }
    [[nodiscard]] bool can_be(const LinkEnds& ends) const {
        return (order_.loops || ends.from != ends.to) && (order_.parallel || !there_.has(ends));
    }
    [[nodiscard]] bool are_one(const LinkEnds& x, const LinkEnds& y) const {
        return (x.from == y.from && x.to == y.to) || (!order_.is_directed && x.from == y.to && x.to == y.from);
    }
    void try_to_exchange(std::int64_t link, std::uint32_t round) {
        random_stream stream(key_, static_cast<std::uint64_t>(link), round);
        const auto other = static_cast<std::int64_t>(stream.below(static_cast<std::uint32_t>(links_.size())));
        const bool is_turned = !order_.is_directed && stream.below(2) == 1;
        if (other == link) return;
        const auto mine = ends_of_link(link), theirs = ends_of_link(other);
        const LinkEnds first{mine.from, is_turned ? theirs.from : theirs.to},
            second{is_turned ? mine.to : theirs.from, is_turned ? theirs.to : mine.to};
        if (!can_be(first) || !can_be(second) || (!order_.parallel && are_one(first, second))) return;
        if (waiting_.erase(other) == 0) there_.remove(theirs);
        waiting_.erase(link);
        there_.add(first), there_.add(second);
        set_ends(link, first), set_ends(other, second);
    }

    LinkTable links_;
    const LinkOrder& order_;
    std::uint64_t key_;
    std::set<std::int64_t> waiting_;
    LinkSet there_;
};

} // namespace

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

MadeLinks with_exchanged_ends(LinkTable links, const LinkOrder& order, std::uint64_t key, ThreadPool& pool) {
    return Exchange(std::move(links), order, key, pool).exchanged();
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

} // namespace tessera
