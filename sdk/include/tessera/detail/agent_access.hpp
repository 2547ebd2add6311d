// SPDX-License-Identifier: Apache-2.0
// The questions that the engine and the compiler ask of access lists of functions of agents, and how a compiled model answers them.
#pragma once

#include <tessera/detail/access_list.hpp>
#include <tessera/detail/describe.hpp>

namespace tessera {

// The places that agents stand on, or in; then also the type of their positions.
struct nowhere;
template<class Where> struct ground_of {
    static_assert(same_type<Where, nowhere>, "agents stand on<PLACE> or in<PLACE>, where PLACE is a row of TESSERA_PLACE");
    using row = void;
    using number = void;
};
template<class Place> struct ground_of<on<Place>> {
    using row = Place;
    using number = void;
    using members = decltype(tessera_find_members(static_cast<const Place*>(nullptr)));
};
template<class Place> struct ground_of<in<Place>> : ground_of<on<Place>> { using number = float; };
template<class Place> struct ground_of<in_double<Place>> : ground_of<on<Place>> { using number = double; };
template<class Function> using ground_row = typename ground_of<typename Function::row_members::where>::row;
template<class Function> inline constexpr bool is_of_agents = !same_type<typename Function::row_members::where, nowhere>;
// The members of the places: of those below, or of a function of places its own.
template<class Function, bool OfAgents> struct ground_members_of { using type = typename Function::row_members; };
template<class Function> struct ground_members_of<Function, true> {
    using type = typename ground_of<typename Function::row_members::where>::members;
};
template<class Function> using ground_members = typename ground_members_of<Function, is_of_agents<Function>>::type;

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

// Whether what a function declares over a neighbourhood, or list of links, is so over N.
template<class N, class Over, int Dims> constexpr bool overlies() {
    if constexpr (is_along_links<N> || is_along_links<Over>)
        return same_type<N, Over>;
    else
        return covers<N, Over, Dims>();
}
template<class N> inline constexpr int along_bits = is_along_links<N> ? int{agent_along_links} : 0;

// ---- one entry

template<class Entry> struct agent_entry { // that has nothing to do with agents beyond their members
    using neighbourhood = void;            // of around<...>
    template<class Row, class N, int Dims> static constexpr bool counts = false;
    template<class N, int Dims> static constexpr bool moves_over = false;
    template<int Dims> static constexpr bool moves_by(place_offset) { return false; }
    template<class Row, class N, int Dims> static constexpr bool meets = false;
    template<auto Member, class N, int Dims> static constexpr bool shows_met = false;
    template<class Row, class N, int Dims> static constexpr bool spawns = false;
    template<class Row, int Dims> static constexpr bool spawns_by(place_offset) { return false; }
    static constexpr bool moves = false, moves_anywhere = false, moves_by_offsets = false, kills = false, asks_moved = false,
                          asks_refused = false, asks_refused_births = false, spawns_elsewhere = false;
    static constexpr double moves_within = 0;
    template<class Row> static constexpr double spawns_within = 0;
    static constexpr int records = 0;
    template<class Own> static constexpr void put_records(agent_use_record*&) {}
};

template<class Row> using members_of = decltype(tessera_find_members(static_cast<const Row*>(nullptr)));
template<class Row> inline constexpr bool are_agents = !same_type<typename members_of<Row>::where, nowhere>;
template<class Row> using number_of = typename ground_of<typename members_of<Row>::where>::number;
template<class Row> inline constexpr bool are_in_space = are_agents<Row> && !same_type<number_of<Row>, void>;
template<class Number> struct position_in { using type = space_point<Number>; };
struct no_position {
    no_position() = delete;
};
template<> struct position_in<void> { using type = no_position; };
template<class Row> using position_of = typename position_in<number_of<Row>>::type;
template<class N> inline constexpr bool has_length = !is_space<N> || radius_of<N> > 0;

// Whether agents stand on the same places as those of a function do, or on its places; true of what are no agents.
template<class Row, bool AreAgents> struct places_of_row { using type = Row; };
template<class Row> struct places_of_row<Row, true> { using type = typename ground_of<typename members_of<Row>::where>::row; };
template<class Row> using places_of = typename places_of_row<Row, are_agents<Row>>::type;
template<class Row, class Own> inline constexpr bool stand_there = !are_agents<Row> || same_type<places_of<Row>, places_of<Own>>;

template<class Row, class N> constexpr agent_use_record agent_use_record_of(agent_use_bits what, int member = no_member, int most = 0) {
    agent_use_record record{name_hash(members_of<Row>::name),
                            what | static_cast<std::uint32_t>(along_bits<N>),
                            static_cast<std::uint16_t>(member),
                            static_cast<std::uint16_t>(most),
                            {},
                            {}};
    const reach_of_member reaches[3] = {reach_over<N, 1>(), reach_over<N, 2>(), reach_over<N, 3>()};
    static_assert(reach_over<N, 3>().within(255), "an offset is at most 255 places along each axis");
    put_reach(record.low, record.high, reaches);
    return record;
}

template<auto M, auto... Ms> struct agent_entry<around<M, Ms...>> : agent_entry<void> {
    using over = without_const<decltype(M)>;
    using neighbourhood = typename chosen_type<is_along_links<over>, void, over>::type; // here() is a site of
    static_assert(!is_space<over>, "around<NEIGHBOURHOOD, ...> takes a neighbourhood of places; within<R> is for agents in space");
};
template<auto... Ms> struct agent_entry<reads<Ms...>> : agent_entry<void> {
    static constexpr bool asks_moved = (same_member<moved, Ms> || ...), asks_refused = (same_member<refused, Ms> || ...),
                          asks_refused_births = (same_member<refused_births, Ms> || ...);
    static constexpr int what =
        (asks_moved || asks_refused ? int{agent_results} : 0) | (asks_refused_births ? int{agent_refused_births} : 0);
    static constexpr int records = what != 0 ? 1 : 0;
    template<class Own> static constexpr void put_records(agent_use_record*& at) {
        if (records > 0) *at++ = agent_use_record_of<Own, offset_type<0, 0, 0>>(static_cast<agent_use_bits>(what));
    }
};
template<auto M, class... As> struct agent_entry<tessera::counts<M, As...>> : agent_entry<void> {
    using over = without_const<decltype(M)>;
    template<class Row, class N, int Dims> static constexpr bool counts = (same_type<Row, As> || ...) && overlies<N, over, Dims>();
    static constexpr int records = sizeof...(As);
    template<class Own> static constexpr void put_records(agent_use_record*& at) {
        static_assert(!is_space<over>,
                      "counts<NEIGHBOURHOOD, ...> takes a neighbourhood of places; agents within<R> can be counted by meet(...)");
        static_assert((are_agents<As> && ...), "counts<NEIGHBOURHOOD, AGENTS...> takes rows of TESSERA_AGENT");
        static_assert((stand_there<As, Own> && ...), "counts<NEIGHBOURHOOD, AGENTS...> names agents that stand on other places");
        ((*at++ = agent_use_record_of<As, over>(agent_counts)), ...);
    }
};

// What meets<...> lists: a member of a row of agents, or the row.
template<class Row> struct row_named_by<agents_type<Row>> { using type = Row; };
template<auto What> using row_met = typename row_named_by<without_const<decltype(What)>>::type;
template<class Members, auto M, int... I> constexpr int number_of_member(index_list<I...>) {
    int found = no_member;
    ((same_member<M, Members::template pointer_to<I>()> ? void(found = I) : void()), ...);
    return found;
}
template<auto M, auto... What> struct agent_entry<tessera::meets<M, What...>> : agent_entry<void> {
    using over = without_const<decltype(M)>;
    template<class Row, class N, int Dims>
    static constexpr bool meets = (same_type<Row, row_met<What>> || ...) && overlies<N, over, Dims>();
    template<auto Member, class N, int Dims>
    static constexpr bool shows_met = (same_member<Member, What> || ...) && overlies<N, over, Dims>();
    static constexpr int records = sizeof...(What);
    template<class Own> static constexpr void put_records(agent_use_record*& at) {
        static_assert((are_agents<row_met<What>> && ...),
                      "meets<NEIGHBOURHOOD, ...> takes members of rows of TESSERA_AGENT, or agents<ROW>");
        static_assert((stand_there<row_met<What>, Own> && ...), "meets<NEIGHBOURHOOD, ...> names agents that stand on other places");
        static_assert(has_length<over>, "within<R> needs an R above 0");
        static_assert(
            !is_space<over> || (are_in_space<Own> && ... && are_in_space<row_met<What>>),
            "meets<within<R>, ...> is for agents in space that meet agents in space (others have no positions) name a neighbourhood of "
            "places, as in meets<moore, ...>");
        ((*at++ = agent_use_record_of<row_met<What>, over>(
              agent_meets, number_of_member<members_of<row_met<What>>, What>(indices_to<members_of<row_met<What>>::member_count>{}))),
         ...);
    }
};
template<class Child, auto M, int Most> struct agent_entry<tessera::spawns<Child, M, Most>> : agent_entry<void> {
    using over = without_const<decltype(M)>;
    static constexpr bool spawns_elsewhere = is_space<over> || !overlies<over, offset_type<0, 0, 0>, 3>();
    template<class Row> static constexpr double spawns_within = same_type<Row, Child> ? radius_of<over> : 0;
    template<class Row, class N, int Dims>
    static constexpr bool spawns = same_type<Row, Child> &&
                                   (is_space<over> ? same_type<N, offset_type<0, 0, 0>> : overlies<N, over, Dims>());
    template<class Row, int Dims> static constexpr bool spawns_by(place_offset wanted) {
        if (same_type<Row, Child>)
            for (int i = 0; i < over::template count<Dims>; ++i)
                if (over::template at<Dims>(i) == wanted) return true;
        return false;
    }
    static constexpr int records = 1;
    template<class Own> static constexpr void put_records(agent_use_record*& at) {
        static_assert(are_agents<Child>, "spawns<AGENT, NEIGHBOURHOOD, MOST> takes a row of TESSERA_AGENT");
        static_assert(stand_there<Child, Own>, "spawns<AGENT, NEIGHBOURHOOD, MOST> names agents that stand on other places");
        static_assert(Most >= 1 && Most <= 255, "spawns<AGENT, NEIGHBOURHOOD, MOST> takes 1 to 255 children a call");
        static_assert(!is_along_links<over>,
                      "agents are not born where links lead; write spawns<AGENT>, and let the child go there in a step of its own");
        static_assert(has_length<over>, "within<R> needs an R above 0");
        static_assert(!is_space<over> || !are_agents<Own> || (are_in_space<Child> && are_in_space<Own>),
                      "spawns<AGENT, within<R>, MOST> is for agents in space that have children in space; others name a neighbourhood of "
                      "places");
        static_assert(is_space<over> || !are_in_space<Child> || same_type<over, offset_type<0, 0, 0>>,
                      "agents in space are not born on a neighbourhood of places; write spawns<AGENT>, or spawns<AGENT, within<R>>");
        if constexpr (is_space<over>)
            *at++ = agent_use_record_of<Child, offset_type<0, 0, 0>>(agent_spawns, no_member, Most);
        else
            *at++ = agent_use_record_of<Child, over>(agent_spawns, no_member, Most);
    }
};
template<class Child, auto M, int Most>
requires are_links<Child>
struct agent_entry<tessera::spawns<Child, M, Most>> : agent_entry<void> {
}; // of links (detail/link_entry.hpp)
template<auto M> struct agent_entry<tessera::moves<M>> : agent_entry<void> {
    static constexpr bool moves = true;
    using over = without_const<decltype(M)>;
    static constexpr double moves_within = radius_of<over>;
    template<class N, int Dims> static constexpr bool moves_over = overlies<N, over, Dims>();
    static constexpr bool moves_by_offsets = !is_space<over> && !is_along_links<over>;
    template<int Dims> static constexpr bool moves_by(place_offset wanted) {
        if (is_space<over>) return false;
        for (int i = 0; i < over::template count<Dims>; ++i)
            if (over::template at<Dims>(i) == wanted) return true;
        return false;
    }
    static constexpr int records = 1;
    template<class Own> static constexpr void put_records(agent_use_record*& at) {
        static_assert(has_length<over>, "within<R> needs an R above 0");
        static_assert(
            is_space<over> == are_in_space<Own>,
            "agents in space move by moves<within<R>> and move_to(...), agents on places by moves<NEIGHBOURHOOD> and migrate(...)");
        if constexpr (is_space<over>) // how far that is in places the run file says
            *at++ = agent_use_record_of<Own, offset_type<0, 0, 0>>(agent_moves);
        else
            *at++ =
                agent_use_record_of<Own, over>(static_cast<agent_use_bits>(agent_moves | (is_along_links<over> ? int{agent_anywhere} : 0)));
    }
};
template<> struct agent_entry<tessera::moves<anywhere>> : agent_entry<void> {
    static constexpr bool moves = true, moves_anywhere = true, moves_by_offsets = true;
    template<class N, int Dims> static constexpr bool moves_over = true;
    template<int Dims> static constexpr bool moves_by(place_offset) { return true; }
    static constexpr int records = 1;
    template<class Own> static constexpr void put_records(agent_use_record*& at) {
        static_assert(!are_in_space<Own>, "agents in space move by moves<within<R>> and move_to(...), agents on places by moves<anywhere>");
        *at++ = agent_use_record_of<Own, offset_type<0, 0, 0>>(static_cast<agent_use_bits>(agent_moves | agent_anywhere));
    }
};
template<> struct agent_entry<dies> : agent_entry<void> {
    static constexpr bool kills = true;
    static constexpr int records = 1;
    template<class Own> static constexpr void put_records(agent_use_record*& at) {
        *at++ = agent_use_record_of<Own, offset_type<0, 0, 0>>(agent_dies);
    }
};

// Whose members an entry may name, of a function of Own on Ground.
template<class Entry, class Own, class Ground> inline constexpr bool entry_fits = true;
template<auto... Ms, class Own, class Ground>
inline constexpr bool entry_fits<reads<Ms...>, Own, Ground> = ((names_one_of<Ms, Own, Ground> || names_result<Ms> ||
                                                                names_global<Ms>)&&...);
template<auto... Ms, class Own, class Ground>
inline constexpr bool entry_fits<writes<Ms...>, Own, Ground> = (names_one_of<Ms, Own, Ground> && ...);
template<auto... Ms, class Own, class Ground> inline constexpr bool entry_fits<sets<Ms...>, Own, Ground> = (names_one_of<Ms, Own> && ...);
template<auto... Ms, class Own, class Ground>
inline constexpr bool entry_fits<adds<Ms...>, Own, Ground> = are_sent<Ms...> || (names_one_of<Ms, Ground> && ...);
template<auto... Ms, class Own, class Ground>
inline constexpr bool entry_fits<least<Ms...>, Own, Ground> = are_sent<Ms...> || (names_one_of<Ms, Ground> && ...);
template<auto... Ms, class Own, class Ground>
inline constexpr bool entry_fits<most<Ms...>, Own, Ground> = are_sent<Ms...> || (names_one_of<Ms, Ground> && ...);
template<auto N, auto... Ms, class Own, class Ground>
inline constexpr bool entry_fits<around<N, Ms...>, Own, Ground> = is_along_links<without_const<decltype(N)>> ||
                                                                  (names_one_of<Ms, Ground> && ...);

// ---- a list

template<class... Ts> struct first_type { using type = void; };
template<class T, class... Ts> struct first_type<T, Ts...> { using type = T; };
template<class... Ts> struct first_type<void, Ts...> : first_type<Ts...> {};

template<class... Numbers> constexpr double greatest(Numbers... numbers) {
    double most = 0;
    ((most = numbers > most ? numbers : most), ...);
    return most;
}

template<class List> struct agent_access;
template<class... Entries> struct agent_access<access_list<Entries...>> {
    using first_around = typename first_type<typename agent_entry<Entries>::neighbourhood...>::type;
    template<class Row, class N, int Dims>
    static constexpr bool counts = (false || ... || agent_entry<Entries>::template counts<Row, N, Dims>);
    template<class N, int Dims> static constexpr bool moves_over = (false || ... || agent_entry<Entries>::template moves_over<N, Dims>);
    template<int Dims> static constexpr bool moves_by(place_offset o) {
        return (false || ... || agent_entry<Entries>::template moves_by<Dims>(o));
    }
    template<class Row, class N, int Dims>
    static constexpr bool meets = (false || ... || agent_entry<Entries>::template meets<Row, N, Dims>);
    template<auto Member, class N, int Dims>
    static constexpr bool shows_met = (false || ... || agent_entry<Entries>::template shows_met<Member, N, Dims>);
    template<class Row, class N, int Dims>
    static constexpr bool spawns = (false || ... || agent_entry<Entries>::template spawns<Row, N, Dims>);
    template<class Row, int Dims> static constexpr bool spawns_by(place_offset o) {
        return (false || ... || agent_entry<Entries>::template spawns_by<Row, Dims>(o));
    }
    static constexpr bool moves_at_all = (false || ... || agent_entry<Entries>::moves);
    static constexpr bool moves_anywhere = (false || ... || agent_entry<Entries>::moves_anywhere);
    static constexpr bool moves_by_offsets = (false || ... || agent_entry<Entries>::moves_by_offsets);
    static constexpr double moves_within = greatest(agent_entry<Entries>::moves_within...);
    template<class Row> static constexpr double spawns_within = greatest(agent_entry<Entries>::template spawns_within<Row>...);
    static constexpr bool kills = (false || ... || agent_entry<Entries>::kills);
    static constexpr bool spawns_elsewhere = (false || ... || agent_entry<Entries>::spawns_elsewhere);
    static constexpr bool asks_moved = (false || ... || agent_entry<Entries>::asks_moved);
    static constexpr bool asks_refused = (false || ... || agent_entry<Entries>::asks_refused);
    static constexpr bool asks_refused_births = (false || ... || agent_entry<Entries>::asks_refused_births);
    template<class Own, class Ground> static constexpr bool fits = (entry_fits<Entries, Own, Ground> && ... && true);
    static constexpr int records = (0 + ... + agent_entry<Entries>::records);
    template<class Own> static constexpr void put_records(agent_use_record* at) {
        (agent_entry<Entries>::template put_records<Own>(at), ...);
    }
};
template<class Function> using agent_access_of = agent_access<typename Function::access>;

// ---- the record

template<int Uses, int AgentUses, int Links, int Values, int Text> struct agent_function_record {
    record_header header;
    function_counts others;
    use_record uses[Uses];
    agent_use_record agent_uses[AgentUses];
    link_use_record links[Links];
    std::uint64_t values[Values];
    char text[Text]; // row, function, access list, each ended by a zero
};
// Whether what is added to is not written as well, nor lowered nor raised.
constexpr bool folds_once(int bits) {
    const int folds = bits / access_adds;
    return folds == 0 || ((folds & (folds - 1)) == 0 && (bits & access_write) == 0);
}

// Of a function of agents: `G` are the members of the places below. Of one of places that has to do with agents there are none.
template<class Function, int Text, int... I, int... G>
constexpr auto describe_agent_function(record_kind kind, declared_at at, const char (&text)[Text], index_list<I...>, index_list<G...>) {
    using own = typename Function::row;
    using list = agent_access_of<Function>;
    if constexpr (is_of_agents<Function>) {
        static_assert(list::template fits<own, ground_row<Function>>,
                      "a member in the access list is neither of the function's own row nor of the places of its agents; "
                      "sets<...> takes only members of the own row; around<...>, adds<...>, least<...> and most<...> take only members of "
                      "the places");
    } else {
        check_list_of_places<Function>();
        static_assert(!list::spawns_elsewhere,
                      "a place cannot have children elsewhere (they are born on it) write spawns<AGENT>, or spawns<AGENT, here, MOST>");
    }
    static_assert((true && ... && folds_once(Function::access::template bits<ground_members<Function>::template pointer_to<G>()>)),
                  "a member can stand in only one of writes<...>, adds<...>, least<...> and most<...>");
    static_assert(is_of_agents<Function> || Function::access::link_records == 0,
                  "a function of places that has to do with agents does not go along links (functions of agents do) do one of them in "
                  "another function");
    static_assert(!is_of_agents<Function> || !Function::access::sends,
                  "agents do not send along links (they add to the place on which they stand) write adds<...>, least<...> or most<...> "
                  "without links, and let a function of places send");
    constexpr int uses = sizeof...(I) + sizeof...(G), agent_uses = list::records, links = Function::access::link_records,
                  values = Function::access::globals;
    agent_function_record<(uses > 0 ? uses : 1), (agent_uses > 0 ? agent_uses : 1), (links > 0 ? links : 1), (values > 0 ? values : 1),
                          Text>
        record{header_of(kind, at, sizeof(own), sizeof...(I)),
               {sizeof...(G), agent_uses > 0 ? agent_uses : 1, links > 0 ? links : 1, values > 0 ? values : 1},
               {},
               {},
               {},
               {},
               {}};
    const use_record all[] = {use_of<typename Function::row_members, typename Function::access, I>()...,
                              use_of<ground_members<Function>, typename Function::access, G>()..., use_record{}};
    for (int i = 0; i < uses; ++i) record.uses[i] = all[i];
    list::template put_records<own>(record.agent_uses);
    if constexpr (is_of_agents<Function>) Function::access::template put_links<ground_row<Function>>(record.links);
    Function::access::put_globals(record.values);
    for (int i = 0; i < Text; ++i) record.text[i] = text[i];
    return record;
}
template<class Function, int Text, int... I>
requires is_of_agents<Function>
constexpr auto describe_function(record_kind kind, declared_at at, const char (&text)[Text], index_list<I...> own) {
    return describe_agent_function<Function>(kind, at, text, own, indices_to<ground_members<Function>::member_count>{});
}
template<class Function, int Text, int... I>
requires(!is_of_agents<Function> && !are_links<typename Function::row> &&
         agent_access_of<Function>::records > 0) constexpr auto describe_function(record_kind kind, declared_at at,
                                                                                  const char (&text)[Text], index_list<I...> own) {
    return describe_agent_function<Function>(kind, at, text, own, index_list<>{});
}

} // namespace tessera
