// What a manageAll of agents in a list in the order of ids has to know of them: numbers alone, made once from a setup
// (host/storage/list_plan.hpp).
#pragma once

#include "kernels/launch/geometry.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace tessera {

// Where a column's values stand, from the pointer that a launch has as this argument: element e of entry i of a list is number
// i + e * stride, and of place (x, y, z) number x + y * row + z * plane + e * stride.
struct ListColumn {
    int argument = -1; // -1: there is no such column
    int bytes = 1;     // of an element
    int elements = 1;
    std::int64_t stride = 0, row = 0, plane = 0;
};

// A phase whose function may want children of these agents.
struct ListSource {
    ListColumn request; // codes: 1 + the number of the place, -1: beyond an edge
    ListColumn log; // how many requests there are, and then their numbers: of a parent, or place, and behind all of them of its next call
    ListColumn parent;
    ListColumn refused; // of the parents who are told of refused births
    std::vector<ListColumn> members;
    std::int64_t parents = 1; // in their list, or places
    int calls = 1;
    bool of_places = false;
    int order = 0, phase = 0; // of the parents' types; its number, from 1
};

// A phase manageAll in which children may be born, and its steps.
struct ListBirths {
    std::uint64_t phase = 0, every = 1, from = 0, until = 0;
};

struct ListPlan {
    int dimensions = 2;
    std::array<std::int64_t, 3> size{1, 1, 1};
    std::array<boundary, 3> rule{};
    int place_bits = 0;

    std::int64_t room = 0; // for so many agents
    int most_on_place = 0; // 0: any number
    bool random_priority = true, keeps_results = false;
    bool chains = false;        // whether any function meets them
    ListColumn code, id, place; // of each agent
    ListColumn target;          // where it goes, if its code says that it does: the number of the place; -1: beyond an edge
    ListColumn rank, next, goal, refused;
    ListColumn start; // of each place, and one behind the last
    ListColumn count; // of each place, in a byte where that is enough
    std::vector<ListColumn> members;
    std::vector<ListSource> sources;
    std::vector<ListBirths> births; // in the order of their phases

    int columns = 0; // arguments of a launch

    // Calls `visit` with a value of the type of counts.
    template<class Visit> void with_type_of_counts(const Visit& visit) const {
        if (count.bytes == 1)
            visit(std::uint8_t{});
        else
            visit(std::int32_t{});
    }
    [[nodiscard]] std::int64_t places() const noexcept { return size[0] * size[1] * size[2]; }
};

} // namespace tessera
