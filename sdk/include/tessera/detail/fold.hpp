// SPDX-License-Identifier: Apache-2.0
// What agents see of a member that adds<...>, least<...> or most<...> names: something to add to, to lower or to raise, and no more.
#pragma once

#include <tessera/detail/access_list.hpp>
#include <tessera/detail/member.hpp>

namespace tessera {

inline constexpr int access_folds = access_adds | access_least | access_most;

template<class T> struct unsigned_of { using type = T; };
template<> struct unsigned_of<std::int8_t> { using type = std::uint8_t; };
template<> struct unsigned_of<std::int16_t> { using type = std::uint16_t; };
template<> struct unsigned_of<std::int32_t> { using type = std::uint32_t; };
template<> struct unsigned_of<std::int64_t> { using type = std::uint64_t; };

template<class T> inline constexpr bool is_floating = T(1) / T(2) != T(0);
template<> inline constexpr bool is_floating<bool> = false;

template<class T> TESSERA_FN constexpr bool is_negative_zero(T value) {
    if constexpr (is_floating<T>)
        return value == 0 && (sizeof(T) == 4 ? __builtin_bit_cast(std::uint32_t, static_cast<float>(value)) != 0
                                             : __builtin_bit_cast(std::uint64_t, static_cast<double>(value)) != 0);
    else
        return false;
}

// What changes nothing when it is joined: -0 + x is x for each x, and the least and the most pass over what is no number.
template<int Bits, class T> TESSERA_FN constexpr T nothing_folded() {
    if constexpr (is_floating<T>)
        return (Bits & access_adds) != 0 ? -T(0) : static_cast<T>(__builtin_bit_cast(float, std::uint32_t{0x7fc00000}));
    else if constexpr ((Bits & access_adds) != 0)
        return T(0);
    else if constexpr (same_type<T, bool>)
        return (Bits & access_least) != 0;
    else {
        using word = typename unsigned_of<T>::type;
        constexpr bool has_sign = T(-1) < T(0);
        constexpr auto high = static_cast<word>(has_sign ? static_cast<word>(-1) / 2 : static_cast<word>(-1));
        return static_cast<T>((Bits & access_least) != 0 ? high : static_cast<word>(high + 1));
    }
}
// Sums of integers are exact but for what their type cannot hold; -0 is less than 0.
template<int Bits, class T> TESSERA_FN constexpr T folded(T a, T b) {
    if constexpr ((Bits & access_adds) != 0) {
        using word = typename unsigned_of<T>::type;
        return static_cast<T>(static_cast<word>(a) + static_cast<word>(b));
    } else {
        if (a != a) return b;
        if (b != b) return a;
        const bool less = a < b || (a == b && is_negative_zero(a));
        return less == ((Bits & access_least) != 0) ? a : b;
    }
}

// It cannot be copied, for what is added to a copy would be lost.
template<class T, int Bits> struct folded_member {
    T tessera_folded = nothing_folded<Bits, T>();
    T tessera_before = T();

    folded_member() = default;
    folded_member(const folded_member&) = delete;
    template<class U> TESSERA_FN void operator=(const U&) { refuse<U>(); }
    TESSERA_FN void operator=(const folded_member&) { refuse<folded_member>(); }
    template<class U> TESSERA_FN void operator*=(const U&) { refuse<U>(); }
    template<class U> TESSERA_FN void operator/=(const U&) { refuse<U>(); }
    template<class U> TESSERA_FN void operator&=(const U&) { refuse<U>(); }
    template<class U> TESSERA_FN void operator|=(const U&) { refuse<U>(); }
    template<class U> TESSERA_FN void operator^=(const U&) { refuse<U>(); }
    template<class U = T> TESSERA_FN void operator++() { refuse<U>(); }
    template<class U = T> TESSERA_FN void operator++(int) { refuse<U>(); }
    template<class U = T> TESSERA_FN void operator--() { refuse<U>(); }
    template<class U = T> TESSERA_FN void operator--(int) { refuse<U>(); }

    TESSERA_FN void operator+=(T by) {
        static_assert((Bits & access_adds) != 0, "+= needs adds<&PLACE::member> in the access list");
        static_assert(!same_type<T, bool>, "a bool cannot be added to (it has no sum) use most<...> and .raise_to(true)");
        tessera_folded = folded<Bits>(tessera_folded, by);
    }
    TESSERA_FN void operator-=(T by) {
        static_assert((Bits & access_adds) != 0, "-= needs adds<&PLACE::member> in the access list");
        static_assert(!same_type<T, bool>, "a bool cannot be added to (it has no sum) use most<...> and .raise_to(true)");
        using word = typename unsigned_of<T>::type;
        tessera_folded = folded<Bits>(tessera_folded, static_cast<T>(-static_cast<word>(by)));
    }
    TESSERA_FN void lower_to(T value) {
        static_assert((Bits & access_least) != 0, "lower_to() needs least<&PLACE::member> in the access list");
        tessera_folded = folded<Bits>(tessera_folded, value);
    }
    TESSERA_FN void raise_to(T value) {
        static_assert((Bits & access_most) != 0, "raise_to() needs most<&PLACE::member> in the access list");
        tessera_folded = folded<Bits>(tessera_folded, value);
    }

    /// The value before the phase.
    TESSERA_FN operator T() const {
        static_assert(
            (Bits & access_read) != 0,
            "a member of adds<...>, least<...> or most<...> cannot be read (these say how it changes) name it in reads<...> as well");
        return tessera_before;
    }

private:
    template<class U> static TESSERA_FN void refuse() {
        static_assert(!same_type<U, U>,
                      "a member of adds<...>, least<...> or most<...> cannot be assigned (others may change it too) write "
                      "+=, -=, .lower_to() or .raise_to()");
    }
};

// Of a member of type T[N], one for each element.
template<class T, int Bits> struct folded_members { using type = folded_member<T, Bits>; };
template<class T, int N, int Bits> struct folded_members<T[N], Bits> { using type = fixed_array<folded_member<T, Bits>, N>; };

template<class T, int Bits> TESSERA_FN void set_before(folded_member<T, Bits>& member, const T& value) { member.tessera_before = value; }
template<class T, int Bits, int N>
TESSERA_FN void set_before(fixed_array<folded_member<T, Bits>, N>& member, const fixed_array<T, N>& values) {
    for (int e = 0; e < N; ++e) member[e].tessera_before = values[e];
}
template<class T, int Bits> TESSERA_FN T folded_element(const folded_member<T, Bits>& member, int) { return member.tessera_folded; }
template<class T, int Bits, int N> TESSERA_FN T folded_element(const fixed_array<folded_member<T, Bits>, N>& member, int e) {
    return member[e].tessera_folded;
}

} // namespace tessera

// `self.place.member` of such a member.
#define TESSERA_FOLDED_TYPE(Row, member)                                                                             \
    template<class tessera_View, int tessera_Bits> struct TESSERA_CAT(own_, member)<tessera_View, tessera_Bits, 3> { \
        typename tessera::folded_members<decltype(Row::member), tessera_Bits>::type member;                          \
        TESSERA_FN explicit TESSERA_CAT(own_, member)([[maybe_unused]] const tessera_View& tessera_view) {           \
            if constexpr ((tessera_Bits & tessera::access_read) != 0)                                                \
                tessera::set_before(member, tessera_view.template own<TESSERA_CAT(index_, member)>());               \
        }                                                                                                            \
        TESSERA_FN void tessera_put(const tessera_View& tessera_view) const {                                        \
            tessera_view.template fold<TESSERA_CAT(index_, member), tessera_Bits>(member);                           \
        }                                                                                                            \
    };
