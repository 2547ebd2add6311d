#include "host/bind/link_rules.hpp"

#include "host/bind/drawn_links.hpp"
#include "host/bind/joined_ends.hpp"
#include "host/bind/link_networks.hpp"
#include "host/bind/read_degrees.hpp"

#include <tessera/detail/name_hash.hpp>
#include <tessera/random.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace tessera {
namespace {

using run_file::LinkRule;

constexpr double most_links = 2147483647.0; // of a collection; those between places stand in two lists

class LinkMaker {
public:
    LinkMaker(const run_file::Located<LinkRule>& rule, const LinkedPlaces& places, const std::string& name, const run_file::RunFile& run,
              ThreadPool& pool)
        : rule_(*rule), where_(rule.where), places_(places), name_(name), run_(run),
          key_(stream_key(*run.run.seed, name_hash(("links " + name).c_str()), 0)), pool_(pool) {}

    MadeLinks make() {
        switch (rule_.kind) {
        case LinkRule::Kind::complete: make_complete(); break;
        case LinkRule::Kind::ring: make_ring(); break;
        case LinkRule::Kind::random: rule_.links ? draw_links() : draw_pairs(**rule_.chance); break;
        case LinkRule::Kind::blocks: make_blocks(); break;
        case LinkRule::Kind::regular: make_regular(); break;
        case LinkRule::Kind::small_world: make_small_world(); break;
        case LinkRule::Kind::preferential: make_preferential(); break;
        case LinkRule::Kind::grid: make_grid(); break;
        case LinkRule::Kind::degrees: make_degrees(); break;
        }
        if (!is_sorted_)
            made_ = sorted_links(
                made_, places_.order, [&](std::int64_t, std::int64_t) { ++left_out_; }, pool_);
        return {std::move(made_), left_out_};
    }

private:
    void expect_room(double links) const {
        if ((places_.order.is_directed ? 1 : 2) * links > most_links)
            run_file::fail_at(where_, fmt::format("`links.{}` would have about {:.3g} links", name_, links),
                              "a collection has fewer than 2^31, and fewer than 2^30 between places of one row", "make it sparser");
    }
    void add(std::int64_t from, std::int64_t to) {
        made_.from.push_back(static_cast<std::int32_t>(from));
        made_.to.push_back(static_cast<std::int32_t>(to));
    }
    // All pairs of the places that links may join.
    [[nodiscard]] PlacePairs pairs() const { return pairs_of({0, places_.from}, {0, places_.to}, true); }
    [[nodiscard]] PlacePairs pairs_of(const PlaceSpan& from, const PlaceSpan& to, bool is_one_span) const {
        return {from, to, is_one_span && !places_.order.is_directed, places_.are_one, places_.order.loops};
    }

    void make_complete() {
        expect_room(static_cast<double>(pairs().count()));
        for_all_but({}, pairs(), [&](const LinkEnds& ends) { add(ends.from, ends.to); });
        is_sorted_ = true;
    }

    void expect_one_collection(const char* network) const {
        if (!places_.are_one)
            run_file::fail_at(where_, fmt::format("`links.{}` cannot be {}", name_, network), "its links join two collections of places",
                              "use another rule");
    }
    // With how many after it a place of a ring is joined.
    [[nodiscard]] std::int64_t links_of_ring(const char* network) const {
        expect_one_collection(network);
        const auto degree = static_cast<std::int64_t>(**rule_.degree), after = places_.order.is_directed ? degree : degree / 2;
        if (!places_.order.is_directed && degree % 2 != 0)
            run_file::fail_at(rule_.degree->where, fmt::format("`links.{}` cannot be {} of degree {}", name_, network, degree),
                              "each place has as many links to those before it as to those after it", "use an even number");
        expect_room(static_cast<double>(places_.from) * static_cast<double>(after));
        return after;
    }

    // Each place and those behind it in the order of numbers, the first behind the last.
    void make_ring() {
        const auto behind = links_of_ring("a ring");
        for (std::int64_t place = 0; place < places_.from; ++place)
            for (std::int64_t by = 1; by <= behind; ++by) add(place, (place + by) % places_.from);
    }

    void draw_links() {
        expect_room(static_cast<double>(**rule_.links));
        const LinkDrawing drawing{pairs(), static_cast<std::int64_t>(**rule_.links), key_};
        expect_pairs(drawing, rule_.links->where, "");
        take(drawn_links({drawing}, places_.order, pool_));
    }
    void expect_pairs(const LinkDrawing& drawing, const run_file::Where& where, const std::string& which) const {
        const auto pairs = drawing.pairs.count();
        if (drawing.links <= pairs || (places_.order.parallel && pairs > 0)) return;
        run_file::fail_at(where, fmt::format("`links.{}` cannot have {} links{}", name_, drawing.links, which),
                          fmt::format("there {} {} pair{} of places", pairs == 1 ? "is" : "are", pairs, pairs == 1 ? "" : "s"),
                          pairs == 0 ? "give it more places, or set loops = true"
                                     : fmt::format("ask for {} at most, or set parallel = true", pairs));
    }

