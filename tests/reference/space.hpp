// Agents in space as plain loops see them: everybody looks at everybody.
#pragma once

#include "tests/reference/agents.hpp"

#include <array>
#include <cmath>
#include <tuple>

namespace reference {

template<class T> using Point = std::array<T, 3>;

// What a type of agents in space derives from.
template<class T> struct Particle : Agent {
    using Number = T;
    Point<T> at{};
    std::optional<Point<T>> aim{};
};

template<class T> struct Space {
    Shape shape;
    int dimensions = 2;
    Point<T> end{};

    [[nodiscard]] bool is_round(std::size_t axis) const { return (axis == 0 ? shape.x : axis == 1 ? shape.y : shape.z) == Boundary::torus; }
    [[nodiscard]] std::array<std::int64_t, 3> size() const { return {shape.nx, shape.ny, shape.nz}; }

    // Which place holds it along an axis: by the ends of places, which are multiplied out.
    [[nodiscard]] std::int64_t bin(T at, std::size_t axis) const {
        const auto n = size()[axis];
        if (axis >= static_cast<std::size_t>(dimensions)) return 0;
        std::int64_t bin = 0;
        while (bin + 1 < n && static_cast<long double>(at) * static_cast<long double>(n) >= static_cast<long double>(end[axis]) * (bin + 1))
            ++bin;
        return bin;
    }
    [[nodiscard]] std::size_t place_of(const Point<T>& at) const { return shape.index(bin(at[0], 0), bin(at[1], 1), bin(at[2], 2)); }

    // As it comes in at the other edge of a torus; none beyond another edge.
    [[nodiscard]] std::optional<Point<T>> inside(Point<T> at) const {
        for (std::size_t a = 0; a < 3; ++a) {
            if (a >= static_cast<std::size_t>(dimensions)) {
                at[a] = 0;
                continue;
            }
            if (is_round(a)) {
                const T moved = at[a] < 0 ? at[a] + end[a] : at[a] >= end[a] ? at[a] - end[a] : at[a];
                at[a] = moved == end[a] ? 0 : moved;
            }
            if (at[a] < 0 || at[a] > end[a]) return std::nullopt;
        }
        return at;
    }

    [[nodiscard]] Point<T> way(const Point<T>& from, const Point<T>& to) const {
        Point<T> way{};
        for (std::size_t a = 0; a < static_cast<std::size_t>(dimensions); ++a) {
            way[a] = to[a] - from[a];
            if (is_round(a) && way[a] > end[a] / 2)
                way[a] -= end[a];
            else if (is_round(a) && way[a] < -end[a] / 2)
                way[a] += end[a];
        }
        return way;
    }

    // The place of `to` as seen from that of `from`, the first along z: -1, 0 or 1 on each axis, or further away.
    [[nodiscard]] std::array<std::int64_t, 3> places_between(const Point<T>& from, const Point<T>& to) const {
        std::array<std::int64_t, 3> between{};
        for (std::size_t a = 0; a < 3; ++a) {
            auto by = bin(to[a], a) - bin(from[a], a);
            if (is_round(a) && by == size()[a] - 1)
                by = -1;
            else if (is_round(a) && by == 1 - size()[a])
                by = 1;
            between[2 - a] = by;
        }
        return between;
    }

    // Calls `visit(other, way)` for all others that are near, in the order of their places and ids.
    template<class A, class B, class Visit> void meet(const A& one, const std::vector<B>& others, T radius, const Visit& visit) const {
        std::vector<std::tuple<std::array<std::int64_t, 3>, std::uint64_t, const B*, Point<T>>> near;
        for (const auto& other : others) {
            if (static_cast<const void*>(&other) == static_cast<const void*>(&one)) continue;
            const auto d = way(one.at, other.at);
            T square = d[0] * d[0];
            if (dimensions > 1) square += d[1] * d[1];
            if (dimensions > 2) square += d[2] * d[2];
            if (square < radius * radius) near.emplace_back(places_between(one.at, other.at), other.id, &other, d);
        }
        std::sort(near.begin(), near.end(), [](const auto& a, const auto& b) {
            return std::tie(std::get<0>(a), std::get<1>(a)) < std::tie(std::get<0>(b), std::get<1>(b));
        });
        for (const auto& [place, id, other, d] : near) visit(*other, d);
    }

    // Who is dying goes, and all others where they want to go, but beyond an edge.
    template<class A> void manage(std::vector<A>& agents, Tally& tally) const {
        tally.died += static_cast<std::uint64_t>(std::count_if(agents.begin(), agents.end(), [](const A& agent) { return agent.dying; }));
        std::erase_if(agents, [](const A& agent) { return agent.dying; });
        for (auto& agent : agents) {
            if (!agent.aim || *agent.aim == agent.at) {
                agent.aim.reset();
                continue;
            }
            const auto there = inside(*agent.aim);
            agent.aim.reset();
            ++(there ? tally.moved : tally.refused);
            if (there) agent.at = *there, agent.place = place_of(agent.at);
        }
    }
};

} // namespace reference
