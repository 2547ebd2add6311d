// SPDX-License-Identifier: Apache-2.0
// What an entry of an access list has to do with links, before anything is known of these.
#pragma once

#include <tessera/access.hpp>
#include <tessera/detail/member.hpp>
#include <tessera/detail/records.hpp>

namespace tessera {

template<auto A, auto B> inline constexpr bool same_member = false;
template<auto A> inline constexpr bool same_member<A, A> = true;

enum class link_side { in = 1, out, both };

template<bool First, class A, class B> struct chosen_type { using type = A; };
template<class A, class B> struct chosen_type<false, A, B> { using type = B; };

template<class Row> using members_of_row = decltype(tessera_find_members(static_cast<const Row*>(nullptr)));

// Whether a neighbourhood is a list of links, and not of offsets.
template<class N> inline constexpr bool is_along_links = requires { typename N::tessera_link; };

template<class Entry> struct link_entry {
    template<class N> static constexpr bool names = false;
    template<auto Member, class N> static constexpr bool shows = false;
    static constexpr int records = 0;
    template<class Row> static constexpr void put(link_use_record*&) {}
};
template<auto M, auto... Ms>
requires is_along_links<without_const<decltype(M)>>
struct link_entry<around<M, Ms...>> {
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

} // namespace tessera
