// The march of functions of bytes: a thread's places are the bytes of some words of a row, and the author's function is called for the
// fields of a word (fields.hpp), four places at once. That holds as long as no value in sight is greater than Small, which a thread looks
// at plane by plane; from the first plane on where one is, it goes on with two places at once, for which no byte is too great. The host
// knows by the function's text that it compiles for fields, and that no sum runs over (host/generate/byte_body.hpp).
//
// Where a function asks for the sum over all places around, the sums of each plane are kept: three additions of words a plane and side.
// Grids of two dimensions are gone through in the same way, row by row.
#pragma once

#include <tessera/kernels/places/box.hpp>
#include <tessera/kernels/places/fields.hpp>
#include <tessera/kernels/places/march.hpp>

namespace tessera {

// What the fields of `self` that differ from place to place are.
struct not_one_place {};

// Of 8 bits a word's fields are its places; of 16 there are two words of fields, the places of even and of odd number.
template<int Width> inline constexpr int parts_of_word = Width / 8;
template<int Width> TESSERA_FN std::uint32_t part_of_word(std::uint32_t word, int part) {
    return Width == 8 ? word : word >> 8 * part & 0x00ff00ffu;
}

// One row of a plane: some words, and the byte on either side.
template<int Words> struct row_of_words { std::uint32_t before, word[Words], after; };

// The fields of a row, or sums of them, and those of the same places one further left or right.
template<int Words, int Width> struct row_of_fields {
    std::uint32_t before, word[Words][parts_of_word<Width>], after;

    TESSERA_FN void add(const row_of_words<Words>& row) {
        before += row.before;
        after += row.after;
#pragma unroll
        for (int w = 0; w < Words; ++w)
#pragma unroll
            for (int part = 0; part < parts_of_word<Width>; ++part) word[w][part] += part_of_word<Width>(row.word[w], part);
    }
    TESSERA_FN std::uint32_t to_the_left(int w, int part) const {
        if (part == 1) return word[w][0];
        constexpr int last = parts_of_word<Width> - 1;
        return word[w][last] << Width | (w == 0 ? before : word[w > 0 ? w - 1 : 0][last] >> (32 - Width));
    }
    TESSERA_FN std::uint32_t to_the_right(int w, int part) const {
        if (part + 1 < parts_of_word<Width>) return word[w][parts_of_word<Width> - 1];
        return word[w][0] >> Width | (w + 1 < Words ? word[w + 1 < Words ? w + 1 : 0][0] : after) << (32 - Width);
    }
};

// The registers of member I: planes of words, the sums of each plane over three columns and all rows in sight, and the results.
template<class Function, class Grid, class Shape, int Width, int I, bool Used = bits_of<Function, I> != 0> struct member_words {
    TESSERA_FN void begin(const arguments_of<Function>&, const place_position&) {}
    TESSERA_FN void advance() {}
    TESSERA_FN std::uint32_t in_sight() const { return 0; }
    TESSERA_FN void write(const arguments_of<Function>&, const place_position&) const {}
};
template<class Function, class Grid, class Shape, int Width, int I> struct member_words<Function, Grid, Shape, Width, I, true> {
    using scalar = scalar_of<Function, I>;
    static constexpr int bits = bits_of<Function, I>, words = Shape::places / 4, parts = parts_of_word<Width>;
    static constexpr bool is_read = (bits & access_read) != 0, is_written = (bits & access_write) != 0,
                          is_shared = (bits & access_around) != 0;
    using grid = as_planes<Grid>;
    static constexpr column_layout column = Grid::columns[I];
    static constexpr std::int64_t row_stride = grid::row_stride(column), plane_stride = grid::plane_stride(column);
    static constexpr reach_of_member reach = reach_at<Function, Grid, I>; // 0 or 1 each way
    static constexpr int aside = reach.low[0] + reach.high[0] > 0 ? 1 : 0;
    static constexpr int above = grid::in_plane(reach.low), below = grid::in_plane(reach.high), behind = reach.low[grid::axis];
    static constexpr int rows_y = above + Shape::rows + below, rows_z = behind + 1 + reach.high[grid::axis];
    static constexpr bool sees_a_box =
        reach.low[0] + reach.high[0] + reach.low[1] + reach.high[1] + reach.low[2] + reach.high[2] == 2 * Grid::dims;
    static constexpr bool has_all_rows = grid::rows % Shape::rows == 0;

    const scalar* next;
    std::int64_t last_row;
    row_round<Grid, Shape::places, aside, true> round;
    row_of_words<words> seen[rows_z][rows_y];
    std::uint32_t sums[rows_z][Shape::rows][words][parts];
    std::uint32_t all; // the bits of all that was loaded
    mutable std::uint32_t result[Shape::rows][words][parts];

    TESSERA_FN void begin(const arguments_of<Function>& args, const place_position& first) {
        all = 0;
        if constexpr (is_read) {
            next = column_in<Function, I>(args) + first.x + first.y * row_stride + (first.z - behind) * plane_stride;
            if (!has_all_rows) last_row = grid::rows - 1 - first.y + below;
            round.begin(first.x);
#pragma unroll
            for (int plane = 1; plane < rows_z; ++plane) load_plane(plane);
        }
    }
    TESSERA_FN void advance() {
        if constexpr (is_read) {
#pragma unroll
            for (int plane = 0; plane + 1 < rows_z; ++plane) {
#pragma unroll
                for (int row = 0; row < rows_y; ++row) seen[plane][row] = seen[plane + 1][row];
#pragma unroll
                for (int row = 0; row < Shape::rows; ++row)
#pragma unroll
                    for (int w = 0; w < words; ++w)
#pragma unroll
                        for (int part = 0; part < parts; ++part) sums[plane][row][w][part] = sums[plane + 1][row][w][part];
            }
            load_plane(rows_z - 1);
        }
    }
    TESSERA_FN std::uint32_t in_sight() const { return same_type<scalar, bool> ? 0 : all; }
    TESSERA_FN void write(const arguments_of<Function>& args, const place_position& first) const {
        if constexpr (is_written) {
#pragma unroll
            for (int row = 0; row < Shape::rows; ++row) {
                if (!has_all_rows && first.y + row >= grid::rows) break;
                write_row(column_out<Function, I>(args), row, grid::position(first.x, first.y + row, first.z));
            }
        }
    }

private:
    TESSERA_FN void load_plane(int plane) {
#pragma unroll
        for (int r = 0; r < rows_y; ++r) {
            const int row = r - above;
            load_row(seen[plane][r], next + (has_all_rows || row <= last_row ? row : last_row) * row_stride);
        }
        if constexpr (sees_a_box) add_up_plane(plane);
        next += plane_stride;
    }
    TESSERA_FN void load_row(row_of_words<words>& row, const scalar* from) {
        const auto middle = __builtin_bit_cast(vector_of<std::uint32_t, words>, load_vector<is_shared, scalar, 4 * words>(from));
        row.before = aside > 0 ? load<is_shared>(from - aside + round.left) : 0;
        row.after = aside > 0 ? load<is_shared>(from + Shape::places + round.right) : 0;
        all |= row.before | row.after;
#pragma unroll
        for (int w = 0; w < words; ++w) all |= row.word[w] = middle.values[w];
    }
    TESSERA_FN void add_up_plane(int plane) {
#pragma unroll
        for (int row = 0; row < Shape::rows; ++row) {
            row_of_fields<words, Width> three{};
#pragma unroll
            for (int r = 0; r <= above + below; ++r) three.add(seen[plane][row + r]);
#pragma unroll
            for (int w = 0; w < words; ++w)
#pragma unroll
                for (int part = 0; part < parts; ++part)
                    sums[plane][row][w][part] = three.to_the_left(w, part) + three.word[w][part] + three.to_the_right(w, part);
        }
    }
    TESSERA_FN void write_row(scalar* origin, int row, const place_position& at) const {
        vector_of<std::uint32_t, words> all_words;
#pragma unroll
        for (int w = 0; w < words; ++w)
            all_words.values[w] =
                Width == 8 ? result[row][w][0] : (result[row][w][0] & 0x00ff00ffu) | (result[row][w][parts - 1] & 0x00ff00ffu) << 8;
        store_words<Grid, I>(origin, all_words, at.x, at.y, at.z);
    }
};

template<class Function, class Grid, class Shape, int Width, class Indices> struct all_member_words;
template<class Function, class Grid, class Shape, int Width, int... I>
struct all_member_words<Function, Grid, Shape, Width, index_list<I...>> : member_words<Function, Grid, Shape, Width, I>... {
    template<int J> TESSERA_FN const member_words<Function, Grid, Shape, Width, J>& of() const { return *this; }
    TESSERA_FN void begin(const arguments_of<Function>& args, const place_position& first) {
        (member_words<Function, Grid, Shape, Width, I>::begin(args, first), ...);
    }
    TESSERA_FN void advance() { (member_words<Function, Grid, Shape, Width, I>::advance(), ...); }
    TESSERA_FN std::uint32_t in_sight() const {
        return (std::uint32_t(0) | ... | member_words<Function, Grid, Shape, Width, I>::in_sight());
    }
    TESSERA_FN void write(const arguments_of<Function>& args, const place_position& first) const {
        (member_words<Function, Grid, Shape, Width, I>::write(args, first), ...);
    }
};
template<class Function, class Grid, class Shape, int Width>
using field_words_of = all_member_words<Function, Grid, Shape, Width, indices_to<Function::row_members::member_count>>;

// The fields of part `part` of a word of a row; no byte is greater than Most.
template<class Function, class Grid, class Shape, int Width, int Most> struct fields_view {
    static constexpr int dims = Grid::dims;
    static constexpr bool masked = false;
    template<class T> using held = field_member<T, Width, same_type<T, bool> ? 1 : Most>;
    template<int I> using held_of = held<scalar_of<Function, I>>;

    const field_words_of<Function, Grid, Shape, Width>& words;
    int row, w, part;

    template<int I> TESSERA_FN auto own() const { return at<I, 0, 0, 0>(); }
    template<int I, int X, int Y, int Z> TESSERA_FN auto at() const {
        using member = member_words<Function, Grid, Shape, Width, I>;
        const member& of = words.template of<I>();
        row_of_fields<member::words, Width> fields{};
        fields.add(of.seen[(as_planes<Grid>::flat ? Y : Z) + member::behind][row + (as_planes<Grid>::flat ? 0 : Y) + member::above]);
        return held_of<I>(X < 0 ? fields.to_the_left(w, part) : X > 0 ? fields.to_the_right(w, part) : fields.word[w][part]);
    }
    template<int I, class Value> TESSERA_FN void store(const Value& value) const {
        words.template of<I>().result[row][w][part] = value.word;
    }

    template<class N, class T> using total = fields<Width, N::template count<dims> * held<T>::most>;
    template<class N, int I, class Total, int... Offsets> TESSERA_FN void add_up(Total& sum, index_list<Offsets...>) const {
        if constexpr (is_box<N, dims>) {
            const auto& of = words.template of<I>();
            const std::uint32_t all = of.sums[0][row][w][part] + of.sums[1][row][w][part] + of.sums[2][row][w][part];
            sum.word = (offsets_once<N, dims>() & centre_of_box) != 0 ? all : all - own<I>().word;
        } else
            sum.word = (std::uint32_t(0) + ... +
                        at<I, N::template at<dims>(Offsets).x, N::template at<dims>(Offsets).y, N::template at<dims>(Offsets).z>().word);
    }

    template<int X, int Y, int Z> TESSERA_FN bool exists() const { return true; }
    TESSERA_FN not_one_place position() const { return {}; }
    TESSERA_FN not_one_place random() const { return {}; }
    static TESSERA_FN place_position size() { return {Grid::size[0], Grid::size[1], Grid::size[2]}; }
    TESSERA_FN std::int64_t step() const { return 0; } // functions that ask for it are none of fields
};

// Planes from `first` on, Shape::planes at most and those before `end`, as long as no byte in sight is greater than Most; returns which it
// did not make, or `end`.
template<class Function, class Grid, class Shape, int Width, int Most>
TESSERA_FN std::int64_t march_in_fields(const arguments_of<Function>& args, const place_position& first, std::int64_t end) {
    field_words_of<Function, Grid, Shape, Width> words;
    words.begin(args, first);
    [[maybe_unused]] constexpr int unrolled = Width == 8 ? 3 : 1; // the planes of three go round without being moved
#pragma unroll unrolled
    for (int k = 0; k < Shape::planes; ++k) {
        const std::int64_t z = first.z + k;
        if (z >= end) return end;
        words.advance();
        if (Most < 255 && (words.in_sight() & ~(0x01010101u * static_cast<std::uint32_t>(Most))) != 0) return z;
#pragma unroll
        for (int row = 0; row < Shape::rows; ++row)
#pragma unroll
            for (int w = 0; w < Shape::places / 4; ++w)
#pragma unroll
                for (int part = 0; part < parts_of_word<Width>; ++part)
                    call_through<Function>(fields_view<Function, Grid, Shape, Width, Most>{words, row, w, part});
        words.write(args, {first.x, first.y, z});
    }
    return end;
}

template<class Function, class Grid, class Shape, int Small>
TESSERA_FN void call_march_fields_thread(const arguments_of<Function>& args, counter_of<Grid> block, int thread) {
    visit_march<Grid, Shape>(args, block, thread, [&](const place_position& first, std::int64_t end) {
        const std::int64_t last = first.z + Shape::planes < end ? first.z + Shape::planes : end;
        const std::int64_t done = march_in_fields<Function, Grid, Shape, 8, Small>(args, first, last);
        if (done < last) march_in_fields<Function, Grid, Shape, 16, 255>(args, {first.x, first.y, done}, last);
    });
}

#if TESSERA_GPU
template<class Function, class Grid, class Shape, int Small> TESSERA_FN void call_march_fields(const arguments_of<Function>& args) {
    call_march_fields_thread<Function, Grid, Shape, Small>(args, blockIdx.x, static_cast<int>(threadIdx.x));
}
#else
// Items are blocks.
template<class Function, class Grid, class Shape, int Small>
inline void call_march_fields(const void* args, std::int64_t first, std::int64_t last) {
    for (std::int64_t block = first; block < last; ++block)
        for (int thread = 0; thread < Shape::lanes * Shape::tall; ++thread)
            call_march_fields_thread<Function, Grid, Shape, Small>(*static_cast<const arguments_of<Function>*>(args),
                                                                   static_cast<counter_of<Grid>>(block), thread);
}
#endif

} // namespace tessera
