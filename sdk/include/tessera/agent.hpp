// SPDX-License-Identifier: Apache-2.0
// What a function of agents works on: `self`, the agent, and through it the place that it stands on and those around.
//
//     struct Ant { float sugar = 0; std::uint8_t vision = 1; };
//     TESSERA_AGENT(Ant, on<Field>, sugar, vision);
//
//     TESSERA_CALL(Ant, look, reads<&Ant::vision>, around<lines_of<6>, &Field::sugar>, counts<lines_of<6>, Ant>, moves<lines_of<6>>) {
//         auto best = self.place.here();
//         self.place.each(lines_of<6>, [&](const auto& site) {
//             if (site.distance <= self.vision && site.free() > 0 && site.sugar > best.sugar) best = site;
//         });
//         self.migrate(best);
//     }
//
// What an agent knows, its members, it changes at once; what it wants, to go elsewhere, to have children or to die, is an intention
// until the phase `manageAll`. What it sees of others is as it was before the phase. `self` cannot be copied (self.hpp); a site can.
#pragma once

#include <tessera/detail/agent_access.hpp>
#include <tessera/detail/checks.hpp>
#include <tessera/numbered.hpp>
#include <tessera/self.hpp>

namespace tessera {

/// A place that an agent sees: it has the members that the access list shows over the neighbourhood N, const to a visitor.
template<class Function, class N, class View>
struct site : ground_members<Function>::template tessera_seen<Function, N, typename View::ground_view> {
    using tessera_shown = typename ground_members<Function>::template tessera_seen<Function, N, typename View::ground_view>;

    /// Where it is from where the agent stands: offset.x, .y, .z.
    place_offset offset;

    /// How many steps along the axes it is away.
    int distance;

    /// How many agents of this type stand there: `site.count(agents<Wolf>)`. Needs counts<NEIGHBOURHOOD, Wolf>. A load a slot.
    template<class Row> TESSERA_FN int count(agents_type<Row>) const {
        static_assert(agent_access_of<Function>::template counts<Row, N, View::dims>,
                      "count(agents<AGENT>) needs counts<NEIGHBOURHOOD, AGENT> in the access list");
        return tessera_view_->template count<Row>(offset);
    }

    /// How many more agents of its own type have room there; 0 beyond the grid. Needs counts<NEIGHBOURHOOD, AGENT>.
    TESSERA_FN int free() const {
        static_assert(tessera_knows_free, "free() needs counts<NEIGHBOURHOOD, AGENT> of the function's own agents in the access list");
        return tessera_view_->free(offset);
    }

