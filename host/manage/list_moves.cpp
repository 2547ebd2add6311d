#include "host/manage/list_moves.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

namespace tessera {
namespace {

// Codes as kernels/agents/collection.hpp has them, with or without results.
struct Codes {
    int results;

    [[nodiscard]] int of(int action, int result) const noexcept { return 1 + (results == 3 ? result : 0) + results * action; }
    [[nodiscard]] int first_dying() const noexcept { return of(1, 0); }
    [[nodiscard]] int first_going() const noexcept { return of(2, 0); }
    [[nodiscard]] int end(std::size_t offsets) const noexcept { return of(2 + static_cast<int>(offsets), 0); }
};
constexpr int stayed = 0, moved = 1, refused = 2; // move_result of kernels/agents/collection.hpp

__extension__ using Wide = unsigned __int128;

// Divides numbers below 2^32 (Lemire, Kaser and Kurz, "Faster remainder by direct computation", 2019).
class Divider {
public:
    explicit Divider(std::int64_t by) : factor_(by == 1 ? 0 : ~std::uint64_t{0} / static_cast<std::uint64_t>(by) + 1) {}
    [[nodiscard]] std::int32_t operator()(std::int32_t n) const noexcept {
        if (factor_ == 0) return n;
        return static_cast<std::int32_t>(static_cast<Wide>(factor_) * static_cast<std::uint32_t>(n) >> 64);
    }

private:
    std::uint64_t factor_;
};

// The places to which codes lead.
class Neighbours {
public:
    Neighbours(const ListPlan& plan, const Codes& codes)
        : plan_(plan), nx_(static_cast<std::int32_t>(plan.size[0])), ny_(static_cast<std::int32_t>(plan.size[1])), by_nx_(nx_),
          by_ny_(ny_) {
        for (const auto& o : plan.offsets) {
            const int along[] = {o.x, o.y, o.z};
            for (std::size_t axis = 0; axis < 3; ++axis) reach_[axis] = std::max({reach_[axis], along[axis], -along[axis]});
        }
        ways_.resize(static_cast<std::size_t>(codes.end(plan.offsets.size())));
        for (auto code = static_cast<std::size_t>(codes.first_going()); code < ways_.size(); ++code) {
            const auto& o = plan.offsets[(code - static_cast<std::size_t>(codes.first_going())) / static_cast<std::size_t>(codes.results)];
            ways_[code] = {o, o.x + nx_ * (o.y + ny_ * o.z)};
        }
        for (std::size_t axis = 0; axis < 3; ++axis)
            if (static_cast<int>(axis) < plan.dimensions) inner_[axis] = static_cast<std::int32_t>(plan.size[axis]) - 2 * reach_[axis];
    }

    // -1: beyond an edge.
    [[nodiscard]] std::int32_t operator()(std::int32_t place, std::size_t code) const noexcept {
        const auto line = by_nx_(place), x = place - line * nx_;
        const auto z = plan_.dimensions == 3 ? by_ny_(line) : 0, y = line - z * ny_;
        if (is_away(x, 0) && is_away(y, 1) && is_away(z, 2)) return place + ways_[code].distance;
        const auto& by = ways_[code].offset;
        const auto tx = along(0, x, by.x), ty = along(1, y, by.y), tz = along(2, z, by.z);
        return tx < 0 || ty < 0 || tz < 0 ? -1 : (tz * ny_ + ty) * nx_ + tx;
    }

private:
    struct Way {
        ListOffset offset;
        std::int32_t distance;
    };
    static constexpr std::int32_t everywhere = std::numeric_limits<std::int32_t>::max();

    [[nodiscard]] bool is_away(std::int32_t i, std::size_t axis) const noexcept {
        return inner_[axis] > 0 && static_cast<std::uint32_t>(i - reach_[axis]) < static_cast<std::uint32_t>(inner_[axis]);
    }
    [[nodiscard]] std::int32_t along(std::size_t axis, std::int32_t i, int by) const noexcept {
        if (static_cast<int>(axis) >= plan_.dimensions) return i;
        const auto n = static_cast<std::int32_t>(plan_.size[axis]);
        const auto to = i + by;
        if (to >= 0 && to < n) return to;
        return plan_.rule[axis] == boundary::torus ? static_cast<std::int32_t>(source_of(to, n, boundary::torus)) : -1;
    }

