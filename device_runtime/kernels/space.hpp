// Positions of agents in space. They stand in a list (list.hpp), in the order of the places that hold them, with a column of positions and
// one of where they want to go; a column has a plane for each axis. Of a Crowd (crowd.hpp) also
//     using number;                                    of positions: float or double. void: they stand on places
//     static constexpr double extent[3];               where space ends along each axis; as `number` has it
#pragma once

#include <tessera/kernels/bins.hpp>
#include <tessera/kernels/crowd.hpp>

namespace tessera {

template<class Crowd> inline constexpr int position_column = target_column<Crowd> + 1;
template<class Crowd> inline constexpr int aim_column = position_column<Crowd> + 1; // x below 0: beyond an edge

template<class Crowd> inline constexpr bool is_in_space = !same_type<typename Crowd::number, void>;
template<class Crowd> using point_in = space_point<typename Crowd::number>;

template<class Crowd, int Column> TESSERA_FN point_in<Crowd> load_point(const void* column, std::int64_t cell) {
    constexpr std::int64_t stride = Crowd::grid::columns[Column].element;
    const auto* const from = static_cast<const typename Crowd::number*>(column) + cell;
    return {from[0], Crowd::grid::dims > 1 ? from[stride] : 0, Crowd::grid::dims > 2 ? from[2 * stride] : 0};
}
template<class Crowd, int Column> TESSERA_FN void store_point(void* column, std::int64_t cell, const point_in<Crowd>& value) {
    constexpr std::int64_t stride = Crowd::grid::columns[Column].element;
    auto* const to = static_cast<typename Crowd::number*>(column) + cell;
    to[0] = value.x;
    if constexpr (Crowd::grid::dims > 1) to[stride] = value.y;
    if constexpr (Crowd::grid::dims > 2) to[2 * stride] = value.z;
}

// ---- axes

template<class Crowd>
inline constexpr typename Crowd::number end_of[3] = {static_cast<typename Crowd::number>(Crowd::extent[0]),
                                                     static_cast<typename Crowd::number>(Crowd::extent[1]),
                                                     static_cast<typename Crowd::number>(Crowd::extent[2])};
template<class Crowd, int Axis> inline constexpr bool is_round = Axis < Crowd::grid::dims&& Crowd::grid::rule[Axis] == boundary::torus;
template<class Crowd, int Axis> constexpr double width_of_place() {
    return Axis < Crowd::grid::dims ? Crowd::extent[Axis] / static_cast<double>(Crowd::grid::size[Axis]) : 0;
}

// Once over the edge of a torus. Whether it is in space then.
template<class Crowd, int Axis> TESSERA_FN bool come_in(typename Crowd::number& at) {
    constexpr auto end = end_of<Crowd>[Axis];
    if constexpr (is_round<Crowd, Axis>) {
        if (at < 0)
            at += end;
        else if (at >= end)
            at -= end;
        if (at == end) at = 0; // what is hardly below 0 rounds to that
        return at >= 0 && at < end;
    } else if constexpr (Axis < Crowd::grid::dims)
        return at >= 0 && at <= end;
    else {
        at = 0;
        return true;
    }
}
template<class Crowd> TESSERA_FN bool come_in(point_in<Crowd>& at) {
    const bool x = come_in<Crowd, 0>(at.x), y = come_in<Crowd, 1>(at.y), z = come_in<Crowd, 2>(at.z);
    return x && y && z;
}

// The way from one to the other, over the edge of a torus where that is shorter.
template<class Crowd, int Axis> TESSERA_FN typename Crowd::number way_on(typename Crowd::number from, typename Crowd::number to) {
    auto way = to - from;
    if constexpr (is_round<Crowd, Axis>) {
        constexpr auto end = end_of<Crowd>[Axis];
        if (way > end / 2)
            way -= end;
        else if (way < -end / 2)
            way += end;
    }
    return way;
}
template<class Crowd> TESSERA_FN point_in<Crowd> way_between(const point_in<Crowd>& from, const point_in<Crowd>& to) {
    return {way_on<Crowd, 0>(from.x, to.x), Crowd::grid::dims > 1 ? way_on<Crowd, 1>(from.y, to.y) : 0,
            Crowd::grid::dims > 2 ? way_on<Crowd, 2>(from.z, to.z) : 0};
}

// Whether an author who means to go no further than that is within it, as positions round. False of what is no number.
template<class Crowd, int Axis> TESSERA_FN bool is_near_on(typename Crowd::number from, typename Crowd::number to, double most) {
    using number = typename Crowd::number;
    if constexpr (Axis >= Crowd::grid::dims)
        return true;
    else {
        constexpr double rounding = Crowd::extent[Axis] / (sizeof(number) == 4 ? 1 << 21 : 1ll << 50);
        const auto way = static_cast<double>(to - from);
        return way <= most + rounding && -way <= most + rounding;
    }
}
template<class Crowd> TESSERA_FN bool is_near(const point_in<Crowd>& from, const point_in<Crowd>& to, double most) {
    return is_near_on<Crowd, 0>(from.x, to.x, most) && is_near_on<Crowd, 1>(from.y, to.y, most) && is_near_on<Crowd, 2>(from.z, to.z, most);
}

// ---- places

template<class Crowd, int Axis> TESSERA_FN int place_on(typename Crowd::number at) {
    if constexpr (Axis < Crowd::grid::dims)
        return static_cast<int>(bin_of(at, width_of_place<Crowd, Axis>(), Crowd::grid::size[Axis]));
    else
        return 0;
}
template<class Crowd> TESSERA_FN std::int32_t place_that_holds(const point_in<Crowd>& at) {
    return static_cast<std::int32_t>(
        number_of_place<typename Crowd::grid>(place_on<Crowd, 0>(at.x), place_on<Crowd, 1>(at.y), place_on<Crowd, 2>(at.z)));
}
template<class Crowd> TESSERA_FN point_in<Crowd> centre_of(const place_in_memory& at) {
    using number = typename Crowd::number;
    return {static_cast<number>((at.x + 0.5) * width_of_place<Crowd, 0>()), static_cast<number>((at.y + 0.5) * width_of_place<Crowd, 1>()),
            static_cast<number>((at.z + 0.5) * width_of_place<Crowd, 2>())};
}

// Calls `visit(number)` for all in a list who are in the places around one, or in it: of z, then y, then x.
template<class Seen, class Visit> TESSERA_FN void for_each_around(const void* const* in, int x, int y, int z, Visit&& visit) {
    using grid = typename Seen::crowd::grid;
    constexpr int down = grid::dims > 1 ? 1 : 0, below = grid::dims > 2 ? 1 : 0;
    // Those of three places in a row stand one behind the other.
    const bool in_a_row = x > 0 && x < grid::size[0] - 1;
    for (int dz = -below; dz <= below; ++dz)
        for (int dy = -down; dy <= down; ++dy)
            for (int dx = -1; dx <= (in_a_row ? -1 : 1); ++dx) {
                const auto at = place_beside<grid>(x, y, z, {dx, dy, dz}, false);
                if (!at.inside) continue;
                const std::int32_t* const start = start_of<Seen>(in, at);
                const int end = start[in_a_row ? 3 : 1];
                for (int i = start[0]; i < end; ++i) visit(i);
            }
}

} // namespace tessera
