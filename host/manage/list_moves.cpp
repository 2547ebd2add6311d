#include "host/manage/list_moves.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

namespace tessera {
namespace {

constexpr int stayed = 0, moved = 1, refused = 2; // move_result of kernels/agents/collection.hpp

// Whether any child is wanted, for which places need room.
bool has_requests(const ListLaunch& launch) {
    const auto& sources = launch.plan().sources;
    return std::any_of(sources.begin(), sources.end(),
                       [&](const ListSource& source) { return *launch.column<const std::int32_t>(source.log) > 0; });
}

// Of a launch. Columns are in pointers of their own, which a store to a code, a byte, does not reload.
template<class Code, class Count> class Moves {
public:
    Moves(const ListLaunch& launch, const Neighbours& beside, ListScratch& scratch)
        : launch_(launch), plan_(launch.plan()), beside_(beside), scratch_(scratch), codes_(codes_of(plan_)),
          code_(launch.column<Code>(plan_.code)), place_(launch.column<std::int32_t>(plan_.place)),
          target_(launch.column<std::int32_t>(plan_.target)), count_(launch.column<Count>(plan_.count)) {}

    void make() {
        const auto population = static_cast<std::size_t>(launch_.population());
        if (auto* const told = launch_.column<std::uint32_t>(plan_.refused)) std::fill_n(told, population, std::uint32_t{0});
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
        auto* __restrict const dying = scratch_.dying.room_for(static_cast<std::size_t>(population));
        auto* __restrict const movers = scratch_.movers.room_for(static_cast<std::size_t>(population));
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
        scratch_.dying.keep(dead);
        scratch_.movers.keep(going);
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
        auto* __restrict const target = target_;
        const auto* __restrict const place = place_;
        const auto* __restrict const codes = code_;
        const auto& beside = beside_.of();
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
        movers.keep(static_cast<std::size_t>(std::remove_if(movers.begin(), movers.end(), is_refused) - movers.begin()));
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
    const Neighbours& beside_;
    ListScratch& scratch_;
    ListCodes codes_;
    Code* code_;
    const std::int32_t* place_;
    std::int32_t* target_;
    Count* count_;
};

} // namespace

void find_targets(const ListLaunch& launch, const Neighbours& beside, ListScratch& scratch) {
    launch.plan().with_type_of_counts([&](auto count) {
        using Count = decltype(count);
        if (launch.plan().code.bytes == 1)
            Moves<std::uint8_t, Count>(launch, beside, scratch).make();
        else
            Moves<std::uint16_t, Count>(launch, beside, scratch).make();
    });
}

} // namespace tessera
