// Coordinates of places that are known to lie away from the grid's edge, so that a function's tests for the edge fold away.
//
// Compilers do not find that out from assumptions about a 64-bit number. Here each comparison says it: with a constant beyond the bounds
// its first half is true or false when the function is compiled. In every other respect a coordinate is a std::int64_t.
#pragma once

#include <tessera/self.hpp>

namespace tessera {

template<std::int64_t Low, std::int64_t High> struct coordinate { // Low <= value <= High
    std::int64_t value;
    TESSERA_FN constexpr operator std::int64_t() const { return value; }
};

template<class T>
inline constexpr bool is_whole_number =
    scalar_code<T> >= 2 && scalar_code<T> <= 8; // not std::uint64_t, with which a std::int64_t compares as one
template<class T>
concept whole_number = is_whole_number<T>;

template<std::int64_t L, std::int64_t H, whole_number T> TESSERA_FN constexpr bool operator<(const coordinate<L, H>& a, T b) {
    const auto c = static_cast<std::int64_t>(b);
    return (H < c) | ((L < c) & (a.value < c));
}
template<std::int64_t L, std::int64_t H, whole_number T> TESSERA_FN constexpr bool operator<=(const coordinate<L, H>& a, T b) {
    const auto c = static_cast<std::int64_t>(b);
    return (H <= c) | ((L <= c) & (a.value <= c));
}
template<std::int64_t L, std::int64_t H, whole_number T> TESSERA_FN constexpr bool operator==(const coordinate<L, H>& a, T b) {
    const auto c = static_cast<std::int64_t>(b);
    return (L <= c) & (H >= c) & (a.value == c);
}
template<std::int64_t L, std::int64_t H, whole_number T> TESSERA_FN constexpr bool operator>(const coordinate<L, H>& a, T b) {
    return !(a <= b);
}
template<std::int64_t L, std::int64_t H, whole_number T> TESSERA_FN constexpr bool operator>=(const coordinate<L, H>& a, T b) {
    return !(a < b);
}
template<std::int64_t L, std::int64_t H, whole_number T> TESSERA_FN constexpr bool operator<(T a, const coordinate<L, H>& b) {
    return b > a;
}
template<std::int64_t L, std::int64_t H, whole_number T> TESSERA_FN constexpr bool operator<=(T a, const coordinate<L, H>& b) {
    return b >= a;
}
template<std::int64_t L, std::int64_t H, whole_number T> TESSERA_FN constexpr bool operator>(T a, const coordinate<L, H>& b) {
    return b < a;
}
template<std::int64_t L, std::int64_t H, whole_number T> TESSERA_FN constexpr bool operator>=(T a, const coordinate<L, H>& b) {
    return b <= a;
}

template<class X, class Y> struct inner_position {
    X x;
    Y y;
    std::int64_t z;
    TESSERA_FN constexpr operator place_position() const { return {x, y, z}; }
};

} // namespace tessera
