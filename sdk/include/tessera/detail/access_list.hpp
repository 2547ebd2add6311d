// SPDX-License-Identifier: Apache-2.0
// The questions that the engine and the compiler ask of access lists.
#pragma once

#include <tessera/access.hpp>
#include <tessera/detail/link_entry.hpp>
#include <tessera/detail/member.hpp>
#include <tessera/detail/records.hpp>

namespace tessera {

// The row whose member a pointer points to, and whether that is one of these, or one that they inherit from.
template<class T> struct row_named_by { using type = void; };
template<class T, class Row> struct row_named_by<T Row::*> { using type = Row; };
template<class Row, class Named> inline constexpr bool has_members_of = requires(Row* row, void (*take)(Named*)) { take(row); };
template<class Row> inline constexpr bool has_members_of<Row, void> = false;
template<auto M, class... Rows>
inline constexpr bool names_one_of = (has_members_of<Rows, typename row_named_by<without_const<decltype(M)>>::type> || ...);
template<auto M>
inline constexpr bool names_result =
    same_type<without_const<decltype(M)>, moved_type> || same_type<without_const<decltype(M)>, refused_type> ||
    same_type<without_const<decltype(M)>, refused_births_type>;

// Values of a step, that TESSERA_GLOBAL or TESSERA_UNIFORM declares; those of TESSERA_UNIFORM.
template<class Value> inline constexpr bool is_global = requires { typename Value::tessera_value; };
template<class Value> inline constexpr bool is_uniform = requires { typename Value::tessera_declared; };
template<auto M> inline constexpr bool names_global = is_global<without_const<decltype(M)>>;

// What stands in lists of functions of agents alone.
template<class Entry> inline constexpr bool is_for_agents = false;
template<> inline constexpr bool is_for_agents<dies> = true;
template<auto N> inline constexpr bool is_for_agents<moves<N>> = true;
template<auto... Ms> inline constexpr bool is_for_agents<adds<Ms...>> = !are_sent<Ms...>;
template<auto... Ms> inline constexpr bool is_for_agents<least<Ms...>> = !are_sent<Ms...>;
template<auto... Ms> inline constexpr bool is_for_agents<most<Ms...>> = !are_sent<Ms...>;
template<auto... Ms> inline constexpr bool is_for_agents<reads<Ms...>> = (names_result<Ms> || ...);

// What may stand in the access list of a function of links.
template<class Entry> inline constexpr bool is_for_links = false;
template<> inline constexpr bool is_for_links<dies> = true;
template<auto... Ms> inline constexpr bool is_for_links<reads<Ms...>> = true;
template<auto... Ms> inline constexpr bool is_for_links<writes<Ms...>> = true;
template<auto... Ms> inline constexpr bool is_for_links<sets<Ms...>> = true;
template<auto N, auto... Ms> inline constexpr bool is_for_links<around<N, Ms...>> = same_type<without_const<decltype(N)>, ends_type>;

// Whether the members that an entry lists are those of a function of places.
template<class Entry, class Row> inline constexpr bool is_of_places = true;
template<auto... Ms, class Row> inline constexpr bool is_of_places<reads<Ms...>, Row> = ((names_one_of<Ms, Row> || names_global<Ms>)&&...);
template<auto... Ms, class Row> inline constexpr bool is_of_places<writes<Ms...>, Row> = (names_one_of<Ms, Row> && ...);
template<auto... Ms, class Row> inline constexpr bool is_of_places<sets<Ms...>, Row> = (names_one_of<Ms, Row> && ...);
template<class N, class Row, auto... Ms> constexpr bool around_fits() {
    if constexpr (is_along_links<N>)
        return true; // it sees to that itself (detail/link_access.hpp)
    else
        return (names_one_of<Ms, Row> && ... && true);
}
template<auto N, auto... Ms, class Row>
inline constexpr bool is_of_places<around<N, Ms...>, Row> = around_fits<without_const<decltype(N)>, Row, Ms...>();

// Whether an entry may stand in the list of a uniform: it reads values of the step.
template<class Entry> inline constexpr bool is_for_uniforms = false;
template<auto... Ms> inline constexpr bool is_for_uniforms<reads<Ms...>> = (names_global<Ms> && ...);

// The bits that one entry of the list gives a member.
template<auto Member, class Entry> inline constexpr int entry_bits = access_none;
template<auto Member, auto... Ms>
inline constexpr int entry_bits<Member, reads<Ms...>> = (same_member<Member, Ms> || ...) ? access_read : 0;
template<auto Member, auto N, auto... Ms>
inline constexpr int entry_bits<Member, around<N, Ms...>> = (same_member<Member, Ms> || ...) ? access_read | access_around : 0;
template<auto Member, auto... Ms>
inline constexpr int entry_bits<Member, writes<Ms...>> = (same_member<Member, Ms> || ...) ? access_read | access_write : 0;
template<auto Member, auto... Ms>
inline constexpr int entry_bits<Member, sets<Ms...>> = (same_member<Member, Ms> || ...) ? access_write : 0;

// Of the place that an agent stands on. What is sent along links is sent elsewhere.
template<auto Member, auto... Ms> inline constexpr bool folds_here = !are_sent<Ms...> && (same_member<Member, Ms> || ...);
template<auto Member, auto... Ms> inline constexpr int entry_bits<Member, adds<Ms...>> = folds_here<Member, Ms...> ? access_adds : 0;
template<auto Member, auto... Ms> inline constexpr int entry_bits<Member, least<Ms...>> = folds_here<Member, Ms...> ? access_least : 0;
template<auto Member, auto... Ms> inline constexpr int entry_bits<Member, most<Ms...>> = folds_here<Member, Ms...> ? access_most : 0;

struct reach_of_member { // how far a member is read: from -low to +high on each axis
    int low[3] = {}, high[3] = {};
    constexpr bool within(int most) const {
        for (int axis = 0; axis < 3; ++axis)
            if (low[axis] > most || high[axis] > most) return false;
        return true;
    }
};

// The values of a step that an entry names.
template<class Entry> struct entry_globals {
    template<class Value> static constexpr bool names = false;
    static constexpr int count = 0;
    static constexpr void put(std::uint64_t*&) {}
};
template<auto... Ms> struct entry_globals<reads<Ms...>> {
    template<class Value> static constexpr bool names = (same_type<Value, without_const<decltype(Ms)>> || ...);
    static constexpr int count = ((names_global<Ms> ? 1 : 0) + ... + 0);
    static constexpr void put(std::uint64_t*& at) { (put_one(at, Ms), ...); }

private:
    template<class T> static constexpr void put_one(std::uint64_t*& at, T) {
        if constexpr (is_global<T>) *at++ = T::tessera_name;
    }
};

// Questions about the neighbourhoods in which an entry shows a member.
template<auto Member, class Entry> struct entry_offsets {
    template<int Dims> static constexpr bool contains(place_offset) { return false; }
    template<int Dims> static constexpr void extend(reach_of_member&, bool, int) {}
    static constexpr bool is_along_axes() { return true; }
};
template<auto Member, auto Neighbourhood, auto... Ms> struct entry_offsets<Member, around<Neighbourhood, Ms...>> {
    using neighbourhood = decltype(Neighbourhood);
    static constexpr bool shown = (same_member<Member, Ms> || ...);

    template<int Dims> static constexpr bool contains(place_offset wanted) {
        if (shown)
            for (int i = 0; i < neighbourhood::template count<Dims>; ++i)
                if (neighbourhood::template at<Dims>(i) == wanted) return true;
        return false;
    }
    static constexpr bool is_along_axes() {
        if (shown)
            for (int i = 0; i < neighbourhood::template count<3>; ++i) {
                const place_offset o = neighbourhood::template at<3>(i);
                if ((o.x != 0) + (o.y != 0) + (o.z != 0) > 1) return false;
            }
        return true;
    }
    template<int Dims> static constexpr void extend(reach_of_member& reach, bool all_rows, int row) {
        if (shown)
            for (int i = 0; i < neighbourhood::template count<Dims>; ++i) {
                const place_offset o = neighbourhood::template at<Dims>(i);
                if (!all_rows && o.y != row) continue;
                const int along[3] = {o.x, o.y, o.z};
                for (int axis = 0; axis < 3; ++axis) {
                    if (-along[axis] > reach.low[axis]) reach.low[axis] = -along[axis];
                    if (along[axis] > reach.high[axis]) reach.high[axis] = along[axis];
                }
            }
    }
};

template<class... Entries> struct access_list {
    static constexpr bool is_for_agents = (false || ... || tessera::is_for_agents<Entries>);
    static constexpr bool is_for_links = (true && ... && tessera::is_for_links<Entries>);
    static constexpr bool is_for_uniforms = (true && ... && tessera::is_for_uniforms<Entries>);
    template<class Row> static constexpr bool is_of_places = (true && ... && tessera::is_of_places<Entries, Row>);
    template<auto Member> static constexpr int bits = (0 | ... | entry_bits<Member, Entries>);
    template<class Value> static constexpr bool reads_global = (false || ... || entry_globals<Entries>::template names<Value>);
    static constexpr int globals = (0 + ... + entry_globals<Entries>::count);
    static constexpr void put_globals([[maybe_unused]] std::uint64_t* at) { (entry_globals<Entries>::put(at), ...); }

    // Of lists of links.
    static constexpr int link_records = (0 + ... + link_entry<Entries>::records);
    template<class N> static constexpr bool names_along = (false || ... || link_entry<Entries>::template names<N>);
    template<auto Member, class N> static constexpr bool shows_along = (false || ... || link_entry<Entries>::template shows<Member, N>);
    static constexpr bool kills = (false || ... || link_entry<Entries>::kills);
    template<class Link> static constexpr int spawns_links = (0 + ... + link_entry<Entries>::template spawns<Link>);
    template<class N> static constexpr bool sends_along = (false || ... || link_entry<Entries>::template sends<N>);
    template<auto Member, class N> static constexpr int gives_along = (0 | ... | link_entry<Entries>::template gives<Member, N>);
    static constexpr bool sends = (false || ... || link_entry<Entries>::is_sending);
    static constexpr bool changes_its_own = (false || ... || link_entry<Entries>::is_writing);
    template<class Row> static constexpr void put_links([[maybe_unused]] link_use_record* at) {
        (link_entry<Entries>::template put<Row>(at), ...);
        if constexpr (kills && are_links<Row>) *at = {name_hash(members_of_row<Row>::name), 0, link_dies, no_member};
    }

    template<auto Member, int Dims> static constexpr reach_of_member reach() {
        reach_of_member result;
        (entry_offsets<Member, Entries>::template extend<Dims>(result, true, 0), ...);
        return result;
    }
    // The reach over the offsets with this y alone.
    template<auto Member, int Dims> static constexpr reach_of_member reach_in_row(int y) {
        reach_of_member result;
        (entry_offsets<Member, Entries>::template extend<Dims>(result, false, y), ...);
        return result;
    }
    // Whether none of the places of a volume at which the list shows `Member` is further along two axes or three.
    template<auto Member> static constexpr bool is_along_axes = (true && ... && entry_offsets<Member, Entries>::is_along_axes());
    // Whether the list shows `Member` at every offset of the neighbourhood (or single offset) N; the place itself is always shown.
    template<auto Member, class N, int Dims> static constexpr bool shows() {
        if ((bits<Member> & access_read) == 0) return false;
        for (int i = 0; i < N::template count<Dims>; ++i) {
            const place_offset o = N::template at<Dims>(i);
            if (!(o == place_offset{0, 0, 0}) && !(false || ... || entry_offsets<Member, Entries>::template contains<Dims>(o)))
                return false;
        }
        return true;
    }
};

template<class Function> constexpr void check_list_of_places() {
    static_assert(
        !are_links<typename Function::row> || Function::access::is_for_links,
        "a function of links takes reads<...>, writes<...> and sets<...> of its own members, values of the step, around<ends, ...> "
        "and dies");
    static_assert(are_links<typename Function::row> || !Function::access::is_for_agents,
                  "moves<...>, dies, reads<moved>, reads<refused>, reads<refused_births>, adds<...>, least<...> and most<...> are for "
                  "functions of agents");
    static_assert(!Function::access::sends || !Function::access::changes_its_own,
                  "a function that sends along links writes nothing of its own (what it sends is there behind the phase) do one of them in "
                  "another function");
    static_assert(Function::access::template is_of_places<typename Function::row>,
                  "a member in the access list is not of the function's own row; a function of places sees only members of its own places");
}

} // namespace tessera
