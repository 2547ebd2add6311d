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

// Children's positions may be of another type than their parents'.
template<class Number, class T> TESSERA_FN space_point<Number> as_numbers(const space_point<T>& at) {
    return {static_cast<Number>(at.x), static_cast<Number>(at.y), static_cast<Number>(at.z)};
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

// ---- who is near

// Those in a list who stand in places around one, or in it, that follow each other along x; and what has to be added to the way to them,
// which is 0 but over an edge.
template<class Crowd> struct neighbours_in_a_row {
    int first, end;
    point_in<Crowd> over_edge;
};

// Goes through the places around one, and itself, in the order of z, then y, then x.
template<class Seen> class rows_around {
public:
    using crowd = typename Seen::crowd;
    using grid = typename crowd::grid;

    TESSERA_FN rows_around(const void* const* in, int x, int y, int z)
        : in_(in), x_(x), y_(y), z_(z), step_(x > 0 && x < grid::size[0] - 1 ? 3 : 1), number_(-step_) {}

    // The next of them, whether there is anybody or not; false: there is none.
    TESSERA_FN bool next(neighbours_in_a_row<crowd>& row) {
        constexpr int all = grid::dims == 1 ? 3 : grid::dims == 2 ? 9 : 27;
        for (number_ += step_; number_ < all; number_ += step_) {
            const place_offset by{number_ % 3 - 1, grid::dims > 1 ? number_ / 3 % 3 - 1 : 0, grid::dims > 2 ? number_ / 9 - 1 : 0};
            const auto at = place_beside<grid>(x_, y_, z_, by, false);
            if (!at.inside) continue;
            const std::int32_t* const start = start_of<Seen>(in_, at);
            row = {start[0], start[step_], {over<0>(x_ + by.x), over<1>(y_ + by.y), over<2>(z_ + by.z)}};
            return true;
        }
        return false;
    }

private:
    template<int Axis> TESSERA_FN static typename crowd::number over(int i) {
        if constexpr (is_round<crowd, Axis>) {
            if (i < 0) return -end_of<crowd>[Axis];
            if (i >= grid::size[Axis]) return end_of<crowd>[Axis];
        }
        return 0;
    }

    const void* const* in_;
    int x_, y_, z_, step_, number_;
};

// For somebody at `from` in this place: `visit(number)` for all who are nearer than the radius.
template<class Seen, class Visit>
TESSERA_FN void for_each_near(const void* const* in, int x, int y, int z, const point_in<typename Seen::crowd>& from,
                              typename Seen::crowd::number radius, Visit&& visit) {
    using crowd = typename Seen::crowd;
    constexpr int P = position_column<crowd>;
    const void* const positions = in[Seen::arguments[P]];
    rows_around<Seen> rows(in, x, y, z);
    neighbours_in_a_row<crowd> row{};
    const auto is_near = [&](int i) {
        const auto to = load_point<crowd, P>(positions, i);
        const auto dx = to.x - from.x + row.over_edge.x;
        auto square = dx * dx;
        if constexpr (crowd::grid::dims > 1) {
            const auto dy = to.y - from.y + row.over_edge.y;
            square += dy * dy;
        }
        if constexpr (crowd::grid::dims > 2) {
            const auto dz = to.z - from.z + row.over_edge.z;
            square += dz * dz;
        }
        return square < radius * radius;
    };
#if TESSERA_GPU
    // First who is near, of all places, and then them alone, each thread its next one: else the threads of a warp would wait for each other
    // at whoever is near to one of them.
    constexpr int most = 16;
    int first[most];
    std::uint32_t near[most]; // of 32, those who are
    for (bool more = true; more;) {
        int found = 0;
        while (found < most) {
            if (row.first >= row.end) {
                more = rows.next(row);
                if (!more) break;
                continue;
            }
            const int count = row.end - row.first < 32 ? row.end - row.first : 32;
            std::uint32_t bits = 0;
#pragma unroll 4
            for (int k = 0; k < count; ++k) bits |= is_near(row.first + k) ? 1u << k : 0;
            first[found] = row.first;
            near[found] = bits;
            found += bits != 0 ? 1 : 0;
            row.first += count;
        }
        std::uint32_t bits = found > 0 ? near[0] : 0;
        for (int f = 0; f < found;) {
            visit(first[f] + lowest_bit(bits));
            bits &= bits - 1;
            if (bits == 0 && ++f < found) bits = near[f];
        }
    }
#else
    while (rows.next(row))
        for (int i = row.first; i < row.end; ++i)
            if (is_near(i)) visit(i);
#endif
}

} // namespace tessera
