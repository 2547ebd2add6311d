// Functions of places that have a number and no position, of places that go along links, and of links: one place, or link, a thread,
// straight from memory.
//
// The host generates (host/generate/numbered.cpp) for such a function a type that derives from it, so that it is one of its collection:
//     static constexpr int tessera_link_arguments     columns that it names besides those of its own row, behind these
// and for each list of links N that it goes along a link_columns<Function, N> (along_links.hpp), where something is sent along it with
//     static constexpr due_column due[];              by member of the places there: what is sent to it
//     static constexpr std::uint64_t kernel;          its number, from 1
// What it writes of a collection that has no shape may be stored with other devices as well:
//     static constexpr int tessera_others;            how many there are besides this one
//     static constexpr int tessera_elsewhere[];       by member of its row: the first of as many arguments, some of them null; or -1
// Of a function of links N are its two ends (link_end), `other` has the place there for each link, and the type has besides
//     static constexpr bool tessera_parallel;         whether several links may have the same ends
//     static constexpr int tessera_dying;             of one that kills: the column of flags, likewise
#pragma once

#include <tessera/kernels/places/along_links.hpp>
#include <tessera/kernels/places/direct.hpp>
#include <tessera/kernels/places/sent.hpp>
#include <tessera/numbered.hpp>

namespace tessera {

template<class Function, class Grid, bool Masked> struct numbered_view : direct_view<Function, Grid, Masked> {
    using base = direct_view<Function, Grid, Masked>;

    TESSERA_FN std::int64_t number() const { return number_in_grid<Grid>(base::x, base::y, base::z); }
    static TESSERA_FN constexpr std::int64_t count() { return Grid::count; }

    TESSERA_FN links_in_memory<Function> links() const { return {base::args->in}; }
    template<class N> TESSERA_FN link_range list() const { return links().template list<N>(number()); }
    template<class N> TESSERA_FN std::int64_t other(std::int64_t at) const { return links().template other<N>(at); }
    template<class N, int I> TESSERA_FN auto of_link(std::int64_t at) const { return links().template of_link<N, I>(at); }
    template<class N, int I> TESSERA_FN auto of_end(std::int64_t number) const { return links().template of_end<N, I>(number); }

    template<int I> TESSERA_FN void store(const value_of<Function, I>& value) const {
        base::template store<I>(value);
        if constexpr (requires { Function::tessera_elsewhere; })
            if constexpr (Function::tessera_elsewhere[I] >= 0)
                for (int other = 0; other < Function::tessera_others; ++other)
                    if (void* const out = base::args->out[Function::tessera_elsewhere[I] + other]) store_at<I>(out, value);
    }

    template<class Link> TESSERA_FN void spawn(const Link& child, std::int64_t from, std::int64_t to) const {
        want_link<link_wishes<Function, Link>>(base::args->out, number(), child, from, to);
    }

    // Calls `give(at)` for the links of the list.
    template<class N, class Give> TESSERA_FN void send_along(Give&& give) const {
        const auto along = list<N>();
        for (std::int64_t at = along.first; at < along.end; ++at) give(at);
    }

    // To the place of that number, so many steps later.
    template<class N, int I, int Folds, class T> TESSERA_FN void give(std::int64_t to, T value, std::int64_t steps) const {
        using columns = link_columns<Function, N>;
        using grid = typename columns::end_grid;
        constexpr due_column due = columns::due[I];
        constexpr column_layout words_at = grid::columns[due.column];
        if (steps < 0 || steps >= due.planes) {
            note_late(*base::args, columns::kernel, number(), steps);
            return;
        }
        const std::int64_t plane = due.planes == 1 ? 0 : (base::step() + steps) % due.planes;
        constexpr std::int64_t words = (Folds & access_adds) != 0 ? words_of_sum<T> : 1;
        note_sent<Folds>(static_cast<std::uint64_t*>(base::args->out[due.argument]) + element_of_number<grid, due.column>(to) +
                             plane * words * words_at.element,
                         words_at.element, value);
    }

private:
    template<int I> TESSERA_FN void store_at(void* out, const value_of<Function, I>& value) const {
        using scalar = scalar_of<Function, I>;
        auto* const to = static_cast<scalar*>(out) + element_of_number<Grid, I>(number());
        if constexpr (same_type<scalar, value_of<Function, I>>)
            *to = value;
        else
            for (int e = 0; e < elements_of<Function, I>; ++e) to[e * Grid::columns[I].element] = value[e];
    }
};

#if !defined(TESSERA_WITHOUT_LINKS)
// Of functions of links.
template<class Function, class Grid, bool Masked> struct joining_view : numbered_view<Function, Grid, Masked> {
    using base = numbered_view<Function, Grid, Masked>;
    template<link_side Side> using end_at = link_end<typename Function::row, Side>;

    // The place at an end; none of a row that no link stands in.
    template<class N> TESSERA_FN std::int64_t end() const { return base::template other<N>(base::number()); }
    TESSERA_FN bool is_there() const { return end<end_at<link_side::from>>() >= 0; }

    TESSERA_FN random_stream random() const {
        const std::int64_t from = end<end_at<link_side::from>>(), to = end<end_at<link_side::to>>();
        std::uint64_t key = base::args->random_key[0];
        if constexpr (Function::tessera_parallel) {
            const std::int64_t rank = rank_among_twins(from, to);
            if (rank > 0) key = mix64(key + static_cast<std::uint64_t>(rank));
        }
        return random_stream(key, (static_cast<std::uint64_t>(from) << 31) + static_cast<std::uint64_t>(to),
                             static_cast<std::uint32_t>(base::step()));
    }
    TESSERA_FN void kill() const { static_cast<std::uint8_t*>(base::args->out[Function::tessera_dying])[base::number()] = 1; }

private:
    TESSERA_FN std::int64_t rank_among_twins(std::int64_t from, std::int64_t to) const {
        std::int64_t rank = 0;
        for (std::int64_t before = base::number() - 1; before >= 0; --before, ++rank)
            if (base::template other<end_at<link_side::from>>(before) != from || base::template other<end_at<link_side::to>>(before) != to)
                break;
        return rank;
    }
};
#endif

template<class Function, class Grid, class View, bool Numbered> struct self_without_links { using type = place<Function, View>; };
template<class Function, class Grid, class View> struct self_without_links<Function, Grid, View, true> {
    using type = numbered_place<Function, View>;
};
template<class Function, class Grid, class View, bool Linked> struct self_of { // that names no links
    using type = typename self_without_links<Function, Grid, View, is_numbered<Grid>>::type;
};
#if !defined(TESSERA_WITHOUT_LINKS)
template<class Function, class Grid, class View> struct self_of<Function, Grid, View, true> {
    using type = linked_place<Function, View, typename self_without_links<Function, Grid, View, is_numbered<Grid>>::type>;
};
#endif

template<class Function, class Grid, class View> TESSERA_FN void call_numbered_through(const View& view) {
    typename self_of<Function, Grid, View, (Function::access::link_records > 0)>::type self(view);
    Function::call(self);
    self.tessera_store(view);
}
#if !defined(TESSERA_WITHOUT_LINKS)
template<class Function, class View> TESSERA_FN void call_joining_through(const View& view) {
    joining_link<Function, View> self(view);
    Function::call(self);
    self.tessera_store(view);
}
template<class Function, class Grid>
TESSERA_FN void call_joining_on(const arguments_of<Function>& args, std::int64_t x, std::int64_t y, std::int64_t z) {
    const joining_view<Function, Grid, false> view{{{{&args, x, y, z}}}};
    if (!view.is_there()) return;
#if defined(TESSERA_CHECKED)
    const noted_call call(x, y, z, 0, number_in_grid<Grid>(x, y, z));
    using checked = checked_view<typename Function::row_members, joining_view<Function, Grid, false>, false>;
    call_checked<Function>(checked(view), [](const auto& through) { call_joining_through<Function>(through); });
#else
    call_joining_through<Function>(view);
#endif
}
#endif
template<class Function, class Grid, bool Masked>
TESSERA_FN void call_place_on(const arguments_of<Function>& args, std::int64_t x, std::int64_t y, std::int64_t z) {
    const numbered_view<Function, Grid, Masked> view{{{&args, x, y, z}}};
#if defined(TESSERA_CHECKED)
    const noted_call call(x, y, z, 0, number_in_grid<Grid>(x, y, z));
    using checked = checked_view<typename Function::row_members, numbered_view<Function, Grid, Masked>, false>;
    call_checked<Function>(checked(view), [](const auto& through) { call_numbered_through<Function, Grid>(through); });
#else
    call_numbered_through<Function, Grid>(view);
#endif
}

template<class Function, class Grid, bool Masked>
TESSERA_FN void call_numbered_on(const arguments_of<Function>& args, std::int64_t x, std::int64_t y, std::int64_t z) {
#if !defined(TESSERA_WITHOUT_LINKS)
    if constexpr (are_links<typename Function::row>)
        call_joining_on<Function, Grid>(args, x, y, z);
    else
#endif
        call_place_on<Function, Grid, Masked>(args, x, y, z);
}

// Where in memory a place stands.
struct cell_position {
    std::int64_t x, y, z;
};
// That of a thread of a tile, tiles being those of the view `direct`; false where there is none.
template<class Function, class Grid, int Width>
TESSERA_FN bool find_cell(const arguments_of<Function>& args, counter_of<Grid> tile, int lane, cell_position& cell) {
    using counter = counter_of<Grid>;
    constexpr auto ny = static_cast<counter>(Grid::size[1]), across = static_cast<counter>((Grid::size[0] + Width - 1) / Width);
    const counter line = tile / across;
    cell = {static_cast<std::int64_t>(tile % across) * Width + lane, line % ny, line / ny};
    if constexpr (Grid::in_bands) {
        if constexpr (Grid::dims == 3)
            cell.z += args.first_row;
        else
            cell.y = args.first_row + line, cell.z = 0;
        if ((Grid::dims == 3 ? cell.z : cell.y) >= args.end_row) return false;
    } else if (cell.z >= Grid::size[2])
        return false;
    if (cell.x >= Grid::size[0]) return false;
    if constexpr (is_numbered<Grid>)
        if (number_in_grid<Grid>(cell.x, cell.y, cell.z) >= Grid::count) return false;
    return true;
}
// Whether the function may look beyond an open edge there.
template<class Function, class Grid> TESSERA_FN bool is_at_open_edge([[maybe_unused]] const cell_position& cell) {
    if constexpr (has_open_axis<Grid> && !is_numbered<Grid>) {
        constexpr int rx = reach_on<Function, Grid, 0>, ry = reach_on<Function, Grid, 1>, rz = reach_on<Function, Grid, 2>;
        return (cell.x < rx) | (cell.x >= Grid::size[0] - rx) | (cell.y < ry) | (cell.y >= Grid::size[1] - ry) | (cell.z < rz) |
               (cell.z >= Grid::size[2] - rz);
    } else
        return false;
}
template<class Function, class Grid, int Width>
TESSERA_FN void call_numbered_tile(const arguments_of<Function>& args, counter_of<Grid> tile, int lane) {
    cell_position cell;
    if (!find_cell<Function, Grid, Width>(args, tile, lane, cell)) return;
    if constexpr (has_open_axis<Grid> && !is_numbered<Grid>)
        if (is_at_open_edge<Function, Grid>(cell)) return call_numbered_on<Function, Grid, true>(args, cell.x, cell.y, cell.z);
    call_numbered_on<Function, Grid, false>(args, cell.x, cell.y, cell.z);
}

#if TESSERA_GPU
// A block is `blockDim.x / Width` tiles.
template<class Function, class Grid, int Width> TESSERA_FN void call_numbered(const arguments_of<Function>& args) {
    const counter_of<Grid> tiles = blockDim.x / Width;
    call_numbered_tile<Function, Grid, Width>(args, blockIdx.x * tiles + threadIdx.x / Width, threadIdx.x % Width);
}
#else
// Items are tiles.
template<class Function, class Grid, int Width> inline void call_numbered(const void* args, std::int64_t first, std::int64_t last) {
    for (std::int64_t tile = first; tile < last; ++tile)
        for (int lane = 0; lane < Width; ++lane)
            call_numbered_tile<Function, Grid, Width>(*static_cast<const arguments_of<Function>*>(args),
                                                      static_cast<counter_of<Grid>>(tile), lane);
}
#endif

} // namespace tessera
