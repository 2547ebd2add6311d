// SPDX-License-Identifier: Apache-2.0
// What functions see along links, and how they add it up.
#pragma once

#include <tessera/detail/link_access.hpp>
#include <tessera/detail/view.hpp>

namespace tessera {

template<class N, class View> struct link_at_hand {
    const View& view;
    template<int I> TESSERA_FN auto far(std::int64_t at) const { return view.template of_link<N, I>(at); }
};
template<class N, class View> struct place_at_hand {
    const View& view;
    template<int I> TESSERA_FN auto far(std::int64_t at) const { return view.template of_end<N, I>(at); }
};
template<class Function, class N, class View>
using far_link = typename members_of_row<typename N::tessera_link>::template tessera_far<Function, N, link_at_hand<N, View>>;
template<class Function, class N, class View> struct seen_link : far_link<Function, N, View> {
    TESSERA_FN seen_link(const View& view, std::int64_t at) : far_link<Function, N, View>(link_at_hand<N, View>{view}, at) {}
    seen_link(const seen_link&) = delete;
    seen_link& operator=(const seen_link&) = delete;
};
template<class Function, class N, class View>
using end_seen = typename members_of_row<typename N::there>::template tessera_far<Function, N, place_at_hand<N, View>>;

template<class T> inline constexpr bool is_member_pointer = false;
template<class T, class Row> inline constexpr bool is_member_pointer<T Row::*> = true;

// The argument of `self.sum` that names a member: of the places at the other ends, or of places around.
template<class Function, class N, class T> struct link_summand {
    int index = -1;
    consteval link_summand(T N::there::*member) { find(member, indices_to<members_of_row<typename N::there>::member_count>{}); }

private:
    template<int... I> consteval void find(T N::there::*member, index_list<I...>) {
        (find_one<I>(member), ...);
        if (index < 0) member_is_not_in_the_access_list();
    }
    template<int I> consteval void find_one(T N::there::*member) {
        constexpr auto candidate = members_of_row<typename N::there>::template pointer_to<I>();
        if constexpr (same_type<decltype(candidate), T N::there::*const> && Function::access::template shows_along<candidate, N>)
            if (member == candidate) index = I;
    }
    static void member_is_not_in_the_access_list();
};
template<class Function, class N, int Dims, class T> struct summand_over { using type = summand<Function, N, Dims, T>; };
template<class Function, class N, int Dims, class T>
requires is_along_links<N>
struct summand_over<Function, N, Dims, T> {
    using type = link_summand<Function, N, T>;
};

// A sum whose order does not depend on who adds: by chunks of links, in each 32 running sums, link i in sum i mod 32, which are joined in
// order; then the sums of the chunks. `value(i)` is called once for each of `count`. Up to 32 it is the plain sum.
template<class T, class Value> TESSERA_FN T sum_of_links(std::int64_t count, Value&& value) {
    constexpr std::int64_t chunk = 4096, sums = 32;
    T total{};
    if (count <= sums) {
        for (std::int64_t i = 0; i < count; ++i) total += value(i);
        return total;
    }
    for (std::int64_t first = 0; first < count; first += chunk) {
        const std::int64_t end = first + chunk < count ? first + chunk : count;
        T of_chunk{};
        for (std::int64_t lane = first; lane < first + sums && lane < end; ++lane) {
            T of_lane{};
            for (std::int64_t i = lane; i < end; i += sums) of_lane += value(i);
            of_chunk += of_lane;
        }
        total += of_chunk;
    }
    return total;
}

} // namespace tessera
