#include "host/manage/list_births.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <tuple>

namespace tessera {
namespace {

void tell(const ListLaunch& launch, const ListSource& source, std::int64_t parent) {
    ++launch.counters().refused_births;
    if (auto* const told = launch.column<std::uint32_t>(source.refused)) ++told[parent];
}

// The requests of a source, which it has no more then.
void take_requests(const ListLaunch& launch, std::size_t number, ListScratch& scratch) {
    const auto& plan = launch.plan();
    const auto& source = plan.sources[number];
    auto* const log = launch.column<std::int32_t>(source.log);
    auto* const codes = launch.column<std::int32_t>(source.request);
    for (std::int32_t i = 0; i < log[0]; ++i) {
        const std::int64_t asked = log[1 + i];
        const auto by = asked_by(source, asked);
        auto& code = codes[request_cell(plan, source, source.request, by)];
        if (code > 0) {
            scratch.turns.push_back(static_cast<std::uint64_t>(code - 1) << 32 | scratch.requests.size());
            scratch.requests.push_back({number, by});
        } else
            tell(launch, source, by.parent);
        code = 0;
    }
    log[0] = 0;
}

std::int32_t place_of(std::uint64_t turn) { return static_cast<std::int32_t>(turn >> 32); }
std::size_t number_of(std::uint64_t turn) { return turn & 0xffffffff; }

// By places, and those of a place by their numbers. Many by digits, from the last one on.
void sort_by_place(ListScratch& scratch, std::int64_t places) {
    constexpr int bits_of_digit = 8;
    constexpr std::size_t values = 1 << bits_of_digit, few = 64;
    auto &turns = scratch.turns, &sorted = scratch.other_turns;
    if (turns.size() < few) return std::sort(turns.begin(), turns.end());
    sorted.resize(turns.size());
    for (int digit = 0; (places - 1) >> digit > 0; digit += bits_of_digit) {
        const auto value_of = [&](std::uint64_t turn) { return turn >> (32 + digit) & (values - 1); };
        std::array<std::uint32_t, values + 1> starts{};
        for (const auto turn : turns) ++starts[value_of(turn) + 1];
        std::partial_sum(starts.begin(), starts.end(), starts.begin());
        for (const auto turn : turns) sorted[starts[value_of(turn)]++] = turn;
        turns.swap(sorted);
    }
}

// Of several who want children on one place: by the parents' types, their priorities, and what they asked for one after the other.
void sort_rivals(const ListLaunch& launch, std::vector<ListRequest>& requests, std::uint64_t* first, std::uint64_t* last) {
    const auto& sources = launch.plan().sources;
    std::for_each(first, last, [&](std::uint64_t turn) {
        auto& request = requests[number_of(turn)];
        const auto& source = sources[request.source];
        if (!source.of_places) request.priority = launch.priority(launch.column<const std::uint64_t>(source.parent)[request.by.parent]);
    });
    const auto key = [&](std::uint64_t turn) {
        const auto& request = requests[number_of(turn)];
        const auto& source = sources[request.source];
        return std::tuple(source.order, request.priority, source.phase, request.by.call);
    };
    std::sort(first, last, [&](std::uint64_t a, std::uint64_t b) { return key(a) < key(b); });
}

// Those for whom a place has room are born, in their turns.
template<class Count> void serve(const ListLaunch& launch, ListScratch& scratch) {
    const auto& plan = launch.plan();
    const auto* const counts = launch.column<const Count>(plan.count);
    auto& turns = scratch.turns;
    for (std::size_t first = 0, end = 0; first < turns.size(); first = end) {
        const auto place = place_of(turns[first]);
        for (end = first + 1; end < turns.size() && place_of(turns[end]) == place;) ++end;
        if (end > first + 1) sort_rivals(launch, scratch.requests, &turns[first], turns.data() + end);
        const auto room = plan.most_on_place > 0 ? plan.most_on_place - counts[place] : std::numeric_limits<std::int32_t>::max();
        for (auto turn = first; turn < end; ++turn) {
            const auto& request = scratch.requests[number_of(turns[turn])];
            const auto rank = static_cast<std::int32_t>(turn - first);
            if (rank >= room)
                tell(launch, plan.sources[request.source], request.by.parent);
            else
                scratch.children.push_back({request.source, request.by, place, rank});
        }
    }
}

} // namespace

void choose_children(const ListLaunch& launch, ListScratch& scratch) {
    const auto& plan = launch.plan();
    scratch.children.clear();
    scratch.requests.clear();
    scratch.turns.clear();
    for (std::size_t s = 0; s < plan.sources.size(); ++s) take_requests(launch, s, scratch);
    sort_by_place(scratch, plan.places());
    plan.with_type_of_counts([&](auto count) { serve<decltype(count)>(launch, scratch); });
    const auto all = launch.population() - static_cast<std::int64_t>(scratch.dying.size() - scratch.children.size());
    if (all > plan.room) launch.report(outgrows_room, static_cast<std::uint64_t>(all));
}

} // namespace tessera