    // Each pair with the same probability.
    void draw_pairs(double chance) {
        expect_room(chance * static_cast<double>(pairs().count()));
        if (chance >= 1) return make_complete();
        add_by_chance(made_, pairs(), chance, key_);
    }

    // ---- between ranges of places

    [[nodiscard]] std::vector<PlaceSpan> ranges_of(const std::vector<run_file::Located<std::uint64_t>>& sizes, std::int64_t places,
                                                   const char* key) const {
        std::vector<PlaceSpan> ranges;
        std::int64_t first = 0;
        for (const auto& size : sizes) {
            ranges.push_back({first, static_cast<std::int64_t>(*size)});
            first += static_cast<std::int64_t>(*size);
        }
        if (first != places)
            run_file::fail_at(sizes.back().where, fmt::format("the {} of `links.{}` are {} places together", key, name_, first),
                              fmt::format("there are {}", places), "give each place one range");
        return ranges;
    }

    // Without a direction a link of two ranges is drawn once, from the first to the second.
    void make_blocks() {
        const auto& to_sizes = rule_.to_sizes.empty() ? rule_.sizes : rule_.to_sizes;
        const auto from = ranges_of(rule_.sizes, places_.from, "sizes");
        const auto to = ranges_of(to_sizes, places_.to, rule_.to_sizes.empty() ? "sizes" : "to_sizes");
        if (!places_.order.is_directed && !rule_.to_sizes.empty())
            run_file::fail_at(where_, fmt::format("`links.{}` has `to_sizes`", name_), "its links have no direction",
                              "leave `to_sizes` out, or declare the links from<ROW>::to<ROW>");
        std::vector<LinkDrawing> drawings;
        for (std::size_t i = 0; i < from.size(); ++i)
            for (std::size_t j = places_.order.is_directed ? 0 : i; j < to.size(); ++j) {
                expect_symmetric(i, j);
                const auto pairs = pairs_of(from[i], to[j], i == j);
                const auto key = mix64(key_ + static_cast<std::uint64_t>(i * to.size() + j) + 1);
                if (rule_.counts.empty())
                    draw_block(pairs, *rule_.chances[i][j], key);
                else
                    drawings.push_back(drawing_of_block(pairs, i, j, key));
            }
        if (!rule_.counts.empty()) take(drawn_links(drawings, places_.order, pool_));
    }
    void draw_block(const PlacePairs& pairs, double chance, std::uint64_t key) {
        expect_room(static_cast<double>(made_.size()) + chance * static_cast<double>(pairs.count()));
        add_by_chance(made_, pairs, chance, key);
    }
    [[nodiscard]] LinkDrawing drawing_of_block(const PlacePairs& pairs, std::size_t i, std::size_t j, std::uint64_t key) {
        const auto& links = rule_.counts[i][j];
        drawn_of_blocks_ += static_cast<double>(*links);
        expect_room(drawn_of_blocks_);
        const LinkDrawing drawing{pairs, static_cast<std::int64_t>(*links), key};
        expect_pairs(drawing, links.where, fmt::format(" of range {} with range {}", i, j));
        return drawing;
    }
    void expect_symmetric(std::size_t i, std::size_t j) const {
        if (places_.order.is_directed) return;
        const bool is_other =
            rule_.counts.empty() ? *rule_.chances[i][j] != *rule_.chances[j][i] : *rule_.counts[i][j] != *rule_.counts[j][i];
        if (is_other)
            run_file::fail_at(rule_.counts.empty() ? rule_.chances[j][i].where : rule_.counts[j][i].where,
                              fmt::format("`links.{}` has two numbers for ranges {} and {}", name_, i, j), "its links have no direction",
                              "give the same in both lists");
    }
    // ---- by degrees

    // To how many places one can be joined, from either end, with one link each.
    [[nodiscard]] std::int64_t most_from_a_place() const { return places_.to - (has_loops_to_avoid() ? 1 : 0); }
    [[nodiscard]] std::int64_t most_to_a_place() const { return places_.from - (has_loops_to_avoid() ? 1 : 0); }
    [[nodiscard]] bool has_loops_to_avoid() const { return places_.are_one && !places_.order.loops; }
    // A loop without a direction is two ends of its place, so that there is no such limit.
    [[nodiscard]] bool is_limited() const { return !places_.order.parallel && (places_.order.is_directed || !places_.order.loops); }

