// What neighbourhoods are made of: types with `count<Dims>` offsets `at<Dims>(i)`, whose objects are empty.
#pragma once

#include <tessera/detail/base.hpp>

namespace tessera {

struct place_offset {
    int x, y, z;
    constexpr bool operator==(const place_offset&) const = default;
};

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

} // namespace tessera
