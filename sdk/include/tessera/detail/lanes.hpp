// SPDX-License-Identifier: Apache-2.0
// The numbers of 32 places at once, bit by bit: what `auto` stands for in a function that is written with operators instead of `if` and
// `int`.
//
//     const auto n = self.sum(moore, &Cell::alive);
//     self.alive = (n == 3) | ((n == 2) & self.alive);
//
// Place by place, `n` is an int. Where the engine has 32 places of a row in one word, it is a `lanes<Width>`: Width words, word b holding
// bit b of each place's number. Every operation gives what int arithmetic gives, to the bit: numbers of less than 32 bits are not negative,
// those of 32 are ints in two's complement. What lanes cannot do (become a condition of `if` or `?:`, an int, a float, an index) does not
// compile, and the engine then makes the function place by place; `tessera check --explain` says so. (Bit-sliced arithmetic: Biham, 1997;
// adders as in Knuth, TAOCP 4A, 7.1.3.)
#pragma once

#include <tessera/detail/base.hpp>

namespace tessera {

template<int Width> struct lanes {
    static_assert(Width >= 1 && Width <= 32);
    static constexpr int width = Width;
    std::uint32_t bit[Width];
};

template<class T, int Width> struct lanes_member;

namespace lanes_detail {

using word = std::uint32_t;
constexpr int wider(int a, int b) { return a > b ? a : b; }
constexpr int narrower(int a, int b) { return a < b ? a : b; }
TESSERA_FN constexpr word all(bool value) { return value ? ~word(0) : word(0); }

// Bit b of each number; beyond its width a number has zeros, or, if it has 32 bits, nothing.
template<int W> TESSERA_FN constexpr word bit_of(const lanes<W>& a, int b) { return b < W ? a.bit[b] : word(0); }

template<int W> TESSERA_FN constexpr lanes<W> spread(int value) {
    lanes<W> result{};
#pragma unroll
    for (int b = 0; b < W; ++b) result.bit[b] = all((static_cast<word>(value) >> b & 1u) != 0);
    return result;
}
TESSERA_FN constexpr lanes<32> numbers(int value) { return spread<32>(value); }
TESSERA_FN constexpr lanes<1> numbers(bool value) { return {{all(value)}}; }
template<int W> TESSERA_FN constexpr const lanes<W>& numbers(const lanes<W>& value) { return value; }
template<class T> using numbers_of = lanes<sizeof(numbers(T())) / sizeof(word)>;

template<class T> inline constexpr bool is_lanes = false;
template<int W> inline constexpr bool is_lanes<lanes<W>> = true;
template<class T, int W> inline constexpr bool is_lanes<lanes_member<T, W>> = true;
template<class T> inline constexpr bool is_plain = false;
template<> inline constexpr bool is_plain<bool> = true;
template<> inline constexpr bool is_plain<int> = true;
template<class A, class B>
concept operands = (is_lanes<A> && (is_lanes<B> || is_plain<B>)) || (is_plain<A> && is_lanes<B>);

template<int W, int A, int B> TESSERA_FN constexpr lanes<W> add(const lanes<A>& a, const lanes<B>& b, word carry) {
    lanes<W> result{};
#pragma unroll
    for (int i = 0; i < W; ++i) {
        const word x = bit_of(a, i), y = bit_of(b, i);
        result.bit[i] = x ^ y ^ carry;
        carry = (x & y) | (carry & (x ^ y));
    }
    return result;
}
template<int A> TESSERA_FN constexpr lanes<32> complement(const lanes<A>& a) {
    lanes<32> result{};
#pragma unroll
    for (int i = 0; i < 32; ++i) result.bit[i] = ~bit_of(a, i);
    return result;
}
template<int A, int B> TESSERA_FN constexpr word equal(const lanes<A>& a, const lanes<B>& b) {
    word differ = 0;
#pragma unroll
    for (int i = 0; i < wider(A, B); ++i) differ |= bit_of(a, i) ^ bit_of(b, i);
    return ~differ;
}
template<int A> TESSERA_FN constexpr word equal(const lanes<A>& a, int b) {
    if (A < 32 && static_cast<word>(b) >> (A % 32) != 0) return 0;
    word differ = 0;
#pragma unroll
    for (int i = 0; i < A; ++i) differ |= a.bit[i] ^ all((static_cast<word>(b) >> i & 1u) != 0);
    return ~differ;
}
template<int A> TESSERA_FN constexpr word equal(int a, const lanes<A>& b) { return equal(b, a); }
template<int A> TESSERA_FN constexpr word equal(const lanes<A>& a, bool b) { return equal(a, static_cast<int>(b)); }
template<int A> TESSERA_FN constexpr word equal(bool a, const lanes<A>& b) { return equal(b, static_cast<int>(a)); }
template<int A, int B> TESSERA_FN constexpr word less(const lanes<A>& a, const lanes<B>& b) {
    word less = 0; // of the bits so far
#pragma unroll
    for (int i = 0; i < wider(A, B); ++i) {
        const bool sign = i == 31;
        const word x = sign ? bit_of(b, i) : bit_of(a, i), y = sign ? bit_of(a, i) : bit_of(b, i);
        less = (~x & y) | (~(x ^ y) & less);
    }
    return less;
}
template<int A> TESSERA_FN constexpr word any(const lanes<A>& a) {
    word result = 0;
#pragma unroll
    for (int i = 0; i < A; ++i) result |= a.bit[i];
    return result;
}

// Adds up numbers of one bit by counting: full adders take three of a weight and give one and a carry, the fewest operations there are.
template<int Count> struct counter {
    static constexpr int width = Count < 2     ? 1
                                 : Count < 4   ? 2
                                 : Count < 8   ? 3
                                 : Count < 16  ? 4
                                 : Count < 32  ? 5
                                 : Count < 64  ? 6
                                 : Count < 128 ? 7
                                 : Count < 256 ? 8
                                               : 9;
};
// Those of one weight: the sum is bit B, the carries are the next layer. The last terms come in last, so that they may be late.
template<int B, int Count, int W> TESSERA_FN constexpr void count_layer(lanes<W>& result, const word (&terms)[Count]) {
    word sum = terms[0], carries[Count > 1 ? Count / 2 : 1] = {};
#pragma unroll
    for (int i = 0; i < (Count - 1) / 2; ++i) {
        const word x = terms[2 * i + 1], y = terms[2 * i + 2];
        carries[i] = (x & y) | (sum & (x ^ y));
        sum ^= x ^ y;
    }
    if constexpr (Count % 2 == 0) {
        carries[Count / 2 - 1] = sum & terms[Count - 1];
        sum ^= terms[Count - 1];
    }
    result.bit[B] = sum;
    if constexpr (Count > 1) count_layer<B + 1>(result, carries);
}
template<int Count> TESSERA_FN constexpr lanes<counter<Count>::width> count_bits(const word (&terms)[Count]) {
    lanes<counter<Count>::width> result{};
    count_layer<0>(result, terms);
    return result;
}

} // namespace lanes_detail

#define TESSERA_LANES_OPERATOR(op) \
    template<class A, class B>     \
    requires lanes_detail::operands<A, B> TESSERA_FN constexpr auto operator op(const A& a, const B& b)

TESSERA_LANES_OPERATOR(+) {
    constexpr int w = lanes_detail::wider(lanes_detail::numbers_of<A>::width, lanes_detail::numbers_of<B>::width) + 1;
    return lanes_detail::add<lanes_detail::narrower(w, 32)>(lanes_detail::numbers(a), lanes_detail::numbers(b), 0);
}
TESSERA_LANES_OPERATOR(-) {
    return lanes_detail::add<32>(lanes_detail::numbers(a), lanes_detail::complement(lanes_detail::numbers(b)), ~std::uint32_t(0));
}
TESSERA_LANES_OPERATOR(&) {
    constexpr int w = lanes_detail::narrower(lanes_detail::numbers_of<A>::width, lanes_detail::numbers_of<B>::width);
    lanes<w> result{};
#pragma unroll
    for (int i = 0; i < w; ++i) result.bit[i] = lanes_detail::numbers(a).bit[i] & lanes_detail::numbers(b).bit[i];
    return result;
}
TESSERA_LANES_OPERATOR(|) {
    constexpr int w = lanes_detail::wider(lanes_detail::numbers_of<A>::width, lanes_detail::numbers_of<B>::width);
    lanes<w> result{};
#pragma unroll
    for (int i = 0; i < w; ++i)
        result.bit[i] = lanes_detail::bit_of(lanes_detail::numbers(a), i) | lanes_detail::bit_of(lanes_detail::numbers(b), i);
    return result;
}
TESSERA_LANES_OPERATOR(^) {
    constexpr int w = lanes_detail::wider(lanes_detail::numbers_of<A>::width, lanes_detail::numbers_of<B>::width);
    lanes<w> result{};
#pragma unroll
    for (int i = 0; i < w; ++i)
        result.bit[i] = lanes_detail::bit_of(lanes_detail::numbers(a), i) ^ lanes_detail::bit_of(lanes_detail::numbers(b), i);
    return result;
}
TESSERA_LANES_OPERATOR(==) { return lanes<1>{{lanes_detail::equal(a, b)}}; }
TESSERA_LANES_OPERATOR(!=) { return lanes<1>{{~lanes_detail::equal(a, b)}}; }
TESSERA_LANES_OPERATOR(<) { return lanes<1>{{lanes_detail::less(lanes_detail::numbers(a), lanes_detail::numbers(b))}}; }
TESSERA_LANES_OPERATOR(>) { return lanes<1>{{lanes_detail::less(lanes_detail::numbers(b), lanes_detail::numbers(a))}}; }
TESSERA_LANES_OPERATOR(<=) { return lanes<1>{{~lanes_detail::less(lanes_detail::numbers(b), lanes_detail::numbers(a))}}; }
TESSERA_LANES_OPERATOR(>=) { return lanes<1>{{~lanes_detail::less(lanes_detail::numbers(a), lanes_detail::numbers(b))}}; }
TESSERA_LANES_OPERATOR(&&) { return lanes<1>{{lanes_detail::any(lanes_detail::numbers(a)) & lanes_detail::any(lanes_detail::numbers(b))}}; }
TESSERA_LANES_OPERATOR(||) { return lanes<1>{{lanes_detail::any(lanes_detail::numbers(a)) | lanes_detail::any(lanes_detail::numbers(b))}}; }
#undef TESSERA_LANES_OPERATOR

template<int W> TESSERA_FN constexpr lanes<1> operator!(const lanes<W>& a) { return {{~lanes_detail::any(a)}}; }
template<int W> TESSERA_FN constexpr lanes<32> operator~(const lanes<W>& a) { return lanes_detail::complement(a); }

template<int W, class A, class B> TESSERA_FN constexpr auto select(const lanes<W>& mask, const A& a, const B& b) {
    constexpr int w = lanes_detail::wider(lanes_detail::numbers_of<A>::width, lanes_detail::numbers_of<B>::width);
    const std::uint32_t where = lanes_detail::any(mask);
    lanes<w> result{};
#pragma unroll
    for (int i = 0; i < w; ++i)
        result.bit[i] =
            (where & lanes_detail::bit_of(lanes_detail::numbers(a), i)) | (~where & lanes_detail::bit_of(lanes_detail::numbers(b), i));
    return result;
}

/// A member of 32 places, Width bits of it: bool, or a byte whose values are known to be below 2^Width. Assignments that a byte would cut
/// off to its 8 bits do not compile where Width is less.
template<class T, int Width> struct lanes_member : lanes<Width> {
    TESSERA_FN constexpr lanes_member() : lanes<Width>{} {}
    TESSERA_FN constexpr lanes_member(const lanes<Width>& from) : lanes<Width>(from) {}
    static TESSERA_FN constexpr lanes_member of(T value) { return lanes_detail::spread<Width>(value); } // in every place
    template<class A>
    requires(lanes_detail::is_lanes<A> || lanes_detail::is_plain<A>) TESSERA_FN constexpr lanes_member& operator=(const A& value) {
        assign(lanes_detail::numbers(value));
        return *this;
    }

private:
    template<int W> TESSERA_FN constexpr void assign(const lanes<W>& value) {
        if constexpr (Width == 1 && sizeof(T) == 1 && static_cast<T>(2) == static_cast<T>(1))
            this->bit[0] = lanes_detail::any(value); // bool
        else {
            static_assert(W <= Width || Width == 8, "this value may need more bits than the member has");
#pragma unroll
            for (int i = 0; i < Width; ++i) this->bit[i] = lanes_detail::bit_of(value, i);
        }
    }
};

} // namespace tessera