    TESSERA_FN site(const View& view, const offset_in_table& at)
        : tessera_shown(view.ground(), at.offset), offset(at.offset), distance(at.distance), tessera_view_(&view) {}

private:
    static constexpr bool tessera_knows_free = agent_access_of<Function>::template counts<typename Function::row, N, View::dims>;
    const View* tessera_view_;
};

/// Of places that have a number.
template<class View, bool HasNumber> struct numbered_ground {
    TESSERA_FN explicit numbered_ground(const View&) {}
};
template<class View> struct numbered_ground<View, true> {
    /// The number of the place, from 0: where places have a `count`, and where the function goes along links.
    const std::int64_t id;
    TESSERA_FN explicit numbered_ground(const View& view) : id(view.number_here()) {}
};

/// The place that an agent stands on: the members that the access list names, as those of `self`.
template<class Function, class View>
struct ground : ground_members<Function>::template tessera_own<Function, typename View::ground_view>,
                numbered_ground<View, View::is_numbered || (Function::access::link_records > 0)> {
    using tessera_own = typename ground_members<Function>::template tessera_own<Function, typename View::ground_view>;

    /// Calls `visit(site)` for each place of N that exists, in the order of the list. A loop: it is not unrolled.
    template<class N, class Visitor> TESSERA_FN void each(N n, Visitor&& visit) const { each(n, 3 * 255, visit); }
    /// The same of those at most so many steps along the axes away: `self.place.each(lines_of<6>, self.vision, visit)`. It takes less time
    /// where the list has the nearest first, as lines_of has.
    template<class N, class Visitor> TESSERA_FN void each(N, int most_away, Visitor&& visit) const {
        const bool all = tessera_view_.ground().template has_all<N>();
        for (int i = 0; i < N::template count<View::dims>; ++i) {
            const offset_in_table at = offset_number<N, View::dims>(i);
            if (at.distance > most_away) {
                if constexpr (has_nearest_first<N, View::dims>()) break;
                continue;
            }
            if (!all && !tessera_view_.ground().exists(at.offset)) continue;
            const site<Function, N, View> there(tessera_view_, at);
            visit(there);
        }
    }

    /// The place itself as a site, of the first neighbourhood in the access list, or of one that is given.
    TESSERA_FN auto here() const {
        using first = typename agent_access_of<Function>::first_around;
        static_assert(!same_type<first, void>,
                      "here() needs around<NEIGHBOURHOOD, ...> in the access list, or a neighbourhood: here(moore)");
        return site<Function, first, View>(tessera_view_, {{0, 0, 0}, 0});
    }
    template<class N> TESSERA_FN auto here(N) const { return site<Function, N, View>(tessera_view_, {{0, 0, 0}, 0}); }

    /// The place at a constant offset: `self.place.at(north).sugar`.
    template<int X, int Y, int Z> TESSERA_FN auto at(offset_type<X, Y, Z>) const {
        return site<Function, offset_type<X, Y, Z>, View>(tessera_view_, {{X, Y, Z}, magnitude(X) + magnitude(Y) + magnitude(Z)});
    }

    /// Whether there is a place at a constant offset. False only beyond an open boundary.
    template<int X, int Y, int Z> TESSERA_FN bool exists(offset_type<X, Y, Z>) const {
        return tessera_view_.ground().exists(place_offset{X, Y, Z});
    }

    TESSERA_FN explicit ground(const View& view)
        : tessera_own(view.ground()), numbered_ground < View, View::is_numbered || (Function::access::link_records > 0) > (view),
          tessera_view_(view) {}
    ground(const ground&) = delete;
    ground& operator=(const ground&) = delete;

private:
    const View& tessera_view_;
};

/// An agent that is met: the members that the access list shows of its type over the neighbourhood N, const to a visitor.
template<class Function, class N, class Row, class Met> struct met_agent : members_of<Row>::template tessera_met<Function, N, Met> {
    /// Tells it from all other agents of its type.
    const std::uint64_t id;

    met_agent(const met_agent&) = delete; // what is written to a copy would be lost
    template<class At>
    TESSERA_FN met_agent(const Met& met, At at) : members_of<Row>::template tessera_met<Function, N, Met>(met, at), id(met.id(at)) {}
};

/// One that is met in space.
template<class Function, class N, class Row, class Met> struct met_in_space : met_agent<Function, N, Row, Met> {
    /// The way from the agent that meets it: `const auto [dx, dy, dz] = other.away;`. On a torus the short way round.
    const space_point<number_of<Row>> away;

    met_in_space(const met_in_space&) = delete;
    template<class At>
    TESSERA_FN met_in_space(const Met& met, At at, const space_point<number_of<Row>>& way)
        : met_agent<Function, N, Row, Met>(met, at), away(way) {}
};

/// What functions of agents, and of places that agents stand on, may do with agents.
template<class Function, class View> struct among_agents {
    using tessera_may = agent_access_of<Function>;

    /// How many agents of a type stand on the places of N, an agent itself included where it is one: `self.count(here, agents<Wolf>)`.
    /// Needs counts<N, Wolf>.
    template<class N, class Row> TESSERA_FN int count(N, agents_type<Row>) const {
        static_assert(!is_space<N>, "count(...) takes a neighbourhood of places; agents within<R> can be counted by meet(...)");
        static_assert(is_space<N> || tessera_may::template counts<Row, N, View::dims>,
                      "count(...) needs counts<NEIGHBOURHOOD, AGENT> in the access list");
        int total = 0;
        for (int i = 0; i < N::template count<View::dims>; ++i)
            total += tessera_among_.template count<Row>(offset_number<N, View::dims>(i).offset);
        return total;
    }

    /// Calls `visit(other)` for each agent of a type on the places of N, in the order of the places and then of ids; an agent does not meet
    /// itself. `other` has `id`, and the members that the access list shows, as they were before the phase. Needs meets<N, &Wolf::member>
    /// or meets<N, agents<Wolf>>. A loop: it is not unrolled.
    ///
    /// In space also all that are near: `self.meet(within<5>, agents<Bird>, visit)`, in the order of the places that hold them, of z, then
    /// y, then x, and of ids. With d = other.away these are the agents for which d.x * d.x + d.y * d.y + d.z * d.z < R * R.
    template<class N, class Row, class Visitor> TESSERA_FN void meet(N, agents_type<Row>, Visitor&& visit) const {
        constexpr bool may = tessera_may::template meets<Row, N, View::dims>;
        static_assert(is_space<N> || may, "meet(...) needs meets<NEIGHBOURHOOD, ...> of these agents in the access list");
        static_assert(!is_space<N> || may,
                      "meet(within<R>, ...) needs meets<within<R>, ...> of these agents in the access list, with an R that is not smaller");
        if constexpr (is_space<N> && !may)
            return;
        else if constexpr (is_space<N>)
            tessera_among_.template meet_within<Row, N>(
                [](const auto& met, auto at, const space_point<number_of<Row>>& away) {
                    return met_in_space<Function, N, Row, without_const<without_reference<decltype(met)>>>(met, at, away);
                },
                visit);
        else
            tessera_among_.template meet_over<Row, N>(
                [](const auto& met, auto at) {
                    return met_agent<Function, N, Row, without_const<without_reference<decltype(met)>>>(met, at);
                },
                visit);
    }

    /// Wants a child: `self.spawn(Wolf{.energy = 5})`, on the place itself, on a site or at a constant offset. It is born in the next
    /// `manageAll` of its type if there is a free slot once those who move have moved. Needs spawns<AGENT, NEIGHBOURHOOD>; more in a call
    /// than it declares, and a child beyond a grid that is no torus, are errors that end the run.
    template<class Row> TESSERA_FN void spawn(const Row& child) const { spawn(child, offset_type<0, 0, 0>{}); }
    template<class Row, int X, int Y, int Z> TESSERA_FN void spawn(const Row& child, offset_type<X, Y, Z>) const {
        static_assert(tessera_may::template spawns<Row, offset_type<X, Y, Z>, View::dims>,
                      "spawn(...) needs spawns<AGENT, NEIGHBOURHOOD> in the access list, with a neighbourhood that has this place");
        tessera_among_.spawn(child, place_offset{X, Y, Z});
    }
    template<class Row, class N> TESSERA_FN void spawn(const Row& child, const site<Function, N, View>& there) const {
        static_assert(tessera_may::template spawns<Row, N, View::dims>,
                      "spawn(...) needs spawns<AGENT, NEIGHBOURHOOD> in the access list, with a neighbourhood that has this place");
        tessera_among_.spawn(child, there.offset);
    }
    /// At a position, of agents in space. Needs spawns<AGENT, within<R>> that reaches there along each axis.
    template<class Row> TESSERA_FN void spawn(const Row& child, const position_of<Row>& there TESSERA_ASKED_HERE) const {
        TESSERA_EXPECT_SOMEWHERE(mistake::child_nowhere, there.x, there.y, there.z);
        constexpr double most = tessera_may::template spawns_within<Row>;
        static_assert(most > 0, "spawn(AGENT, position) needs spawns<AGENT, within<R>> in the access list");
        if constexpr (most > 0) tessera_among_.spawn_at(child, there, most);
    }
    template<class Row, class T>
    requires(!same_type<T, number_of<Row>>) TESSERA_FN void spawn(const Row&, const space_point<T>&) const {
        static_assert(are_in_space<Row> && same_type<T, void>,
                      "spawn(AGENT, position) is for agents in space, and takes a position in their type of numbers, float or double");
    }

    /// Wants a link between any two places that it may join, by their numbers: `self.spawn(Friend{.since = 3}, self.home, other.home)`. It
    /// is there after the next `manageAll` of its type, unless the two are joined already, or are one. Needs spawns<LINK>; more in a call
    /// than it declares, and numbers that no place has, are errors that end the run.
    template<class Link>
    requires are_links<Link> TESSERA_FN void spawn(const Link& child, std::int64_t from, std::int64_t to) const {
        constexpr bool may = is_of_agents<Function> && Function::access::template spawns_links < Link >> 0;
        static_assert(may, "spawn(LINK, from, to) needs spawns<LINK> in the access list");
        if constexpr (may) tessera_among_.spawn(child, from, to);
    }
    template<class Link, class Number>
    requires are_links<Link> TESSERA_FN void spawn(const Link&, const Number&) const {
        static_assert(same_type<Link, void>,
                      "an agent names both of the places that a link joins; write spawn(LINK, from, to), with self.place.id for its own");
    }

    TESSERA_FN explicit among_agents(const View& view) : tessera_among_(view) {}

private:
    const View& tessera_among_;
};

/// Where an agent is.
template<class View, bool IsNumbered> struct located_agent {
    /// Where it stands: self.position.x, .y, .z, each std::int64_t; in space each float, or double, from 0 to self.extent.x, .y, .z.
    const decltype(static_cast<const View*>(nullptr)->position()) position;

    /// The extents of the grid in places. Constants.
    const place_position size;
    TESSERA_FN explicit located_agent(const View& view) : position(view.position()), size(view.size()) {}
};
template<class View> struct located_agent<View, true> {
    /// How many places there are, of those that have a `count`. A constant. On which it stands says self.place.id.
    const std::int64_t size;
    TESSERA_FN explicit located_agent(const View& view) : size(view.places()) {}
};

/// Of agents in space.
template<class Function, class View, bool InSpace> struct agent_in_space {};
template<class Function, class View> struct agent_in_space<Function, View, true> {
    /// Where space ends along each axis: self.extent.x, .y, .z, in the unit and type of positions; 0 on an axis that it does not have.
    const space_point<number_of<typename Function::row>> extent = View::extent();
};

template<class Function, class View>
struct agent : Function::row_members::template tessera_own<Function, View>,
               among_agents<Function, View>,
               located_agent<View, View::is_numbered>,
               agent_in_space<Function, View, are_in_space<typename Function::row>> {
    using tessera_own = typename Function::row_members::template tessera_own<Function, View>;
    using tessera_may = agent_access_of<Function>;

    /// No other agent of its type has this number, nor had an agent that died. Not 0.
    const std::uint64_t id;

    /// The number of the step that is being made, from 0.
    const std::int64_t step;

    /// This agent's random numbers in this call (random.hpp): its number is its id.
    random_stream random;

    /// The place that it stands on.
    ground<Function, View> place;

    /// How many residents of its type have a lower id on its place. Needs counts<here, AGENT> of its own type.
    TESSERA_FN int rank() const {
        static_assert(tessera_may::template counts<typename Function::row, offset_type<0, 0, 0>, View::dims>,
                      "rank() needs counts<here, AGENT> of the function's own agents in the access list");
        return tessera_view_.rank();
    }

    /// Wants to go there: to a site, a constant offset or one that is known while it runs. The last of these before a `manageAll` counts,
    /// and to its own place is none at all. Beyond what moves<N> declares, or beyond the grid where that is no torus, is an error that ends
    /// the run.
    template<class N> TESSERA_FN void migrate(const site<Function, N, View>& there) const {
        static_assert(!tessera_in_space, "migrate(...) is for agents on places; agents in space move by move_to(x, y)");
        static_assert(tessera_in_space || tessera_may::template moves_over<without_here<N>, View::dims>,
                      "migrate(...) needs moves<NEIGHBOURHOOD> in the access list, with a neighbourhood that has this place");
        tessera_view_.want(there.offset);
    }
    template<int X, int Y, int Z> TESSERA_FN void migrate(offset_type<X, Y, Z>) const {
        static_assert(!tessera_in_space, "migrate(...) is for agents on places; agents in space move by move_to(x, y)");
        static_assert(tessera_in_space || tessera_may::template moves_over<without_here<offset_type<X, Y, Z>>, View::dims>,
                      "migrate(...) needs moves<NEIGHBOURHOOD> in the access list, with a neighbourhood that has this place");
        static_assert(!View::is_numbered || same_type<offset_type<X, Y, Z>, offset_type<0, 0, 0>>,
                      "migrate(OFFSET) is for places of a grid (these have numbers alone, and nothing lies beside them) go along links");
        tessera_view_.want(place_offset{X, Y, Z});
    }
    template<class Access = tessera_may> TESSERA_FN void migrate(int dx, int dy, int dz = 0) const {
        static_assert(!tessera_in_space, "migrate(...) is for agents on places; agents in space move by move_to(x, y)");
        static_assert(tessera_in_space || Access::moves_by_offsets, "migrate(...) needs moves<NEIGHBOURHOOD> in the access list");
        static_assert(!View::is_numbered,
                      "migrate(dx, dy) is for places of a grid (these have numbers alone, and nothing lies beside them) go along links");
        tessera_view_.want_declared(place_offset{dx, dy, dz});
    }

    /// Wants to go to this place, whatever its distance: `self.migrate_to(3, 0)`. Over the edge of a torus it is the place that is there;
    /// beyond any other edge an error that ends the run. Of places that have a `count` x is the number of one.
    template<class Access = tessera_may> TESSERA_FN void migrate_to(std::int64_t x, std::int64_t y = 0, std::int64_t z = 0) const {
        static_assert(!tessera_in_space, "migrate_to(...) is for agents on places; agents in space move by move_to(x, y)");
        static_assert(tessera_in_space || Access::moves_anywhere, "migrate_to(...) needs moves<anywhere> in the access list");
        if constexpr (Access::moves_anywhere) tessera_view_.want_place(x, y, z);
    }

    /// Wants to go there, in space: `self.move_to(x, y)`, or a position. The last of these before a `manageAll` counts. Once beyond an edge
    /// of a torus it comes in at the other; beyond any other edge, and further than moves<within<R>> declares along an axis, or to NaN,
    /// is an error that ends the run.
    TESSERA_FN void move_to(const position_of<typename Function::row>& there TESSERA_ASKED_HERE) const {
        move_to(there.x, there.y, there.z TESSERA_ASKED);
    }
    template<class X, class Y = X, class Z = X, class Access = tessera_may>
    TESSERA_FN void move_to(X x, Y y = 0, Z z = 0 TESSERA_ASKED_HERE) const {
        TESSERA_EXPECT_SOMEWHERE(mistake::goes_nowhere, x, y, z);
        static_assert(tessera_in_space, "move_to(...) is for agents in space; agents on places move by migrate(...) or migrate_to(x, y)");
        static_assert(!tessera_in_space || Access::moves_at_all, "move_to(...) needs moves<within<R>> in the access list");
        using number = number_of<typename Function::row>;
        if constexpr (tessera_in_space && Access::moves_at_all)
            tessera_view_.want_position({static_cast<number>(x), static_cast<number>(y), static_cast<number>(z)}, Access::moves_within);
    }

    /// Asks to die. The function runs on, and the agent moves nowhere any more.
    template<class Access = tessera_may> TESSERA_FN void kill() const {
        static_assert(Access::kills, "kill() needs dies in the access list");
        tessera_view_.die();
    }

    /// Whether it wants that, since the last `manageAll` of its type.
    TESSERA_FN bool dying() const { return tessera_view_.dying(); }

    /// Whether the last `manageAll` of its type moved it, or could not. Needs reads<moved>, reads<refused>.
    template<class Access = tessera_may> TESSERA_FN bool moved() const {
        static_assert(Access::asks_moved, "moved() needs reads<moved> in the access list");
        return tessera_view_.moved();
    }
    template<class Access = tessera_may> TESSERA_FN bool refused() const {
        static_assert(Access::asks_refused, "refused() needs reads<refused> in the access list");
        return tessera_view_.refused();
    }

    /// How many of the children that it asked for the last `manageAll` of its type refused: there was no room left where they were wanted,
    /// or that was beyond an edge. Needs reads<refused_births>.
    template<class Access = tessera_may> TESSERA_FN int refused_births() const {
        static_assert(Access::asks_refused_births, "refused_births() needs reads<refused_births> in the access list");
        return tessera_view_.refused_births();
    }

    /// A value of the step, that TESSERA_GLOBAL declares and a phase `reduce` has made, or TESSERA_UNIFORM: `self.get(total)`; of an array
    /// `self.get(chance)[i]`. Needs reads<total>.
    template<class Value> TESSERA_FN auto get(Value) const { return value_of_step<Function, Value>(tessera_view_); }

    // The engine makes it, once a call.
    TESSERA_FN explicit agent(const View& from)
        : tessera_own(from), among_agents<Function, View>(from), located_agent<View, View::is_numbered>(from), id(from.id()),
          step(from.step()), random(from.random()), place(from), tessera_view_(from) {}
    agent(const agent&) = delete;
    agent& operator=(const agent&) = delete;
    TESSERA_FN void tessera_put() const {
        this->tessera_store(tessera_view_);
        place.tessera_store(tessera_view_.ground());
    }

private:
    static constexpr bool tessera_in_space = are_in_space<typename Function::row>;
    const View& tessera_view_;
};

/// `self` of a function of places whose access list has to do with agents.
template<class Function, class View, bool IsNumbered> struct place_among_agents { using type = tessera::place<Function, View>; };
template<class Function, class View> struct place_among_agents<Function, View, true> { using type = numbered_place<Function, View>; };
template<class Function, class View>
struct place_of_agents : place_among_agents<Function, View, View::is_numbered>::type, among_agents<Function, View> {
    // The engine makes it, once a call.
    TESSERA_FN explicit place_of_agents(const View& from)
        : place_among_agents<Function, View, View::is_numbered>::type(from), among_agents<Function, View>(from) {}
};

} // namespace tessera
