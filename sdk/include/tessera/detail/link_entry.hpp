// SPDX-License-Identifier: Apache-2.0
// What an entry of an access list has to do with links, before anything is known of these.
#pragma once

#include <tessera/access.hpp>
#include <tessera/detail/member.hpp>
#include <tessera/detail/name_hash.hpp>
#include <tessera/detail/records.hpp>

namespace tessera {

template<auto A, auto B> inline constexpr bool same_member = false;
template<auto A> inline constexpr bool same_member<A, A> = true;

struct nowhere;

enum class link_side { in = 1, out, both, from, to }; // the last two: the ends of a link itself

// Whether rows are of TESSERA_LINK.
template<class Row> inline constexpr bool are_links = requires(const Row* row) { tessera_find_ends(row); };

// The neighbourhood `ends` of a function of links: the two places that its link joins.
struct ends_type {
    using tessera_link = void;
    static constexpr link_side side = link_side::from;
    static constexpr std::uint64_t link_name() { return 0; }
    template<class Row> static constexpr void check() { static_assert(are_links<Row>, "around<ends, ...> is for functions of links"); }
    template<class Row> static constexpr void check_far() {}
    template<int Dims> static constexpr int count = 0; // of offsets
    template<int Dims> static constexpr place_offset at(int) { return {0, 0, 0}; }
};

template<bool First, class A, class B> struct chosen_type { using type = A; };
template<class A, class B> struct chosen_type<false, A, B> { using type = B; };

template<class Row> using members_of_row = decltype(tessera_find_members(static_cast<const Row*>(nullptr)));

// Whether a neighbourhood is a list of links, and not of offsets.
template<class N> inline constexpr bool is_along_links = requires { typename N::tessera_link; };
// Whether what adds<...>, least<...> or most<...> lists is sent along links: the first is a list of them.
template<auto... Ms> inline constexpr bool are_sent = false;
template<auto M, auto... Ms> inline constexpr bool are_sent<M, Ms...> = is_along_links<without_const<decltype(M)>>;

template<class Entry> struct link_entry { // that has nothing to do with links
    template<class N> static constexpr bool names = false;
    template<auto Member, class N> static constexpr bool shows = false;
    template<class N> static constexpr bool sends = false;
    template<auto Member, class N> static constexpr int gives = 0;
    static constexpr bool is_sending = false, is_writing = false;
    static constexpr bool kills = false;
    template<class Link> static constexpr int spawns = 0;
    static constexpr int records = 0;
    template<class Row> static constexpr void put(link_use_record*&) {}
};
template<> struct link_entry<dies> : link_entry<void> { static constexpr bool kills = true; };
template<class Child, auto M, int Most>
requires are_links<Child>
struct link_entry<spawns<Child, M, Most>> : link_entry<void> {
    template<class Link> static constexpr int spawns = same_type<Link, Child> ? Most : 0;
    static constexpr int records = 1;
    template<class Row> static constexpr void put(link_use_record*& at) {
        static_assert(Most >= 1 && Most <= 255, "spawns<LINK, anywhere, MOST> takes 1 to 255 links a call");
        static_assert(same_type<without_const<decltype(M)>, anywhere_type> || same_type<without_const<decltype(M)>, offset_type<0, 0, 0>>,
                      "links are spawned between places by their numbers; write spawns<LINK>, or spawns<LINK, anywhere, MOST>");
        static_assert(!are_links<Row>, "spawns<LINK> is for functions of places and of agents");
        *at++ = {name_hash(members_of_row<Child>::name), 0, link_spawns, Most};
    }
};
template<auto... Ms> struct link_entry<writes<Ms...>> : link_entry<void> { static constexpr bool is_writing = sizeof...(Ms) > 0; };
template<auto... Ms> struct link_entry<sets<Ms...>> : link_entry<void> { static constexpr bool is_writing = sizeof...(Ms) > 0; };
template<auto M, auto... Ms>
requires(is_along_links<without_const<decltype(M)>> &&
         !same_type<without_const<decltype(M)>, ends_type>) struct link_entry<around<M, Ms...>> : link_entry<void> {
    using list = without_const<decltype(M)>;
    template<class N> static constexpr bool names = same_type<N, list>;
    template<auto Member, class N> static constexpr bool shows = same_type<N, list> && (same_member<Member, Ms> || ...);
    static constexpr int records = 1 + sizeof...(Ms);
    template<class Row> static constexpr void put(link_use_record*& at) {
        list::template check<Row>();
        *at++ = {list::link_name(), 0, static_cast<std::uint32_t>(list::side), no_member};
        (list::template put<Ms>(at), ...);
    }
};
// Of functions of agents: where links of the place on which they stand lead, agents are counted or met, or it is gone to.
template<auto M> struct agents_entry : link_entry<void> {
    using list = without_const<decltype(M)>;
    template<class N> static constexpr bool names = same_type<N, list>;
    static constexpr int records = 1;
    template<class Row> static constexpr void put(link_use_record*& at) {
        list::template check<Row>();
        list::template check_far<Row>();
        *at++ = {list::link_name(), 0, sent_side(static_cast<std::uint32_t>(list::side), agents_at_ends), no_member};
    }
};
template<auto M>
requires is_along_links<without_const<decltype(M)>>
struct link_entry<moves<M>> : agents_entry<M> {
};
template<auto M, class... As>
requires is_along_links<without_const<decltype(M)>>
struct link_entry<counts<M, As...>> : agents_entry<M> {
};
template<auto M, auto... What>
requires is_along_links<without_const<decltype(M)>>
struct link_entry<meets<M, What...>> : agents_entry<M> {
};

// What is sent along links to members of the places at their other ends; Folds is how (access_bits).
template<int Folds, auto M, auto... Ms> struct sending_entry : link_entry<void> {
    using list = without_const<decltype(M)>;
    template<class N> static constexpr bool sends = same_type<N, list>;
    template<auto Member, class N> static constexpr int gives = same_type<N, list> && (same_member<Member, Ms> || ...) ? Folds : 0;
    static constexpr bool is_sending = true;
    static constexpr int records = 1 + sizeof...(Ms);
    template<class Row> static constexpr void put(link_use_record*& at) {
        list::template check<Row>();
        *at++ = {list::link_name(), 0, sent_side(static_cast<std::uint32_t>(list::side), Folds), no_member};
        (list::template put_sent<Ms, Folds>(at), ...);
    }
};
template<auto M, auto... Ms>
requires is_along_links<without_const<decltype(M)>>
struct link_entry<adds<M, Ms...>> : sending_entry<access_adds, M, Ms...> {
};
template<auto M, auto... Ms>
requires is_along_links<without_const<decltype(M)>>
struct link_entry<least<M, Ms...>> : sending_entry<access_least, M, Ms...> {
};
template<auto M, auto... Ms>
requires is_along_links<without_const<decltype(M)>>
struct link_entry<most<M, Ms...>> : sending_entry<access_most, M, Ms...> {
};

} // namespace tessera
