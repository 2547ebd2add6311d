#include "host/bind/drawn_links.hpp"

#include "host/bind/link_set.hpp"

#include <tessera/random.hpp>

#include <algorithm>
#include <utility>

namespace tessera {
namespace {

void add(LinkTable& links, const LinkEnds& ends) {
    links.from.push_back(static_cast<std::int32_t>(ends.from));
    links.to.push_back(static_cast<std::int32_t>(ends.to));
}

LinkEnds drawn(const LinkDrawing& drawing, std::int64_t link, std::uint32_t round) {
    random_stream stream(drawing.key, static_cast<std::uint64_t>(link), round);
    return drawing.pairs.draw(stream);
}

// A drawing whose links have the numbers from `first` on.
struct NumberedDrawing {
    const LinkDrawing* drawing;
    std::int64_t first;
};

// `first_draws` have the links of all of them, and behind these others that are pairs, and whose ends no other link has.
LinkTable drawn_again(const LinkTable& first_draws, const std::vector<NumberedDrawing>& drawings, const LinkOrder& order,
                      ThreadPool& pool) {
    std::vector<std::int64_t> waiting;
    LinkSet there(sorted_links(
                      first_draws, order, [&](std::int64_t link, std::int64_t) { waiting.push_back(link); }, pool),
                  order.is_directed);
    for (std::uint32_t round = 1; !waiting.empty(); ++round)
        std::erase_if(waiting, [&](std::int64_t link) {
            const auto of =
                std::prev(std::upper_bound(drawings.begin(), drawings.end(), link,
                                           [](std::int64_t number, const NumberedDrawing& each) { return number < each.first; }));
            const auto ends = drawn(*of->drawing, link - of->first, round);
            if (!of->drawing->pairs.has(ends) || (!order.parallel && there.has(ends))) return false;
            there.add(ends);
            return true;
        });
    return std::move(there).take();
}

void add_all_but_drawn(LinkTable& links, const LinkDrawing& drawing, const LinkOrder& order, ThreadPool& pool) {
    auto without = drawing;
    without.links = drawing.pairs.count() - drawing.links;
    for_all_but(drawn_links({without}, order, pool), drawing.pairs, [&](const LinkEnds& ends) { add(links, ends); });
}

} // namespace

LinkTable drawn_links(const std::vector<LinkDrawing>& drawings, const LinkOrder& order, ThreadPool& pool) {
    const auto is_sparse = [&](const LinkDrawing& drawing) { return order.parallel || drawing.links <= drawing.pairs.count() / 2; };
    LinkTable links;
    std::vector<NumberedDrawing> drawn_one_by_one;
    for (const auto& drawing : drawings) {
        if (!is_sparse(drawing) || drawing.links == 0) continue;
        drawn_one_by_one.push_back({&drawing, static_cast<std::int64_t>(links.size())});
        add_links(links, drawing.links, pool, [&](std::int64_t link) { return drawn(drawing, link, 0); });
    }
    for (const auto& drawing : drawings)
        if (!is_sparse(drawing)) add_all_but_drawn(links, drawing, order, pool);
    return drawn_again(links, drawn_one_by_one, order, pool);
}

void add_by_chance(LinkTable& links, const PlacePairs& pairs, double chance, std::uint64_t key) {
    if (chance <= 0) return;
    // 1 - chance would round a small chance away: less than a third of its cube is missing here.
    const double of_none = chance >= 1 ? 0 : chance < 1e-8 ? -chance - chance * chance / 2 : log(1 - chance);
    const auto numbers = pairs.numbers();
    std::int64_t number = -1;
    for (std::uint64_t i = 0;; ++i) {
        double passed = 0;
        if (chance < 1) {
            random_stream stream(key, i, 0);
            passed = floor(log(1 - stream.uniform64()) / of_none);
        }
        if (passed >= static_cast<double>(numbers - number)) return;
        number += 1 + static_cast<std::int64_t>(passed);
        if (number >= numbers) return;
        if (const auto ends = pairs.pair(number); pairs.has(ends)) add(links, ends);
    }
}

} // namespace tessera
