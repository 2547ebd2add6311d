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

// The threads that make one place: as a rule one. Views of places with many links have teams of several (kernels/places/team.hpp), all of
// which run the function with the same values: they share out what goes along links, and each has all of the result.
struct one_thread {
    static constexpr int size = 1;
    static TESSERA_FN int rank() { return 0; }
};
template<class View> struct team_of_view { using type = one_thread; };
template<class View>
requires requires { typename View::team; }
struct team_of_view<View> {
    using type = typename View::team;
};
// What threads of a team can tell each other.
template<class Team, class T>
inline constexpr bool shares_out = Team::size > 1 && __is_trivially_copyable(T) && sizeof(T) % 4 == 0 && sizeof(T) <= 16;

inline constexpr std::int64_t links_of_chunk = 4096, sums_of_chunk = 32;

// A sum whose order does not depend on who adds: by chunks of links, in each 32 running sums, link i in sum i mod 32, which are joined in
// order; then the sums of the chunks. `value(i)` is called once for each of `count`. Up to 32 it is the plain sum.
template<class T, class Value> TESSERA_FN T sum_by_one(std::int64_t count, Value&& value) {
    T total{};
    for (std::int64_t first = 0; first < count; first += links_of_chunk) {
        const std::int64_t end = first + links_of_chunk < count ? first + links_of_chunk : count;
        T of_chunk{};
        for (std::int64_t lane = first; lane < first + sums_of_chunk && lane < end; ++lane) {
            T of_lane{};
#pragma unroll 4 // so that several links are waited for at once
            for (std::int64_t i = lane; i < end; i += sums_of_chunk) of_lane += value(i);
            of_chunk += of_lane;
        }
        total += of_chunk;
    }
    return total;
}
// The same by a team of fewer than 32: each has several of the running sums.
template<class Team, class T, class Value> TESSERA_FN T sum_by_group(std::int64_t count, Value&& value) {
    constexpr std::int64_t sums_of_thread = sums_of_chunk / Team::size;
    T total{};
    for (std::int64_t first = 0; first < count; first += links_of_chunk) {
        const std::int64_t end = first + links_of_chunk < count ? first + links_of_chunk : count;
        std::int64_t i = first + Team::rank();
        T sums[sums_of_thread]{};
#pragma unroll 2 // so that all of several links are waited for at once
        for (; i + (sums_of_thread - 1) * Team::size < end; i += sums_of_chunk)
#pragma unroll
            for (int sum = 0; sum < sums_of_thread; ++sum) sums[sum] += value(i + sum * Team::size);
        T of_chunk{};
#pragma unroll
        for (int sum = 0; sum < sums_of_thread; ++sum) {
            if (i + sum * Team::size < end) sums[sum] += value(i + sum * Team::size);
            std::int64_t lane = first + sum * Team::size;
            Team::each_value(sums[sum], [&](const T& one) {
                if (lane++ < count) of_chunk += one;
            });
        }
        total += of_chunk;
    }
    return total;
}
// By a larger one: each 32 threads make a chunk, a running sum each.
template<class Team, class T, class Value> TESSERA_FN T sum_by_team(std::int64_t count, Value&& value) {
    constexpr std::int64_t of_team = Team::size / sums_of_chunk * links_of_chunk;
    T total{};
    for (std::int64_t base = 0; base < count; base += of_team) {
        const std::int64_t first = base + Team::rank() / sums_of_chunk * links_of_chunk;
        const std::int64_t end = first + links_of_chunk < count ? first + links_of_chunk : count;
        T of_lane{}, of_chunk{};
#pragma unroll 8
        for (std::int64_t i = first + Team::rank() % sums_of_chunk; i < end; i += sums_of_chunk) of_lane += value(i);
        int rank = 0;
        Team::each_value(of_lane, [&](const T& sum) {
            const std::int64_t chunk = base + rank / sums_of_chunk * links_of_chunk, lane = rank % sums_of_chunk;
            if (chunk + lane < count) of_chunk += sum;
            if (lane == sums_of_chunk - 1 && chunk < count) {
                total += of_chunk;
                of_chunk = T{};
            }
            ++rank;
        });
    }
    return total;
}
template<class T, class Team, class Value> TESSERA_FN T sum_of_links(std::int64_t count, Value&& value) {
    if (count <= sums_of_chunk) {
        T total{};
#pragma unroll 4
        for (std::int64_t i = 0; i < count; ++i) total += value(i);
        return total;
    }
    if constexpr (!shares_out<Team, T>)
        return sum_by_one<T>(count, value);
    else if constexpr (Team::size < sums_of_chunk)
        return sum_by_group<Team, T>(count, value);
    else
        return sum_by_team<Team, T>(count, value);
}

// The first of the least values, or of the most: the plain loop's, whoever looks. At -1 it is that with which the loop begins.
template<class T> struct found_value {
    T value;
    std::int64_t at;
};
template<bool Least, class T> TESSERA_FN bool replaces(T one, T total) { return (Least ? one < total : total < one) || total != total; }
// Of two that threads have found, whether the loop would end with the one.
template<bool Least, class T> TESSERA_FN bool replaces(const found_value<T>& one, const found_value<T>& total) {
    if (total.value != total.value) return one.value == one.value || one.at > total.at;
    return replaces<Least>(one.value, total.value) || (!replaces<Least>(total.value, one.value) && one.at < total.at);
}

} // namespace tessera
