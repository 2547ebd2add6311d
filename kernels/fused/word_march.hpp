// The view of one step at a time over words in memory, on grids of three dimensions: a thread owns some words of 32 places beside each
// other, some rows of them, and marches along z with the planes that the function sees in registers. A plane is loaded once for all planes
// that see it. What neighbouring rows share comes from the cache: the threads of a block stand in rows, one under the other.
//
// Words have no ghosts but for planes that others send. What is beyond the edge of a torus or mirror is read where it is repeated, and what
// is beyond a fixed or open one is put in as it is read. Where a function asks for the sum over all places around, the sums of each plane
// are kept, so that of each plane the rows are added up once, and a row once for all rows beside it (full adders; as bytes in
// kernels/places/march_fields.hpp).
#pragma once

#include <tessera/kernels/fused/bit_lanes.hpp>
#include <tessera/kernels/places/box.hpp>

namespace tessera::fused {

// The sum of numbers of which none is greater than Most.
template<int Most> using sum_of_three_up_to = lanes<bits_of_number(3 * Most)>;
template<int Most, int W> TESSERA_FN sum_of_three_up_to<Most> sum_of_three(const lanes<W>& a, const lanes<W>& b, const lanes<W>& c) {
    static_assert(W == bits_of_number(Most));
    sum_of_three_up_to<Most> result{};
    bit_word carry = 0, before = 0; // of the sums, and of the full adder of the bit before
#pragma unroll
    for (int i = 0; i < result.width; ++i) {
        const bit_word x = lanes_detail::bit_of(a, i), y = lanes_detail::bit_of(b, i), z = lanes_detail::bit_of(c, i);
        const bit_word sum = x ^ y ^ z;
        result.bit[i] = sum ^ before ^ carry;
        carry = (sum & before) | (carry & (sum ^ before));
        before = (x & y) | (z & (x ^ y));
    }
    return result;
}

// How a kernel marches: words beside each other, rows and planes of a thread.
template<class Program, int Words, int Rows, int Planes> struct word_march_shape {
    using grid = typename Program::grid;
    using function = function_of<Program, 0>;
    static_assert(grid::dims == 3 && Program::words && stages_of<Program> == 1, "one call a step, over words of three dimensions");
    static_assert(words_across(grid::size[0]) % Words == 0, "a row is divided among threads");
    static_assert(grid::size[0] * grid::size[1] < (std::int64_t(1) << 34) && grid::size[2] < (std::int64_t(1) << 30));
    static constexpr int words = Words, rows = Rows, planes = Planes;
    static constexpr int across = static_cast<int>(words_across(grid::size[0])), ny = static_cast<int>(grid::size[1]),
                         nz = static_cast<int>(grid::size[2]);
    static constexpr int ghosts = bit_slots<Program>::ghost_rows;                                             // planes that others send
    static constexpr std::int64_t plane = std::int64_t{across} * ny, bit = plane * rows_of_words(nz, ghosts); // words from one to the next
    static constexpr int last_places = static_cast<int>(grid::size[0] % places_a_word); // of a row's last word; 0: all
    static constexpr word_march_block block = word_march_block_of(grid::size[0], grid::size[1], Words, Rows);
    static constexpr int above = reach_on<function, grid, 1>, rows_in_sight = above + Rows + above;
    static constexpr int unrolled = Words * Rows * Planes <= 16 ? Planes : 3; // the planes of three go round without being moved

    static constexpr bool knows_beside = TESSERA_GPU && have_warps_whole_rows(grid::size[0], grid::size[1], Words, Rows);

    template<int Axis>
    static constexpr bool is_constant = // what is beyond the boundary
        grid::rule[Axis] == boundary::fixed || grid::rule[Axis] == boundary::open;
    static_assert(last_places == 0 || is_constant<0>, "a torus or mirror repeats whole words");
    template<int Axis> static TESSERA_FN bool is_beyond(int i) {
        return is_constant<Axis> && (i < 0 || i >= static_cast<int>(grid::size[Axis]));
    }
    // Where row or plane i, which may be less than Overlap beyond the edge, is read; if it is nowhere, one that is there.
    template<int Axis, int Overlap> static TESSERA_FN int source(int i) {
        constexpr int n = static_cast<int>(grid::size[Axis]);
        if constexpr (rows_sent_on<grid, Axis> && grid::rule[Axis] == boundary::torus)
            return i;
        else if constexpr (is_constant<Axis>)
            return i < 0 ? 0 : i < n ? i : n - 1;
        else if constexpr (n < Overlap)
            return static_cast<int>(source_of(i, n, grid::rule[Axis]));
        else if constexpr (grid::rule[Axis] == boundary::torus)
            return i < 0 ? i + n : i >= n ? i - n : i;
        else
            return i < 0 ? -1 - i : i >= n ? 2 * n - 1 - i : i;
    }
};

// Where a thread stands in a plane: bytes from its beginning, which take half of the registers that addresses would.
template<class Shape> struct word_march_place {
    int y;                                   // its first row
    bool is_first, is_last;                  // whether its words are those of a row
    bit_word own_places, places_after;       // of its last word, and of the one after it, those that are in the grid
    std::uint32_t row[Shape::rows_in_sight]; // its words of each row
    std::uint32_t left[Shape::rows_in_sight], right[Shape::rows_in_sight]; // those beside them
    bool beyond[Shape::rows_in_sight];                                     // whether the row is beyond a fixed or open boundary

    TESSERA_FN word_march_place(int x, int y_) : y(y_), is_first(x == 0), is_last(x + Shape::words == Shape::across) {
        constexpr bool torus = Shape::grid::rule[0] == boundary::torus;
        constexpr bit_word all = ~bit_word(0), some = Shape::last_places > 0 ? all >> (32 - Shape::last_places) % 32 : all;
        own_places = is_last ? some : all;
        places_after = x + Shape::words == Shape::across - 1 ? some : all;
        const int before = !is_first ? x - 1 : torus ? Shape::across - 1 : 0, after = !is_last ? x + Shape::words : torus ? 0 : x;
#pragma unroll
        for (int r = 0; r < Shape::rows_in_sight; ++r) {
            const int seen = y + r - Shape::above, first = Shape::template source<1, Shape::rows + 2 * Shape::above>(seen) * Shape::across;
            row[r] = bytes_to(first + x), left[r] = bytes_to(first + before), right[r] = bytes_to(first + after);
            beyond[r] = Shape::template is_beyond<1>(seen);
        }
    }

private:
    static TESSERA_FN std::uint32_t bytes_to(int word) { return static_cast<std::uint32_t>(word) * std::uint32_t{sizeof(bit_word)}; }
};
TESSERA_FN const bit_word* bytes_on(const bit_word* plane, std::uint32_t bytes) {
    return reinterpret_cast<const bit_word*>(reinterpret_cast<const unsigned char*>(plane) + bytes);
}

// One bit of a thread's places of a row, and the words beside them.
template<int Words> struct row_of_bits {
    bit_word word[Words], before, after;

    template<int X> TESSERA_FN bit_word moved(int v) const { // of the places that are X further on
        static_assert(X > -32 && X < 32);
        if constexpr (X < 0)
            return word[v] << -X | (v > 0 ? word[v > 0 ? v - 1 : 0] : before) >> (32 + X);
        else if constexpr (X > 0)
            return word[v] >> X | (v + 1 < Words ? word[v + 1 < Words ? v + 1 : 0] : after) << (32 - X);
        else
            return word[v];
    }
};

// The registers of member I: the planes of bits that are seen of a thread's places, the sums of each plane over three columns and three
// rows, and the results.
template<class Program, class Shape, int I, bool Used = bits_of<typename Shape::function, I> != 0> struct member_bits {
    TESSERA_FN void begin(const arguments_of_program<Program>&, const word_march_place<Shape>&, int) {}
    TESSERA_FN void advance(const word_march_place<Shape>&, int) {}
    TESSERA_FN void write(const arguments_of_program<Program>&, const word_march_place<Shape>&, int) const {}
};
template<class Program, class Shape, int I> struct member_bits<Program, Shape, I, true> {
    using grid = typename Shape::grid;
    using place = word_march_place<Shape>;
    static constexpr int column = Program::column[0][I], access = bits_of<typename Shape::function, I>,
                         bits = bit_slots<Program>::template planes<column>, words = Shape::words;
    static constexpr bool is_read = (access & access_read) != 0, is_written = (access & access_write) != 0;
    static constexpr reach_of_member reach = reach_at<typename Shape::function, grid, I>;
    static constexpr int rows_y = reach.low[1] + Shape::rows + reach.high[1], rows_z = reach.low[2] + 1 + reach.high[2];
    static constexpr bool sees_a_box =
        reach.low[0] == 1 && reach.high[0] == 1 && reach.low[1] == 1 && reach.high[1] == 1 && reach.low[2] == 1 && reach.high[2] == 1;
    static constexpr int most = (1 << bits) - 1; // of a place; sums are made by three

    const bit_word* in;
    row_of_bits<words> seen[is_read ? rows_z : 1][rows_y][bits];
    sum_of_three_up_to<3 * most> sums[sees_a_box ? rows_z : 1][Shape::rows][words];
    mutable bit_word result[is_written ? bits : 1][Shape::rows][words];

    // Loads the planes before the last one that the places of plane z see.
    TESSERA_FN void begin(const arguments_of_program<Program>& args, const place& at, int z) {
        if constexpr (is_read) {
            in = static_cast<const bit_word*>(args.in[column]);
#pragma unroll
            for (int plane = 1; plane < rows_z; ++plane) load_plane(at, plane, z - reach.low[2] + plane - 1);
        }
    }
    // Goes on to plane z.
    TESSERA_FN void advance(const place& at, int z) {
        if constexpr (is_read) {
#pragma unroll
            for (int plane = 0; plane + 1 < rows_z; ++plane) {
#pragma unroll
                for (int r = 0; r < rows_y; ++r)
#pragma unroll
                    for (int b = 0; b < bits; ++b) seen[plane][r][b] = seen[plane + 1][r][b];
                if constexpr (sees_a_box) {
#pragma unroll
                    for (int row = 0; row < Shape::rows; ++row)
#pragma unroll
                        for (int v = 0; v < words; ++v) sums[plane][row][v] = sums[plane + 1][row][v];
                }
            }
            load_plane(at, rows_z - 1, z + reach.high[2]);
        }
    }
    TESSERA_FN void write(const arguments_of_program<Program>& args, const place& at, int z) const {
        if constexpr (is_written) {
            auto* const plane = static_cast<bit_word*>(args.out[column]) + (z + Shape::ghosts) * Shape::plane;
#pragma unroll
            for (int row = 0; row < Shape::rows; ++row) {
                if (Shape::ny % Shape::rows != 0 && at.y + row >= Shape::ny) break;
#pragma unroll
                for (int b = 0; b < bits; ++b) {
                    vector_of<bit_word, words> all;
#pragma unroll
                    for (int v = 0; v < words; ++v) all.values[v] = result[b][row][v];
                    store_vector<bit_word, words>(const_cast<bit_word*>(bytes_on(plane + b * Shape::bit, at.row[Shape::above + row])), all);
                }
            }
        }
    }

private:
    TESSERA_FN void load_plane(const place& at, int slot, int z) {
        constexpr int overlap = reach.low[2] + reach.high[2] + 1;
        const bool beyond = Shape::template is_beyond<2>(z);
        const bit_word* const plane = in + (Shape::template source<2, overlap>(z) + Shape::ghosts) * Shape::plane;
#pragma unroll
        for (int r = 0; r < rows_y; ++r) {
            const int row = r + Shape::above - reach.low[1];
#pragma unroll
            for (int b = 0; b < bits; ++b) load_row(seen[slot][r][b], plane + b * Shape::bit, at, row, b, beyond);
        }
        if constexpr (sees_a_box) add_up_plane(slot);
    }
    TESSERA_FN void load_row(row_of_bits<words>& row, const bit_word* plane, const place& at, int r, int b, bool beyond_z) const {
        constexpr bool mirror = grid::rule[0] == boundary::reflect;
        const beyond_edge all = edge_of<1>(at.beyond[r], edge_of<2>(beyond_z, {}));
        const auto own = load_vector<true, bit_word, words>(bytes_on(plane, at.row[r]));
#pragma unroll
        for (int v = 0; v < words; ++v) row.word[v] = settled(own.values[v], b, all);
        row.word[words - 1] = cut(row.word[words - 1], at.own_places, b, all);
        row.before = row.after = 0;
        // What other threads give is settled as theirs; beyond a fixed end of a row it is still nothing where another axis is open.
        constexpr bool fixed_ends = grid::rule[0] == boundary::fixed;
        const beyond_edge others = Shape::knows_beside ? beyond_edge{false, fixed_ends && all.open} : all;
        if constexpr (reach.low[0] > 0) {
            const bit_word before = word_beside(row.word[words - 1], plane, at.left[r], -1);
            row.before = settled(mirror && at.is_first ? reversed(row.word[0]) : before, b, edge_of<0>(at.is_first, others));
        }
        if constexpr (reach.high[0] > 0) {
            const bit_word after = word_beside(row.word[0], plane, at.right[r], 1);
            row.after = settled(mirror && at.is_last ? reversed(row.word[words - 1]) : after, b, edge_of<0>(at.is_last, others));
            row.after = cut(row.after, at.places_after, b, all);
        }
    }
    // Of a row: the last word of the thread before this one, or the first of the one after it. `own` is this thread's for others.
    static TESSERA_FN bit_word word_beside([[maybe_unused]] bit_word own, const bit_word* plane, std::uint32_t at,
                                           [[maybe_unused]] int step) {
#if TESSERA_GPU
        constexpr int lanes = Shape::block.lanes;
        if constexpr (Shape::knows_beside) return __shfl_sync(~0u, own, static_cast<int>(threadIdx.x) + step, lanes);
#endif
        return load<true>(bytes_on(plane, at));
    }
    // Beyond which boundaries something is.
    struct beyond_edge {
        bool fixed, open;
    };
    template<int Axis> static TESSERA_FN beyond_edge edge_of(bool is_beyond, const beyond_edge& others) {
        constexpr bool fixed = grid::rule[Axis] == boundary::fixed, open = grid::rule[Axis] == boundary::open;
        return {others.fixed || (fixed && is_beyond), others.open || (open && is_beyond)};
    }
    static constexpr bool has(boundary rule) { return grid::rule[0] == rule || grid::rule[1] == rule || grid::rule[2] == rule; }
    // A word as it is seen: beyond a fixed boundary its constant, and beyond an open one, along whichever axis, nothing.
    static TESSERA_FN bit_word settled(bit_word word, int b, const beyond_edge& edge) {
        if constexpr (has(boundary::fixed)) word = edge.fixed ? all_of(beyond_of::outside[0], b) : word;
        if constexpr (has(boundary::open)) word = edge.open ? all_of(beyond_of::missing[0], b) : word;
        return word;
    }
    // The same of the places of a row's last word that are beside the grid; the others are `inside`.
    static TESSERA_FN bit_word cut(bit_word word, bit_word inside, int b, const beyond_edge& edge) {
        if constexpr (Shape::last_places == 0)
            return word;
        else
            return (word & inside) | (settled(0, b, edge_of<0>(true, edge)) & ~inside);
    }
    using beyond_of = beyond<grid, column>;
    static TESSERA_FN bit_word all_of(unsigned value, int b) { return (value >> b & 1u) != 0 ? ~bit_word(0) : bit_word(0); }

    TESSERA_FN void add_up_plane(int slot) {
        sum_of_three_up_to<most> three[rows_y][words];
#pragma unroll
        for (int r = 0; r < rows_y; ++r)
#pragma unroll
            for (int v = 0; v < words; ++v) {
                lanes<bits> west, here, east;
#pragma unroll
                for (int b = 0; b < bits; ++b) {
                    const auto& row = seen[slot][r][b];
                    west.bit[b] = row.template moved<-1>(v);
                    here.bit[b] = row.word[v];
                    east.bit[b] = row.template moved<1>(v);
                }
                three[r][v] = sum_of_three<most>(west, here, east);
            }
#pragma unroll
        for (int row = 0; row < Shape::rows; ++row)
#pragma unroll
            for (int v = 0; v < words; ++v)
                sums[slot][row][v] = sum_of_three<3 * most>(three[row][v], three[row + 1][v], three[row + 2][v]);
    }
};

template<class Program, class Shape, class Indices> struct all_member_bits;
template<class Program, class Shape, int... I>
struct all_member_bits<Program, Shape, index_list<I...>> : member_bits<Program, Shape, I>... {
    template<int J> TESSERA_FN const member_bits<Program, Shape, J>& of() const { return *this; }
    TESSERA_FN void begin(const arguments_of_program<Program>& args, const word_march_place<Shape>& at, int z) {
        (member_bits<Program, Shape, I>::begin(args, at, z), ...);
    }
    TESSERA_FN void advance(const word_march_place<Shape>& at, int z) { (member_bits<Program, Shape, I>::advance(at, z), ...); }
    TESSERA_FN void write(const arguments_of_program<Program>& args, const word_march_place<Shape>& at, int z) const {
        (member_bits<Program, Shape, I>::write(args, at, z), ...);
    }
};
template<class Program, class Shape> using bits_in_sight = all_member_bits<Program, Shape, indices_to<members_of<Program>>>;

// Word v of row `row` of those that a thread owns in a plane.
template<class Program, class Shape> struct word_march_view : bits_view_base<Program, 0> {
    using base = bits_view_base<Program, 0>;
    using function = typename base::function;
    static constexpr bool masked = false;
    template<class T> using held = typename base::template held<T>;

    const bits_in_sight<Program, Shape>& planes;
    int row, v;

    TESSERA_FN word_march_view(const bits_in_sight<Program, Shape>& planes_, int row_, int v_, const stage_of_step& stage)
        : base(stage), planes(planes_), row(row_), v(v_) {}

    template<int I> TESSERA_FN auto own() const { return at<I, 0, 0, 0>(); }
    template<int I, int X, int Y, int Z> TESSERA_FN auto at() const {
        using member = member_bits<Program, Shape, I>;
        const member& of = planes.template of<I>();
        held<value_of<function, I>> value;
#pragma unroll
        for (int b = 0; b < value.width; ++b)
            value.bit[b] = of.seen[Z + member::reach.low[2]][row + Y + member::reach.low[1]][b].template moved<X>(v);
        return value;
    }
    template<int I> TESSERA_FN void store(const held<value_of<function, I>>& value) const {
        const auto& of = planes.template of<I>();
#pragma unroll
        for (int b = 0; b < value.width; ++b) of.result[b][row][v] = value.bit[b];
    }
    template<class N_, int I, int W, int... Offsets> TESSERA_FN void add_up(lanes<W>& sum, index_list<Offsets...> offsets) const {
        using member = member_bits<Program, Shape, I>;
        if constexpr (is_box<N_, 3> && member::sees_a_box) {
            const auto& sums = planes.template of<I>().sums;
            const auto all = sum_of_three<9 * member::most>(sums[0][row][v], sums[1][row][v], sums[2][row][v]);
            if constexpr ((offsets_once<N_, 3>() & centre_of_box) != 0)
                sum = lanes_detail::add<W>(all, lanes<1>{}, 0);
            else
                sum = lanes_detail::add<W>(all, lanes_detail::complement(own<I>()), ~bit_word(0));
        } else
            base::template add_terms<N_, I>(*this, sum, offsets);
    }
};

// Planes from `first` on, Shape::planes at most and those before `end`. Where it is known that all are, nothing is asked between them, so
// that loads run ahead.
template<class Program, class Shape, bool Whole>
TESSERA_FN void march_words(const arguments_of_program<Program>& args, const word_march_place<Shape>& at, int first, int end) {
    const stage_of_step stage{*args.first_step + args.step_after_first, args.random_key[0], args.first_step};
    bits_in_sight<Program, Shape> planes;
    planes.begin(args, at, first);
#pragma unroll Shape::unrolled
    for (int k = 0; k < Shape::planes; ++k) {
        const int z = first + k;
        if (!Whole && z >= end) break;
        planes.advance(at, z);
#pragma unroll
        for (int row = 0; row < Shape::rows; ++row)
#pragma unroll
            for (int v = 0; v < Shape::words; ++v) call_on<function_of<Program, 0>>(word_march_view<Program, Shape>(planes, row, v, stage));
        planes.write(args, at, z);
    }
}

// Blocks are numbered along x, then y, then z, from the launch's first plane on.
template<class Program, class Shape>
TESSERA_FN void run_word_march(const arguments_of_program<Program>& args, std::uint32_t block, int thread) {
    using grid = typename Program::grid;
    constexpr word_march_block blocks = Shape::block;
    constexpr std::uint32_t across = blocks.across, down = blocks.down;
    const std::uint32_t before = block / across;
    const int x = (static_cast<int>(block % across) * blocks.lanes + thread % blocks.lanes) * Shape::words,
              y = (static_cast<int>(before % down) * blocks.tall + thread / blocks.lanes) * Shape::rows,
              z = static_cast<int>(first_of_rows<grid>(args)) + static_cast<int>(before / down) * Shape::planes,
              end = static_cast<int>(end_of_rows<grid>(args));
    if (thread >= blocks.lanes * blocks.tall || x >= Shape::across || y >= Shape::ny || z >= end) return;
    constexpr bool whole = Shape::planes == 1 || (!grid::in_bands && Shape::nz % Shape::planes == 0);
    march_words<Program, Shape, whole>(args, word_march_place<Shape>(x, y), z, end);
}

#if TESSERA_GPU
template<class Program, int Words, int Rows, int Planes> TESSERA_FN void call_word_march(const arguments_of_program<Program>& args) {
    run_word_march<Program, word_march_shape<Program, Words, Rows, Planes>>(args, blockIdx.x, static_cast<int>(threadIdx.x));
}
#else
// Items are blocks.
template<class Program, int Words, int Rows, int Planes>
inline void call_word_march(const void* args, std::int64_t first, std::int64_t last) {
    for (std::int64_t block = first; block < last; ++block)
        for (int thread = 0; thread < word_march_threads; ++thread)
            run_word_march<Program, word_march_shape<Program, Words, Rows, Planes>>(
                *static_cast<const arguments_of_program<Program>*>(args), static_cast<std::uint32_t>(block), thread);
}
#endif

} // namespace tessera::fused
