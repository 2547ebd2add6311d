// Places that have no room for all who want to go there, and who of these has to stay.
#pragma once

#include "host/manage/place_set.hpp"

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
    PlaceSet places; // empty between launches
    std::vector<ListRival> rivals;
};

// Of all who want to go to some places with room for `most`, of which `count` is taken: those who are not the first by priority.
// `refuse(agent)` is called for each; returns how many.
template<class Count, class Refuse>
std::size_t refuse_last(std::vector<ListRival>& rivals, const Count* count, int most, const Refuse& refuse) {
    std::sort(rivals.begin(), rivals.end(),
              [](const ListRival& a, const ListRival& b) { return a.place != b.place ? a.place < b.place : a.priority < b.priority; });
    std::size_t refused = 0;
    for (std::size_t first = 0, r = 0; r < rivals.size(); ++r) {
        if (rivals[r].place != rivals[first].place) first = r;
        if (static_cast<std::int64_t>(r - first) < most - count[rivals[r].place]) continue;
        refuse(rivals[r].agent);
        ++refused;
    }
    return refused;
}

} // namespace tessera
