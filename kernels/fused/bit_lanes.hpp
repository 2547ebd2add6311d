// Slots of 32 places, bit by bit: word b of a slot holds bit b of each place's number, place i in bit i. In memory a place is a byte: bytes
// are gathered into bits when a row is fetched and spread again when it is stored, once for all steps of a program. Where programs follow
// each other, the words go from one to the next as they are, and a kernel of its own before the first and behind the last gathers and
// spreads (docs/decisions/bits.md).
//
// For columns of bool, and of std::uint8_t whose values are known to stay below 2^Program::bits.
#pragma once

#include <tessera/detail/lanes.hpp>
#include <tessera/kernels/fused/lanes.hpp>
#include <tessera/kernels/fused/word_layout.hpp>

namespace tessera::fused {

template<class T, int Bits> struct bits_held { using type = T; }; // other types: a function that uses them does not compile
template<int Bits> struct bits_held<bool, Bits> { using type = lanes_member<bool, 1>; };
template<int Bits> struct bits_held<std::uint8_t, Bits> { using type = lanes_member<std::uint8_t, Bits>; };

constexpr int bits_of_number(int most) {
    int bits = 1;
    while (most >>= 1) ++bits;
    return bits;
}

// What the fields of `self` that differ from place to place are.
struct not_one_place {};

// What a view of 32 places at once knows besides their members, in stage K.
template<class Program, int K> struct bits_view_base {
    using function = function_of<Program, K>;
    using grid = typename Program::grid;
    static constexpr int dims = grid::dims;
    template<class T> using held = typename bits_held<T, Program::bits>::type;

    std::uint64_t number;
    const std::uint64_t* step_words;

    TESSERA_FN explicit bits_view_base(const stage_of_step& stage) : number(stage.number), step_words(stage.step_words) {}

    template<int X, int Y, int Z> TESSERA_FN bool exists() const {
        static_assert(!has_open_axis<grid>, "on an open boundary not every one of 32 places has this neighbour");
        return true;
    }
    TESSERA_FN not_one_place position() const { return {}; }
    TESSERA_FN not_one_place random() const { return {}; }
    static TESSERA_FN place_position size() { return {grid::size[0], grid::size[1], grid::size[2]}; }
    TESSERA_FN std::int64_t step() const { return step_number(number); }
    template<class Value> TESSERA_FN auto global() const { return value_in_step<Value>(step_words, number); }

    // The sum of member I over offsets of N. What does not exist is 0 there (host/views/packing.cpp sees to it).
    template<class N_, class T> static constexpr int total_width() {
        return bits_of_number(N_::template count<dims> * ((1 << held<T>::width) - 1));
    }
    template<class N_, class T> using total = lanes<total_width<N_, T>()>;

protected:
    template<class N_, int I, class View, int W, int... Offsets>
    static TESSERA_FN void add_terms(const View& view, lanes<W>& sum, index_list<Offsets...>) {
        if constexpr (held<value_of<function, I>>::width == 1) {
            const bit_word terms[] = {at_offset<N_, I, Offsets>(view).bit[0]...};
            sum = lanes_detail::count_bits(terms);
        } else
            ((sum = lanes_detail::add<W>(sum, at_offset<N_, I, Offsets>(view), 0)), ...);
    }

private:
    template<class N_, int I, int Offset, class View> static TESSERA_FN auto at_offset(const View& view) {
        constexpr place_offset o = N_::template at<dims>(Offset);
        return view.template at<I, o.x, o.y, o.z>();
    }
};

// Slot v of a lane's N, in stage K.
template<class Program, int N, int K, bool Masked> struct bit_view : bits_view_base<Program, K> {
    using base = bits_view_base<Program, K>;
    using function = typename base::function;
    static constexpr bool masked = Masked;
    static constexpr plan_type<Program> plan = plan_of<Program>;
    template<class T> using held = typename base::template held<T>;

    lane_of<Program, N>& lane;
    int v;

    TESSERA_FN bit_view(lane_of<Program, N>& lane_, std::int64_t, std::int64_t, int v_, const stage_of_step& stage)
        : base(stage), lane(lane_), v(v_) {}

    template<int I> TESSERA_FN auto own() const { return at<I, 0, 0, 0>(); }
    template<int I, int X, int Y, int Z> TESSERA_FN auto at() const {
        constexpr int c = Program::column[K][I], version = plan.version_of[K][I], age = plan.lag[K] - Y - plan.version[version][c].lag;
        const auto& kept = lane.template of<version, c>();
        held<value_of<function, I>> value;
#pragma unroll
        for (int b = 0; b < value.width; ++b) {
            const int row = kept.depth - 1 - age;
            if constexpr (X < 0)
                value.bit[b] = kept.left[b][row][(-X - 1) * N + v];
            else if constexpr (X > 0)
                value.bit[b] = kept.right[b][row][(X - 1) * N + v];
            else
                value.bit[b] = kept.rows[b][row][v];
        }
        return value;
    }
    template<int I> TESSERA_FN void store(const held<value_of<function, I>>& value) const {
        auto& kept = lane.template of<K + 1, Program::column[K][I]>();
#pragma unroll
        for (int b = 0; b < value.width; ++b) kept.newest(b, v) = value.bit[b];
    }
    template<class N_, int I, int W, int... Offsets> TESSERA_FN void add_up(lanes<W>& sum, index_list<Offsets...> offsets) const {
        base::template add_terms<N_, I>(*this, sum, offsets);
    }
};

TESSERA_FN bit_word reversed(bit_word w) {
#if TESSERA_GPU
    return __brev(w);
#else
    w = (w >> 1 & 0x55555555u) | (w & 0x55555555u) << 1;
    w = (w >> 2 & 0x33333333u) | (w & 0x33333333u) << 2;
    w = (w >> 4 & 0x0f0f0f0fu) | (w & 0x0f0f0f0fu) << 4;
    return __builtin_bswap32(w);
#endif
}

template<class Program> struct bit_slots {
    using grid = typename Program::grid;
    static constexpr boundary rule_x = grid::rule[0], rule_y = grid::dims > 1 ? grid::rule[1] : boundary::torus;
    static constexpr std::int64_t nx = grid::size[0];
    static constexpr int places = 32;
    static constexpr int ghost_rows = [] { // that others send, of every column as many; of three dimensions planes
        constexpr int last = grid::dims - 1;
        int most = 0;
        for (const column_layout& column : grid::columns) most = larger(most, rows_sent_on<grid, last> ? column.ghost[last] : 0);
        return most;
    }();
    template<int C> using stored = bit_word;
    template<int C> static constexpr int planes = same_type<column_scalar<Program, C>, bool> ? 1 : Program::bits;
    template<int N> static constexpr int beside(int reach) { return reach * N; } // the row moved by 1, 2, ... places
    template<int N, int K, bool Masked> using view = bit_view<Program, N, K, Masked>;

    template<int C, int N, bool Masked>
    static TESSERA_FN void fetch(bit_word (&words)[planes<C>][N], const void* in, std::int64_t x, std::int64_t y) {
#pragma unroll
        for (int v = 0; v < N; ++v) {
            if constexpr (Program::words)
                fetch_word<C, Masked, N>(words, v, static_cast<const bit_word*>(in), x + 32 * v, y);
            else
                fetch_bytes<C, Masked, N>(words, v, static_cast<const unsigned char*>(in) + y * grid::columns[C].row, x + 32 * v);
        }
    }
    template<int C, int N, bool Masked, class Kept> static TESSERA_FN void store(void* out, Kept& kept, std::int64_t x, std::int64_t y) {
#pragma unroll
        for (int v = 0; v < N; ++v) {
            bit_word word[planes<C>];
#pragma unroll
            for (int b = 0; b < planes<C>; ++b) word[b] = kept.newest(b, v);
            if (Masked && x + 32 * v >= nx) return;
            if constexpr (Program::words)
                store_word<C>(static_cast<bit_word*>(out), word, x + 32 * v, y, 0);
            else
                store_bytes<C, Masked>(static_cast<column_scalar<Program, C>*>(out), word, x + 32 * v, y, 0);
        }
    }

    // Between bytes in columns and words in memory: the word of 32 places from x on.
    template<int C> static TESSERA_FN void pack(const void* bytes, void* words, std::int64_t x, std::int64_t y, std::int64_t z) {
        bit_word word[planes<C>][1];
        gather<C>(word, 0, static_cast<const unsigned char*>(bytes) + y * grid::columns[C].row + z * grid::columns[C].plane + x);
        bit_word flat[planes<C>];
#pragma unroll
        for (int b = 0; b < planes<C>; ++b) flat[b] = word[b][0];
        store_word<C>(static_cast<bit_word*>(words), flat, x, y, z);
    }
    template<int C> static TESSERA_FN void unpack(const void* words, void* bytes, std::int64_t x, std::int64_t y, std::int64_t z) {
        bit_word word[planes<C>];
#pragma unroll
        for (int b = 0; b < planes<C>; ++b) word[b] = load<true>(static_cast<const bit_word*>(words) + word_at(b, x, y, z));
        store_bytes<C, true>(static_cast<column_scalar<Program, C>*>(bytes), word, x, y, z);
    }

    template<int Version, int C, int N, class Warp, class Kept>
    static TESSERA_FN void see_beside(Warp& lanes, Kept& kept, int lane, int row) {
#pragma unroll
        for (int b = 0; b < planes<C>; ++b) {
            const bit_word before =
                lanes.in_lane(lane - 1, [&](auto& other) { return other.template of<Version, C>().rows[b][row][N - 1]; });
            const bit_word after = lanes.in_lane(lane + 1, [&](auto& other) { return other.template of<Version, C>().rows[b][row][0]; });
#pragma unroll
            for (int v = 0; v < N; ++v) {
                const bit_word here = kept.rows[b][row][v], west = v > 0 ? kept.rows[b][row][larger(v - 1, 0)] : before,
                               east = v + 1 < N ? kept.rows[b][row][(v + 1) % N] : after;
#pragma unroll
                for (int k = 1; k <= Kept::beside_left / N; ++k) kept.left[b][row][(k - 1) * N + v] = (here << k) | (west >> (32 - k));
#pragma unroll
                for (int k = 1; k <= Kept::beside_right / N; ++k) kept.right[b][row][(k - 1) * N + v] = (here >> k) | (east << (32 - k));
            }
        }
    }
    template<int C, int N, bool Row, class Kept> static TESSERA_FN void fill_beyond(Kept& kept, std::int64_t x) {
#pragma unroll
        for (int v = 0; v < N; ++v) {
            const bit_word beside_grid = beyond_sides(x + 32 * v), all = Row ? ~bit_word(0) : beside_grid;
            const bit_word missing = Row && rule_y == boundary::open ? all : rule_x == boundary::open ? beside_grid : 0;
#pragma unroll
            for (int b = 0; b < planes<C>; ++b) {
                bit_word& word = kept.newest(b, v);
                word = (word & ~all) | (missing & constant(beyond<grid, C>::missing[0], b)) |
                       (all & ~missing & constant(beyond<grid, C>::outside[0], b));
            }
        }
    }
    template<int Version, int C, int N, class Warp, class Lane>
    static TESSERA_FN void mirror_sides(Warp& lanes, Lane& state, std::int64_t x0, std::int64_t first) {
        auto& kept = state.template of<Version, C>();
        constexpr std::int64_t turn = 2 * nx / 32;
        constexpr int odd = static_cast<int>(2 * nx % 32); // how far the mirrored words are from whole ones
#pragma unroll
        for (int b = 0; b < planes<C>; ++b)
#pragma unroll
            for (int v = 0; v < N; ++v) {
                const std::int64_t x = first + 32 * v;
                const auto word = [&](std::int64_t number,
                                      int slot) { // the word of the strip with that number, which is slot + a multiple of N
                    return lanes.in_lane(static_cast<int>((number - slot) / N),
                                         [&](auto& other) { return other.template of<Version, C>().newest(b, slot); });
                };
                const bit_word left = word((-x - 32 - x0) / 32, N - 1 - v);
                const int slot = static_cast<int>(((turn - 1 - v) % N + N) % N);
                const std::int64_t number = turn - 1 - (x + x0) / 32;
                const bit_word low = word(number, slot), high = word(number + 1, (slot + 1) % N),
                               right = odd == 0 ? low : (low >> odd) | (high << (32 - odd) % 32);
                const bit_word beside_grid = beyond_sides(x);
                kept.newest(b, v) = (kept.newest(b, v) & ~beside_grid) | (reversed(x < 0 ? left : right) & beside_grid);
            }
    }

private:
    static constexpr std::int64_t words_a_row = row_words(nx);
    static TESSERA_FN std::int64_t word_at(int b, std::int64_t x, std::int64_t y, std::int64_t z) {
        if constexpr (grid::dims == 3)
            return ((b * rows_of_words(grid::size[2], ghost_rows) + ghost_rows + z) * grid::size[1] + y) * words_across(nx) + x / 32;
        else
            return (b * rows_of_words(grid::size[1], ghost_rows) + ghost_rows + y) * words_a_row + x / 32;
    }
    template<int C, bool Masked, int N>
    static TESSERA_FN void fetch_word(bit_word (&words)[planes<C>][N], int v, const bit_word* in, std::int64_t x, std::int64_t y) {
        static_assert(rule_x != boundary::torus || nx % 32 == 0, "a torus repeats whole words");
        if constexpr (Masked && rule_x == boundary::torus)
            x = inside_of<grid, 0, 1024 * N>(x);
        else if (Masked && (x < 0 || x >= nx))
            x = 0; // what is beyond is filled in later
#pragma unroll
        for (int b = 0; b < planes<C>; ++b) words[b][v] = load<true>(in + word_at(b, x, y, 0));
    }
    template<int C>
    static TESSERA_FN void store_word(bit_word* out, const bit_word (&word)[planes<C>], std::int64_t x, std::int64_t y, std::int64_t z) {
#pragma unroll
        for (int b = 0; b < planes<C>; ++b) out[word_at(b, x, y, z)] = word[b];
    }
    template<int C, bool Masked, int N>
    static TESSERA_FN void fetch_bytes(bit_word (&words)[planes<C>][N], int v, const unsigned char* row, std::int64_t x) {
        if constexpr (!Masked)
            gather<C>(words, v, row + x);
        else if constexpr (rule_x != boundary::torus)
            gather<C>(words, v, row + (x < 0 || x >= nx ? 0 : x)); // what is beyond is filled in later
        else if constexpr (nx % 32 == 0)
            gather<C>(words, v, row + inside_of<grid, 0, 1024 * N>(x));
        else if (x >= 0 && x + 32 <= nx)
            gather<C>(words, v, row + x);
        else
            gather_one_by_one<C, 1024 * N>(words, v, row, x);
    }
    // 32 places from x on, as far as they are in the grid; with the ghosts that repeat them if Masked.
    template<int C, bool Masked>
    static TESSERA_FN void store_bytes(column_scalar<Program, C>* origin, const bit_word (&word)[planes<C>], std::int64_t x, std::int64_t y,
                                       std::int64_t z) {
        using scalar = column_scalar<Program, C>;
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            vector_of<bit_word, 4> four{};
#pragma unroll
            for (int j = 0; j < 4; ++j) four.values[j] = spread<C>(word, half * 16 + j * 4);
            const std::int64_t at = x + half * 16;
            if constexpr (!Masked)
                store_vector<bit_word, 4>(reinterpret_cast<bit_word*>(origin + y * grid::columns[C].row + at), four);
            else if (at < nx) {
                const auto bytes = __builtin_bit_cast(vector_of<unsigned char, 16>, four);
                store_places<grid, C, 16>(origin, reinterpret_cast<const scalar(&)[16]>(bytes.values), at, y, z);
            }
        }
    }
    static TESSERA_FN bit_word constant(unsigned value, int b) { return (value >> b & 1u) != 0 ? ~bit_word(0) : bit_word(0); }
    // Which of the places from x on, a multiple of 32, are beside the grid.
    static TESSERA_FN bit_word beyond_sides(std::int64_t x) {
        return x < 0 || x >= nx ? ~bit_word(0) : nx - x < 32 ? ~bit_word(0) << static_cast<int>(nx - x) : 0;
    }

