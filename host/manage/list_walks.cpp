#include "host/manage/list_walks.hpp"

#include "host/manage/in_pieces.hpp"
#include "host/manage/list_codes.hpp"
#include "host/manage/list_settle.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace tessera {
namespace {

bool wants_children(const ListLaunch& launch) {
    const auto& sources = launch.plan().sources;
    return std::any_of(sources.begin(), sources.end(),
                       [&](const ListSource& source) { return launch.column<const std::int32_t>(source.log)[0] > 0; });
}

// Of a launch. Since nobody stays, a place will have those who arrive, and their ranks are the order in which they do.
template<class Code, class Count> class Walk {
public:
    Walk(const ListLaunch& launch, ListScratch& scratch)
        : launch_(launch), plan_(launch.plan()), scratch_(scratch), population_(launch.population()),
          code_(launch.column<Code>(plan_.code)), place_(launch.column<std::int32_t>(plan_.place)),
          target_(launch.column<std::int32_t>(plan_.target)), rank_(launch.column<std::int32_t>(plan_.rank)),
          count_(launch.column<Count>(plan_.count)), arrived_(scratch.numbers_of_places<Count>(plan_.places())) {}

    [[nodiscard]] bool is_of_all() const { return do_all_go() && are_all_inside(); }

    void make() {
        auto& crowded = scratch_.crowd.places;
        crowded.make_room_for(plan_.places());
        std::fill_n(arrived_, plan_.places(), Count{0});
        arrive();
        std::fill_n(code_, population_, result(moved));
        const auto stay = crowded.is_empty() ? std::size_t{0} : refuse_some();
        crowded.clear();
        std::copy_n(target_, population_, place_);
        std::copy_n(arrived_, plan_.places(), count_);
        if (plan_.chains) chain_list(plan_, place_, launch_.column<std::int32_t>(plan_.start), launch_.column<std::int32_t>(plan_.next));
        launch_.counters().moved += static_cast<std::size_t>(population_) - stay;
        launch_.counters().refused_moves += stay;
    }

private:
    // Some are looked at without a branch; before that three, for where anybody stays, most do.
    [[nodiscard]] bool do_all_go() const {
        constexpr std::int32_t some = 64;
        const auto first_going = static_cast<Code>(codes_of(plan_).first_going());
        for (const auto i : {0, population_ / 2, population_ - 1})
            if (code_[i] < first_going) return false;
        for (std::int32_t from = 0; from < population_; from += some) {
            bool anybody_stays = false;
            for (auto i = from; i < std::min(population_, from + some); ++i) anybody_stays |= code_[i] < first_going;
            if (anybody_stays) return false;
        }
        return true;
    }
    // No branch depends on one of them.
    [[nodiscard]] bool are_all_inside() const {
        std::int32_t least = 0;
        for (std::int32_t i = 0; i < population_; ++i) least = std::min(least, target_[i]);
        return least == 0;
    }

    [[nodiscard]] Code result(int of) const noexcept { return static_cast<Code>(codes_of(plan_).of(0, of)); }

    // Counts and ranks all, and notes places that have no room for one more. There a byte may go over 255, and is made anew.
    void arrive() {
        const auto* __restrict const count = count_;
        const auto* __restrict const target = target_;
        auto* __restrict const rank = rank_;
        auto* __restrict const arrived = arrived_;
        const int most = plan_.most_on_place == 0 ? std::numeric_limits<int>::max() : plan_.most_on_place;
        for (std::int32_t i = 0; i < population_; ++i) {
            const auto to = target[i];
            const int before = arrived[to];
            rank[i] = before;
            arrived[to] = static_cast<Count>(before + 1);
            if (before >= most - static_cast<int>(count[to])) scratch_.crowd.places.put(to);
        }
    }

    // Who has no room stays. Returns how many.
    std::size_t refuse_some() {
        auto& places = scratch_.crowd.places;
        auto& rivals = scratch_.crowd.rivals;
        const auto* const ids = launch_.column<const std::uint64_t>(plan_.id);
        rivals.clear();
        for (std::int32_t i = 0; i < population_; ++i)
            if (places.has(target_[i])) rivals.push_back({target_[i], i, launch_.priority(ids[i])});
        const auto stay = refuse_last(scratch_.crowd, plan_.places(), count_, plan_.most_on_place, [&](std::int32_t agent) {
            code_[agent] = result(refused);
            target_[agent] = place_[agent];
            places.put(place_[agent]);
        });
        // The places where they stay, and those where they do not come, are counted anew.
        places.for_each([&](std::int32_t place) { arrived_[place] = 0; });
        for (std::int32_t i = 0; i < population_; ++i)
            if (places.has(target_[i])) rank_[i] = arrived_[target_[i]]++;
        return stay;
    }

    const ListLaunch& launch_;
    const ListPlan& plan_;
    ListScratch& scratch_;
    std::int32_t population_;
    Code* code_;
    std::int32_t *place_, *target_, *rank_;
    Count *count_, *arrived_;
};

template<class Code, class Count> bool let_all_go_as(const ListLaunch& launch, ListScratch& scratch) {
    Walk<Code, Count> walk(launch, scratch);
    if (!walk.is_of_all()) return false;
    walk.make();
    return true;
}

} // namespace

bool let_all_go(const ListLaunch& launch, ListScratch& scratch, const ThreadPool& team) {
    const auto& plan = launch.plan();
    const auto population = launch.population();
    const bool pays = std::int64_t{population} * 32 >= plan.places() * plan.count.bytes; // numbers of all places are cleared and copied
    if (!pays || pays_for_two(team, population) || plan.goal.argument >= 0 || wants_children(launch)) return false;
    bool done = false;
    plan.with_type_of_counts([&](auto count) {
        using Count = decltype(count);
        done = plan.code.bytes == 1 ? let_all_go_as<std::uint8_t, Count>(launch, scratch)
                                    : let_all_go_as<std::uint16_t, Count>(launch, scratch);
    });
    if (!done) return false;
    scratch.dying.keep(0);
    scratch.movers.keep(0); // so that settle_list has nothing to do
    return true;
}

} // namespace tessera
