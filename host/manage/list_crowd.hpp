// Places that have no room for all who want to go there, and who of these has to stay.
#pragma once

#include "host/manage/place_set.hpp"
#include "host/manage/sort_by_digits.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tessera {

// One of several who want to go to a place.
struct ListRival {
    std::int32_t place, agent;
    std::uint64_t priority;
};

// Where there is no room for all.
struct ListCrowd {
    PlaceSet places;                       // empty between launches
    std::vector<ListRival> rivals, sorted; // sorting by a digit writes from one into the other
};

// The rivals are all agents that want to go to some places. Each of these places has room for `most` agents, and `count` of that is taken.
// Calls `refuse(agent)` for each rival that is not among the first by priority, and returns how many are refused. `places`: the number of
// places, of all or of a band (Bands::places).
template<class Count, class Refuse>
std::size_t refuse_last(ListCrowd& crowd, std::int64_t places, const Count* count, int most, const Refuse& refuse) {
    constexpr std::size_t few = 64;
    auto& rivals = crowd.rivals;
    if (rivals.size() < few)
        std::sort(rivals.begin(), rivals.end(), [](const ListRival& a, const ListRival& b) { return a.place < b.place; });
    else
        sort_by_digits(rivals, crowd.sorted, places, [](const ListRival& rival) { return rival.place; });
    std::size_t refused = 0;
    for (auto first = rivals.begin(), end = first; first != rivals.end(); first = end) {
        const auto place = first->place;
        while (end != rivals.end() && end->place == place) ++end;
        const auto room = std::clamp<std::ptrdiff_t>(most - static_cast<std::ptrdiff_t>(count[place]), 0, end - first);
        if (room > 0) std::sort(first, end, [](const ListRival& a, const ListRival& b) { return a.priority < b.priority; });
        std::for_each(first + room, end, [&](const ListRival& rival) { refuse(rival.agent); });
        refused += static_cast<std::size_t>(end - first - room);
    }
    return refused;
}

} // namespace tessera
