// manageAll by its letter, one agent after the other: who is dying goes first, then those who want to go somewhere in the order of their
// priority, each if there is room; room is counted once before anybody goes. Then children are born, where there still is room.
#pragma once

#include "tests/reference/grid.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace reference {

struct Offset {
    std::int64_t x = 0, y = 0, z = 0;
};

// The place that an offset leads to; none beyond an edge that is no torus'.
inline std::optional<std::size_t> place_at(const Shape& shape, std::size_t place, const Offset& by) {
    const auto here = static_cast<std::int64_t>(place);
    const auto x = follow(here % shape.nx + by.x, shape.nx, shape.x == Boundary::torus ? Boundary::torus : Boundary::open);
    const auto y = follow(here / shape.nx % shape.ny + by.y, shape.ny, shape.y == Boundary::torus ? Boundary::torus : Boundary::open);
    const auto z = follow(here / (shape.nx * shape.ny) + by.z, shape.nz, shape.z == Boundary::torus ? Boundary::torus : Boundary::open);
    if (x < 0 || x >= shape.nx || y < 0 || y >= shape.ny || z < 0 || z >= shape.nz) return std::nullopt;
    return shape.index(x, y, z);
}

// What a type of agents derives from.
struct Agent {
    std::uint64_t id = 0;
    std::size_t place = 0;
    std::optional<Offset> move_request{};
    bool dying = false, moved = false, refused = false;
};

struct Tally {
    std::uint64_t died = 0, moved = 0, refused = 0, born = 0, not_born = 0;
};

// A child that was asked for. `order` is that of its parents' types, places' being the first; `at` where it is to be born, none beyond an
// edge; `call` the number of the request among those of its parent, whatever the phase.
template<class A> struct Wanted {
    int order = 0;
    std::uint64_t parent = 0;
    int call = 0;
    std::optional<std::size_t> at{};
    A child{};
};

// Whoever is born in cycle number `cycle`, on a grid with 2^bits places or fewer. Those who are not.
template<class A, class Priority>
std::vector<Wanted<A>> spawn(std::vector<A>& agents, std::vector<Wanted<A>>& wanted, const Shape& shape, int capacity,
                             const Priority& priority, std::uint64_t cycle, Tally& tally) {
    std::map<std::size_t, int> taken, born;
    for (const auto& agent : agents) ++taken[agent.place];
    int bits = 0;
    while (std::size_t{1} << bits < shape.count()) ++bits;
    std::stable_sort(wanted.begin(), wanted.end(), [&](const Wanted<A>& a, const Wanted<A>& b) {
        if (a.order != b.order) return a.order < b.order;
        if (a.order > 0 && a.parent != b.parent) return priority(a.parent) < priority(b.parent);
        return a.call < b.call;
    });
    std::vector<Wanted<A>> not_born;
    for (auto& each : wanted) {
        if (!each.at || taken[*each.at] >= capacity) {
            ++tally.not_born;
            not_born.push_back(each);
            continue;
        }
        ++taken[*each.at];
        each.child.place = *each.at;
        each.child.id = cycle << 40 | std::uint64_t{*each.at} << (40 - bits) | static_cast<std::uint64_t>(++born[*each.at]);
        agents.push_back(each.child);
        ++tally.born;
    }
    wanted.clear();
    return not_born;
}

// `priority(id)`: the least is served first.
template<class A, class Priority>
void manage(std::vector<A>& agents, const Shape& shape, int capacity, const Priority& priority, Tally& tally) {
    tally.died += static_cast<std::uint64_t>(std::count_if(agents.begin(), agents.end(), [](const A& agent) { return agent.dying; }));
    std::erase_if(agents, [](const A& agent) { return agent.dying; });
    std::map<std::size_t, int> taken;
    std::vector<A*> asking;
    for (auto& agent : agents) {
        ++taken[agent.place];
        agent.moved = agent.refused = false;
        if (agent.move_request) asking.push_back(&agent);
    }
    std::sort(asking.begin(), asking.end(), [&](const A* a, const A* b) { return priority(a->id) < priority(b->id); });
    for (auto* agent : asking) {
        const auto there = place_at(shape, agent->place, *agent->move_request);
        agent->move_request.reset();
        if (there && taken[*there] < capacity) {
            ++taken[*there];
            agent->place = *there;
            agent->moved = true;
        } else
            agent->refused = true;
        ++(agent->moved ? tally.moved : tally.refused);
    }
}

// How many stand on each place.
template<class A> std::vector<int> residents(const std::vector<A>& agents, const Shape& shape) {
    std::vector<int> count(shape.count(), 0);
    for (const auto& agent : agents) ++count[agent.place];
    return count;
}

// Of each agent, how many of them stand on its place and have a lower id.
template<class A> std::vector<int> ranks_of(const std::vector<A>& agents) {
    std::map<std::size_t, std::vector<std::uint64_t>> on;
    for (const auto& agent : agents) on[agent.place].push_back(agent.id);
    std::vector<int> ranks;
    for (const auto& agent : agents)
        ranks.push_back(
            static_cast<int>(std::count_if(on[agent.place].begin(), on[agent.place].end(), [&](auto id) { return id < agent.id; })));
    return ranks;
}

} // namespace reference
