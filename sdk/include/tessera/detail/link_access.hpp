// SPDX-License-Identifier: Apache-2.0
// Lists of links as neighbourhoods: what access lists say of them, and how a compiled model tells the engine.
#pragma once

#include <tessera/detail/describe.hpp>
#include <tessera/detail/link_entry.hpp>

namespace tessera {

// What TESSERA_LINK declares of a row of links: between<Row> or from<Row>::to<Row>.
template<class Link> using ends_of = decltype(tessera_find_ends(static_cast<const Link*>(nullptr)));

// The links of a row on one side of a place.
template<class Link, link_side Side> struct link_list {
    using tessera_link = Link;
    using ends = ends_of<Link>;
    static constexpr link_side side = Side;
    // The rows of the places whose links these are, and of those at the other ends.
    using here = typename chosen_type<Side == link_side::out, typename ends::source, typename ends::target>::type;
    using there = typename chosen_type<Side == link_side::out, typename ends::target, typename ends::source>::type;

    template<int Dims> static constexpr int count = 0; // of offsets
    template<int Dims> static constexpr place_offset at(int) { return {0, 0, 0}; }
    template<auto M> static constexpr bool may_name = names_one_of<M, Link, there>;
    template<class Row> static constexpr void check() {
        static_assert(ends::directed == (Side != link_side::both),
                      "links<LINK> are those between<ROW>; of from<ROW>::to<ROW> a place has in_links<LINK> and out_links<LINK>");
        static_assert(
            same_type<Row, here>,
            "the access list names links that do not end at the places of this function, or not so (these are of its row, or what its "
            "agents stand on)");
    }
    // Of a function of agents that stand on places of this row.
    template<class Row> static constexpr void check_far() {
        static_assert(
            same_type<Row, there>,
            "moves<LINKS>, counts<LINKS, ...> and meets<LINKS, ...> name links that do not lead to places on which these agents stand");
    }
    static constexpr std::uint64_t link_name() { return name_hash(members_of_row<Link>::name); }

    template<class Row, auto M, int... I> static constexpr std::uint32_t number_in(index_list<I...>) {
        std::uint32_t found = no_member;
        ((same_member<M, members_of_row<Row>::template pointer_to<I>()> ? void(found = I) : void()), ...);
        return found;
    }
    template<class Row, auto M> static constexpr bool put_member(link_use_record*& at) {
        const auto member = number_in<Row, M>(indices_to<members_of_row<Row>::member_count>{});
        if (member == no_member) return false;
        *at++ = {link_name(), name_hash(members_of_row<Row>::name), static_cast<std::uint32_t>(Side), member};
        return true;
    }
    template<auto M, int Folds> static constexpr void put_sent(link_use_record*& at) {
        static_assert(names_one_of<M, there>,
                      "adds<LINKS, ...>, least<LINKS, ...> and most<LINKS, ...> take members of the places at the other ends");
        if constexpr (names_one_of<M, there>) check_sent<M, Folds>();
        if (put_member<there, M>(at)) at[-1].side = sent_side(at[-1].side, Folds);
    }
    template<auto M, int Folds> static constexpr void check_sent() {
        using member = member_type<typename pointed_to<decltype(M)>::type>;
        static_assert(member::elements == 1 && same_type<typename member::scalar, typename member::value>,
                      "a member of several values cannot be sent to (links lead to single ones) write a member of its own for each");
        static_assert(Folds != access_adds || !same_type<typename member::scalar, bool>,
                      "a bool cannot be added to (it has no sum) use most<LINKS, ...> and .raise_to(true)");
    }
    template<auto M> static constexpr void put(link_use_record*& at) {
        static_assert(may_name<M>, "around<LINKS, ...> takes members of the links, and of the places at their other ends");
        if (!put_member<Link, M>(at)) put_member<there, M>(at);
    }
};

// One end of a link, which its own functions see.
template<class Link, link_side Side> struct link_end {
    using tessera_link = Link;
    using ends = ends_of<Link>;
    static constexpr link_side side = Side;
    using there = typename chosen_type<Side == link_side::from, typename ends::source, typename ends::target>::type;
};
template<class N> inline constexpr bool is_link_end = false;
template<class Link, link_side Side> inline constexpr bool is_link_end<link_end<Link, Side>> = true;

template<auto M, auto... Ms>
requires same_type<without_const<decltype(M)>, ends_type>
struct link_entry<around<M, Ms...>> : link_entry<void> {
    template<auto Member, class N> static constexpr bool shows = is_link_end<N> && (same_member<Member, Ms> || ...);
    static constexpr int records = 2 * sizeof...(Ms);
    template<class Row> static constexpr void put(link_use_record*& at) {
        static_assert(are_links<Row>, "around<ends, ...> is for functions of links");
        if constexpr (are_links<Row>) (put_one<Row, Ms>(at), ...);
    }

private:
    template<class Row, auto Member> static constexpr void put_one(link_use_record*& at) {
        using joined = ends_of<Row>;
        static_assert(names_one_of<Member, typename joined::source, typename joined::target>,
                      "around<ends, ...> takes members of the places that the links join");
        put_at<Row, link_side::from, typename joined::source, Member>(at);
        put_at<Row, link_side::to, typename joined::target, Member>(at);
    }
    template<class Row, link_side Side, class There, auto Member> static constexpr void put_at(link_use_record*& at) {
        const auto number =
            link_list<Row, link_side::both>::template number_in<There, Member>(indices_to<members_of_row<There>::member_count>{});
        if (number == no_member) return;
        *at++ = {name_hash(members_of_row<Row>::name), name_hash(members_of_row<There>::name), static_cast<std::uint32_t>(Side), number};
    }
};

} // namespace tessera