    // Where there are links to more than half of all places, those that are missing are drawn instead. `draw` makes the first drawing.
    template<class Draw>
    void join(const std::vector<std::int64_t>& from, const std::vector<std::int64_t>& to, std::int64_t links, const Draw& draw) {
        if (is_limited() && links > pairs().count() / 2) {
            const auto rest = [](std::vector<std::int64_t> degrees, std::int64_t most) {
                for (auto& degree : degrees) degree = most - degree;
                return degrees;
            };
            const auto missing_from = rest(from, most_from_a_place()), missing_to = rest(to, most_to_a_place());
            const auto [missing, left_out] = with_exchanged_ends(
                places_.order.is_directed ? of_degrees(missing_from, missing_to, key_, pool_) : of_degrees(missing_from, key_, pool_),
                places_.order, key_, pool_);
            if (left_out == 0) {
                for_all_but(missing, pairs(), [&](const LinkEnds& ends) { add(ends.from, ends.to); });
                return take(std::move(made_));
            }
        }
        auto made = with_exchanged_ends(draw(), places_.order, key_, pool_);
        left_out_ = made.left_out;
        take(std::move(made.table));
    }

    // Each place has as many ends of links as its degree, and all ends are joined at random (the configuration model).
    void make_regular() {
        const auto degree = static_cast<std::int64_t>(**rule_.degree), ends = places_.from * degree;
        const auto links = places_.order.is_directed ? ends : ends / 2;
        expect_room(static_cast<double>(places_.from) * static_cast<double>(degree) / (places_.order.is_directed ? 1 : 2));
        if (is_limited() && degree > most_from_a_place())
            run_file::fail_at(rule_.degree->where, fmt::format("`links.{}` cannot be regular", name_),
                              fmt::format("its places can be joined to {} others, and `degree` is {}", most_from_a_place(), degree),
                              fmt::format("use {} at most, or set parallel = true", most_from_a_place()));
        if (!places_.order.is_directed && ends % 2 != 0)
            run_file::fail_at(rule_.degree->where, fmt::format("`links.{}` cannot be regular", name_),
                              fmt::format("{} places of {} links have an odd number of ends", places_.from, degree),
                              "use an even number of places or links");
        const auto places = places_.order.is_directed ? places_.to : places_.from;
        const std::vector<std::int64_t> from(static_cast<std::size_t>(places_.from), degree);
        join(from, places_.order.is_directed ? evenly(ends, places) : from, links, [&] {
            std::vector<std::int32_t> mixed(static_cast<std::size_t>(ends));
            pool_.run(ends, [&](std::int64_t first, std::int64_t last) {
                for (auto i = first; i < last; ++i) mixed[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(i % places);
            });
            mix_ends(mixed, key_, pool_);
            LinkTable drawn;
            add_links(drawn, links, pool_, [&](std::int64_t i) {
                const auto at = static_cast<std::size_t>(i);
                return places_.order.is_directed ? LinkEnds{i / degree, mixed[at]} : LinkEnds{mixed[2 * at], mixed[2 * at + 1]};
            });
            return drawn;
        });
    }

    // Of how many links each place is an end; all together fit.
    [[nodiscard]] std::vector<std::int64_t> degrees_of(const run_file::Located<std::string>& file, const std::string& places,
                                                       std::int64_t count, std::int64_t most) const {
        auto degrees = read_degrees(file, run_.resolve(*file).string(), places, count);
        double ends = 0;
        for (const auto degree : degrees) ends += static_cast<double>(degree);
        expect_room(places_.order.is_directed ? ends : ends / 2);
        const auto too_many = std::find_if(degrees.begin(), degrees.end(), [most](std::int64_t degree) { return degree > most; });
        if (is_limited() && too_many != degrees.end())
            run_file::fail_at(file.where, fmt::format("the places of `links.{}` cannot have these degrees", name_),
                              fmt::format("{} says {} for place {}, which can be joined to {} others", *file, *too_many,
                                          too_many - degrees.begin(), most),
                              fmt::format("use {} at most, or set parallel = true", most));
        return degrees;
    }
    void make_degrees() {
        if (!places_.order.is_directed && rule_.to_file)
            run_file::fail_at(rule_.to_file->where, fmt::format("`links.{}` has `to_file`", name_), "its links have no direction",
                              "leave `to_file` out, or declare the links from<ROW>::to<ROW>");
        const auto from = degrees_of(*rule_.file, places_.from_name, places_.from, most_from_a_place());
        const auto ends = std::accumulate(from.begin(), from.end(), std::int64_t{0});
        if (!places_.order.is_directed && ends % 2 != 0)
            run_file::fail_at(rule_.file->where, fmt::format("the places of `links.{}` cannot have these degrees", name_),
                              fmt::format("the numbers of {} add up to {}, and each link has two ends", **rule_.file, ends),
                              "give one of the places a link more, or one less");
        if (!places_.order.is_directed) return join(from, from, ends / 2, [&] { return of_degrees(from, key_, pool_); });
        auto to = evenly(ends, places_.to);
        if (rule_.to_file) to = degrees_of(*rule_.to_file, places_.to_name, places_.to, most_to_a_place());
        const auto led = std::accumulate(to.begin(), to.end(), std::int64_t{0});
        if (led != ends)
            run_file::fail_at(rule_.to_file->where, fmt::format("the places of `links.{}` cannot have these degrees", name_),
                              fmt::format("{} links begin by {}, and {} lead somewhere by {}", ends, **rule_.file, led, **rule_.to_file),
                              "let both add up to the same number");
        join(from, to, ends, [&] { return of_degrees(from, to, key_, pool_); });
    }
    static std::vector<std::int64_t> evenly(std::int64_t ends, std::int64_t places) {
        std::vector<std::int64_t> degrees(static_cast<std::size_t>(places), ends / places);
        for (std::int64_t i = 0; i < ends % places; ++i) ++degrees[static_cast<std::size_t>(i)];
        return degrees;
    }

    // ---- networks with names

    void make_small_world() {
        const auto after = links_of_ring("a small world");
        const auto most = places_.order.is_directed ? places_.from - 1 : (places_.from - 1) / 2 * 2;
        if (!places_.order.parallel && static_cast<std::int64_t>(**rule_.degree) > most)
            run_file::fail_at(rule_.degree->where, fmt::format("`links.{}` cannot be a small world of degree {}", name_, **rule_.degree),
                              fmt::format("a place can be joined to {} others", places_.from - 1), fmt::format("use {} at most", most));
        made_ = small_world({places_.from, after, **rule_.rewire, places_.order.is_directed, places_.order.parallel}, key_, pool_);
    }

    void make_preferential() {
        expect_one_collection("made by preference");
        expect_room(static_cast<double>(places_.from) * static_cast<double>(**rule_.degree));
        if (static_cast<std::int64_t>(**rule_.degree) >= places_.from)
            run_file::fail_at(rule_.degree->where,
                              fmt::format("no place of `links.{}` can bring {} links to others before it", name_, **rule_.degree),
                              fmt::format("there are {} places", places_.from), "use a smaller degree");
        made_ = preferential(places_.from, static_cast<std::int64_t>(**rule_.degree), key_, pool_);
    }

    void make_grid() {
        expect_one_collection("a grid");
        std::array<std::int64_t, 3> size = places_.size.value_or(std::array<std::int64_t, 3>{places_.from, 1, 1});
        if (rule_.size.empty() && !places_.size)
            run_file::fail_at(where_, fmt::format("`links.{}` has no `size`", name_), "its places have numbers and no shape",
                              "give the extents of the grid, as in size = [30, 20]");
        if (!rule_.size.empty()) size = {1, 1, 1};
        double places = 1;
        for (std::size_t axis = 0; axis < rule_.size.size(); ++axis) {
            size[axis] = static_cast<std::int64_t>(*rule_.size[axis]);
            places *= static_cast<double>(size[axis]);
        }
        if (!rule_.size.empty() && places != static_cast<double>(places_.from))
            run_file::fail_at(rule_.size.front().where, fmt::format("the grid of `links.{}` has {:.0f} places", name_, places),
                              fmt::format("there are {}", places_.from), "let the product of the extents be that");
        expect_room((places_.order.is_directed ? 6.0 : 3.0) * static_cast<double>(places_.from));
        made_ = linked_grid(size, rule_.torus && **rule_.torus, places_.order.is_directed);
    }

    void take(LinkTable made) {
        made_ = std::move(made);
        is_sorted_ = true;
    }

    const LinkRule& rule_;
    const run_file::Where& where_;
    const LinkedPlaces& places_;
    const std::string& name_;
    const run_file::RunFile& run_;
    std::uint64_t key_;
    ThreadPool& pool_;
    LinkTable made_;
    bool is_sorted_ = false;    // in the order of a run, without those that are left out
    std::int64_t left_out_ = 0; // links that the rule asks for and that cannot be
    double drawn_of_blocks_ = 0;
};

} // namespace

MadeLinks made_links(const run_file::Located<LinkRule>& rule, const LinkedPlaces& places, const std::string& name,
                     const run_file::RunFile& run, ThreadPool& pool) {
    return LinkMaker(rule, places, name, run, pool).make();
}

} // namespace tessera
