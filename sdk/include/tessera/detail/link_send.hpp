// SPDX-License-Identifier: Apache-2.0
// What a function sends along links: to members of the places at the other ends something to add, or to lower or raise them to.
#pragma once

#include <tessera/detail/link_view.hpp>

namespace tessera {

// What nobody can do with a member that is sent to.
template<class U> TESSERA_FN void refuse_to_assign_what_is_sent() {
    static_assert(!same_type<U, U>,
                  "a member that is sent to cannot be assigned (others send to it too) write +=, -=, .lower_to() or .raise_to()");
}
template<class U> TESSERA_FN U refuse_to_read_what_is_sent() {
    static_assert(!same_type<U, U>,
                  "a member that is sent to cannot be read (what is sent is there behind the phase) read it in another function");
    return U();
}

// A member that is sent to, so many steps later. `at` is the number of its place.
template<class View, class N, class T, int I> struct later_member {
    const View& tessera_view;
    std::int64_t tessera_at, tessera_steps;

    TESSERA_FN void operator+=(T by) const { tessera_view.template give<N, I, access_adds, T>(tessera_at, by, tessera_steps); }
    TESSERA_FN void operator-=(T by) const { tessera_view.template give<N, I, access_adds, T>(tessera_at, less<T>(by), tessera_steps); }
    template<class U> TESSERA_FN void operator=(const U&) const { refuse_to_assign_what_is_sent<U>(); }
    template<class U> TESSERA_FN operator U() const { return refuse_to_read_what_is_sent<U>(); }

    // Of integers, which wrap around, in the type without a sign.
    template<class U> static TESSERA_FN U less(U by) {
        if constexpr (U(1) / 2 != U(0))
            return -by;
        else
            return static_cast<U>(std::uint64_t{0} - static_cast<std::uint64_t>(by));
    }
};

template<class View, class N, class T, int I, int Folds> struct given_member {
    const View& tessera_view;
    std::int64_t tessera_at;

    given_member(const given_member&) = delete;
    TESSERA_FN given_member(const View& view, std::int64_t at) : tessera_view(view), tessera_at(at) {}

    TESSERA_FN void operator+=(T by) const { after(0) += by; }
    TESSERA_FN void operator-=(T by) const { after(0) -= by; }
    TESSERA_FN void lower_to(T value) const {
        static_assert((Folds & access_least) != 0, "lower_to() needs least<LINKS, &PLACE::member> in the access list");
        tessera_view.template give<N, I, access_least, T>(tessera_at, value, 0);
    }
    TESSERA_FN void raise_to(T value) const {
        static_assert((Folds & access_most) != 0, "raise_to() needs most<LINKS, &PLACE::member> in the access list");
        tessera_view.template give<N, I, access_most, T>(tessera_at, value, 0);
    }
    /// So many steps later: `there.input.after(there.link.delay) += 1`.
    TESSERA_FN later_member<View, N, T, I> after(std::int64_t steps) const {
        static_assert((Folds & access_adds) != 0, "+=, -= and .after() need adds<LINKS, &PLACE::member> in the access list");
        return {tessera_view, tessera_at, steps};
    }
    template<class U> TESSERA_FN void operator=(const U&) const { refuse_to_assign_what_is_sent<U>(); }
    template<class U> TESSERA_FN operator U() const { return refuse_to_read_what_is_sent<U>(); }
};

template<class Function, class N, int... I> constexpr bool sees_what_it_sends(index_list<I...>) {
    using members = members_of_row<typename N::there>;
    return (false || ... ||
            (Function::access::template gives_along<members::template pointer_to<I>(), N> != 0 &&
             Function::access::template shows_along<members::template pointer_to<I>(), N>));
}
template<class Function, class N, int... I> constexpr bool sends_in_two_ways(index_list<I...>) {
    using members = members_of_row<typename N::there>;
    const int folds[] = {0, Function::access::template gives_along<members::template pointer_to<I>(), N>...};
    for (const int of_member : folds)
        if ((of_member & (of_member - 1)) != 0) return true;
    return false;
}
// Of the places at the other ends, those members that are sent to.
template<class Function, class N, class View>
using given_members = typename members_of_row<typename N::there>::template tessera_given<Function, N, View>;

} // namespace tessera

// Members of a row that is sent to along links.
#define TESSERA_GIVEN_TYPE(Row, member)                                                                                         \
    template<class tessera_View, class tessera_N, int tessera_Folds> struct TESSERA_CAT(given_, member) {                       \
        using tessera_value = typename TESSERA_CAT(type_of_, member)::value;                                                    \
        const tessera::given_member<tessera_View, tessera_N, tessera_value, TESSERA_CAT(index_, member), tessera_Folds> member; \
        TESSERA_FN TESSERA_CAT(given_, member)(const tessera_View& tessera_view, std::int64_t at) : member(tessera_view, at) {} \
    };                                                                                                                          \
    template<class tessera_View, class tessera_N> struct TESSERA_CAT(given_, member)<tessera_View, tessera_N, 0> {              \
        TESSERA_FN TESSERA_CAT(given_, member)(const tessera_View&, std::int64_t) {}                                            \
    };
#define TESSERA_GIVEN_BASE(Row, member) \
    , TESSERA_CAT(given_, member)<tessera_View, tessera_N, tessera_Function::access::template gives_along<&Row::member, tessera_N>>
#define TESSERA_GIVEN_INIT(Row, member)                                                                                              \
    , TESSERA_CAT(given_, member)<tessera_View, tessera_N, tessera_Function::access::template gives_along<&Row::member, tessera_N>>( \
          tessera_view, at)
#define TESSERA_GIVEN_MEMBERS(Row, ...)                                                                               \
    TESSERA_EACH(TESSERA_GIVEN_TYPE, Row, __VA_ARGS__)                                                                \
    template<class tessera_Function, class tessera_N, class tessera_View>                                             \
    struct tessera_given : tessera_none TESSERA_EACH(TESSERA_GIVEN_BASE, Row, __VA_ARGS__) {                          \
        TESSERA_FN tessera_given([[maybe_unused]] const tessera_View& tessera_view, [[maybe_unused]] std::int64_t at) \
            : tessera_none() TESSERA_EACH(TESSERA_GIVEN_INIT, Row, __VA_ARGS__) {}                                    \
    };
