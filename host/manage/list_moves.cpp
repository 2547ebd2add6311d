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
    // Several codes side by side, those beyond the last one asking nothing; as a number, whose lowest bits are the first code's.
    using Lanes __attribute__((vector_size(sizeof(std::uint64_t)))) = Code;
    static constexpr std::int32_t together = sizeof(Lanes) / sizeof(Code);
    template<class To, class From> [[nodiscard]] static To as(const From& from) noexcept {
        static_assert(sizeof(To) == sizeof(From));
        To to{};
        std::memcpy(&to, &from, sizeof(to));
        return to;
    }

    // As many codes as there are.
    static void copy(void* to, const void* from, std::int32_t codes) noexcept {
        if (codes >= together)
            std::memcpy(to, from, sizeof(Lanes));
        else
            std::memcpy(to, from, static_cast<std::size_t>(codes) * sizeof(Code));
    }

    // Who dies, and who wants to go. What became of earlier requests is forgotten. Often nobody asks for anything, or all go.
    void sort_out() {
        constexpr int bits = 8 * sizeof(Code);
        const auto population = launch_.population();
        const auto first_dying = static_cast<Code>(codes_.first_dying()), first_going = static_cast<Code>(codes_.first_going());
        const Lanes nothing = Lanes{} + code(stayed);
        Code* __restrict const codes = code_;
        auto* __restrict const dying = scratch_.dying.room_for(static_cast<std::size_t>(population) + together);
        auto* __restrict const movers = scratch_.movers.room_for(static_cast<std::size_t>(population) + together);
        std::size_t dead = 0, going = 0;
        for (std::int32_t from = 0; from < population; from += together) {
            Code* const here_at = codes + from;
            Lanes here = nothing;
            copy(&here, here_at, population - from);
            if (as<std::uint64_t>(here) == as<std::uint64_t>(nothing)) continue;
            const auto asks = as<std::uint64_t>(here >= first_dying);
            auto goes = as<std::uint64_t>(here >= first_going);
            if (~goes == 0) {
                for (std::int32_t c = 0; c < together; ++c) movers[going + static_cast<std::size_t>(c)] = from + c;
                going += together;
                continue;
            }
            here = as<Lanes>((as<std::uint64_t>(here) & asks) | (as<std::uint64_t>(nothing) & ~asks));
            copy(here_at, &here, population - from);
            auto dies = asks & ~goes;
            for (std::int32_t c = 0; c < together; ++c, dies >>= bits, goes >>= bits) {
                dying[dead] = movers[going] = from + c;
                dead += dies & 1;
                going += goes & 1;
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
    // Finds the targets; and whether any is beyond an edge.
    template<int Dimensions> [[nodiscard]] bool lead_beyond() {
        auto* __restrict const target = target_;
        const auto* __restrict const place = place_;
        const auto* __restrict const codes = code_;
        std::int32_t least = 0;
        for (const auto i : scratch_.movers) {
            const auto to = beside_.beside<Dimensions>(place[i], codes[i]);
            target[i] = to;
            least = std::min(least, to);
        }
        return least < 0;
    }
    void find_neighbours() {
        if (!(plan_.dimensions == 3 ? lead_beyond<3>() : lead_beyond<2>())) return;
        for (const auto i : scratch_.movers)
            if (target_[i] < 0) refuse(i);
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
            const auto to = target[i];
            auto& here = arriving[to];
            here = static_cast<Count>(here + (sizeof(Count) > 1 || here < 255 ? 1 : 0));
            is_crowded |= here + count[to] > most;
        }
        if (is_crowded) find_rivals(arriving);
        if (const auto places = static_cast<std::size_t>(plan_.places()); scratch_.movers.size() * 8 > places)
            std::fill_n(arriving, places, Count{0});
        else
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
        Code* __restrict const codes = code_;
        for (const auto i : scratch_.movers) codes[i] = done;
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
