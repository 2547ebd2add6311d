// SPDX-License-Identifier: Apache-2.0
// What neighbourhoods are made of: types with `count<Dims>` offsets `at<Dims>(i)`, whose objects are empty.
#pragma once

#include <tessera/detail/base.hpp>

namespace tessera {

struct place_offset {
    int x, y, z;
    constexpr bool operator==(const place_offset&) const = default;
};

// What decltype says of an object that is a template's argument, without the const that g++ 12 adds.
template<class T> struct without_const_of { using type = T; };
template<class T> struct without_const_of<const T> { using type = T; };
template<class T> using without_const = typename without_const_of<T>::type;
template<class T> struct without_reference_of { using type = T; };
template<class T> struct without_reference_of<T&> { using type = T; };
template<class T> using without_reference = typename without_reference_of<T>::type;

// One offset, as a value whose type knows it.
template<int X, int Y, int Z> struct offset_type {
    static constexpr int x = X, y = Y, z = Z;
    template<int Dims> static constexpr int count = 1;
    template<int Dims> static constexpr place_offset at(int) { return {X, Y, Z}; }
};

// A list of offsets in the order given.
template<class... Offsets> struct offset_list {
    template<int Dims> static constexpr int count = sizeof...(Offsets);
    template<int Dims> static constexpr place_offset at(int i) {
        constexpr place_offset all[] = {{Offsets::x, Offsets::y, Offsets::z}...};
        return all[i];
    }
};

constexpr int magnitude(int value) { return value < 0 ? -value : value; }

// The cube (Manhattan = false) or the octahedron (true) of a radius, without its centre.
template<int Radius, bool Manhattan> struct ball {
    static_assert(Radius >= 1 && Radius <= 16, "a neighbourhood's radius must be 1 to 16");

    template<int Dims> struct table {
        static constexpr int side = 2 * Radius + 1;
        place_offset list[side * (Dims > 1 ? side : 1) * (Dims > 2 ? side : 1)] = {};
        int size = 0;
        constexpr table() {
            const int rz = Dims > 2 ? Radius : 0, ry = Dims > 1 ? Radius : 0;
            for (int z = -rz; z <= rz; ++z)
                for (int y = -ry; y <= ry; ++y)
                    for (int x = -Radius; x <= Radius; ++x) {
                        const bool inside = !Manhattan || magnitude(x) + magnitude(y) + magnitude(z) <= Radius;
                        if (inside && (x != 0 || y != 0 || z != 0)) list[size++] = {x, y, z};
                    }
        }
    };
    template<int Dims> static constexpr table<Dims> offsets{};
    template<int Dims> static constexpr int count = offsets<Dims>.size;
    template<int Dims> static constexpr place_offset at(int i) { return offsets<Dims>.list[i]; }
};

// The lines along the axes. At a distance: down each axis from the last to the first, then up each from the first to the last.
template<int Radius> struct lines {
    static_assert(Radius >= 1 && Radius <= 255, "a neighbourhood of lines reaches 1 to 255 places");

    template<int Dims> static constexpr int count = 2 * Dims* Radius;
    template<int Dims> static constexpr place_offset at(int i) {
        const int distance = i / (2 * Dims) + 1, k = i % (2 * Dims);
        const int axis = k < Dims ? Dims - 1 - k : k - Dims, step = k < Dims ? -distance : distance;
        return {axis == 0 ? step : 0, axis == 1 ? step : 0, axis == 2 ? step : 0};
    }
};

// A neighbourhood behind its centre.
template<class N> struct with_centre {
    template<int Dims> static constexpr int count = N::template count<Dims> + 1;
    template<int Dims> static constexpr place_offset at(int i) { return i == 0 ? place_offset{0, 0, 0} : N::template at<Dims>(i - 1); }
};

// The offsets of a neighbourhood that lead elsewhere.
template<class N> struct without_here {
    template<int Dims>
    static constexpr int count = [] {
        int others = 0;
        for (int i = 0; i < N::template count<Dims>; ++i) others += N::template at<Dims>(i) == place_offset{0, 0, 0} ? 0 : 1;
        return others;
    }();
    template<int Dims> static constexpr place_offset at(int i) {
        for (int j = 0;; ++j)
            if (!(N::template at<Dims>(j) == place_offset{0, 0, 0}) && i-- == 0) return N::template at<Dims>(j);
    }
};

// The offsets of a neighbourhood and how many steps along the axes each is away, where a loop over them finds them sooner than `at` makes
// them; of a large one that is nowhere.
struct offset_in_table {
    place_offset offset;
    int distance;
};
template<class N, int Dims> struct offset_table {
    offset_in_table list[N::template count<Dims>] = {};
    constexpr offset_table() {
        for (int i = 0; i < N::template count<Dims>; ++i) {
            const place_offset o = N::template at<Dims>(i);
            list[i] = {o, magnitude(o.x) + magnitude(o.y) + magnitude(o.z)};
        }
    }
};
template<class N, int Dims> inline TESSERA_CONSTANT constexpr offset_table<N, Dims> offsets_in_table{};
template<class N, int Dims> TESSERA_FN offset_in_table offset_number(int i) {
    constexpr int most_in_table = 256;
    if constexpr (N::template count<Dims> <= most_in_table) return offsets_in_table<N, Dims>.list[i];
    const place_offset o = N::template at<Dims>(i);
    return {o, magnitude(o.x) + magnitude(o.y) + magnitude(o.z)};
}

// Whether no offset of a list is further away than those behind it.
template<class N, int Dims> constexpr bool has_nearest_first() {
    for (int i = 1; i < N::template count<Dims>; ++i) {
        const place_offset a = N::template at<Dims>(i - 1), b = N::template at<Dims>(i);
        if (magnitude(a.x) + magnitude(a.y) + magnitude(a.z) > magnitude(b.x) + magnitude(b.y) + magnitude(b.z)) return false;
    }
    return true;
}

// Whether it is within<R>, and its radius; 0 of what is a neighbourhood of places.
template<class N> inline constexpr bool is_space = requires { N::radius; };
template<class N> inline constexpr double radius_of = 0;
template<class N>
requires is_space<N>
inline constexpr double radius_of<N> = N::radius;

// Whether all offsets of A are among B's, or all that A's radius holds is in B's.
template<class A, class B, int Dims> constexpr bool covers() {
    if (is_space<A> || is_space<B>) return is_space<A> && is_space<B> && radius_of<A> <= radius_of<B>;
    for (int i = 0; i < A::template count<Dims>; ++i) {
        bool found = false;
        for (int j = 0; j < B::template count<Dims>; ++j) found |= A::template at<Dims>(i) == B::template at<Dims>(j);
        if (!found) return false;
    }
    return true;
}

} // namespace tessera
