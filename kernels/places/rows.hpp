// The CPU's view of places: rows of x, straight from the columns.
#pragma once

#include <tessera/kernels/places/spans.hpp>

namespace tessera {

template<class Function, class Grid, int I>
TESSERA_FN void point_at_columns(all_rows<Function, Grid>& rows, const arguments_of<Function>& args, std::int64_t y, std::int64_t z) {
    if constexpr (bits_of<Function, I> != 0) {
        const column_layout column = layout_of<Grid, I>();
        auto& member = rows.template of<I>();
        using pointers = member_rows<Function, Grid, I>;
        const std::int64_t here = y * column.row + z * column.plane;
        for (int dz = 0; dz < pointers::rows_z; ++dz)
            for (int dy = 0; dy < pointers::rows_y; ++dy)
                member.in[dz * pointers::rows_y + dy] = column_in<Function, I>(args) + here + (dy - pointers::reach.low[1]) * column.row +
                                                        (dz - pointers::reach.low[2]) * column.plane;
        member.out = column_out<Function, I>(args) + here;
        if constexpr ((bits_of<Function, I> & access_around) == 0)
            member.in[0] = member.out; // it is the same buffer: now the compiler knows it
    }
}
template<class Function, class Grid, int... I>
TESSERA_FN all_rows<Function, Grid> rows_in_columns(const arguments_of<Function>& args, std::int64_t y, std::int64_t z, index_list<I...>) {
    all_rows<Function, Grid> rows;
    (point_at_columns<Function, Grid, I>(rows, args, y, z), ...);
    return rows;
}

template<class Function, class Grid, int I>
TESSERA_FN void copy_written_to_ghosts(const arguments_of<Function>& args, std::int64_t y, std::int64_t z, std::int64_t from,
                                       std::int64_t until) {
    if constexpr ((bits_of<Function, I> & access_write) != 0)
        copy_row_to_ghosts<Grid, I>(column_out<Function, I>(args), elements_of<Function, I>, y, z, from, until);
}
template<class Function, class Grid, int... I>
TESSERA_FN void copy_all_to_ghosts(const arguments_of<Function>& args, std::int64_t y, std::int64_t z, std::int64_t from,
                                   std::int64_t until, index_list<I...>) {
    (copy_written_to_ghosts<Function, Grid, I>(args, y, z, from, until), ...);
}

// Calls Function for places [from, until) of a row.
template<class Function, class Grid>
inline void call_row_part(const arguments_of<Function>& args, std::int64_t y, std::int64_t z, std::int64_t from, std::int64_t until) {
    constexpr auto members = indices_to<Function::row_members::member_count>{};
    call_places<Function, Grid, elements_in_columns<Grid>>(rows_in_columns<Function, Grid>(args, y, z, members), {y, z, from, until},
                                                           *args.first_step + args.step_after_first, args.random_key[0], args.first_step);
    copy_all_to_ghosts<Function, Grid>(args, y, z, from, until, members);
}

// Items are the pieces that Grid::pieces cuts each line of the launch's rows into; [first, last) of them are this thread's.
template<class Function, class Grid> inline void call_rows(const void* argument, std::int64_t first, std::int64_t last) {
    const auto& args = *static_cast<const arguments_of<Function>*>(argument);
    const std::int64_t nx = extent_of<Grid, 0>(), ny = extent_of<Grid, 1>(), pieces = pieces_of<Grid>();
    for (std::int64_t item = first; item < last; ++item) {
        const std::int64_t line = item / pieces, piece = item % pieces, first_row = Grid::in_bands ? args.first_row : 0;
        const std::int64_t y = Grid::dims == 3 ? line % ny : first_row + line, z = Grid::dims == 3 ? first_row + line / ny : 0;
        call_row_part<Function, Grid>(args, y, z, nx * piece / pieces, nx * (piece + 1) / pieces);
    }
}

} // namespace tessera