    template<int C, int N> static TESSERA_FN void gather(bit_word (&words)[planes<C>][N], int v, const unsigned char* from) {
        bit_word four[8];
        *reinterpret_cast<vector_of<bit_word, 4>*>(four) =
            __builtin_bit_cast(vector_of<bit_word, 4>, load_vector<true, unsigned char, 16>(from));
        *reinterpret_cast<vector_of<bit_word, 4>*>(four + 4) =
            __builtin_bit_cast(vector_of<bit_word, 4>, load_vector<true, unsigned char, 16>(from + 16));
#pragma unroll
        for (int b = 0; b < planes<C>; ++b) {
            bit_word word = 0;
#pragma unroll
            for (int j = 7; j >= 0; --j) // the product has bit 0 of the four bytes in its top four bits
                word = (word << 4) | (((planes<C> == 1 ? four[j] : four[j] >> b & 0x01010101u) * 0x10204080u) >> 28);
            words[b][v] = word;
        }
    }
    template<int C, int Overlap, int N>
    static TESSERA_FN void gather_one_by_one(bit_word (&words)[planes<C>][N], int v, const unsigned char* row, std::int64_t x) {
#pragma unroll
        for (int b = 0; b < planes<C>; ++b) words[b][v] = 0;
#pragma unroll 1
        for (int i = 0; i < 32; ++i) {
            const bit_word value = load<true>(row + inside_of<grid, 0, Overlap>(x + i));
#pragma unroll
            for (int b = 0; b < planes<C>; ++b) words[b][v] |= (value >> b & 1u) << i;
        }
    }
    // Places i to i + 3, a byte each.
    template<int C> static TESSERA_FN bit_word spread(const bit_word (&word)[planes<C>], int i) {
        bit_word bytes = 0;
#pragma unroll
        for (int b = 0; b < planes<C>; ++b) bytes |= (((word[b] >> i & 0xfu) * 0x00204081u) & 0x01010101u) << b;
        return bytes;
    }
};

