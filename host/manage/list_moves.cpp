#include "host/manage/list_moves.hpp"

#include "host/manage/in_pieces.hpp"
#include "host/manage/list_codes.hpp"
#include "host/manage/list_walks.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <iterator>
#include <span>

namespace tessera {
namespace {

// Where children are wanted.
void find_wanted(const ListLaunch& launch, PlaceSet& wanted) {
    const auto& plan = launch.plan();
    wanted.make_room_for(plan.places());
    for (const auto& source : plan.sources) {
        const auto* const log = launch.column<const std::int32_t>(source.log);
        const auto* const codes = launch.column<const std::int32_t>(source.request);
        for (std::int32_t i = 0; i < log[0]; ++i)
            if (const auto code = codes[request_cell(plan, source, source.request, asked_by(source, log[1 + i]))]; code > 0)
                wanted.put(code - 1);
    }
}

// Of a launch. Columns are in pointers of their own, which a store to a code, a byte, does not reload.
template<class Code, class Count> class Moves {
public:
    Moves(const ListLaunch& launch, ListScratch& scratch, ThreadPool& team)
        : launch_(launch), plan_(launch.plan()), scratch_(scratch), team_(team), codes_(codes_of(plan_)),
          code_(launch.column<Code>(plan_.code)), place_(launch.column<std::int32_t>(plan_.place)),
          target_(launch.column<std::int32_t>(plan_.target)), count_(launch.column<Count>(plan_.count)) {}

    void make() {
        sort_out();
        bury();
        if (plan_.goal.argument >= 0) take_goals();
        refuse_beyond_edges();
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

    // Who dies, and who wants to go.
    void sort_out() {
        const auto population = launch_.population();
        const auto room = static_cast<std::size_t>(population) + together;
        auto *const dying = scratch_.dying.room_for(room), *const movers = scratch_.movers.room_for(room);
        if (pays_for_two(team_, population)) return sort_out_by_pieces(dying, movers);
        const auto found = sort_out(0, population, dying, movers);
        scratch_.dying.keep(found.dying);
        scratch_.movers.keep(found.going);
    }
    // Each piece notes its own from where it begins; then the notes are moved together.
    void sort_out_by_pieces(std::int32_t* dying, std::int32_t* movers) {
        const auto population = launch_.population();
        auto& pieces = scratch_.shares.pieces;
        pieces.resize(static_cast<std::size_t>(team_.threads()));
        std::atomic<std::size_t> count = 0;
        team_.run(population, [&](std::int64_t begin, std::int64_t end) {
            const auto whole = [&](std::int64_t i) { return static_cast<std::int32_t>(i == population ? i : i - i % together); };
            const auto first = whole(begin);
            pieces[count++] = sort_out(first, whole(end), dying + first, movers + first);
        });
        pieces.resize(count);
        std::sort(pieces.begin(), pieces.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
        auto *last_dying = dying, *last_mover = movers;
        for (const auto& piece : pieces) {
            last_dying = std::copy_n(dying + piece.first, piece.dying, last_dying);
            last_mover = std::copy_n(movers + piece.first, piece.going, last_mover);
        }
        scratch_.dying.keep(static_cast<std::size_t>(last_dying - dying));
        scratch_.movers.keep(static_cast<std::size_t>(last_mover - movers));
    }
    // Of a part of the list. What became of earlier requests is forgotten. Often nobody asks for anything, or all go.
    ListShares::Piece sort_out(std::int32_t first, std::int32_t end, std::int32_t* __restrict dying, std::int32_t* __restrict movers) {
        constexpr int bits = 8 * sizeof(Code);
        const auto first_dying = static_cast<Code>(codes_.first_dying()), first_going = static_cast<Code>(codes_.first_going());
        const Lanes nothing = Lanes{} + code(stayed);
        Code* __restrict const codes = code_;
        std::size_t dead = 0, going = 0;
        for (std::int32_t from = first; from < end; from += together) {
            Code* const here_at = codes + from;
            Lanes here = nothing;
            copy(&here, here_at, end - from);
            if (as<std::uint64_t>(here) == as<std::uint64_t>(nothing)) continue;
            const auto asks = as<std::uint64_t>(here >= first_dying);
            auto goes = as<std::uint64_t>(here >= first_going);
            if (~goes == 0) {
                for (std::int32_t c = 0; c < together; ++c) movers[going + static_cast<std::size_t>(c)] = from + c;
                going += together;
                continue;
            }
            here = as<Lanes>((as<std::uint64_t>(here) & asks) | (as<std::uint64_t>(nothing) & ~asks));
            copy(here_at, &here, end - from);
            auto dies = asks & ~goes;
            for (std::int32_t c = 0; c < together; ++c, dies >>= bits, goes >>= bits) {
                dying[dead] = movers[going] = from + c;
                dead += dies & 1;
                going += goes & 1;
            }
        }
        return {first, dead, going};
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
        for (const auto i : scratch_.movers) target_[i] = goal[i];
    }
    void refuse_beyond_edges() {
        const auto axes = plan_.rule.begin() + plan_.dimensions;
        const bool is_round = std::all_of(plan_.rule.begin(), axes, [](boundary rule) { return rule == boundary::torus; });
        if (is_round && plan_.goal.argument < 0) return;
        bool beyond = false;
        for (const auto i : scratch_.movers) {
            if (target_[i] >= 0) continue;
            refuse(i);
            beyond = true;
        }
        if (beyond) forget_refused();
    }
    // `body(movers)` for pieces of those who go, side by side.
    template<class Body> void for_movers(const Body& body) {
        const auto* const movers = scratch_.movers.begin();
        in_pieces(team_, std::ssize(scratch_.movers),
                  [&](std::int64_t begin, std::int64_t end) { body(std::span(movers + begin, static_cast<std::size_t>(end - begin))); });
    }
    void forget_refused() {
        const auto is_refused = [&](std::int32_t agent) { return code_[agent] < codes_.first_going(); };
        auto& movers = scratch_.movers;
        movers.keep(static_cast<std::size_t>(std::remove_if(movers.begin(), movers.end(), is_refused) - movers.begin()));
    }

    // Those who want to go to places that have no room for all: of each the first ones by priority go. Several threads have bands of places
    // each.
    void refuse_some() {
        const auto* const target = target_;
        auto* const wishing = scratch_.numbers_of_places<Count>(plan_.places());
        std::atomic<std::size_t> losers = 0;
        if (!pays_for_two(team_, std::ssize(scratch_.movers))) {
            const auto each = [&](const auto& visit) {
                for (const auto i : scratch_.movers) visit(target[i], i);
            };
            losers = refuse_among(each, wishing, {0, plan_.places()}, scratch_.movers.size(), scratch_.crowd);
        } else {
            auto& bands = scratch_.shares.bands;
            const auto* const movers = scratch_.movers.begin();
            bands.sort(
                team_, plan_.places(), std::ssize(scratch_.movers), [=](std::int64_t m) { return target[movers[m]]; },
                [=](std::int64_t m) { return movers[m]; });
            scratch_.shares.make_room_for_bands();
            one_by_one(team_, bands.bands(), [&](int band) {
                const auto goers = bands.of(band);
                const auto each = [&](const auto& visit) {
                    for (const auto& [to, agent] : goers) visit(to, agent);
                };
                losers += refuse_among(each, wishing, bands.places(band), goers.size(), scratch_.shares.of(band).crowd);
            });
        }
        launch_.counters().refused_moves += losers;
        if (losers > 0) forget_refused();
    }
    // Of so many who all go to places of a range, whom `each` visits. How many are refused. `wishing` stops at 255 where counts are bytes.
    template<class Each>
    std::size_t refuse_among(const Each& each, Count* __restrict wishing, const PlaceRange& places, std::size_t goers,
                             ListCrowd& crowd) const {
        const auto* __restrict const count = count_;
        if (static_cast<std::int64_t>(goers) * 8 > places.count())
            std::copy(count + places.first, count + places.end, wishing + places.first);
        else
            each([&](std::int32_t to, std::int32_t) { wishing[to] = count[to]; });
        auto& crowded = crowd.places;
        crowded.make_room_for(places.count());
        const auto number = [first = static_cast<std::int32_t>(places.first)](std::int32_t place) { return place - first; };
        const int most = plan_.most_on_place;
        each([&](std::int32_t to, std::int32_t) {
            auto& here = wishing[to];
            if (here >= most) crowded.put(number(to));
            here = static_cast<Count>(here + (sizeof(Count) > 1 || here < 255 ? 1 : 0));
        });
        if (crowded.is_empty()) return 0;
        crowd.rivals.clear();
        const auto* const ids = launch_.column<const std::uint64_t>(plan_.id);
        each([&](std::int32_t to, std::int32_t i) {
            if (crowded.has(number(to))) crowd.rivals.push_back({to, i, launch_.priority(ids[i])});
        });
        crowded.clear();
        return refuse_last(crowd, places.count(), count_, plan_.most_on_place, [&](std::int32_t agent) { code_[agent] = code(refused); });
    }
    void move() {
        const auto done = code(moved);
        for_movers([codes = code_, done](std::span<const std::int32_t> movers) {
            for (const auto i : movers) codes[i] = done;
        });
        count_where_wanted();
        launch_.counters().moved += scratch_.movers.size();
    }

    // Children need room where they are wanted. Of all other places settle_list counts anew.
    void count_where_wanted() {
        if (scratch_.movers.empty()) return;
        auto& wanted = scratch_.wanted;
        find_wanted(launch_, wanted);
        if (wanted.is_empty()) return;
        for_movers([&](std::span<const std::int32_t> movers) {
            for (const auto i : movers) {
                if (wanted.has(place_[i])) std::atomic_ref(count_[place_[i]]).fetch_sub(1, std::memory_order_relaxed);
                if (wanted.has(target_[i])) std::atomic_ref(count_[target_[i]]).fetch_add(1, std::memory_order_relaxed);
            }
        });
        wanted.clear();
    }

    [[nodiscard]] Code code(int result) const noexcept { return static_cast<Code>(codes_.of(0, result)); }

    const ListLaunch& launch_;
    const ListPlan& plan_;
    ListScratch& scratch_;
    ThreadPool& team_;
    ListCodes codes_;
    Code* code_;
    std::int32_t* place_;
    std::int32_t* target_;
    Count* count_;
};

} // namespace

void find_targets(const ListLaunch& launch, ListScratch& scratch, ThreadPool& team) {
    if (auto* const told = launch.column<std::uint32_t>(launch.plan().refused))
        std::fill_n(told, static_cast<std::size_t>(launch.population()), std::uint32_t{0});
    if (let_all_go(launch, scratch, team)) return;
    launch.plan().with_type_of_counts([&](auto count) {
        using Count = decltype(count);
        if (launch.plan().code.bytes == 1)
            Moves<std::uint8_t, Count>(launch, scratch, team).make();
        else
            Moves<std::uint16_t, Count>(launch, scratch, team).make();
    });
}

} // namespace tessera
