// SPDX-License-Identifier: Apache-2.0
// The types of members: scalars, fixed arrays of scalars, and what the engine knows of them at compile time.
#pragma once

#include <tessera/detail/base.hpp>
#include <tessera/detail/checks.hpp>

namespace tessera {

// A row's array member as a function sees it: like `T[N]`, but it can be returned and copied.
template<class T, int N> struct fixed_array {
    T values[N];
#if defined(TESSERA_CHECKED)
    constexpr T& operator[](const noted_index& i) { return values[index_within(i, N)]; }
    constexpr const T& operator[](const noted_index& i) const { return values[index_within(i, N)]; }
#else
    TESSERA_FN constexpr T& operator[](int i) { return values[i]; }
    TESSERA_FN constexpr const T& operator[](int i) const { return values[i]; }
#endif
    TESSERA_FN constexpr T* begin() { return values; }
    TESSERA_FN constexpr T* end() { return values + N; }
    TESSERA_FN constexpr const T* begin() const { return values; }
    TESSERA_FN constexpr const T* end() const { return values + N; }
    static constexpr int size() { return N; }
};

// The codes are those of a model description; the order is that of device_runtime/scalar.hpp.
template<class T> inline constexpr int scalar_code = 0;
template<> inline constexpr int scalar_code<bool> = 1;
template<> inline constexpr int scalar_code<std::int8_t> = 2;
template<> inline constexpr int scalar_code<std::uint8_t> = 3;
template<> inline constexpr int scalar_code<std::int16_t> = 4;
template<> inline constexpr int scalar_code<std::uint16_t> = 5;
template<> inline constexpr int scalar_code<std::int32_t> = 6;
template<> inline constexpr int scalar_code<std::uint32_t> = 7;
template<> inline constexpr int scalar_code<std::int64_t> = 8;
template<> inline constexpr int scalar_code<std::uint64_t> = 9;
template<> inline constexpr int scalar_code<float> = 10;
template<> inline constexpr int scalar_code<double> = 11;

// Calls `visit(T{})` for the type that has this scalar_code.
template<class Visit> TESSERA_FN void with_scalar(int code, Visit&& visit) {
    switch (code) {
    case scalar_code<bool>: return visit(bool{});
    case scalar_code<std::int8_t>: return visit(std::int8_t{});
    case scalar_code<std::uint8_t>: return visit(std::uint8_t{});
    case scalar_code<std::int16_t>: return visit(std::int16_t{});
    case scalar_code<std::uint16_t>: return visit(std::uint16_t{});
    case scalar_code<std::int32_t>: return visit(std::int32_t{});
    case scalar_code<std::uint32_t>: return visit(std::uint32_t{});
    case scalar_code<std::int64_t>: return visit(std::int64_t{});
    case scalar_code<std::uint64_t>: return visit(std::uint64_t{});
    case scalar_code<float>: return visit(float{});
    default: break;
    }
    visit(double{});
}

template<class T> struct member_type {
    static_assert(scalar_code<T> != 0, "a member must be bool, an integer of 8 to 64 bits, float, double, or a fixed array of these");
    using scalar = T;
    using value = T;
    static constexpr int elements = 1;
};
template<class T, int N> struct member_type<T[N]> : member_type<T> {
    using value = fixed_array<T, N>;
    static constexpr int elements = N;
};

// Sums are at least 32 bits wide, so that counting neighbours never wraps: what `+` of two members gives.
template<class T> struct sum_type { using type = decltype(T() + T()); };

// A row as it is before anything is set. To write Row{} for each of its members makes a compiler look at all members for each.
template<class Row> constexpr Row default_of() { return Row{}; }

// The default value of a member of scalar type T or array type T, from a default-constructed row.
template<class T> constexpr T copy_member(const T& from) { return from; }
template<class T, int N> constexpr fixed_array<T, N> copy_member(const T (&from)[N]) {
    fixed_array<T, N> result{};
    for (int i = 0; i < N; ++i) result.values[i] = from[i];
    return result;
}

template<int I> struct index_type {}; // a pointer to it chooses among functions that differ in a number
template<int... I> struct index_list {};
template<class A, class B> struct joined_indices;
template<int... I, int... J> struct joined_indices<index_list<I...>, index_list<J...>> {
    using type = index_list<I..., static_cast<int>(sizeof...(I)) + J...>;
};
template<int N> struct index_counter { // by halves: compilers nest templates only so deep
    using type = typename joined_indices<typename index_counter<N / 2>::type, typename index_counter<N - N / 2>::type>::type;
};
template<> struct index_counter<0> { using type = index_list<>; };
template<> struct index_counter<1> { using type = index_list<0>; };
template<int N> using indices_to = typename index_counter<N>::type;

template<class T> struct same_as_given { using type = T; };

// The type of the member that a pointer to a member points to.
template<class Pointer> struct pointed_to;
template<class T, class Row> struct pointed_to<T Row::*> { using type = T; };

template<class A, class B> inline constexpr bool same_type = false;
template<class A> inline constexpr bool same_type<A, A> = true;

} // namespace tessera
