// Functions of agents, and functions of places that have to do with agents: what they see and ask for, and how they are called.
#pragma once

#include <tessera/agent.hpp>
#if !defined(TESSERA_WITHOUT_LINKS)
#include <tessera/agent_links.hpp>
#endif
#include <tessera/kernels/agents/births.hpp>
#include <tessera/kernels/agents/list.hpp>
#include <tessera/kernels/agents/ordered_list.hpp>
#include <tessera/kernels/agents/settled.hpp>
#include <tessera/kernels/agents/space.hpp>
#include <tessera/kernels/agents/staying.hpp>
#include <tessera/kernels/places/along_links.hpp>

namespace tessera {

// ---- the views of functions of agents

// `visit(slot)` for each resident of a place, in the order of their ids. A list has them in that order.
template<class Seen, class Visit> TESSERA_FN void for_each_resident(const void* const* in, const place_in_memory& at, Visit&& visit) {
    using agents = typename Seen::agents;
    if constexpr (agents::is_ordered)
        for_each_in_chain<Seen>(in, at, visit);
    else if constexpr (agents::is_list) {
        const std::int32_t* const start = start_of<Seen>(in, at);
        for (int i = start[0]; i < start[1]; ++i) visit(i);
    } else {
        const void* const codes = in[Seen::arguments[code_column<agents>]];
        std::uint64_t last = 0; // the id of no agent
        for (int served = 0; served < agents::capacity; ++served) {
            int next = -1;
            std::uint64_t least = ~std::uint64_t{0};
            for (int slot = 0; slot < agents::capacity; ++slot) {
                if (slot_code<agents>::is_empty(peek(slot_at<agents>(codes, at, slot)))) continue;
                if (agents::capacity == 1) return visit(slot);
                const std::uint64_t id = id_at<agents>(in[Seen::arguments[id_column<agents>]], at, slot);
                if (id > last && id < least) least = id, next = slot;
            }
            if (next < 0) return;
            visit(next);
            last = least;
        }
    }
}

// Agents that are met: their members, and ids.
template<class Call, class Seen> struct met_view {
    using agents = typename Seen::agents;
    using members = typename agents::members;
    static constexpr int dims = agents::grid::dims;
    struct slot_on_place {
        place_in_memory place;
        int slot;
    };
    const arguments_of_call<Call>* args;

    template<int I> TESSERA_FN value_in<members, I> seen(const slot_on_place& at) const {
        return load_elements<value_in<members, I>, scalar_in<members, I>, elements_in<members, I>>(
            static_cast<const scalar_in<members, I>*>(args->in[Seen::arguments[I]]) +
                agent_cell<agents, I>(at.place, at.slot, elements_in<members, I>),
            agents::grid::columns[I].element);
    }
    TESSERA_FN std::uint64_t id(const slot_on_place& at) const {
        return id_at<agents>(args->in[Seen::arguments[id_column<agents>]], at.place, at.slot);
    }
};

// Calls `visit(see(view, slot))` for the agents of a type on a place `at`, but for the one in slot `but` of the place `here`.
template<class Call, class Row, class See, class Visit>
TESSERA_FN void meet_all_on(const arguments_of_call<Call>& args, const place_in_memory& at, const place_in_memory& here, int but, See&& see,
                            Visit&& visit) {
    using seen = decltype(Call::seen(static_cast<agents_type<Row>*>(nullptr)));
    using agents = typename seen::agents;
    using slot_on_place = typename met_view<Call, seen>::slot_on_place;
    const met_view<Call, seen> view{&args};
    if constexpr (agents::is_ordered && agents::most_on_place == 1) { // what is read of nobody spares a branch that cannot be foretold
        const std::int32_t i = *start_of<seen>(args.in, at);
        const auto other = see(view, slot_on_place{at, i < 0 ? 0 : i});
        if (i >= 0 && i != but) visit(other);
    } else {
        const int itself = is_same_place<typename agents::grid>(at, here) ? but : -1;
        for_each_resident<seen>(args.in, at, [&](int slot) {
            if (slot == itself) return;
            const auto other = see(view, slot_on_place{at, slot});
            visit(other);
        });
    }
}
// The same on the places of N.
template<class Call, class Row, class N, class See, class Visit>
TESSERA_FN void meet_all(const arguments_of_call<Call>& args, const place_in_memory& here, bool interior, int but, See&& see,
                         Visit&& visit) {
    using seen = decltype(Call::seen(static_cast<agents_type<Row>*>(nullptr)));
    using grid = typename seen::agents::grid;
    if constexpr (seen::agents::is_ordered && seen::agents::most_on_place == 1) {
        const met_view<Call, seen> view{&args};
        for_each_alone<seen, N>(args.in, here, interior, but, [&](int slot) {
            const auto other = see(view, typename met_view<Call, seen>::slot_on_place{here, slot});
            visit(other);
        });
    } else
        for (int i = 0; i < N::template count<grid::dims>; ++i) {
            const auto at = place_beside<grid>(here.x, here.y, here.z, offset_number<N, grid::dims>(i).offset, interior);
            if (at.inside) meet_all_on<Call, Row>(args, at, here, but, see, visit);
        }
}
template<class Call, class Row>
TESSERA_FN int count_all(const arguments_of_call<Call>& args, const place_in_memory& here, bool interior, place_offset by) {
    using seen = decltype(Call::seen(static_cast<agents_type<Row>*>(nullptr)));
    using agents = typename seen::agents;
    return residents_of<seen>(args.in, place_beside<typename agents::grid>(here.x, here.y, here.z, by, interior));
}

// Whether all positions nearer than the radius are on the same place or on those beside it along an axis. Positions are rounded: the float
// nearest to 0.05 is a little more than the width of a place of 1 / 20, and no distance of two floats lies between these two.
template<class Agents, int Axis> constexpr bool is_no_wider_than_a_place(double radius) {
    using number = typename Agents::number;
    return Axis >= Agents::grid::dims || static_cast<number>(radius) <= static_cast<number>(width_of_place<Agents, Axis>());
}

// In space: `visit(see(view, slot, way))` for the agents of a type that are nearer than N's radius to a standpoint.
template<class Call, class Row, class N, class See, class Visit>
TESSERA_FN void meet_all_within(const arguments_of_call<Call>& args, const standpoint<typename Call::agents::number>& here, See&& see,
                                Visit&& visit) {
    using seen = decltype(Call::seen(static_cast<agents_type<Row>*>(nullptr)));
    using agents = typename seen::agents;
    using number = typename agents::number;
    static_assert(same_type<number, typename Call::agents::number>,
                  "meets<within<R>, ...> needs agents with positions of one type, float or double");
    static_assert(
        is_no_wider_than_a_place<agents, 0>(N::radius) && is_no_wider_than_a_place<agents, 1>(N::radius) &&
            is_no_wider_than_a_place<agents, 2>(N::radius),
        "within<R> reaches further than a place is wide, which is extent / size: give the places a larger extent, or a smaller size");
    static_assert((!is_round<agents, 0> || agents::grid::size[0] > 2) && (!is_round<agents, 1> || agents::grid::size[1] > 2) &&
                      (!is_round<agents, 2> || agents::grid::size[2] > 2),
                  "within<R> needs 3 places along each axis of a torus, or an agent could be met twice: give the places a larger size");
    constexpr number radius = static_cast<number>(N::radius);
    const met_view<Call, seen> view{&args};
    for_each_near<seen>(
        args.in, here, radius,
        [&](int i, const point_in<agents>& way) {
            return see(view, typename met_view<Call, seen>::slot_on_place{{}, i}, way);
        },
        visit);
}

// The place of an agent, and the places around it.
template<class Call> struct ground_view {
    using grid = typename Call::places;
    using members = ground_members<typename Call::function>;
    static constexpr int dims = grid::dims;
    static constexpr bool masked = false;
    const arguments_of_call<Call>* args;
    int x, y, z;
    bool interior;
    int slot = 0; // of an agent

    TESSERA_FN bool exists(place_offset o) const {
        return !(is_void_on<grid, 0>(x, o.x) || is_void_on<grid, 1>(y, o.y) || is_void_on<grid, 2>(z, o.z));
    }
    // Whether all places of N exist, as far as one need not look: what no access list names may be further away than the kernel's reach.
    template<class N> TESSERA_FN bool has_all() const {
        constexpr reach_of_member of = reach_over<N, dims>();
        constexpr bool within_reach = of.low[0] <= Call::reach[0] && of.high[0] <= Call::reach[0] && of.low[1] <= Call::reach[1] &&
                                      of.high[1] <= Call::reach[1] && of.low[2] <= Call::reach[2] && of.high[2] <= Call::reach[2];
        return within_reach && interior;
    }
    template<int I> TESSERA_FN auto own() const {
        return load_elements<value_in<members, I>, scalar_in<members, I>, elements_in<members, I>>(in<I>() + cell_of<grid, I>(x, y, z),
                                                                                                   grid::columns[I].element);
    }
    template<int I> TESSERA_FN value_in<members, I> seen(place_offset o) const {
        const place_in_memory at = place_beside<grid>(x, y, z, o, interior);
        if (!interior) {
            if (is_void_on<grid, 0>(x, o.x) || is_void_on<grid, 1>(y, o.y) || is_void_on<grid, 2>(z, o.z))
                return constant<I>(beyond<grid, I>::missing);
            if (is_constant_on<grid, 0>(x, o.x) || is_constant_on<grid, 1>(y, o.y) || is_constant_on<grid, 2>(z, o.z))
                return constant<I>(beyond<grid, I>::outside);
        }
        return load_elements<value_in<members, I>, scalar_in<members, I>, elements_in<members, I>>(in<I>() + cell_of<grid, I>(at),
                                                                                                   grid::columns[I].element);
    }
    template<int I> TESSERA_FN void store(const value_in<members, I>& value) const {
        auto* const origin = static_cast<scalar_in<members, I>*>(args->out[Call::ground[I]]);
        store_elements<value_in<members, I>, scalar_in<members, I>, elements_in<members, I>>(origin + cell_of<grid, I>(x, y, z),
                                                                                             grid::columns[I].element, value);
        if (!has_copies<grid, I>(x, 1, y, z)) return;
        for (int e = 0; e < elements_in<members, I>; ++e) {
            auto* const plane = origin + e * grid::columns[I].element;
            write_copies<grid, I>(plane, plane[cell_of<grid, I>(x, y, z)], x, y, z);
        }
    }

    // What an agent adds to the member, lowers it or raises it to: at once, or as its share.
    template<int I, int Bits, class Folded> TESSERA_FN void fold(const Folded& member) const {
        for (int e = 0; e < elements_in<members, I>; ++e)
            if constexpr (Call::shares[I] < 0) {
                auto* const plane = static_cast<scalar_in<members, I>*>(args->out[Call::ground[I]]) + e * grid::columns[I].element;
                const auto value = folded<Bits>(plane[cell_of<grid, I>(x, y, z)], folded_element(member, e));
                plane[cell_of<grid, I>(x, y, z)] = value;
                if (has_copies<grid, I>(x, 1, y, z)) write_copies<grid, I>(plane, value, x, y, z);
            } else
                *share<I>(slot, e) = folded_element(member, e);
    }
    // Joins the share of the one agent that the view is of.
    template<int I> TESSERA_FN void join_share() const {
        if constexpr (Call::shares[I] >= 0) {
            constexpr int bits = Call::function::access::template bits<members::template pointer_to<I>()>;
            for (int e = 0; e < elements_in<members, I>; ++e) {
                auto* const plane = static_cast<scalar_in<members, I>*>(args->out[Call::ground[I]]) + e * grid::columns[I].element;
                const auto value = folded<bits>(plane[cell_of<grid, I>(x, y, z)], *share<I>(slot, e));
                plane[cell_of<grid, I>(x, y, z)] = value;
                if (has_copies<grid, I>(x, 1, y, z)) write_copies<grid, I>(plane, value, x, y, z);
            }
        }
    }
    // Joins the shares of all residents, in the order of their ids.
    template<int I> TESSERA_FN void join_shares() const {
        if constexpr (Call::shares[I] >= 0) {
            constexpr int bits = Call::function::access::template bits<members::template pointer_to<I>()>;
            if (residents_of<Call>(args->in, {x, y, z, true}) == 0) return;
            for (int e = 0; e < elements_in<members, I>; ++e) {
                auto* const plane = static_cast<scalar_in<members, I>*>(args->out[Call::ground[I]]) + e * grid::columns[I].element;
                auto value = plane[cell_of<grid, I>(x, y, z)];
                for_each_resident<Call>(args->in, {x, y, z, true},
                                        [&](int resident) { value = folded<bits>(value, *share<I>(resident, e)); });
                plane[cell_of<grid, I>(x, y, z)] = value;
                if (has_copies<grid, I>(x, 1, y, z)) write_copies<grid, I>(plane, value, x, y, z);
            }
        }
    }

private:
    template<int I> TESSERA_FN scalar_in<members, I>* share(int of, int e) const {
        constexpr int column = Call::shares[I];
        using agents = typename Call::agents;
        return static_cast<scalar_in<members, I>*>(args->out[Call::arguments[column]]) +
               agent_cell<agents, column>({x, y, z, true}, of, elements_in<members, I>) + e * agents::grid::columns[column].element;
    }
    template<int I> TESSERA_FN const scalar_in<members, I>* in() const {
        return static_cast<const scalar_in<members, I>*>(args->in[Call::ground[I]]);
    }
    template<int I, class Constants> TESSERA_FN static value_in<members, I> constant(const Constants& values) {
        return load_elements<value_in<members, I>, scalar_in<members, I>, elements_in<members, I>>(values, 1);
    }
};

template<class Call, int Number, class Link> struct link_wishes<part_of_chain<Call, Number>, Link> : link_wishes<Call, Link> {};

template<class Call> struct agent_view {
    using function = typename Call::function;
    using agents = typename Call::agents;
    using grid = typename agents::grid;
    using members = typename agents::members;
    using codes = slot_code<agents>;
    using ground_view = tessera::ground_view<Call>;
    static constexpr int dims = grid::dims;
    static constexpr bool is_numbered = tessera::is_numbered<typename Call::places>;
    const arguments_of_call<Call>* args;
    int x, y, z;
    int slot;
    bool interior;
    first_draws* together = nullptr; // where first draws are made for several agents together: those, and which of them this one is
    int number = 0;

    TESSERA_FN ground_view ground() const { return {args, x, y, z, interior, slot}; }
    TESSERA_FN auto position() const {
        if constexpr (is_in_space<agents>)
            return load_point<agents, position_column<agents>>(args->in[Call::arguments[position_column<agents>]], slot);
        else
            return place_position{x, y, z};
    }
    static TESSERA_FN auto extent() { return point_in<agents>{end_of<agents>[0], end_of<agents>[1], end_of<agents>[2]}; }
    static TESSERA_FN place_position size() { return {grid::size[0], grid::size[1], grid::size[2]}; }
    TESSERA_FN std::int64_t step() const { return step_number(step_of<Call>(*args)); }
    TESSERA_FN std::uint64_t id() const { return id_at<agents>(args->in[Call::arguments[id_column<agents>]], here(), slot); }
    TESSERA_FN random_stream random() const {
        if constexpr (draws_agents_together<Call>)
            return random_stream(*together, number);
        else
            return random_stream(args->random_key[0], id(), static_cast<std::uint32_t>(step()));
    }
    template<class Value> TESSERA_FN auto global() const { return step_value<Value>(*args); }

    template<int I> TESSERA_FN auto own() const {
        return load_elements<value_in<members, I>, scalar_in<members, I>, elements_in<members, I>>(
            static_cast<const scalar_in<members, I>*>(args->in[Call::arguments[I]]) + cell<I>(), grid::columns[I].element);
    }
    template<int I> TESSERA_FN void store(const value_in<members, I>& value) const {
        store_elements<value_in<members, I>, scalar_in<members, I>, elements_in<members, I>>(
            static_cast<scalar_in<members, I>*>(args->out[Call::arguments[I]]) + cell<I>(), grid::columns[I].element, value);
    }

    // Of the place: its number, and its links. How many such places there are.
    TESSERA_FN std::int64_t number_here() const { return number_in_grid<typename Call::places>(x, y, z); }
    static TESSERA_FN constexpr std::int64_t places() { return Call::places::count; }
    TESSERA_FN links_in_memory<Call> links() const { return {args->in}; }
    template<class N> TESSERA_FN link_range list() const { return links().template list<N>(number_here()); }
    template<class N> TESSERA_FN std::int64_t other(std::int64_t at) const { return links().template other<N>(at); }
    template<class N, int I> TESSERA_FN auto of_link(std::int64_t at) const { return links().template of_link<N, I>(at); }
    template<class N, int I> TESSERA_FN auto of_end(std::int64_t number) const { return links().template of_end<N, I>(number); }
    // Who stands on the place of a number.
    template<class Row> TESSERA_FN int count_on(std::int64_t number) const {
        using seen = decltype(Call::seen(static_cast<agents_type<Row>*>(nullptr)));
        return residents_of<seen>(args->in, place_of_number<grid>(static_cast<std::int32_t>(number)));
    }
    template<class Row, class See, class Visit> TESSERA_FN void meet_on(std::int64_t number, See&& see, Visit&& visit) const {
        meet_all_on<Call, Row>(*args, place_of_number<grid>(static_cast<std::int32_t>(number)), here(),
                               same_type<Row, typename agents::row> ? slot : -1, see, visit);
    }
    TESSERA_FN int free_on(std::int64_t number) const {
        if constexpr (agents::most_on_place == 0) return 0x7fffffff;
        return agents::most_on_place - residents_of<Call>(args->in, place_of_number<grid>(static_cast<std::int32_t>(number)));
    }

    template<class Row> TESSERA_FN int count(place_offset o) const { return count_all<Call, Row>(*args, here(), interior, o); }
    template<class Row, class N, class See, class Visit> TESSERA_FN void meet_over(See&& see, Visit&& visit) const {
        meet_all<Call, Row, N>(*args, here(), interior, same_type<Row, typename agents::row> ? slot : -1, see, visit);
    }
    template<class Row, class N, class See, class Visit> TESSERA_FN void meet_within(See&& see, Visit&& visit) const {
        meet_all_within<Call, Row, N>(*args, {x, y, z, position(), same_type<Row, typename agents::row> ? slot : -1}, see, visit);
    }
    template<class Row> TESSERA_FN void spawn(const Row& child, place_offset o) const {
        if constexpr (is_in_space<agents> && are_in_space<Row>)
            ask_for_child_at<Call>(*args, here(), slot, id(), as_numbers<number_of<Row>>(position()), child);
        else
            ask_for_child<Call>(*args, here(), interior, slot, id(), o, child);
    }
    template<class Row> TESSERA_FN void spawn_at(const Row& child, const space_point<number_of<Row>>& at, double most) const {
        if (!is_near<agents>(position(), as_numbers<typename agents::number>(at), most))
            return report<Call>(*args, is_no_place(at) ? spawns_at_no_number : spawns_undeclared, id());
        ask_for_child_at<Call>(*args, here(), slot, id(), at, child);
    }
    // A link, of the author in this slot; in a list those of all places follow each other.
    template<class Link> TESSERA_FN void spawn(const Link& child, std::int64_t from, std::int64_t to) const {
        using wishes = link_wishes<Call, Link>;
        std::int64_t author = slot;
        if constexpr (!agents::is_list) author = number_in_grid<grid>(x, y, z) + slot * (grid::size[0] * grid::size[1] * grid::size[2]);
        static_cast<std::uint64_t*>(args->out[wishes::author])[author] = id();
        want_link<wishes>(args->out, author, child, from, to);
    }
    TESSERA_FN int free(place_offset o) const {
        const place_in_memory at = place_beside<grid>(x, y, z, o, interior);
        if constexpr (agents::most_on_place == 0) return at.inside ? 0x7fffffff : 0;
        return at.inside ? agents::most_on_place - residents_of<Call>(args->in, at) : 0;
    }
    TESSERA_FN int rank() const {
        if constexpr (agents::is_ordered)
            return static_cast<const std::int32_t*>(args->in[Call::arguments[agents::column::rank]])[slot];
        else if constexpr (agents::is_list)
            return slot - *start_of<Call>(args->in, here());
        else
            return rank_in_slots();
    }
    TESSERA_FN int rank_in_slots() const {
        const std::uint64_t mine = id();
        int before = 0;
        for (int other = 0; other < agents::capacity; ++other)
            if (other != slot && !codes::is_empty(peek(slot_at<agents>(args->in[Call::arguments[code_column<agents>]], here(), other))))
                before += id_at<agents>(args->in[Call::arguments[id_column<agents>]], here(), other) < mine ? 1 : 0;
        return before;
    }

    TESSERA_FN void want(place_offset o) const {
        const auto before = asked();
        const bool stays = o == place_offset{0, 0, 0};
        const auto now = codes::of(stays ? codes::nothing : codes::going + offset_box<agents>::number_of(o), codes::result(before));
        if constexpr (agents::is_ordered && agents::refuses_at_edge && !goes_anywhere<agents>) // without a branch, for several at once
            return ask(codes::is_dying(before) ? before : now);
        if (codes::is_dying(before)) return;
        if (!agents::refuses_at_edge && !place_beside<grid>(x, y, z, o, interior).inside)
            return report<Call>(*args, migrates_off_grid, id());
        if constexpr (goes_anywhere<agents>) return want_goal(place_beside<grid>(x, y, z, o, interior), before);
        ask(now);
    }
    // Anywhere on the grid.
    TESSERA_FN void want_place(std::int64_t to_x, std::int64_t to_y, std::int64_t to_z) const {
        const auto before = asked();
        if (codes::is_dying(before)) return;
        auto to = place_at<grid>(to_x, to_y, to_z);
        if constexpr (is_numbered) {
            to = place_of_number<grid>(static_cast<std::int32_t>(to_x));
            to.inside = to_x >= 0 && to_x < places() && to_y == 0 && to_z == 0;
        }
        if (!agents::refuses_at_edge && !to.inside) return report<Call>(*args, migrates_off_grid, id());
        want_goal(to, before);
    }
    // The place of that number, where a link leads.
    TESSERA_FN void want_number(std::int64_t number) const {
        const auto before = asked();
        if (codes::is_dying(before)) return;
        want_goal(place_of_number<grid>(static_cast<std::int32_t>(number)), before);
    }
    // The offset may be any.
    TESSERA_FN void want_declared(place_offset o) const {
        if (!declared_offsets<agents, function>::have(o)) return report<Call>(*args, migrates_undeclared, id());
        want(o);
    }
    // In space.
    TESSERA_FN void want_position(point_in<agents> to, double most) const {
        const auto before = asked();
        if (codes::is_dying(before)) return;
        const auto from = position();
        if (!is_near<agents>(from, to, most))
            return report<Call>(*args, is_no_place(to) ? migrates_to_no_number : migrates_undeclared, id());
        if (!come_in<agents>(to)) {
            if (!agents::refuses_at_edge) return report<Call>(*args, migrates_off_grid, id());
            to.x = -1;
        }
        store_point<agents, aim_column<agents>>(args->out[Call::arguments[aim_column<agents>]], slot, to);
        const bool stays = to.x == from.x && to.y == from.y && to.z == from.z;
        ask(codes::of(stays ? codes::nothing : codes::going, codes::result(before)));
    }
    TESSERA_FN void die() const { ask(codes::of(codes::dying, codes::result(asked()))); }
    TESSERA_FN bool dying() const { return codes::is_dying(asked()); }
    TESSERA_FN bool moved() const { return codes::has_result(asked(), move_result::moved); }
    TESSERA_FN bool refused() const { return codes::has_result(asked(), move_result::refused); }
    TESSERA_FN int refused_births() const {
        constexpr int R = agents::column::refused_births;
        if constexpr (R >= 0) // else no phase calls the function, which is compiled to be checked
            return static_cast<int>(
                static_cast<const std::uint32_t*>(args->in[Call::arguments[R]])[agent_cell<agents, R>(here(), slot, 1)]);
        else
            return 0;
    }

private:
    TESSERA_FN void want_goal(const place_in_memory& to, typename agents::code before) const {
        const bool stays = to.inside && is_same_place<grid>(to, here());
        if constexpr (goes_anywhere<agents>) // else no phase calls the function, which is compiled to be checked
            static_cast<std::int32_t*>(args->out[Call::arguments[agents::column::goal]])[goal_cell<agents>(here(), slot)] =
                to.inside ? static_cast<std::int32_t>(number_of_place<grid>(to.x, to.y, to.z)) : -1;
        ask(codes::of(stays ? codes::nothing : codes::going, codes::result(before)));
    }
    TESSERA_FN place_in_memory here() const { return {x, y, z, true}; }
    template<int I> TESSERA_FN std::int64_t cell() const { return agent_cell<agents, I>(here(), slot, elements_in<members, I>); }
    // In a list in the order of ids nobody looks at another's code: compilers may then take several agents at once.
    TESSERA_FN typename agents::code asked() const {
        if constexpr (agents::is_ordered)
            return *code();
        else
            return peek(code());
    }
    TESSERA_FN void ask(typename agents::code now) const {
        if constexpr (agents::is_ordered)
            *code() = now;
        else
            poke(code(), now);
    }
    TESSERA_FN typename agents::code* code() const {
        return static_cast<typename agents::code*>(args->out[Call::arguments[code_column<agents>]]) +
               agent_cell<agents, code_column<agents>>(here(), slot, 1);
    }
};

// A place that agents stand on, of a function of places: `at` and `exists` as views of grids have them.
template<class Call> struct place_of_agents_view : ground_view<Call> {
    using base = ground_view<Call>;
    using grid = typename Call::places;

    static constexpr bool is_numbered = tessera::is_numbered<grid>;
    TESSERA_FN std::int64_t number() const { return number_in_grid<grid>(base::x, base::y, base::z); }
    static TESSERA_FN constexpr std::int64_t count() { return grid::count; }
    TESSERA_FN place_position position() const { return {base::x, base::y, base::z}; }
    static TESSERA_FN place_position size() { return {grid::size[0], grid::size[1], grid::size[2]}; }
    TESSERA_FN std::int64_t step() const { return step_number(step_of<Call>(*base::args)); }
    TESSERA_FN bool counts_children() const { return base::args->phase == tessera::counts_children; }
    TESSERA_FN random_stream random() const {
        return place_stream<grid>(base::args->random_key[0], base::x, base::y, base::z, static_cast<std::uint32_t>(step()));
    }
    template<class Value> TESSERA_FN auto global() const { return step_value<Value>(*base::args); }
    template<int I, int X, int Y, int Z> TESSERA_FN auto at() const { return base::template seen<I>({X, Y, Z}); }
    template<int X, int Y, int Z> TESSERA_FN bool exists() const { return base::exists({X, Y, Z}); }

    template<class Row> TESSERA_FN int count(place_offset o) const { return count_all<Call, Row>(*base::args, here(), base::interior, o); }
    template<class Row, class N, class See, class Visit> TESSERA_FN void meet_over(See&& see, Visit&& visit) const {
        meet_all<Call, Row, N>(*base::args, here(), base::interior, -1, see, visit);
    }
    template<class Row> TESSERA_FN void spawn(const Row& child, place_offset o) const {
        ask_for_child<Call>(*base::args, here(), base::interior, 0, number_of_place<grid>(base::x, base::y, base::z), o, child);
    }

private:
    TESSERA_FN place_in_memory here() const { return {base::x, base::y, base::z, true}; }
};

// ---- a phase callAll of agents, and of places among them

template<class Call, class View, bool Linked> struct self_of_agent { using type = agent<typename Call::function, View>; };
#if !defined(TESSERA_WITHOUT_LINKS)
template<class Call, class View> struct self_of_agent<Call, View, true> { using type = linked_agent<typename Call::function, View>; };
#endif
template<class Call, class View> TESSERA_FN void call_agent_through(const View& view) {
    typename self_of_agent<Call, View, (Call::function::access::link_records > 0)>::type self(view);
    Call::function::call(self);
    self.tessera_put();
}
#if defined(TESSERA_CHECKED)
template<class Call> struct checked_agent_view : checked_view<typename Call::agents::members, agent_view<Call>, false> {
    using checked_view<typename Call::agents::members, agent_view<Call>, false>::checked_view;
    using ground_view = checked_view<typename tessera::ground_view<Call>::members, tessera::ground_view<Call>, true>;
    TESSERA_FN ground_view ground() const { return ground_view(agent_view<Call>::ground()); }
};
// Of a list all agents come one after the other, of slots first those in the first of all places.
template<class Agents> TESSERA_FN std::int64_t number_of_call(int x, int y, int z, int slot) {
    constexpr const std::int64_t(&n)[3] = Agents::grid::size;
    if constexpr (Agents::is_list)
        return slot;
    else
        return slot * (n[0] * n[1] * n[2]) + number_within({n[0], n[1], n[2]}, x, y, z);
}
#endif
template<class Call>
TESSERA_FN void call_agent(const arguments_of_call<Call>& args, int x, int y, int z, int slot, first_draws* together = nullptr,
                           int number = 0) {
    const bool interior = is_interior<Call>(x, y, z);
#if defined(TESSERA_CHECKED)
    const agent_view<Call> view{&args, x, y, z, slot, interior, together, number};
    const noted_call call(x, y, z, view.id(), number_of_call<typename Call::agents>(x, y, z, slot));
    call_checked<typename Call::function>(checked_agent_view<Call>(view), [](const auto& through) { call_agent_through<Call>(through); });
#elif TESSERA_GPU
    call_agent_through<Call>(agent_view<Call>{&args, x, y, z, slot, interior, together, number});
#else // twice, so that the body for those away from the edges asks no more
    if (interior)
        call_agent_through<Call>(agent_view<Call>{&args, x, y, z, slot, true, together, number});
    else
        call_agent_through<Call>(agent_view<Call>{&args, x, y, z, slot, false, together, number});
#endif
}

// What is done of a manageAll beside the calls (collection.hpp): before them slots are settled, and behind each who dies is buried.
template<class Call>
TESSERA_FN void call_and_bury(const arguments_of_call<Call>& args, int x, int y, int z, int slot, slot_counts& counts) {
    call_agent<Call>(args, x, y, z, slot);
    if constexpr (Call::buries) {
        using agents = typename Call::agents;
        auto* const code = static_cast<typename agents::code*>(args.out[Call::arguments[code_column<agents>]]) +
                           agent_cell<agents, code_column<agents>>({x, y, z, true}, slot, 1);
        const auto before = peek(code), after = settled<agents, false>(before, unmarked);
        count_settled<agents, false>(before, unmarked, counts);
        if (after != before) poke(code, after);
    }
}
// In a list, where the last function that moves finds the targets of those who move (list.hpp).
template<class Call> TESSERA_FN void call_in_list(const arguments_of_call<Call>& args, int i, const place_in_memory& at) {
    call_agent<Call>(args, at.x, at.y, at.z, i);
    if constexpr (Call::finds_targets) list_work<Call>{args}.find_target(i, at);
}
#if TESSERA_GPU
template<class Call> TESSERA_FN void call_agents(const arguments_of_call<Call>& args) {
    using agents = typename Call::agents;
    if (is_given_up<Call>(args)) return;
    if constexpr (agents::is_list)
        for_each_in_list<Call>(args, [&](int i, const place_in_memory& at) { call_in_list<Call>(args, i, at); });
    else {
        using cells = slots_of<agents>;
        slot_counts counts;
        const auto call = [&](int x, int y, int z, int slot) { call_and_bury<Call>(args, x, y, z, slot, counts); };
        if constexpr (Call::settles)
            for_each_code<cells, 1>(
                args, [&](int slot, std::int64_t mine) { return settle_of_thread<Call>(args, slot, mine, counts); }, call);
        else
            for_each_code<cells, 1>(args, plain_codes<cells>(args, args.in[Call::arguments[code_column<agents>]]), call);
        if constexpr (Call::settles || Call::buries) add_counts<Call>(args, counts);
    }
}
#else
// Functions that the author's body calls are part of it: what it knows of the agent then stays in registers.
template<class Call> __attribute__((flatten)) inline void call_agents(const void* argument, std::int64_t first, std::int64_t last) {
    using agents = typename Call::agents;
    const auto& args = *static_cast<const arguments_of_call<Call>*>(argument);
    if (is_given_up<Call>(args)) return;
    if constexpr (agents::is_ordered) {
        birth_notes notes;
        const noting_arguments<Call> mine{args, &notes}; // which a store to a code, a byte, does not reload
        for_each_in_order<Call>(mine, first, last, [&](int i, const place_in_memory& at, first_draws& draws, int number) {
            call_agent<Call>(mine, at.x, at.y, at.z, i, &draws, number);
        });
        if constexpr (may_go_beside<Call>()) find_places<Call>(mine, first, last);
    } else if constexpr (agents::is_list)
        for_each_in_list<Call>(args, first, last, [&](int i, const place_in_memory& at) { call_in_list<Call>(args, i, at); });
    else {
        using cells = slots_of<agents>;
        slot_counts counts;
        const auto codes = plain_codes<cells>(args, args.in[Call::arguments[code_column<agents>]]);
        const auto settled_codes = [&](int y, int z, int slot) {
            if constexpr (Call::settles) settle_row_of<Call>(args, y, z, slot, counts);
            return codes(y, z, slot);
        };
        for_each_code<cells, 1>(args, settled_codes, first, last,
                                [&](int x, int y, int z, int slot) { call_and_bury<Call>(args, x, y, z, slot, counts); });
        if constexpr (Call::settles || Call::buries) add_counts<Call>(args, counts);
    }
}
#endif

template<class Call, int... I> TESSERA_FN void join_shares_of(const ground_view<Call>& place, index_list<I...>) {
    (place.template join_shares<I>(), ...);
}

template<class Call, class View> TESSERA_FN void call_place_through(const View& view) {
    place_of_agents<typename Call::function, View> self(view);
    Call::function::call(self);
    if constexpr (Call::counts_children)
        if (view.counts_children()) return; // it is called again, with the members as they were
    self.tessera_store(view);
}
template<class Call> TESSERA_FN void call_place(const arguments_of_call<Call>& args, int x, int y, int z) {
    const place_of_agents_view<Call> view{{&args, x, y, z, is_interior<Call>(x, y, z)}};
    if constexpr (is_numbered<typename Call::places>)
        if (view.number() >= view.count()) return; // behind the last of the last row
#if defined(TESSERA_CHECKED)
    const noted_call call(x, y, z, 0, number_within(view.size(), x, y, z));
    using checked = checked_view<typename place_of_agents_view<Call>::members, place_of_agents_view<Call>, false>;
    call_checked<typename Call::function>(checked(view), [](const auto& through) { call_place_through<Call>(through); });
#else
    call_place_through<Call>(view);
#endif
}

#if TESSERA_GPU
// A thread a place.
template<class Call, class Visit> TESSERA_FN void for_each_place(const arguments_of_call<Call>& args, Visit&& visit) {
    using grid = typename Call::places;
    using counter = counter_of<grid>;
    if (is_given_up<Call>(args)) return;
    constexpr counter nx = grid::size[0], ny = grid::size[1];
    const counter number = static_cast<counter>(blockIdx.x) * blockDim.x + threadIdx.x, line = number / nx;
    const auto first = static_cast<counter>(grid::in_bands ? args.first_row : 0);
    const auto x = static_cast<int>(number % nx);
    const auto y = static_cast<int>(grid::dims == 3 ? line % ny : first + line);
    const auto z = static_cast<int>(grid::dims == 3 ? first + line / ny : 0);
    if ((grid::dims == 3 ? z : y) < (grid::in_bands ? args.end_row : grid::size[grid::dims == 3 ? 2 : 1])) visit(x, y, z);
}
template<class Call> TESSERA_FN void call_places(const arguments_of_call<Call>& args) {
    for_each_place<Call>(args, [&](int x, int y, int z) { call_place<Call>(args, x, y, z); });
}
template<class Call> TESSERA_FN void join_shares(const arguments_of_call<Call>& args) {
    for_each_place<Call>(args, [&](int x, int y, int z) {
        join_shares_of(ground_view<Call>{&args, x, y, z, true}, indices_to<ground_view<Call>::members::member_count>{});
    });
}
#else
template<class Call, class Visit> inline void for_each_place(const void* argument, std::int64_t first, std::int64_t last, Visit&& visit) {
    const auto& args = *static_cast<const arguments_of_call<Call>*>(argument);
    if (is_given_up<Call>(args)) return;
    for_each_place_of<typename Call::places>(args, first, last, [&](int x, int y, int z, int) { visit(args, x, y, z); });
}
template<class Call> inline void call_places(const void* argument, std::int64_t first, std::int64_t last) {
    for_each_place<Call>(argument, first, last,
                         [](const arguments_of_call<Call>& args, int x, int y, int z) { call_place<Call>(args, x, y, z); });
}
// The shares of a row of places. In slots first which of them have anybody, all places at once.
template<class Call> inline void join_shares_of_row(const arguments_of_call<Call>& args, int y, int z) {
    using agents = typename Call::agents;
    using grid = typename Call::places;
    constexpr int nx = static_cast<int>(grid::size[0]);
    const auto join = [&](int x) {
        join_shares_of(ground_view<Call>{&args, x, y, z, true}, indices_to<ground_view<Call>::members::member_count>{});
    };
    if constexpr (agents::is_list) {
        for (int x = 0; x < nx; ++x) join(x);
    } else {
        constexpr int most = nx < 512 ? nx : 512;
        typename agents::code anybody[most];
        int found[most];
        for (int from = 0; from < nx; from += most) {
            const int count = nx - from < most ? nx - from : most;
            const auto* const codes = slot_at<agents>(args.in[Call::arguments[code_column<agents>]], {from, y, z, true}, 0);
            __builtin_memcpy(anybody, codes, static_cast<unsigned>(count) * sizeof(codes[0]));
            for (int k = 1; k < agents::capacity; ++k) {
                TESSERA_AT_ONCE
                for (int x = 0; x < count; ++x) anybody[x] |= codes[k * agents::grid::columns[code_column<agents>].element + x];
            }
            const int places = find_codes<1, true>(anybody, 0, count, found);
            for (int i = 0; i < places; ++i) join(from + found[i]);
        }
    }
}
template<class Call, int... I> inline void join_share_of(const ground_view<Call>& place, index_list<I...>) {
    (place.template join_share<I>(), ...);
}
template<class Call> inline void join_shares(const void* argument, std::int64_t first, std::int64_t last) {
    const auto& args = *static_cast<const arguments_of_call<Call>*>(argument);
    if (is_given_up<Call>(args)) return;
    if constexpr (Call::agents::is_ordered)
        for_each_of_rows<Call>(args, first, last, [&](int i, const place_in_memory& at) {
            join_share_of(ground_view<Call>{&args, at.x, at.y, at.z, true, i}, indices_to<ground_view<Call>::members::member_count>{});
        });
    else
        for_each_row_of<typename Call::places>(args, first, last, [&](int y, int z, int) { join_shares_of_row<Call>(args, y, z); });
}
#endif

} // namespace tessera
