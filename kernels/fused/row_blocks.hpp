// The CPU's view of fused steps: a block of places streams down the rows with the newest rows of all stages of a program in the cache.
//
// Every version that the plan keeps (program.hpp) is a ring of rows in memory that never leaves the cache; what the first stages see is
// read from the columns where it is, what the last ones make is written there. A block makes as many places beside its own, and rows above
// and below them, as its stages see: blocks never wait for each other. (Overlapped tiles of rows; B+2R of Aaby, Perumalla and Seal, 2010,
// within a cache.) Each row of each stage is a span (spans.hpp), so that what vectorises one step at a time does here too.
#pragma once

#include <tessera/kernels/fused/program.hpp>
#include <tessera/kernels/places/spans.hpp>

namespace tessera::fused {

// What a version is kept for: later stages read it, or it cannot be made where it belongs, for the block makes places beside its own as
// well.
struct ring_plan {
    bool kept, read; // read: by later stages
    int rows;
    std::int64_t at; // bytes from the beginning of the block's memory
};

// Of a block of up to Width places.
template<class Program, int Width> struct block_memory {
    using grid = typename Program::grid;
    static constexpr plan_type<Program> plan = plan_of<Program>;
    static constexpr int stages = stages_of<Program>, members = members_of<Program>;
    static constexpr boundary rule_x = grid::rule[0], rule_y = grid::dims > 1 ? grid::rule[1] : boundary::torus;
    static constexpr bool constant_x = rule_x == boundary::fixed || rule_x == boundary::open;
    static constexpr bool constant_y = rule_y == boundary::fixed || rule_y == boundary::open;
    static constexpr int line = 64;

    // Whether the places that a row repeats beside its ends are in the block.
    static constexpr bool whole_rows = Width >= grid::size[0];
    static constexpr bool repeats_x = rule_x == boundary::reflect || (rule_x == boundary::torus && whole_rows);
    static constexpr bool wraps_x = rule_x == boundary::torus && !whole_rows;

    // How far beyond the block's own places the results of stage K are needed.
    static constexpr int left(int k) { return whole_rows ? 0 : plan.low[0][stages - 1] - plan.low[0][k]; }
    static constexpr int right(int k) { return whole_rows ? 0 : plan.high[0][stages - 1] - plan.high[0][k]; }
    static constexpr int above(int k) { return plan.low[1][stages - 1] - plan.low[1][k]; }
    static constexpr int below(int k) { return plan.lag[stages - 1] - plan.lag[k]; }
    static constexpr bool only_own(int k) { return left(k) == 0 && right(k) == 0 && above(k) == 0 && below(k) == 0; }

    // A row in memory: a margin, the block's places, a margin. An odd number of lines, so that rows do not fall into the same sets of the
    // cache.
    static constexpr int seen_beside() {
        int most = larger(left(0), right(0));
        for (int k = 0; k < stages; ++k)
            for (const stage_use& use : plan.use[k]) most = larger(most, larger(left(k) + use.low[0], right(k) + use.high[0]));
        return most;
    }
    static constexpr int margin = (seen_beside() + line - 1) / line * line;
    static constexpr std::int64_t row_bytes(int scalar) {
        return ((margin + Width + margin) * std::int64_t{scalar} + line - 1) / line * line | line;
    }

    template<int C> static constexpr std::int64_t bytes_of_row = row_bytes(sizeof(column_scalar<Program, C>)) * column_elements<Program, C>;
    struct layout {
        ring_plan ring[stages + 1][members];
        std::int64_t beyond[members]; // the row that stands for all beyond a fixed or open boundary
        std::int64_t bytes;
    };
    template<int... C> static constexpr layout lay_out(index_list<C...>) {
        const std::int64_t row[] = {bytes_of_row<C>...};
        layout all{};
        for (int v = 1; v <= stages; ++v)
            for (int c = 0; c < members; ++c) {
                const version_plan& version = plan.version[v][c];
                if (!plan.written[c] || !version.used) continue;
                ring_plan& ring = all.ring[v][c];
                ring.read = last_reader(plan, size_of_plan<Program>, Program::column, v, c) >= 0;
                ring.kept = ring.read || !version.last || !only_own(v - 1);
                if (!ring.kept) continue;
                ring.rows = ring.read ? version.depth : 1;
                ring.at = all.bytes;
                all.bytes += ring.rows * row[c];
            }
        for (int c = 0; c < members && constant_y; ++c) {
            if (!plan.written[c]) continue;
            all.beyond[c] = all.bytes;
            all.bytes += row[c];
        }
        return all;
    }
    static constexpr layout all = lay_out(indices_to<members>{});
};

// How far apart the elements of a stage's arrays are: element by element of member 0, 1, ...; 0 for what is no array, so that stages share
// code.
template<std::int64_t... Apart> struct elements_apart {
    static constexpr std::int64_t at(int i) {
        const std::int64_t all[] = {Apart...};
        return all[i];
    }
    template<int I> static constexpr std::int64_t in() { return at(2 * I); }
    template<int I> static constexpr std::int64_t out() { return at(2 * I + 1); }
};

// One instantiation a function and boundary, whatever the number of steps.
template<class Function, class Grid, class Elements>
__attribute__((noinline)) void call_places_apart(const all_rows<Function, Grid>& rows, std::int64_t y, std::uint64_t number,
                                                 std::uint64_t key, const std::uint64_t* step_words, std::int64_t from,
                                                 std::int64_t until) {
    call_places<Function, Grid, Elements>(rows, {y, 0, from, until}, number, key, step_words);
}

// The block of places [x0, x1) of rows [y0, y1).
template<class Program, int Width> struct row_block {
    using memory_plan = block_memory<Program, Width>;
    using grid = typename Program::grid;
    static constexpr plan_type<Program> plan = plan_of<Program>;
    static constexpr typename memory_plan::layout kept = memory_plan::all;
    static constexpr int stages = stages_of<Program>, members = members_of<Program>, calls = Program::functions::count;
    static constexpr boundary rule_x = memory_plan::rule_x, rule_y = memory_plan::rule_y;
    static constexpr std::int64_t nx = grid::size[0], ny = grid::size[1];

    const arguments_of_program<Program>& args;
    unsigned char* const memory;
    const std::int64_t x0, x1, y0, y1;
    const std::uint64_t step0 = *args.first_step + args.step_after_first;

    void run() {
        fill_constants(indices_to<(stages + 1) * members>{}, indices_to<members>{});
        for (std::int64_t y = y0 - plan.above(); y < y1 + plan.below(); ++y) make_rows(y, indices_to<stages>{});
    }

private:
    template<int C> static constexpr int scalar_size = sizeof(column_scalar<Program, C>);
    template<int C> static constexpr std::int64_t ring_row = memory_plan::row_bytes(scalar_size<C>) / scalar_size<C>; // in scalars

    // A row of every stage: all that needs only what is above row y of the first.
    template<int... K> TESSERA_FN void make_rows(std::int64_t y, index_list<K...>) { (make_row_if_needed<K>(y - plan.lag[K]), ...); }
    template<int K> TESSERA_FN void make_row_if_needed(std::int64_t y) {
        if (rule_y != boundary::torus && (y < 0 || y >= ny)) return;
        if (y >= y0 - memory_plan::above(K) && y < y1 + memory_plan::below(K)) make_row<K>(y, indices_to<members>{});
    }

    // Row y of stage K, and what of it lies beyond the boundary. On a torus y, and x, go on beyond the edge.
    template<int K, int... I> TESSERA_FN void make_row(std::int64_t y, index_list<I...> all) {
        const std::int64_t inside = rows_wrap<Program> ? source_of(y, ny, rule_y) : y;
        std::int64_t from = x0 - memory_plan::left(K), end = x1 + memory_plan::right(K);
        if (!memory_plan::wraps_x && from < 0) from = 0;
        if (!memory_plan::wraps_x && end > nx) end = nx;
        // What is made for others alone goes first, so that the block's own begin with whole vectors.
        for (std::int64_t x = from, until; x < end; x = until) {
            const std::int64_t beyond = x < 0 ? (x + 1) / nx - 1 : x / nx; // how often it wrapped
            until = x < x0 ? x0 : end;
            if (memory_plan::wraps_x && until > (beyond + 1) * nx) until = (beyond + 1) * nx;
            make_part<K>(y, inside, beyond * nx, x - beyond * nx, until - beyond * nx, all);
        }
        (finish<K, I>(y, inside, from, end), ...);
    }
    template<int K, int... I>
    TESSERA_FN void make_part(std::int64_t y, std::int64_t inside, std::int64_t shift, std::int64_t from, std::int64_t until,
                              index_list<I...>) {
        using function = function_of<Program, K>;
        all_rows<function, grid> rows;
        (point<K, I>(rows, y, inside, shift), ...);
        using elements = typename elements_of_stage<K, index_list<I...>>::type;
        call_places_apart<function, grid, elements>(rows, inside, step0 + K / calls, args.random_key[K % calls], args.first_step, from,
                                                    until);
    }

    template<int K, int I>
    static constexpr bool reads_column = plan.use[K][I].reads&& plan.version[plan.version_of[K][I]][Program::column[K][I]].loaded;
    template<int K, int I> static constexpr bool writes_column = plan.use[K][I].writes && !kept.ring[K + 1][Program::column[K][I]].kept;
    template<int K, int I> static constexpr std::int64_t apart(bool in_column) {
        constexpr int c = Program::column[K][I];
        return column_elements<Program, c> == 1 ? 0 : in_column ? grid::columns[c].element : ring_row<c>;
    }
    template<int K, class Indices> struct elements_of_stage;
    template<int K, int... I> struct elements_of_stage<K, index_list<I...>> {
        template<int J>
        static constexpr std::int64_t at = J % 2 == 0 ? apart<K, J / 2>(reads_column<K, J / 2>) : apart<K, J / 2>(writes_column<K, J / 2>);
        template<int... J> static elements_apart<at<J>...> of(index_list<J...>);
        using type = decltype(of(indices_to<2 * members>{}));
    };

    // Address of x = 0 of a version's row in its ring. Version 0 and what is never written have none.
    template<int Version, int C> TESSERA_FN column_scalar<Program, C>* row_in_ring(std::int64_t y) const {
        constexpr ring_plan ring = kept.ring[Version][C];
        const std::uint32_t slot =
            ring.rows == 1 ? 0 : static_cast<std::uint32_t>(y - (y0 - plan.above())) % static_cast<std::uint32_t>(ring.rows);
        return row_at<C>(ring.at) + slot * (ring_row<C> * column_elements<Program, C>);
    }
    template<int C> TESSERA_FN column_scalar<Program, C>* row_at(std::int64_t bytes) const {
        return reinterpret_cast<column_scalar<Program, C>*>(memory + bytes) + memory_plan::margin - x0;
    }
    // The same of the row that stands for row y, which may lie beyond the boundary.
    template<int Version, int C> TESSERA_FN column_scalar<Program, C>* seen_row(std::int64_t y) const {
        if (rule_y == boundary::torus || (y >= 0 && y < ny)) return row_in_ring<Version, C>(y);
        if constexpr (rule_y == boundary::reflect)
            return row_in_ring<Version, C>(source_of(y, ny, rule_y));
        else
            return row_at<C>(kept.beyond[C]);
    }

    template<int K, int I>
    TESSERA_FN void point(all_rows<function_of<Program, K>, grid>& rows, std::int64_t y, std::int64_t inside, std::int64_t shift) const {
        using function = function_of<Program, K>;
        if constexpr (bits_of<function, I> != 0) {
            constexpr int c = Program::column[K][I], version = plan.version_of[K][I];
            constexpr column_layout column = grid::columns[c];
            auto& member = rows.template of<I>();
            constexpr int low = member_rows<function, grid, I>::reach.low[1];
            if constexpr (writes_column<K, I>)
                member.out = static_cast<scalar_of<function, I>*>(args.out[c]) + inside * column.row;
            else if constexpr (plan.use[K][I].writes)
                member.out = row_in_ring<K + 1, c>(y) + shift;
            if constexpr (!plan.use[K][I].reads)
                member.in[0] = member.out;
            else
                for (int dy = 0; dy < member_rows<function, grid, I>::rows_y; ++dy) {
                    if constexpr (reads_column<K, I>)
                        member.in[dy] = static_cast<const scalar_of<function, I>*>(args.in[c]) + (inside + dy - low) * column.row;
                    else
                        member.in[dy] = seen_row<version, c>(y + dy - low) + shift;
                }
        }
    }

    // After places [from, end) of a row of stage K were made.
    template<int K, int I> TESSERA_FN void finish(std::int64_t y, std::int64_t inside, std::int64_t from, std::int64_t end) {
        if constexpr (plan.use[K][I].writes) {
            constexpr int c = Program::column[K][I];
            constexpr version_plan version = plan.version[K + 1][c];
            if constexpr (kept.ring[K + 1][c].read && memory_plan::repeats_x) repeat_sides<K + 1, c>(row_in_ring<K + 1, c>(y), from, end);
            if constexpr (version.last)
                if (y >= y0 && y < y1) store_row<K, c>(y, inside);
        }
    }
    template<int Version, int C> TESSERA_FN void repeat_sides(column_scalar<Program, C>* row, std::int64_t from, std::int64_t end) {
        for (int e = 0; e < column_elements<Program, C>; ++e, row += ring_row<C>) {
            for (int k = 1; from == 0 && k <= plan.version[Version][C].left; ++k) row[-k] = row[source_of(-k, nx, rule_x)];
            for (int k = 0; end == nx && k < plan.version[Version][C].right; ++k) row[nx + k] = row[source_of(nx + k, nx, rule_x)];
        }
    }
    template<int K, int C> TESSERA_FN void store_row(std::int64_t y, std::int64_t inside) {
        constexpr column_layout column = grid::columns[C];
        auto* const origin = static_cast<column_scalar<Program, C>*>(args.out[C]);
        if constexpr (kept.ring[K + 1][C].kept) {
            const auto* const row = row_in_ring<K + 1, C>(y);
            for (int e = 0; e < column_elements<Program, C>; ++e) {
                auto* const to = origin + e * column.element + inside * column.row;
                const auto* const made = row + e * ring_row<C>;
                for (std::int64_t x = x0; x < x1; ++x) to[x] = made[x];
            }
        }
        copy_row_to_ghosts<grid, C>(origin, column_elements<Program, C>, inside, 0, x0, x1);
    }

    template<int... I, int... C> TESSERA_FN void fill_constants(index_list<I...>, index_list<C...>) {
        if constexpr (memory_plan::constant_x) (fill_sides<I / members, I % members>(), ...);
        if constexpr (memory_plan::constant_y) (fill_beyond<C>(), ...);
    }
    // Beside the sides of a fixed or open grid, once for all rows that a slot will hold.
    template<int Version, int C> TESSERA_FN void fill_sides() {
        if constexpr (kept.ring[Version][C].read) {
            using constant = beyond<grid, C>;
            for (int slot = 0; slot < kept.ring[Version][C].rows; ++slot)
                for (int e = 0; e < column_elements<Program, C>; ++e) {
                    auto* const row = row_in_ring<Version, C>(y0 - plan.above() + slot) + e * ring_row<C>;
                    const auto value = rule_x == boundary::open ? constant::missing[e] : constant::outside[e];
                    for (std::int64_t x = -plan.version[Version][C].left; x < 0; ++x)
                        if (x >= x0 - memory_plan::margin) row[x] = value;
                    for (std::int64_t x = nx; x < nx + plan.version[Version][C].right; ++x)
                        if (x < x1 + memory_plan::margin) row[x] = value;
                }
        }
    }
    template<int C> TESSERA_FN void fill_beyond() {
        if constexpr (plan.written[C]) {
            using constant = beyond<grid, C>;
            for (int e = 0; e < column_elements<Program, C>; ++e) {
                auto* const row = row_at<C>(kept.beyond[C]) + e * ring_row<C>;
                for (std::int64_t x = x0 - memory_plan::margin; x < x1 + memory_plan::margin; ++x) {
                    const bool missing = rule_y == boundary::open || (rule_x == boundary::open && (x < 0 || x >= nx));
                    row[x] = missing ? constant::missing[e] : constant::outside[e];
                }
            }
        }
    }
};

// An item's places, and how many of them are in hand at once: as many as the cache has room for.
template<class Program, int Places> struct block_shape {
    using grid = typename Program::grid;
    static constexpr std::int64_t cached_bytes = 768 << 10; // of a cache of 1 MiB a core, or somewhat more than one of half that
    static constexpr int places = Places < grid::size[0] ? Places : static_cast<int>(grid::size[0]);
    template<int Width> static constexpr int fitting() {
        if constexpr (Width <= 64 || block_memory<Program, Width>::all.bytes <= cached_bytes)
            return Width;
        else
            return fitting<(Width / 2 + 63) / 64 * 64>();
    }
    static constexpr int width = fitting<places>();
    static constexpr std::int64_t across = (grid::size[0] + places - 1) / places;
};

// Items are blocks of Places places of Rows rows, row by row of blocks from the launch's first row on; [first, last) of them are this
// thread's.
template<class Program, int Places, int Rows> inline void call_row_blocks(const void* argument, std::int64_t first, std::int64_t last) {
    using shape = block_shape<Program, Places>;
    using grid = typename Program::grid;
    const auto& args = *static_cast<const arguments_of_program<Program>*>(argument);
    const std::int64_t first_row = first_of_rows<grid>(args), end_row = end_of_rows<grid>(args);
    alignas(64) unsigned char memory[block_memory<Program, shape::width>::all.bytes + 64];
    for (std::int64_t item = first; item < last; ++item) {
        const std::int64_t x_first = item % shape::across * shape::places, y0 = first_row + item / shape::across * Rows;
        const std::int64_t x_end = x_first + shape::places < grid::size[0] ? x_first + shape::places : grid::size[0];
        const std::int64_t y1 = y0 + Rows < end_row ? y0 + Rows : end_row;
        for (std::int64_t x = x_first; x < x_end; x += shape::width)
            row_block<Program, shape::width>{args, memory, x, x + shape::width < x_end ? x + shape::width : x_end, y0, y1}.run();
    }
}

} // namespace tessera::fused
