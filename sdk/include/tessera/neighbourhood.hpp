// Which places a place can see: lists of constant offsets.
//
// A neighbourhood is a type with `count<Dims>` offsets `at<Dims>(i)`; its objects are empty and stand for it in access lists
// and calls: `around<moore, &Cell::alive>`, `self.sum(moore, &Cell::alive)`. Offsets are visited in list order; `moore` and
// `von_neumann` go z, y, x ascending and leave out the place itself.
#pragma once

#include <tessera/base.hpp>

namespace tessera {

struct place_offset {
    int x, y, z;
    constexpr bool operator==(const place_offset&) const = default;
};

// One offset, as a value whose type knows it: `self.at(offset<-1, 0>)`. x runs fastest, y grows downward in pictures.
template<int X, int Y, int Z> struct offset_type {
    static constexpr int x = X, y = Y, z = Z;
    template<int Dims> static constexpr int count = 1;
    template<int Dims> static constexpr place_offset at(int) { return {X, Y, Z}; }
};
template<int X, int Y = 0, int Z = 0> inline constexpr offset_type<X, Y, Z> offset{};

inline constexpr offset_type<-1, 0, 0> west{};
inline constexpr offset_type<1, 0, 0> east{};
inline constexpr offset_type<0, -1, 0> north{};
inline constexpr offset_type<0, 1, 0> south{};
inline constexpr offset_type<0, 0, -1> above{};
inline constexpr offset_type<0, 0, 1> below{};

// A list of offsets in the order given: `offsets<west, east, offset<2, 0>>`.
template<class... Offsets> struct offset_list {
    template<int Dims> static constexpr int count = sizeof...(Offsets);
    template<int Dims> static constexpr place_offset at(int i) {
        constexpr place_offset all[] = {{Offsets::x, Offsets::y, Offsets::z}...};
        return all[i];
    }
};
template<auto... Offsets> inline constexpr offset_list<decltype(Offsets)...> offsets{};

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

inline constexpr ball<1, false> moore{};      // 8 neighbours in two dimensions, 26 in three, 2 in one
inline constexpr ball<1, true> von_neumann{}; // 4 neighbours in two dimensions, 6 in three, 2 in one
template<int Radius> inline constexpr ball<Radius, false> moore_of{};
template<int Radius> inline constexpr ball<Radius, true> von_neumann_of{};

} // namespace tessera
