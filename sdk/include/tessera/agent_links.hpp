// SPDX-License-Identifier: Apache-2.0
// Agents along links: what a function of agents sees where the links of its place lead, and how it goes there.
//
//     TESSERA_CALL(Car, drive, around<out_links<Road>, &Road::length>, counts<out_links<Road>, Car>, moves<out_links<Road>>) {
//         self.pick(out_links<Road>, [&](const auto& site) {
//             if (site.free() > 0) self.migrate(site);
//         });
//     }
#pragma once

#include <tessera/agent.hpp>
#include <tessera/links.hpp>

namespace tessera {

/// A place to which a link of the own place leads: what `other` is to a function of places, and who stands there.
template<class Function, class N, class View> struct linked_site : other_end<Function, N, View> {
    /// How many agents of this type stand there: `site.count(agents<Car>)`. Needs counts<LINKS, Car>. A load a slot.
    template<class Row> TESSERA_FN int count(agents_type<Row>) const {
        static_assert(agent_access_of<Function>::template counts<Row, N, View::dims>,
                      "count(agents<AGENT>) needs counts<LINKS, AGENT> in the access list, with the same LINKS");
        if constexpr (agent_access_of<Function>::template counts<Row, N, View::dims>)
            return tessera_view_->template count_on<Row>(this->id);
        else
            return 0;
    }

    /// How many more agents of its own type have room there. Needs counts<LINKS, AGENT>.
    template<class Access = agent_access_of<Function>> TESSERA_FN int free() const {
        static_assert(Access::template counts<typename Function::row, N, View::dims>,
                      "free() needs counts<LINKS, AGENT> of the function's own agents in the access list, with the same LINKS");
        if constexpr (Access::template counts<typename Function::row, N, View::dims>)
            return tessera_view_->free_on(this->id);
        else
            return 0;
    }

    TESSERA_FN linked_site(const View& view, std::int64_t at, std::int64_t number)
        : other_end<Function, N, View>(view, at, number), tessera_view_(&view) {}

private:
    const View* tessera_view_;
};

/// `self` of a function of agents whose access list names links: as one of places (links.hpp) it goes along those of the place on which the
/// agent stands, and sees sites there.
template<class Function, class View> struct linked_agent : linked_place<Function, View, agent<Function, View>, linked_site> {
    using tessera_alone = agent<Function, View>;
    using tessera_linked = linked_place<Function, View, tessera_alone, linked_site>;
    using tessera_may = agent_access_of<Function>;
    using tessera_alone::spawn;
    using tessera_linked::count;

    /// Calls `visit(site)` for each link, in the order of the list. Places of a grid are gone through by `self.place.each(...)`.
    template<class N, class Visitor> TESSERA_FN void each(N n, Visitor&& visit) const {
        static_assert(is_along_links<N>, "each(...) of an agent goes along links; places around it are visited by self.place.each(...)");
        if constexpr (is_along_links<N>) tessera_linked::each(n, visit);
    }

    /// How many agents of a type stand on the places of N; where several links lead to a place, its agents are counted for each.
    template<class N, class Row> TESSERA_FN int count(N n, agents_type<Row> whose) const {
        if constexpr (is_along_links<N> && tessera_may::template counts<Row, N, View::dims>) {
            int total = 0;
            this->template tessera_each_number<N>(
                [&](std::int64_t number) { total += this->tessera_view().template count_on<Row>(number); });
            return total;
        } else
            return tessera_alone::count(n, whose);
    }

    /// Calls `visit(other)` for each agent of a type where the links lead, in the order of the list and then of ids; an agent does not meet
    /// itself. Needs meets<LINKS, ...>.
    template<class N, class Row, class Visitor> TESSERA_FN void meet(N n, agents_type<Row> whom, Visitor&& visit) const {
        if constexpr (is_along_links<N> && tessera_may::template meets<Row, N, View::dims>)
            this->template tessera_each_number<N>([&](std::int64_t number) {
                this->tessera_view().template meet_on<Row>(
                    number,
                    [](const auto& met, auto at) {
                        return met_agent<Function, N, Row, without_const<without_reference<decltype(met)>>>(met, at);
                    },
                    visit);
            });
        else
            tessera_alone::meet(n, whom, visit);
    }

    /// Wants to go to where a link leads: `self.migrate(site)`. The last of these before a `manageAll` counts, and to its own place is none
    /// at all. Needs moves<LINKS>.
    using tessera_alone::migrate;
    template<class N> TESSERA_FN void migrate(const linked_site<Function, N, View>& there) const {
        static_assert(tessera_may::template moves_over<N, View::dims>,
                      "migrate(...) needs moves<LINKS> in the access list, with the same LINKS that the site was found along");
        if constexpr (tessera_may::template moves_over<N, View::dims>) this->tessera_view().want_number(there.id);
    }

    template<class Number>
    requires requires(Number number) { number + 1; }
    TESSERA_FN void migrate(Number) const {
        static_assert(same_type<Number, void>,
                      "migrate(...) takes a site, which each(...) and pick(...) show along links; to a place of any number goes "
                      "migrate_to(NUMBER), which needs moves<anywhere>");
    }

    // The engine makes it, once a call.
    TESSERA_FN explicit linked_agent(const View& from) : tessera_linked(from) {}
};

} // namespace tessera
