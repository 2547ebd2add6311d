// Lists of links, as functions read them: where a place's links begin and end, where they lead, and what stands there.
//
// For each list of links N along which a kernel goes the host generates (host/generate/numbered.cpp) a link_columns<Key, N>. Key is the
// type of a function of places or links, or the Call type of one of agents:
//     using end_grid;                                 of the places at the other ends
//     static constexpr int start, other;              arguments: where each place's links begin, and the place at the other end of each
//     static constexpr int link[], end[];             by member of the links, and of the places there: the argument, or -1
//     static constexpr std::int64_t element[];        by member of the links: from one element of an array to the next
//     static constexpr int number;                    of lists with a column of the links' numbers, by which members are found: that, or -1
// and for each type of links that the function spawns a link_wishes<Key, LINK>:
//     static constexpr int most, asked, from, to;     links of a call; columns: how many it asked for, and between which places
//     static constexpr int author;                    of agents, likewise: the id of the one that asked; else -1
//     static constexpr int member[];                  by member of the links
//     static constexpr std::int64_t element[];
#pragma once

#include <tessera/kernels/launch/grid.hpp>
#include <tessera/kernels/launch/memory.hpp>

namespace tessera {

template<class Key, class N> struct link_columns;
template<class Key, class Link> struct link_wishes;

struct link_range {
    std::int64_t first, end;
};

// The number of a place of a grid, and a column's element there.
template<class Grid> TESSERA_FN std::int64_t number_in_grid(std::int64_t x, std::int64_t y, std::int64_t z) {
    return (z * Grid::size[1] + y) * Grid::size[0] + x;
}
template<class Grid, int I> TESSERA_FN std::int64_t element_of_number(std::int64_t number) {
    constexpr column_layout column = Grid::columns[I];
    constexpr std::int64_t nx = Grid::size[0], ny = Grid::size[1];
    if constexpr (column.row == nx && (Grid::dims < 3 || column.plane == nx * ny))
        return number; // rows follow each other without gaps
    else {
        const std::int64_t row = number / nx;
        if constexpr (Grid::dims < 3)
            return number - row * nx + row * column.row;
        else
            return number - row * nx + row % ny * column.row + row / ny * column.plane;
    }
}

// `in` are a kernel's arguments.
template<class Key> struct links_in_memory {
    const void* const* in;

    template<class N> TESSERA_FN link_range list(std::int64_t place) const {
        const auto* start = static_cast<const std::int32_t*>(in[link_columns<Key, N>::start]) + place;
        return {load<true>(start), load<true>(start + 1)};
    }
    template<class N> TESSERA_FN std::int64_t other(std::int64_t at) const {
        return load<true>(static_cast<const std::int32_t*>(in[link_columns<Key, N>::other]) + at);
    }
    template<class N, int I> TESSERA_FN auto of_link(std::int64_t at) const {
        using columns = link_columns<Key, N>;
        if constexpr (columns::number >= 0) at = load<true>(static_cast<const std::int32_t*>(in[columns::number]) + at);
        return value_at<typename N::tessera_link, I>(columns::link[I], at, columns::element[I]);
    }
    template<class N, int I> TESSERA_FN auto of_end(std::int64_t number) const {
        using columns = link_columns<Key, N>;
        using grid = typename columns::end_grid;
        constexpr column_layout column = grid::columns[I];
        return value_at<typename N::there, I>(columns::end[I], element_of_number<grid, I>(number), column.element);
    }

private:
    template<class Row, int I> TESSERA_FN auto value_at(int argument, std::int64_t at, std::int64_t element) const {
        using member = member_type<typename pointed_to<decltype(members_of_row<Row>::template pointer_to<I>())>::type>;
        const auto* from = static_cast<const typename member::scalar*>(in[argument]) + at;
        if constexpr (same_type<typename member::scalar, typename member::value>)
            return noted(load<true>(from));
        else {
            typename member::value value;
            for (int e = 0; e < member::elements; ++e) value[e] = load<true>(from + e * element);
            return noted(value);
        }
    }
    template<class T> static TESSERA_FN T noted(const T& value) {
#if defined(TESSERA_CHECKED)
        (void)noted_as_read(value);
#endif
        return value;
    }
};

// ---- links that a function wants: author n of all has room for as many as a call may want, from n * most on

template<class Wishes, int I, class Link> TESSERA_FN void put_wished_member(void* const* out, const Link& child, std::int64_t at) {
    constexpr auto pointer = members_of_row<Link>::template pointer_to<I>();
    using member = member_type<typename pointed_to<decltype(members_of_row<Link>::template pointer_to<I>())>::type>;
    auto* const into = static_cast<typename member::scalar*>(out[Wishes::member[I]]) + at;
    if constexpr (same_type<typename member::scalar, typename member::value>)
        *into = child.*pointer;
    else
        for (int e = 0; e < member::elements; ++e) into[e * Wishes::element[I]] = (child.*pointer)[e];
}
template<class Wishes, class Link, int... I>
TESSERA_FN void put_wished_members(void* const* out, const Link& child, std::int64_t at, index_list<I...>) {
    (put_wished_member<Wishes, I>(out, child, at), ...);
}

// That there are too many of a call, and places that are none, finds who carries it out.
template<class Wishes, class Link>
TESSERA_FN void want_link(void* const* out, std::int64_t author, const Link& child, std::int64_t from, std::int64_t to) {
    auto& asked = static_cast<std::int32_t*>(out[Wishes::asked])[author];
    const std::int64_t call = asked;
    asked = static_cast<std::int32_t>(call) + 1;
    if (call >= Wishes::most) return;
    const std::int64_t at = author * Wishes::most + call;
    static_cast<std::int64_t*>(out[Wishes::from])[at] = from;
    static_cast<std::int64_t*>(out[Wishes::to])[at] = to;
    put_wished_members<Wishes>(out, child, at, indices_to<members_of_row<Link>::member_count>{});
}

} // namespace tessera
