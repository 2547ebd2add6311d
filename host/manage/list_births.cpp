#include "host/manage/list_births.hpp"

#include <algorithm>
#include <limits>

namespace tessera {
namespace {

void tell(const ListLaunch& launch, const ListSource& source, std::int64_t parent) {
    ++launch.counters().refused_births;
    if (auto* const told = launch.column<std::uint32_t>(source.refused)) ++told[parent];
}

// The requests of a source, which it has no more then.
void take_requests(const ListLaunch& launch, std::size_t number, std::vector<ListRequest>& requests) {
    const auto& plan = launch.plan();
    const auto& source = plan.sources[number];
    auto* const log = launch.column<std::int32_t>(source.log);
    auto* const codes = launch.column<std::int32_t>(source.request);
    const auto* const ids = launch.column<const std::uint64_t>(source.parent);
    for (std::int32_t i = 0; i < log[0]; ++i) {
        const std::int64_t asked = log[1 + i];
        const auto [parent, call] = asked_by(source, asked);
        auto& code = codes[request_cell(plan, source, source.request, asked)];
        if (code > 0)
            requests.push_back({code - 1, source.order, source.of_places ? 0 : launch.priority(ids[parent]), source.phase,
                                static_cast<int>(call), number, parent, asked});
        else
            tell(launch, source, parent);
        code = 0;
    }
    log[0] = 0;
}

} // namespace

void choose_children(const ListLaunch& launch, ListScratch& scratch) {
    const auto& plan = launch.plan();
    scratch.children.clear();
    auto& requests = scratch.requests;
    requests.clear();
    for (std::size_t s = 0; s < plan.sources.size(); ++s) take_requests(launch, s, requests);
    std::sort(requests.begin(), requests.end(), [](const ListRequest& a, const ListRequest& b) { return a.turn() < b.turn(); });
    const auto room_on = [&](std::int32_t place) {
        int room = std::numeric_limits<int>::max();
        plan.with_type_of_counts([&](auto count) {
            if (plan.most_on_place > 0) room = plan.most_on_place - launch.column<decltype(count)>(plan.count)[place];
        });
        return room;
    };
    for (std::size_t first = 0, r = 0; r < requests.size(); ++r) {
        const auto& request = requests[r];
        if (request.place != requests[first].place) first = r;
        const auto rank = static_cast<std::int32_t>(r - first);
        if (rank >= room_on(request.place))
            tell(launch, plan.sources[request.source], request.parent);
        else
            scratch.children.push_back({request.source, request.request, request.place, rank});
    }
    const auto all = launch.population() - static_cast<std::int64_t>(scratch.dying.size() - scratch.children.size());
    if (all > plan.room) launch.report(outgrows_room, static_cast<std::uint64_t>(all));
}

} // namespace tessera
