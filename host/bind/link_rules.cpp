#include "host/bind/link_rules.hpp"

#include "host/bind/add_links.hpp"
#include "host/bind/link_networks.hpp"
#include "host/bind/read_degrees.hpp"

#include <tessera/detail/name_hash.hpp>
#include <tessera/random.hpp>

#include <fmt/format.h>

#include <cmath>
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

    LinkTable make() {
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
        return std::move(made_);
    }

private:
    void expect_room(double links) const {
        if ((places_.is_directed ? 1 : 2) * links > most_links)
            run_file::fail_at(where_, fmt::format("`links.{}` would have about {:.3g} links", name_, links),
                              "a collection has fewer than 2^31, and fewer than 2^30 between places of one row", "make it sparser");
    }
    void add(std::int64_t from, std::int64_t to) {
        made_.from.push_back(static_cast<std::int32_t>(from));
        made_.to.push_back(static_cast<std::int32_t>(to));
    }
    // Pairs that can be joined, and which pair is number `i` of them.
    [[nodiscard]] std::int64_t pairs() const {
        return places_.is_directed ? places_.from * places_.to : places_.from * (places_.from - 1) / 2;
    }
    void add_pair(std::int64_t i) {
        if (places_.is_directed) return add(i / places_.to, i % places_.to);
        auto high = static_cast<std::int64_t>((1 + std::sqrt(1 + 8 * static_cast<double>(i))) / 2);
        while (high * (high - 1) / 2 > i) --high;
        while (high * (high + 1) / 2 <= i) ++high;
        add(i - high * (high - 1) / 2, high);
    }

    void make_complete() {
        expect_room(static_cast<double>(pairs()));
        for (std::int64_t i = 0; i < pairs(); ++i) add_pair(i);
    }

    void expect_one_collection(const char* network) const {
        if (!places_.are_one)
            run_file::fail_at(where_, fmt::format("`links.{}` cannot be {}", name_, network), "its links join two collections of places",
                              "use another rule");
    }
    // With how many after it a place of a ring is joined.
    [[nodiscard]] std::int64_t links_of_ring(const char* network) const {
        expect_one_collection(network);
        const auto degree = static_cast<std::int64_t>(**rule_.degree), after = places_.is_directed ? degree : degree / 2;
        if (!places_.is_directed && degree % 2 != 0)
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
        add_links(made_, static_cast<std::int64_t>(**rule_.links), pool_, [&](std::int64_t i) {
            random_stream stream(key_, static_cast<std::uint64_t>(i), 0);
            const auto from = static_cast<std::int64_t>(stream.below(static_cast<std::uint32_t>(places_.from)));
            return LinkEnds{from, static_cast<std::int64_t>(stream.below(static_cast<std::uint32_t>(places_.to)))};
        });
    }

    // Each pair with the same probability: how many are passed over until the next is drawn.
    void draw_pairs(double chance) {
        expect_room(chance * static_cast<double>(pairs()));
        if (chance <= 0) return;
        if (chance >= 1) return make_complete();
        const double of_none = log(1 - chance);
        std::int64_t pair = -1;
        for (std::uint64_t i = 0;; ++i) {
            random_stream stream(key_, i, 0);
            const double passed = floor(log(1 - stream.uniform64()) / of_none);
            if (passed >= static_cast<double>(pairs() - pair)) return;
            pair += 1 + static_cast<std::int64_t>(passed);
            if (pair >= pairs()) return;
            add_pair(pair);
        }
    }

    // ---- between ranges of places

    struct Range {
        std::int64_t first = 0, count = 0;
    };
    [[nodiscard]] std::vector<Range> ranges_of(const std::vector<run_file::Located<std::uint64_t>>& sizes, std::int64_t places,
                                               const char* key) const {
        std::vector<Range> ranges;
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
        if (!places_.is_directed && !rule_.to_sizes.empty())
            run_file::fail_at(where_, fmt::format("`links.{}` has `to_sizes`", name_), "its links have no direction",
                              "leave `to_sizes` out, or declare the links from<ROW>::to<ROW>");
        for (std::size_t i = 0; i < from.size(); ++i)
            for (std::size_t j = places_.is_directed ? 0 : i; j < to.size(); ++j) {
                expect_symmetric(i, j);
                const auto block = static_cast<std::uint64_t>(i * to.size() + j);
                if (rule_.counts.empty())
                    draw_block(from[i], to[j], i == j, *rule_.chances[i][j], block);
                else
                    draw_of_block(from[i], to[j], *rule_.counts[i][j], block);
            }
    }
    void expect_symmetric(std::size_t i, std::size_t j) const {
        if (places_.is_directed) return;
        const bool is_other =
            rule_.counts.empty() ? *rule_.chances[i][j] != *rule_.chances[j][i] : *rule_.counts[i][j] != *rule_.counts[j][i];
        if (is_other)
            run_file::fail_at(rule_.counts.empty() ? rule_.chances[j][i].where : rule_.counts[j][i].where,
                              fmt::format("`links.{}` has two numbers for ranges {} and {}", name_, i, j), "its links have no direction",
                              "give the same in both lists");
    }
    [[nodiscard]] random_stream stream_of_block(std::uint64_t block, std::uint64_t i) const {
        return random_stream(mix64(key_ + block + 1), i, 0);
    }
    void draw_of_block(const Range& from, const Range& to, std::uint64_t links, std::uint64_t block) {
        expect_room(static_cast<double>(made_.from.size()) + static_cast<double>(links));
        add_links(made_, static_cast<std::int64_t>(links), pool_, [&](std::int64_t i) {
            auto stream = stream_of_block(block, static_cast<std::uint64_t>(i));
            const auto source = from.first + static_cast<std::int64_t>(stream.below(static_cast<std::uint32_t>(from.count)));
            return LinkEnds{source, to.first + static_cast<std::int64_t>(stream.below(static_cast<std::uint32_t>(to.count)))};
        });
    }
    // As draw_pairs; of a range with itself, where links have no direction, each two once.
    void draw_block(const Range& from, const Range& to, bool is_one, double chance, std::uint64_t block) {
        const bool halved = is_one && !places_.is_directed;
        const auto pairs = halved ? from.count * (from.count - 1) / 2 : from.count * to.count;
        expect_room(static_cast<double>(made_.from.size()) + chance * static_cast<double>(pairs));
        if (chance <= 0) return;
        const double of_none = chance < 1 ? log(1 - chance) : 0.0;
        std::int64_t pair = -1;
        for (std::uint64_t i = 0;; ++i) {
            double passed = 0;
            if (chance < 1) {
                auto stream = stream_of_block(block, i);
                passed = floor(log(1 - stream.uniform64()) / of_none);
            }
            if (passed >= static_cast<double>(pairs - pair)) return;
            pair += 1 + static_cast<std::int64_t>(passed);
            if (pair >= pairs) return;
            const auto before = made_.from.size();
            if (halved)
                add_pair(pair);
            else
                add(pair / to.count, pair % to.count);
            made_.from[before] += static_cast<std::int32_t>(from.first);
            made_.to[before] += static_cast<std::int32_t>(to.first);
        }
    }

    // Each place has as many ends of links as its degree, and all ends are joined at random (the configuration model).
    void make_regular() {
        const auto degree = static_cast<std::int64_t>(**rule_.degree), ends = places_.from * degree;
        const auto links = places_.is_directed ? ends : ends / 2;
        expect_room(static_cast<double>(places_.from) * static_cast<double>(degree) / (places_.is_directed ? 1 : 2));
        if (!places_.is_directed && ends % 2 != 0)
            run_file::fail_at(rule_.degree->where, fmt::format("`links.{}` cannot be regular", name_),
                              fmt::format("{} places of {} links have an odd number of ends", places_.from, degree),
                              "use an even number of places or links");
        std::vector<std::int32_t> mixed(static_cast<std::size_t>(ends));
        const auto places = places_.is_directed ? places_.to : places_.from;
        pool_.run(ends, [&](std::int64_t first, std::int64_t last) {
            for (auto i = first; i < last; ++i) mixed[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(i % places);
        });
        mix_ends(mixed, key_, pool_);
        add_links(made_, links, pool_, [&](std::int64_t i) {
            const auto at = static_cast<std::size_t>(i);
            return places_.is_directed ? LinkEnds{i / degree, mixed[at]} : LinkEnds{mixed[2 * at], mixed[2 * at + 1]};
        });
    }

    void make_small_world() {
        const auto after = links_of_ring("a small world");
        made_ = small_world(places_.from, after, **rule_.rewire, key_, pool_);
    }

    void make_preferential() {
        expect_one_collection("made by preference");
        expect_room(static_cast<double>(places_.from) * static_cast<double>(**rule_.degree));
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
        expect_room((places_.is_directed ? 6.0 : 3.0) * static_cast<double>(places_.from));
        made_ = linked_grid(size, rule_.torus && **rule_.torus, places_.is_directed);
    }

    // Of how many links each place is an end; all together fit.
    [[nodiscard]] std::vector<std::int64_t> degrees_of(const run_file::Located<std::string>& file, const std::string& places,
                                                       std::int64_t count) const {
        auto degrees = read_degrees(file, run_.resolve(*file).string(), places, count);
        double ends = 0;
        for (const auto degree : degrees) ends += static_cast<double>(degree);
        expect_room(places_.is_directed ? ends : ends / 2);
        return degrees;
    }
    void make_degrees() {
        if (!places_.is_directed && rule_.to_file)
            run_file::fail_at(rule_.to_file->where, fmt::format("`links.{}` has `to_file`", name_), "its links have no direction",
                              "leave `to_file` out, or declare the links from<ROW>::to<ROW>");
        const auto from = degrees_of(*rule_.file, places_.from_name, places_.from);
        const auto ends = std::accumulate(from.begin(), from.end(), std::int64_t{0});
        if (!places_.is_directed && ends % 2 != 0)
            run_file::fail_at(rule_.file->where, fmt::format("the places of `links.{}` cannot have these degrees", name_),
                              fmt::format("the numbers of {} add up to {}, and each link has two ends", **rule_.file, ends),
                              "give one of the places a link more, or one less");
        if (!places_.is_directed) {
            made_ = of_degrees(from, key_, pool_);
            return;
        }
        auto to = evenly(ends, places_.to);
        if (rule_.to_file) to = degrees_of(*rule_.to_file, places_.to_name, places_.to);
        const auto led = std::accumulate(to.begin(), to.end(), std::int64_t{0});
        if (led != ends)
            run_file::fail_at(rule_.to_file->where, fmt::format("the places of `links.{}` cannot have these degrees", name_),
                              fmt::format("{} links begin by {}, and {} lead somewhere by {}", ends, **rule_.file, led, **rule_.to_file),
                              "let both add up to the same number");
        made_ = of_degrees(from, to, key_, pool_);
    }
    static std::vector<std::int64_t> evenly(std::int64_t ends, std::int64_t places) {
        std::vector<std::int64_t> degrees(static_cast<std::size_t>(places), ends / places);
        for (std::int64_t i = 0; i < ends % places; ++i) ++degrees[static_cast<std::size_t>(i)];
        return degrees;
    }

    const LinkRule& rule_;
    const run_file::Where& where_;
    const LinkedPlaces& places_;
    const std::string& name_;
    const run_file::RunFile& run_;
    std::uint64_t key_;
    ThreadPool& pool_;
    LinkTable made_;
};

} // namespace

LinkTable made_links(const run_file::Located<LinkRule>& rule, const LinkedPlaces& places, const std::string& name,
                     const run_file::RunFile& run, ThreadPool& pool) {
    return LinkMaker(rule, places, name, run, pool).make();
}

} // namespace tessera
