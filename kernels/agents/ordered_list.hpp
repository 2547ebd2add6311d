// Agents in a list in the order of their ids, which runs on one CPU use: how functions go over them, and find who stands where. What
// manageAll makes of them is compiled with the program (host/manage).
//
// Children have greater ids than everybody before them, so that they are put at the end, and who stays is moved together in order. Of each
// place there is a count, of each agent its rank, and where agents are met, a chain through those of a place: `start` has its first agent,
// and behind the last place how many agents there are; `next` has the one that follows; -1: nobody.
#pragma once

#include <tessera/detail/at_once.hpp>
#include <tessera/kernels/agents/find_codes.hpp>
#include <tessera/kernels/agents/first_draws.hpp>
#include <tessera/kernels/agents/leaving.hpp>
#include <tessera/kernels/agents/list.hpp>

namespace tessera {

// Whether first draws are made for several agents together.
template<class Call> constexpr bool are_drawn_together() {
    if constexpr (TESSERA_GPU || same_type<typename Call::agents, void> || same_type<typename Call::function, void>)
        return false;
    else
        return Call::agents::is_ordered && draws_numbers<typename Call::function>;
}
template<class Call> inline constexpr bool draws_agents_together = are_drawn_together<Call>();

// Whether a function reads and writes its own agent, asks for what becomes of it, and reads of its place, and nothing else: no call of it
// sees what another has done, so that several can be made at once.
template<class Function, int... G> constexpr bool leaves_its_place_alone(index_list<G...>) {
    constexpr int changes = access_write | access_folds;
    return (true && ... && ((Function::access::template bits<ground_members<Function>::template pointer_to<G>()> & changes) == 0));
}
template<class Call> constexpr bool is_about_itself() {
    using function = typename Call::function;
    if constexpr (TESSERA_GPU || same_type<typename Call::agents, void> || same_type<function, void>)
        return false;
    else {
        using list = agent_access_of<function>;
        return function::access::link_records == 0 &&
               list::records == (list::asks_moved || list::asks_refused ? 1 : 0) + (list::moves_at_all ? 1 : 0) + (list::kills ? 1 : 0) &&
               leaves_its_place_alone<function>(indices_to<ground_members<function>::member_count>{});
    }
}

// `visit(number)` for each agent of a place, in the order of their ids.
template<class Seen, class Visit> TESSERA_FN void for_each_in_chain(const void* const* in, const place_in_memory& at, Visit&& visit) {
    using agents = typename Seen::agents;
    const auto* const next = static_cast<const std::int32_t*>(in[Seen::arguments[agents::column::next]]);
    for (std::int32_t i = *start_of<Seen>(in, at); i >= 0; i = next[i]) visit(i);
}

// By how much the numbers of the places of N differ from that of a place, where all of them are in the grid.
template<class N, class Grid> struct numbers_around {
    std::int32_t list[N::template count<Grid::dims>] = {};
    constexpr numbers_around() {
        for (int i = 0; i < N::template count<Grid::dims>; ++i) {
            const place_offset o = N::template at<Grid::dims>(i);
            list[i] = static_cast<std::int32_t>(o.x + (o.y + o.z * Grid::size[1]) * Grid::size[0]);
        }
    }
};
template<class N, class Grid> inline TESSERA_CONSTANT constexpr numbers_around<N, Grid> numbers_beside{};

// Whether none of the places of N can be the one from which one looks: by an offset of 0, once around a torus, or in a mirror.
template<class N, class Grid> constexpr bool are_all_elsewhere() {
    for (int i = 0; i < N::template count<Grid::dims>; ++i) {
        const place_offset o = N::template at<Grid::dims>(i);
        const int by[] = {o.x, o.y, o.z};
        bool is_elsewhere = false;
        for (int axis = 0; axis < Grid::dims; ++axis) {
            if (Grid::rule[axis] == boundary::reflect) return false;
            is_elsewhere |= Grid::rule[axis] == boundary::torus ? by[axis] % Grid::size[axis] != 0 : by[axis] != 0;
        }
        if (!is_elsewhere) return false;
    }
    return true;
}

// `visit(number)` for each agent that stands alone on its place, of the places of N in their order, but for one. Who is there is gathered
// without a branch, for it cannot be foretold.
template<class Seen, class N, class Visit>
TESSERA_FN void for_each_alone(const void* const* in, const place_in_memory& here, bool interior, int but, Visit&& visit) {
    using grid = typename Seen::agents::grid;
    constexpr int all = N::template count<grid::dims>, together = all < 32 ? all : 32;
    const std::int32_t* const start = start_of<Seen>(in, here);
    std::int32_t found[together];
    for (int from = 0; from < all; from += together) {
        std::int64_t count = 0;
        for (int i = from; i < (all < from + together ? all : from + together); ++i) {
            std::int32_t one = -1;
            if (interior)
                one = start[numbers_beside<N, grid>.list[i]];
            else if (const auto at = place_beside<grid>(here.x, here.y, here.z, offset_number<N, grid::dims>(i).offset, false); at.inside)
                one = *start_of<Seen>(in, at);
            found[count] = one;
            count += one >= 0 ? 1 : 0;
            if constexpr (!are_all_elsewhere<N, grid>()) count -= (one >= 0) & (one == but) ? 1 : 0;
        }
        for (std::int64_t i = 0; i < count; ++i) visit(found[i]);
    }
}

#if !TESSERA_GPU
template<class Call> struct agent_view; // agents.hpp

// As for_each_in_order, of those alone who do not leave the function at once. Who they are is found first, for many at once.
template<class Call, class Visit>
inline void for_each_that_stays(const arguments_of_call<Call>& args, std::int64_t begin, std::int64_t end, const std::uint64_t* ids,
                                Visit&& visit) {
    const draw_keys keys(args.random_key[0]);
    using own = typename Call::agents::members::template tessera_own<typename Call::function, agent_view<Call>>;
    constexpr int most = 1024;
    std::uint8_t stays[most];
    int found[most];
    for (auto from = begin; from < end; from += most) {
        const auto all = static_cast<int>(end - from < most ? end - from : most);
        const auto is_left_by = [&](int i) {
            const agent_view<Call> view{&args, 0, 0, 0, static_cast<int>(from) + i, true, nullptr, 0};
            return leaving<Call>::condition::is_left_by(own(view));
        };
        TESSERA_AT_ONCE
        for (int i = 0; i < all; ++i) stays[i] = is_left_by(i) ? 0 : 1;
        const int count = find_codes<1, true>(stays, 0, all, found);
        for (int first = 0; first < count; first += draws_together) {
            const int few = count - first < draws_together ? count - first : draws_together;
            std::uint64_t their_ids[draws_together];
            for (int i = 0; i < few; ++i) their_ids[i] = ids[from + found[first + i]];
            draws_of_agents<draws_together> draws(keys, static_cast<std::uint32_t>(step_number(step_of<Call>(args))), their_ids, few);
            for (int i = 0; i < few; ++i) {
                const auto number = static_cast<int>(from) + found[first + i];
                visit(number, place_in_list<Call>(args, number), draws, i);
            }
        }
    }
}

// As for_each_in_order, of a function of which each call draws: the numbers are made before the calls.
template<class Call, class Visit>
inline void for_each_that_draws(const arguments_of_call<Call>& args, std::int64_t begin, std::int64_t end, const std::uint64_t* ids,
                                Visit&& visit) {
    constexpr int most = 128;
    constexpr bool later = sure_draws < Call >> 1;
    const draw_keys keys(args.random_key[0]);
    for (auto from = begin; from < end; from += most) {
        const auto count = static_cast<int>(end - from < most ? end - from : most);
        draws_of_agents<most> draws(keys, static_cast<std::uint32_t>(step_number(step_of<Call>(args))), ids + from, count);
        draws.make_first();
        if constexpr (later) draws.make_later();
        const auto one = [&](int i) {
            draws_at_hand<most, later> mine(draws);
            const auto number = static_cast<int>(from) + i;
            visit(number, place_in_list<Call>(args, number), mine, i);
        };
        if constexpr (is_about_itself<Call>()) {
            TESSERA_AT_ONCE
            for (int i = 0; i < count; ++i) one(i);
        } else
            for (int i = 0; i < count; ++i) one(i);
    }
}

// `visit(number, place, draws, number among them)` for the agents of some chunks.
template<class Call, class Visit>
inline void for_each_in_order(const arguments_of_call<Call>& args, std::int64_t first, std::int64_t last, Visit&& visit) {
    const std::int64_t all = population_of<Call>(args), begin = first_of_item(Call::agents::capacity, all, first),
                       end = first_of_item(Call::agents::capacity, all, last);
    const auto* const ids = static_cast<const std::uint64_t*>(args.in[Call::arguments[id_column<typename Call::agents>]]);
    if constexpr (leaving<Call>::is_known)
        for_each_that_stays<Call>(args, begin, end, ids, visit);
    else if constexpr (sure_draws<Call> > 0)
        for_each_that_draws<Call>(args, begin, end, ids, visit);
    else if constexpr (is_about_itself<Call>() && !draws_numbers<typename Call::function>) {
        first_draws none{};
        const auto one = [&](int i) { visit(i, place_in_list<Call>(args, i), none, 0); };
        TESSERA_AT_ONCE
        for (auto i = static_cast<int>(begin); i < static_cast<int>(end); ++i) one(i);
    } else {
        const draw_keys keys(args.random_key[0]);
        for (auto from = begin; from < end; from += draws_together) {
            const auto count = static_cast<int>(end - from < draws_together ? end - from : draws_together);
            draws_of_agents<draws_together> draws(keys, static_cast<std::uint32_t>(step_number(step_of<Call>(args))), ids + from, count);
            for (int i = 0; i < count; ++i) {
                const auto number = static_cast<int>(from) + i;
                visit(number, place_in_list<Call>(args, number), draws, i);
            }
        }
    }
}

// Whether a function's agents may want to go to places nearby.
template<class Call> constexpr bool may_go_beside() {
    using agents = typename Call::agents;
    if constexpr (same_type<agents, void> || same_type<typename Call::function, void>)
        return false;
    else
        return agents::is_ordered && agent_access_of<typename Call::function>::moves_by_offsets && !goes_anywhere<agents> &&
               Call::arguments[target_column<agents>] >= 0;
}
// Behind the calls of such a function: the places to which the codes of the agents of some chunks lead. Where many go, several are found at
// once and without a branch, so that of who stays it may be any place.
template<class Call> inline void find_places(const arguments_of_call<Call>& args, std::int64_t first, std::int64_t last) {
    using agents = typename Call::agents;
    using codes = slot_code<agents>;
    using code = typename agents::code;
    constexpr int together = 64;
    const std::int64_t all = population_of<Call>(args);
    const auto begin = static_cast<int>(first_of_item(agents::capacity, all, first)),
               end = static_cast<int>(first_of_item(agents::capacity, all, last));
    const auto* const code_of = static_cast<const code*>(args.out[Call::arguments[code_column<agents>]]);
    auto* const target = static_cast<std::int32_t*>(args.out[Call::arguments[target_column<agents>]]);
    const auto find = [&](int i) {
        const auto at = place_in_list<Call>(args, i);
        const auto to = place_reached<agents>(at.x, at.y, at.z, codes::move_request(code_of[i]));
        target[i] = to.inside ? static_cast<std::int32_t>(number_of_place<typename agents::grid>(to.x, to.y, to.z)) : -1;
    };
    for (int from = begin; from < end; from += together) {
        const int until = end - from < together ? end : from + together;
        int go = 0;
        TESSERA_ADDING_AT_ONCE(go)
        for (int i = from; i < until; ++i) go += codes::is_going(code_of[i]) ? 1 : 0;
        if (4 * go > until - from) {
            TESSERA_AT_ONCE
            for (int i = from; i < until; ++i) find(i);
        } else if (go > 0) {
            TESSERA_AT_ONCE
            for (int i = from; i < until; ++i)
                if (codes::is_going(code_of[i])) find(i);
        }
    }
}

// `visit(number, place)` for the agents of some lines of places, in the order of the list.
template<class Call, class Visit>
inline void for_each_of_rows(const arguments_of_call<Call>& args, std::int64_t first, std::int64_t last, Visit&& visit) {
    using grid = typename Call::places;
    const auto* const places = static_cast<const std::int32_t*>(args.in[Call::arguments[place_column<typename Call::agents>]]);
    const std::int32_t all = population_of<Call>(args);
    const auto low = static_cast<std::int32_t>(first * grid::size[0]), high = static_cast<std::int32_t>(last * grid::size[0]);
    for (std::int32_t i = 0; i < all; ++i)
        if (places[i] >= low && places[i] < high) visit(i, place_of_number<grid>(places[i]));
}
#endif

} // namespace tessera
