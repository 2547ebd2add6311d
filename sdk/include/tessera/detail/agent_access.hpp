// The questions that the engine and the compiler ask of access lists of functions of agents, and how a compiled model answers them.
#pragma once

#include <tessera/detail/access_list.hpp>
#include <tessera/detail/describe.hpp>

namespace tessera {

// The places that agents stand on.
struct nowhere;
template<class Where> struct ground_of {
    static_assert(same_type<Where, nowhere>, "agents stand `on<PLACE>`, where PLACE is a row of TESSERA_PLACE");
    using row = void;
};
template<class Place> struct ground_of<on<Place>> {
    using row = Place;
    using members = decltype(tessera_find_members(static_cast<const Place*>(nullptr)));
};
template<class Function> using ground_row = typename ground_of<typename Function::row_members::where>::row;
template<class Function> using ground_members = typename ground_of<typename Function::row_members::where>::members;
template<class Function> inline constexpr bool is_of_agents = !same_type<typename Function::row_members::where, nowhere>;

template<class N, int Dims> constexpr reach_of_member reach_over() {
    reach_of_member reach;
    for (int i = 0; i < N::template count<Dims>; ++i) {
        const place_offset o = N::template at<Dims>(i);
        const int along[3] = {o.x, o.y, o.z};
        for (int axis = 0; axis < 3; ++axis) {
            if (-along[axis] > reach.low[axis]) reach.low[axis] = -along[axis];
            if (along[axis] > reach.high[axis]) reach.high[axis] = along[axis];
        }
    }
    return reach;
}

// ---- one entry

template<class Entry> struct crowd_entry { // that has nothing to do with agents beyond their members
    using neighbourhood = void;            // of around<...>
    template<class Row, class N, int Dims> static constexpr bool counts = false;
    template<class N, int Dims> static constexpr bool moves_over = false;
    template<int Dims> static constexpr bool moves_by(place_offset) { return false; }
    template<int Dims> static constexpr void widen_moves(reach_of_member&) {}
    static constexpr bool moves = false, kills = false, asks_moved = false, asks_refused = false;
    static constexpr int records = 0;
    template<class Own> static constexpr void put_records(crowd_record*&) {}
};

template<class Row, class N> constexpr crowd_record crowd_record_of(crowd_bits what) {
    using members = decltype(tessera_find_members(static_cast<const Row*>(nullptr)));
    static_assert(!same_type<typename members::where, nowhere>, "counts<NEIGHBOURHOOD, AGENTS...> takes rows of TESSERA_AGENT");
    crowd_record record{name_hash(members::name), what, {}, {}};
    const reach_of_member reaches[3] = {reach_over<N, 1>(), reach_over<N, 2>(), reach_over<N, 3>()};
    static_assert(reach_over<N, 3>().within(255), "an offset is at most 255 places along each axis");
    put_reach(record.low, record.high, reaches);
    return record;
}

template<auto M, auto... Ms> struct crowd_entry<around<M, Ms...>> : crowd_entry<void> { using neighbourhood = without_const<decltype(M)>; };
template<auto... Ms> struct crowd_entry<reads<Ms...>> : crowd_entry<void> {
    static constexpr bool asks_moved = (same_member<moved, Ms> || ...), asks_refused = (same_member<refused, Ms> || ...);
    static constexpr int records = asks_moved || asks_refused ? 1 : 0;
    template<class Own> static constexpr void put_records(crowd_record*& at) {
        if (records > 0) *at++ = crowd_record_of<Own, offset_type<0, 0, 0>>(crowd_results);
    }
};
template<auto M, class... As> struct crowd_entry<tessera::counts<M, As...>> : crowd_entry<void> {
    using over = without_const<decltype(M)>;
    template<class Row, class N, int Dims> static constexpr bool counts = (same_type<Row, As> || ...) && covers<N, over, Dims>();
    static constexpr int records = sizeof...(As);
    template<class Own> static constexpr void put_records(crowd_record*& at) { ((*at++ = crowd_record_of<As, over>(crowd_counts)), ...); }
};
template<auto M> struct crowd_entry<tessera::moves<M>> : crowd_entry<void> {
    static constexpr bool moves = true;
    using over = without_const<decltype(M)>;
    template<class N, int Dims> static constexpr bool moves_over = covers<N, over, Dims>();
    template<int Dims> static constexpr bool moves_by(place_offset wanted) {
        for (int i = 0; i < over::template count<Dims>; ++i)
            if (over::template at<Dims>(i) == wanted) return true;
        return false;
    }
    template<int Dims> static constexpr void widen_moves(reach_of_member& reach) {
        const reach_of_member one = reach_over<over, Dims>();
        for (int axis = 0; axis < 3; ++axis) {
            if (one.low[axis] > reach.low[axis]) reach.low[axis] = one.low[axis];
            if (one.high[axis] > reach.high[axis]) reach.high[axis] = one.high[axis];
        }
    }
    static constexpr int records = 1;
    template<class Own> static constexpr void put_records(crowd_record*& at) { *at++ = crowd_record_of<Own, over>(crowd_moves); }
};
template<> struct crowd_entry<dies> : crowd_entry<void> {
    static constexpr bool kills = true;
    static constexpr int records = 1;
    template<class Own> static constexpr void put_records(crowd_record*& at) {
        *at++ = crowd_record_of<Own, offset_type<0, 0, 0>>(crowd_dies);
    }
};

// Whose members an entry may name, of a function of Own on Ground.
template<class T> struct row_named_by { using type = void; };
template<class T, class Row> struct row_named_by<T Row::*> { using type = Row; };
template<auto M, class... Rows>
inline constexpr bool names_one_of = (same_type<typename row_named_by<without_const<decltype(M)>>::type, Rows> || ...);
template<auto M>
inline constexpr bool names_result =
    same_type<without_const<decltype(M)>, moved_type> || same_type<without_const<decltype(M)>, refused_type>;
template<class Entry, class Own, class Ground> inline constexpr bool entry_fits = true;
template<auto... Ms, class Own, class Ground>
inline constexpr bool entry_fits<reads<Ms...>, Own, Ground> = ((names_one_of<Ms, Own, Ground> || names_result<Ms>)&&...);
template<auto... Ms, class Own, class Ground>
inline constexpr bool entry_fits<writes<Ms...>, Own, Ground> = (names_one_of<Ms, Own, Ground> && ...);
template<auto... Ms, class Own, class Ground> inline constexpr bool entry_fits<sets<Ms...>, Own, Ground> = (names_one_of<Ms, Own> && ...);
template<auto N, auto... Ms, class Own, class Ground>
inline constexpr bool entry_fits<around<N, Ms...>, Own, Ground> = (names_one_of<Ms, Ground> && ...);

// ---- a list

template<class... Ts> struct first_type { using type = void; };
template<class T, class... Ts> struct first_type<T, Ts...> { using type = T; };
template<class... Ts> struct first_type<void, Ts...> : first_type<Ts...> {};

template<class List> struct crowd_access;
template<class... Entries> struct crowd_access<access_list<Entries...>> {
    using first_around = typename first_type<typename crowd_entry<Entries>::neighbourhood...>::type;
    template<class Row, class N, int Dims>
    static constexpr bool counts = (false || ... || crowd_entry<Entries>::template counts<Row, N, Dims>);
    template<class N, int Dims> static constexpr bool moves_over = (false || ... || crowd_entry<Entries>::template moves_over<N, Dims>);
    template<int Dims> static constexpr bool moves_by(place_offset o) {
        return (false || ... || crowd_entry<Entries>::template moves_by<Dims>(o));
    }
    template<int Dims> static constexpr void widen_moves(reach_of_member& reach) {
        (crowd_entry<Entries>::template widen_moves<Dims>(reach), ...);
    }
    static constexpr bool moves_at_all = (false || ... || crowd_entry<Entries>::moves);
    static constexpr bool kills = (false || ... || crowd_entry<Entries>::kills);
    static constexpr bool asks_moved = (false || ... || crowd_entry<Entries>::asks_moved);
    static constexpr bool asks_refused = (false || ... || crowd_entry<Entries>::asks_refused);
    template<class Own, class Ground> static constexpr bool fits = (entry_fits<Entries, Own, Ground> && ... && true);
    static constexpr int records = (0 + ... + crowd_entry<Entries>::records);
    template<class Own> static constexpr void put_records(crowd_record* at) { (crowd_entry<Entries>::template put_records<Own>(at), ...); }
};
template<class Function> using crowd_access_of = crowd_access<typename Function::access>;

// ---- the record

template<int Uses, int Crowds, int Text> struct agent_function_record {
    record_header header;
    function_counts others;
    use_record uses[Uses];
    crowd_record crowds[Crowds];
    char text[Text]; // row, function, access list, each ended by a zero
};
template<class Function, int Text, int... I, int... G>
constexpr auto describe_agent_function(record_kind kind, declared_at at, const char (&text)[Text], index_list<I...>, index_list<G...>) {
    using own = typename Function::row;
    using list = crowd_access_of<Function>;
    static_assert(list::template fits<own, ground_row<Function>>,
                  "a member in the access list is neither of the function's own row nor of the places that it stands on; sets<...> takes "
                  "those of its own row alone, around<...> those of the places");
    constexpr int uses = sizeof...(I) + sizeof...(G), crowds = list::records;
    agent_function_record<(uses > 0 ? uses : 1), (crowds > 0 ? crowds : 1), Text> record{
        header_of(kind, at, sizeof(own), sizeof...(I)), {sizeof...(G), crowds > 0 ? crowds : 1}, {}, {}, {}};
    const use_record all[] = {use_of<typename Function::row_members, typename Function::access, I>()...,
                              use_of<ground_members<Function>, typename Function::access, G>()..., use_record{}};
    for (int i = 0; i < uses; ++i) record.uses[i] = all[i];
    list::template put_records<own>(record.crowds);
    for (int i = 0; i < Text; ++i) record.text[i] = text[i];
    return record;
}
template<class Function, int Text, int... I>
requires is_of_agents<Function>
constexpr auto describe_function(record_kind kind, declared_at at, const char (&text)[Text], index_list<I...> own) {
    return describe_agent_function<Function>(kind, at, text, own, indices_to<ground_members<Function>::member_count>{});
}

} // namespace tessera
