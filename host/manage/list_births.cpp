#include "host/manage/list_births.hpp"

#include "host/manage/in_pieces.hpp"
#include "host/manage/sort_by_digits.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <span>
#include <tuple>

namespace tessera {
namespace {

const ListSource& source_of(const ListLaunch& launch, const ListRequest& request) {
    return launch.plan().sources[static_cast<std::size_t>(request.source)];
}

// Its parent, who may have asked for others on places of another thread.
void tell_parent(const ListLaunch& launch, const ListRequest& request) {
    const auto& source = source_of(launch, request);
    if (auto* const told = launch.column<std::uint32_t>(source.refused))
        std::atomic_ref(told[asked_by(source, request.asked).parent]).fetch_add(1, std::memory_order_relaxed);
}

// The requests of a source, which it has no more then. Returns whether any is for a place beyond an edge, which is below 0.
bool take_requests(const ListLaunch& launch, std::int32_t number, std::span<ListRequest> requests, ThreadPool& team) {
    const auto& plan = launch.plan();
    const auto& source = plan.sources[static_cast<std::size_t>(number)];
    auto* const log = launch.column<std::int32_t>(source.log);
    auto* const codes = launch.column<std::int32_t>(source.request);
    std::atomic<bool> beyond = false;
    in_pieces(team, std::ssize(requests), [&](std::int64_t begin, std::int64_t end) {
        bool any = false;
        for (auto i = begin; i < end; ++i) {
            const auto by = asked_by(source, log[1 + i]);
            auto& code = codes[request_cell(plan, source, source.request, by)];
            requests[static_cast<std::size_t>(i)] = {number, log[1 + i], code - 1};
            any |= code <= 0;
            code = 0;
        }
        if (any) beyond.store(true, std::memory_order_relaxed);
    });
    log[0] = 0;
    return beyond;
}

// Of all sources, one behind the other. Those for a place beyond an edge are refused.
void gather_requests(const ListLaunch& launch, std::vector<ListRequest>& requests, ThreadPool& team) {
    const auto& sources = launch.plan().sources;
    requests.clear();
    bool beyond = false;
    for (std::size_t s = 0; s < sources.size(); ++s) {
        const auto before = requests.size();
        requests.resize(before + static_cast<std::size_t>(*launch.column<const std::int32_t>(sources[s].log)));
        beyond |= take_requests(launch, static_cast<std::int32_t>(s), std::span(requests).subspan(before), team);
    }
    if (!beyond) return;
    const auto is_beyond = [](const ListRequest& request) { return request.place < 0; };
    for (const auto& request : requests)
        if (is_beyond(request)) tell_parent(launch, request);
    launch.counters().refused_births += std::erase_if(requests, is_beyond);
}

std::uint64_t turn_of(std::int32_t place, std::size_t number) { return static_cast<std::uint64_t>(place) << 32 | number; }
std::int32_t place_of(std::uint64_t turn) { return static_cast<std::int32_t>(turn >> 32); }
std::size_t number_of(std::uint64_t turn) { return turn & 0xffffffff; }

// By places, and those of a place by their numbers, in whose order they come.
void sort_by_place(ListTurns& turns, std::int64_t places) {
    constexpr std::size_t few = 64;
    if (turns.all.size() < few)
        std::sort(turns.all.begin(), turns.all.end());
    else
        sort_by_digits(turns.all, turns.sorted, places, place_of);
}

// One of several who want children on one place.
struct Rival {
    std::uint64_t turn;
    std::tuple<int, std::uint64_t, int, std::int64_t> key;
};
Rival rival_of(const ListLaunch& launch, const ListRequest& request, std::uint64_t turn) {
    const auto& source = source_of(launch, request);
    const auto [parent, call] = asked_by(source, request.asked);
    const auto priority = source.of_places ? 0 : launch.priority(launch.column<const std::uint64_t>(source.parent)[parent]);
    return {turn, {source.order, priority, source.phase, call}};
}
// By the parents' types, their priorities, and what they asked for one after the other.
void sort_rivals(const ListLaunch& launch, const std::vector<ListRequest>& requests, std::span<std::uint64_t> turns,
                 std::vector<Rival>& rivals) {
    rivals.clear();
    for (const auto turn : turns) rivals.push_back(rival_of(launch, requests[number_of(turn)], turn));
    std::sort(rivals.begin(), rivals.end(), [](const Rival& a, const Rival& b) { return a.key < b.key; });
    std::transform(rivals.begin(), rivals.end(), turns.begin(), [](const Rival& rival) { return rival.turn; });
}

// Those for whom a place has room are born, in their turns. Returns how many are refused.
template<class Count>
std::size_t serve(const ListLaunch& launch, const std::vector<ListRequest>& requests, std::span<std::uint64_t> turns,
                  std::vector<ListChild>& children) {
    const auto& plan = launch.plan();
    const auto* const counts = launch.column<const Count>(plan.count);
    std::vector<Rival> rivals;
    std::size_t refused = 0;
    for (std::size_t first = 0, end = 0; first < turns.size(); first = end) {
        const auto place = place_of(turns[first]);
        for (end = first + 1; end < turns.size() && place_of(turns[end]) == place;) ++end;
        if (end > first + 1) sort_rivals(launch, requests, turns.subspan(first, end - first), rivals);
        const auto room = plan.most_on_place > 0 ? plan.most_on_place - counts[place] : std::numeric_limits<std::int32_t>::max();
        for (auto turn = first; turn < end; ++turn) {
            const auto& request = requests[number_of(turns[turn])];
            const auto rank = static_cast<std::int32_t>(turn - first);
            if (rank >= room) {
                tell_parent(launch, request);
                ++refused;
            } else
                children.push_back({request.source, request.asked, place, rank});
        }
    }
    return refused;
}

// The same by several threads, each of which has bands of places.
template<class Count> void serve_by_bands(const ListLaunch& launch, ListScratch& scratch, ThreadPool& team) {
    auto& shares = scratch.shares;
    auto& bands = shares.bands;
    auto& requests = scratch.requests;
    const auto request = [&](std::int64_t k) -> const ListRequest& { return requests[static_cast<std::size_t>(k)]; };
    bands.sort(
        team, launch.plan().places(), std::ssize(requests), [&](std::int64_t k) { return request(k).place; },
        [](std::int64_t k) { return static_cast<std::int32_t>(k); });
    shares.make_room_for_bands();
    std::atomic<std::size_t> refused = 0;
    one_by_one(team, bands.bands(), [&](int band) {
        auto& [crowd, turns, born] = shares.of(band);
        turns.all.clear();
        for (const auto& [place, number] : bands.of(band)) turns.all.push_back(turn_of(place, static_cast<std::size_t>(number)));
        sort_by_place(turns, bands.places(band).count());
        born.clear();
        refused += serve<Count>(launch, requests, turns.all, born);
    });
    launch.counters().refused_births += refused;
    std::vector<std::ptrdiff_t> starts{0};
    for (int band = 0; band < bands.bands(); ++band) starts.push_back(starts.back() + std::ssize(shares.of(band).born));
    scratch.children.resize(static_cast<std::size_t>(starts.back()));
    one_by_one(team, bands.bands(), [&](int band) {
        const auto& born = shares.of(band).born;
        std::copy(born.begin(), born.end(), scratch.children.begin() + starts[static_cast<std::size_t>(band)]);
    });
}

template<class Count> void serve_all(const ListLaunch& launch, ListScratch& scratch) {
    auto& turns = scratch.turns;
    turns.all.clear();
    for (const auto& request : scratch.requests) turns.all.push_back(turn_of(request.place, turns.all.size()));
    sort_by_place(turns, launch.plan().places());
    launch.counters().refused_births += serve<Count>(launch, scratch.requests, turns.all, scratch.children);
}

} // namespace

void choose_children(const ListLaunch& launch, ListScratch& scratch, ThreadPool& team) {
    const auto& plan = launch.plan();
    scratch.children.clear();
    gather_requests(launch, scratch.requests, team);
    plan.with_type_of_counts([&](auto count) {
        using Count = decltype(count);
        if (pays_for_two(team, std::ssize(scratch.requests)))
            serve_by_bands<Count>(launch, scratch, team);
        else
            serve_all<Count>(launch, scratch);
    });
    const auto all = launch.population() - static_cast<std::int64_t>(scratch.dying.size() - scratch.children.size());
    if (all > plan.room) launch.report(outgrows_room, static_cast<std::uint64_t>(all));
}

} // namespace tessera
