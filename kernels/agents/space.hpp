// Positions of agents in space. The agents are in a list (list.hpp), in the order of the places that hold them. One column has their
// positions and another the positions to which they want to go; a column has a plane for each axis. An Agents type (collection.hpp) has
// also
//     using number;                                    of positions: float or double. void: the agents stand on places
//     static constexpr double extent[3];               where space ends along each axis; as `number` has it
#pragma once

#include <tessera/detail/at_once.hpp>
#include <tessera/kernels/agents/bins.hpp>
#include <tessera/kernels/agents/collection.hpp>

namespace tessera {

template<class Agents> inline constexpr int position_column = Agents::column::position;
template<class Agents> inline constexpr int aim_column = Agents::column::aim; // x below 0: beyond an edge

template<class Agents> inline constexpr bool is_in_space = !same_type<typename Agents::number, void>;
template<class Agents> using point_in = space_point<typename Agents::number>;

template<class Agents, int Column> TESSERA_FN point_in<Agents> load_point(const void* column, std::int64_t cell) {
    constexpr std::int64_t stride = Agents::grid::columns[Column].element;
    const auto* const from = static_cast<const typename Agents::number*>(column) + cell;
    return {from[0], Agents::grid::dims > 1 ? from[stride] : 0, Agents::grid::dims > 2 ? from[2 * stride] : 0};
}
template<class Agents, int Column> TESSERA_FN void store_point(void* column, std::int64_t cell, const point_in<Agents>& value) {
    constexpr std::int64_t stride = Agents::grid::columns[Column].element;
    auto* const to = static_cast<typename Agents::number*>(column) + cell;
    to[0] = value.x;
    if constexpr (Agents::grid::dims > 1) to[stride] = value.y;
    if constexpr (Agents::grid::dims > 2) to[2 * stride] = value.z;
}

// The positions of children may have another type than those of their parents.
template<class Number, class T> TESSERA_FN space_point<Number> as_numbers(const space_point<T>& at) {
    return {static_cast<Number>(at.x), static_cast<Number>(at.y), static_cast<Number>(at.z)};
}

// ---- axes

template<class Agents>
inline constexpr typename Agents::number end_of[3] = {static_cast<typename Agents::number>(Agents::extent[0]),
                                                      static_cast<typename Agents::number>(Agents::extent[1]),
                                                      static_cast<typename Agents::number>(Agents::extent[2])};
template<class Agents, int Axis> inline constexpr bool is_round = Axis < Agents::grid::dims&& Agents::grid::rule[Axis] == boundary::torus;
template<class Agents, int Axis> constexpr double width_of_place() {
    return Axis < Agents::grid::dims ? Agents::extent[Axis] / static_cast<double>(Agents::grid::size[Axis]) : 0;
}

// Moves a position over the edge of a torus, once. Returns whether the position is in space then.
template<class Agents, int Axis> TESSERA_FN bool come_in(typename Agents::number& at) {
    constexpr auto end = end_of<Agents>[Axis];
    if constexpr (is_round<Agents, Axis>) {
        if (at < 0)
            at += end;
        else if (at >= end)
            at -= end;
        if (at == end) at = 0; // a number that is hardly below 0 rounds to the end
        return at >= 0 && at < end;
    } else if constexpr (Axis < Agents::grid::dims)
        return at >= 0 && at <= end;
    else {
        at = 0;
        return true;
    }
}
template<class Agents> TESSERA_FN bool come_in(point_in<Agents>& at) {
    const bool x = come_in<Agents, 0>(at.x), y = come_in<Agents, 1>(at.y), z = come_in<Agents, 2>(at.z);
    return x && y && z;
}

// The way to an agent that is nearer than the width of a place. `over` is added for an edge of a torus between them, and is 0 elsewhere. A
// torus is at least three places long, so that this is the short way round; and a way of 0 has no sign.
template<class Agents>
TESSERA_FN point_in<Agents> way_over(const point_in<Agents>& from, const point_in<Agents>& to, const point_in<Agents>& over) {
    return {to.x - from.x + over.x, Agents::grid::dims > 1 ? to.y - from.y + over.y : 0,
            Agents::grid::dims > 2 ? to.z - from.z + over.z : 0};
}

// A position that is none: NaN along an axis.
template<class T> TESSERA_FN bool is_no_place(const space_point<T>& at) { return at.x != at.x || at.y != at.y || at.z != at.z; }

// Whether a way is no longer than `most`, which an author states: with a margin for the rounding of positions. False for NaN.
template<class Agents, int Axis> TESSERA_FN bool is_near_on(typename Agents::number from, typename Agents::number to, double most) {
    using number = typename Agents::number;
    if constexpr (Axis >= Agents::grid::dims)
        return true;
    else {
        constexpr double rounding = Agents::extent[Axis] / (sizeof(number) == 4 ? 1 << 21 : 1ll << 50);
        const auto way = static_cast<double>(to - from);
        return way <= most + rounding && -way <= most + rounding;
    }
}
template<class Agents> TESSERA_FN bool is_near(const point_in<Agents>& from, const point_in<Agents>& to, double most) {
    return is_near_on<Agents, 0>(from.x, to.x, most) && is_near_on<Agents, 1>(from.y, to.y, most) &&
           is_near_on<Agents, 2>(from.z, to.z, most);
}

// ---- places

template<class Agents, int Axis> TESSERA_FN int place_on(typename Agents::number at) {
    if constexpr (Axis < Agents::grid::dims)
        return static_cast<int>(bin_of(at, width_of_place<Agents, Axis>(), Agents::grid::size[Axis]));
    else
        return 0;
}
template<class Agents> TESSERA_FN std::int32_t place_that_holds(const point_in<Agents>& at) {
    return static_cast<std::int32_t>(
        number_of_place<typename Agents::grid>(place_on<Agents, 0>(at.x), place_on<Agents, 1>(at.y), place_on<Agents, 2>(at.z)));
}
template<class Agents> TESSERA_FN point_in<Agents> centre_of(const place_in_memory& at) {
    using number = typename Agents::number;
    return {static_cast<number>((at.x + 0.5) * width_of_place<Agents, 0>()),
            static_cast<number>((at.y + 0.5) * width_of_place<Agents, 1>()),
            static_cast<number>((at.z + 0.5) * width_of_place<Agents, 2>())};
}

// ---- near agents

// The agents of a list in places that follow each other along x, among the places around one and that place itself. `over_edge` is added to
// the way to them; it is 0 unless an edge is between.
template<class Agents> struct neighbours_in_a_row {
    int first, end;
    point_in<Agents> over_edge;
};

// Goes through a place and the places around it, in the order of z, then y, then x.
template<class Seen> class rows_around {
public:
    using agents = typename Seen::agents;
    using grid = typename agents::grid;

    TESSERA_FN rows_around(const void* const* in, int x, int y, int z)
        : in_(in), x_(x), y_(y), z_(z), step_(x > 0 && x < grid::size[0] - 1 ? 3 : 1), number_(-step_) {}

    // The next places, with agents or without; false: there are no more.
    TESSERA_FN bool next(neighbours_in_a_row<agents>& row) {
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
    template<int Axis> TESSERA_FN static typename agents::number over(int i) {
        if constexpr (is_round<agents, Axis>) {
            if (i < 0) return -end_of<agents>[Axis];
            if (i >= grid::size[Axis]) return end_of<agents>[Axis];
        }
        return 0;
    }

    const void* const* in_;
    int x_, y_, z_, step_, number_;
};

// Where an agent looks from: a position in a place, and the agent's number in the list; -1: it is not in that list.
template<class Number> struct standpoint {
    int x, y, z;
    space_point<Number> at;
    int number;
};

// Agents of a list as seen from a standpoint: which of them are nearer than the radius, and the way to them.
template<class Seen> struct agents_in_sight {
    using agents = typename Seen::agents;
    using point = point_in<agents>;
    static constexpr int column = position_column<agents>;
    const void* positions;
    point from;
    typename agents::number radius;

    TESSERA_FN bool is_near(int i, const point& over_edge) const {
        const auto to = load_point<agents, column>(positions, i);
        const auto dx = to.x - from.x + over_edge.x;
        auto square = dx * dx;
        if constexpr (agents::grid::dims > 1) {
            const auto dy = to.y - from.y + over_edge.y;
            square += dy * dy;
        }
        if constexpr (agents::grid::dims > 2) {
            const auto dz = to.z - from.z + over_edge.z;
            square += dz * dz;
        }
        return square < radius * radius;
    }
    TESSERA_FN point way_to(int i, const point& over_edge) const {
        return way_over<agents>(from, load_point<agents, column>(positions, i), over_edge);
    }
};

#if TESSERA_GPU
// A bit for each of so many, 32 at most, from number `first` on: whether `is_near(number)`.
template<class IsNear> TESSERA_FN std::uint32_t bits_of_near(int first, int count, IsNear&& is_near) {
    std::uint32_t bits = 0;
    int k = 0;
    for (; k + 8 <= count; k += 8) {
        std::uint32_t eight = 0;
#pragma unroll
        for (int b = 0; b < 8; ++b) eight |= is_near(first + k + b) ? 1u << b : 0;
        bits |= eight << k;
    }
    for (; k < count; ++k) bits |= is_near(first + k) ? 1u << k : 0;
    return bits;
}

// Near agents of a list: in each of `found` entries, those of 32 that follow each other.
template<class Agents> struct near_agents {
    static constexpr int most = 16;
    int first[most];
    std::uint32_t near[most]; // a bit for each of the 32
    point_in<Agents> over_edge[most];
};

// Goes on through the rows and fills the entries; returns their number. `row` is what is left of a row, and `more` becomes false after the
// last row.
template<class Seen>
TESSERA_FN int find_near(rows_around<Seen>& rows, neighbours_in_a_row<typename Seen::agents>& row, bool& more,
                         const agents_in_sight<Seen>& sight, int but, near_agents<typename Seen::agents>& all) {
    int found = 0;
    while (found < all.most) {
        if (row.first >= row.end) {
            more = rows.next(row);
            if (!more) break;
            continue;
        }
        const int count = row.end - row.first < 32 ? row.end - row.first : 32;
        std::uint32_t bits = bits_of_near(row.first, count, [&](int i) { return sight.is_near(i, row.over_edge); });
        if (const auto own = static_cast<std::uint32_t>(but - row.first); own < 32) bits &= ~(1u << own);
        all.first[found] = row.first;
        all.near[found] = bits;
        all.over_edge[found] = row.over_edge;
        found += bits != 0 ? 1 : 0;
        row.first += count;
    }
    return found;
}

// `visit(see_one(number, over_edge))` for each near agent of `found` entries. Four are met without a branch between them, so that what has
// to be waited for is under way for all.
template<class Agents, class SeeOne, class Visit>
TESSERA_FN void visit_near(const near_agents<Agents>& all, int found, SeeOne&& see_one, Visit&& visit) {
    constexpr int together = 4;
    struct one {
        int number; // -1: there is none
        point_in<Agents> over;
    };
    int f = 0, base = 0;
    std::uint32_t bits = 0;
    point_in<Agents> over{};
    const auto next = [&] {
        if (bits == 0) {
            if (f == found) return one{-1, over};
            bits = all.near[f], base = all.first[f], over = all.over_edge[f];
            ++f;
        }
        const int number = base + lowest_bit(bits);
        bits &= bits - 1;
        return one{number, over};
    };
    one those[together];
    for (;;) {
#pragma unroll
        for (one& each : those) each = next();
        if (those[together - 1].number < 0) break;
        const auto a = see_one(those[0].number, those[0].over), b = see_one(those[1].number, those[1].over);
        const auto c = see_one(those[2].number, those[2].over), d = see_one(those[3].number, those[3].over);
        visit(a), visit(b), visit(c), visit(d);
    }
#pragma unroll 1
    while (those[0].number >= 0) {
        const auto other = see_one(those[0].number, those[0].over);
        visit(other);
        those[0] = those[1], those[1] = those[2];
        those[2].number = -1;
    }
}
#else
// The near ones among so many agents of a row. Who is near is found for all of them at once and without a branch, which a processor could
// not foresee.
class near_numbers {
public:
    static constexpr int most = 32;

    template<class Seen>
    TESSERA_FN near_numbers(const agents_in_sight<Seen>& sight, const neighbours_in_a_row<typename Seen::agents>& row, int first, int but) {
        const int all = row.end - first < most ? row.end - first : most;
        std::uint32_t bits = all <= few ? bits_of_near<few>(sight, row.over_edge, first, all) // as everywhere where places are sparse
                                        : bits_of_near<most>(sight, row.over_edge, first, all);
        if (const auto own = static_cast<unsigned>(but - first); own < most) bits &= ~(1u << own);
        count_ = __builtin_popcount(bits);
        for (int k = 0; k < count_; ++k) {
            numbers_[k] = first + __builtin_ctz(bits);
            bits &= bits - 1;
        }
    }
    TESSERA_FN int count() const { return count_; }
    TESSERA_FN int operator[](int k) const { return numbers_[k]; }

private:
    static constexpr int few = 8;

    // A bit for each of `count` agents from number `first` on. Others beside them, up to Most, are looked at too, where the list has room
    // for so many.
    template<int Most, class Seen>
    TESSERA_FN static std::uint32_t bits_of_near(const agents_in_sight<Seen>& sight, const point_in<typename Seen::agents>& over_edge,
                                                 int first, int count) {
        constexpr int room = Seen::agents::capacity, looked_at = room < Most ? room : Most;
        const int from = first + looked_at <= room ? first : room - looked_at;
        const auto over = over_edge;
        std::uint8_t is_near[Most] = {};
        TESSERA_AT_ONCE
        for (int k = 0; k < looked_at; ++k) is_near[k] = sight.is_near(from + k, over);
        std::uint32_t bits = 0;
        for (int k = 0; k < Most; k += 8) {
            std::uint64_t eight;
            __builtin_memcpy(&eight, is_near + k, 8);
            bits |= static_cast<std::uint32_t>((eight * 0x0102040810204080u) >> 56) << k; // the lowest bits of the eight
        }
        bits >>= first - from;
        return count < 32 ? bits & ((1u << count) - 1) : bits;
    }

    int numbers_[most], count_;
};
#endif

// `visit(see(number, way))` for all agents that are nearer than the radius to a standpoint, but for the agent that stands there.
template<class Seen, class See, class Visit>
TESSERA_FN void for_each_near(const void* const* in, const standpoint<typename Seen::agents::number>& here,
                              typename Seen::agents::number radius, See&& see, Visit&& visit) {
    using agents = typename Seen::agents;
    const agents_in_sight<Seen> sight{in[Seen::arguments[position_column<agents>]], here.at, radius};
    rows_around<Seen> rows(in, here.x, here.y, here.z);
    neighbours_in_a_row<agents> row{};
    const auto see_one = [&](int i, const point_in<agents>& over) { return see(i, sight.way_to(i, over)); };
#if TESSERA_GPU
    // First the near agents of all places are found, and then each thread visits its own: else the threads of a warp would wait for each
    // other at each agent that is near to one of them.
    near_agents<agents> all;
    for (bool more = true; more;) {
        const int found = find_near(rows, row, more, sight, here.number, all);
        visit_near(all, found, see_one, visit);
    }
#else
    while (rows.next(row))
        for (int first = row.first; first < row.end; first += near_numbers::most) {
            const near_numbers near(sight, row, first, here.number);
            for (int k = 0; k < near.count(); ++k) {
                const auto other = see_one(near[k], row.over_edge); // const, so that no function writes to it
                visit(other);
            }
        }
#endif
}

} // namespace tessera