// Number `number` of the words of the launch's rows, of all columns: gathered before a program of words, spread behind it.
template<class Program, bool Pack, int... C>
TESSERA_FN void convert_word(const arguments_of_program<Program>& args, std::int64_t number, index_list<C...>) {
    using slots = bit_slots<Program>;
    using grid = typename Program::grid;
    using counter = counter_of<grid>;
    constexpr bool has_planes = grid::dims == 3;
    constexpr counter across = words_across(slots::nx), down = has_planes ? grid::size[1] : 1;
    const auto word = static_cast<counter>(number);
    const auto x = static_cast<std::int64_t>(word % across) * 32, in_plane = static_cast<std::int64_t>(word / across % down);
    const std::int64_t last = first_of_rows<grid>(args) + static_cast<std::int64_t>(word / across / down);
    const std::int64_t y = has_planes ? in_plane : last, z = has_planes ? last : 0;
    if (last >= end_of_rows<grid>(args)) return;
    const auto convert = [&]<int Column>(index_list<Column>) {
        if constexpr (sizeof(column_scalar<Program, Column>) == 1 && column_elements<Program, Column> == 1) {
            if (args.out[Column] == nullptr) return; // the program does not use it, or did not write it
            if constexpr (Pack)
                slots::template pack<Column>(args.in[Column], args.out[Column], x, y, z);
            else
                slots::template unpack<Column>(args.in[Column], args.out[Column], x, y, z);
        }
    };
    (convert(index_list<C>{}), ...);
}
#if TESSERA_GPU
template<class Program, bool Pack> TESSERA_FN void convert_words(const arguments_of_program<Program>& args) {
    convert_word<Program, Pack>(args, static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x, indices_to<members_of<Program>>{});
}
#else
template<class Program, bool Pack> inline void convert_words(const void* args, std::int64_t first, std::int64_t last) {
    for (std::int64_t number = first; number < last; ++number)
        convert_word<Program, Pack>(*static_cast<const arguments_of_program<Program>*>(args), number, indices_to<members_of<Program>>{});
}
#endif

} // namespace tessera::fused