    const ListPlan& plan_;
    std::int32_t nx_, ny_;
    Divider by_nx_, by_ny_;
    std::array<int, 3> reach_{};
    std::array<std::int32_t, 3> inner_{everywhere, everywhere, everywhere}; // how many coordinates are away from the edges
    std::vector<Way> ways_;                                                 // by code
};

// Whether any child is wanted, for which places need room.
bool has_requests(const ListLaunch& launch) {
    const auto& sources = launch.plan().sources;
    return std::any_of(sources.begin(), sources.end(),
                       [&](const ListSource& source) { return *launch.column<const std::int32_t>(source.log) > 0; });
}

// Of a launch. Columns are in pointers of their own, which a store to a code, a byte, does not reload.
template<class Code, class Count> class Moves {
public:
    Moves(const ListLaunch& launch, ListScratch& scratch)
        : launch_(launch), plan_(launch.plan()), scratch_(scratch), codes_{plan_.keeps_results ? 3 : 1},
          code_(launch.column<Code>(plan_.code)), place_(launch.column<std::int32_t>(plan_.place)),
          target_(launch.column<std::int32_t>(plan_.target)), count_(launch.column<Count>(plan_.count)) {}

    void make() {
        const auto population = static_cast<std::size_t>(launch_.population());
        if (auto* const told = launch_.column<std::uint32_t>(plan_.refused)) std::fill_n(told, population, std::uint32_t{0});
        scratch_.dying.resize(std::max(population, scratch_.dying.size()));
        scratch_.movers.resize(std::max(population, scratch_.movers.size()));
        sort_out();
        bury();
        if (plan_.goal.argument >= 0)
            take_goals();
        else
            find_neighbours();
        if (plan_.most_on_place > 0 && !scratch_.movers.empty()) refuse_some();
        move();
    }

private:
    // Who dies, and who wants to go. What became of earlier requests is forgotten. Many ask nothing: those are passed by several at a time.
    void sort_out() {
        const int first_dying = codes_.first_dying(), first_going = codes_.first_going();
        const auto nothing = code(stayed);
        const auto population = launch_.population();
        constexpr std::int32_t together = sizeof(std::uint64_t) / sizeof(Code);
        std::uint64_t nobody_asks = 0, codes_here = 0;
        for (std::int32_t c = 0; c < together; ++c) nobody_asks = nobody_asks << 8 * sizeof(Code) | nothing;
        Code* __restrict const codes = code_;
        auto* __restrict const dying = scratch_.dying.data(), * __restrict const movers = scratch_.movers.data();
        std::size_t dead = 0, going = 0;
        for (std::int32_t from = 0; from < population; from += together) {
            if (from + together <= population) {
                std::memcpy(&codes_here, codes + from, sizeof(codes_here));
                if (codes_here == nobody_asks) continue;
            }
            for (std::int32_t i = from; i < std::min(from + together, population); ++i) {
                const Code now = codes[i];
                dying[dead] = movers[going] = i;
                dead += now >= first_dying && now < first_going ? 1 : 0;
                going += now >= first_going ? 1 : 0;
                codes[i] = now < first_dying ? nothing : now;
            }
        }
        scratch_.dying.resize(dead);
        scratch_.movers.resize(going);
    }

    // The dead leave their places at once: those have room for others then.
    void bury() {
        for (const auto i : scratch_.dying) --count_[place_[i]];
        launch_.counters().died += scratch_.dying.size();
    }

    void refuse(std::int32_t agent) {
        code_[agent] = code(refused);
        ++launch_.counters().refused_moves;
    }

    void take_goals() {
        const auto* const goal = launch_.column<const std::int32_t>(plan_.goal);
        for (const auto i : scratch_.movers)
            if (goal[i] < 0)
                refuse(i);
            else
                target_[i] = goal[i];
        forget_refused();
    }
    void find_neighbours() {
        const Neighbours beside(plan_, codes_);
        auto* __restrict const target = target_;
        const auto* __restrict const place = place_;
        const auto* __restrict const codes = code_;
        bool beyond = false;
        for (const auto i : scratch_.movers) {
            target[i] = beside(place[i], codes[i]);
            beyond |= target[i] < 0;
        }
        if (!beyond) return;
        for (const auto i : scratch_.movers)
            if (target[i] < 0) refuse(i);
        forget_refused();
    }
    void forget_refused() {
        const auto is_refused = [&](std::int32_t agent) { return code_[agent] < codes_.first_going(); };
        auto& movers = scratch_.movers;
        movers.erase(std::remove_if(movers.begin(), movers.end(), is_refused), movers.end());
    }

    // How many want to come to a place, where counts are bytes no further than these go.
    [[nodiscard]] Count* arrivals() {
        const auto places = static_cast<std::size_t>(plan_.places());
        if constexpr (sizeof(Count) == 1) {
            scratch_.few_arrivals.resize(places);
            return scratch_.few_arrivals.data();
        } else {
            scratch_.arrivals.resize(places);
            return scratch_.arrivals.data();
        }
    }
    // Those who want to go to places that have no room for all: of each the first ones by priority go.
    void refuse_some() {
        auto* __restrict const arriving = arrivals();
        const auto* __restrict const target = target_;
        const auto* __restrict const count = count_;
        const int most = plan_.most_on_place;
        bool is_crowded = false;
        for (const auto i : scratch_.movers) {
            auto& here = arriving[target[i]];
            if (sizeof(Count) > 1 || here < 255) ++here;
            is_crowded |= here + count[target[i]] > most;
        }
        if (is_crowded) find_rivals(arriving);
        for (const auto i : scratch_.movers) arriving[target[i]] = 0;
        if (is_crowded) refuse_last();
    }
    void find_rivals(const Count* arriving) {
        scratch_.rivals.clear();
        const auto* const ids = launch_.column<const std::uint64_t>(plan_.id);
        for (const auto i : scratch_.movers)
            if (const auto to = target_[i]; arriving[to] + count_[to] > plan_.most_on_place)
                scratch_.rivals.push_back({to, i, launch_.priority(ids[i])});
    }
    void refuse_last() {
        auto& rivals = scratch_.rivals;
        std::sort(rivals.begin(), rivals.end(),
                  [](const ListRival& a, const ListRival& b) { return a.place != b.place ? a.place < b.place : a.priority < b.priority; });
        for (std::size_t first = 0, r = 0; r < rivals.size(); ++r) {
            if (rivals[r].place != rivals[first].place) first = r;
            if (static_cast<std::int64_t>(r - first) >= plan_.most_on_place - count_[rivals[r].place]) refuse(rivals[r].agent);
        }
        forget_refused();
    }

    void move() {
        const auto done = code(moved);
        for (const auto i : scratch_.movers) code_[i] = done;
        if (has_requests(launch_)) // else settle_list counts anew
            for (const auto i : scratch_.movers) {
                --count_[place_[i]];
                ++count_[target_[i]];
            }
        launch_.counters().moved += scratch_.movers.size();
    }

    [[nodiscard]] Code code(int result) const noexcept { return static_cast<Code>(codes_.of(0, result)); }

    const ListLaunch& launch_;
    const ListPlan& plan_;
    ListScratch& scratch_;
    Codes codes_;
    Code* code_;
    const std::int32_t* place_;
    std::int32_t* target_;
    Count* count_;
};

} // namespace

void find_targets(const ListLaunch& launch, ListScratch& scratch) {
    launch.plan().with_type_of_counts([&](auto count) {
        using Count = decltype(count);
        if (launch.plan().code.bytes == 1)
            Moves<std::uint8_t, Count>(launch, scratch).make();
        else
            Moves<std::uint16_t, Count>(launch, scratch).make();
    });
}

} // namespace tessera
