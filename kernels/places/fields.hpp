// Small numbers of several places in the fields of one 32-bit word, so that one operation works on all of them: four fields of 8 bits, or
// two of 16. An author's function that is written with operators compiles for them as it does for one place (march_bytes.hpp).
//
// The type knows the greatest number that a field can hold, so that no sum runs over into the next field: the highest bit of a field stays
// free, and comparisons use it. (L. Lamport, "Multiple byte processing with full-word instructions", Communications of the ACM 18, 1975.)
#pragma once

#include <tessera/detail/member.hpp>

namespace tessera {

template<int Width, int Most> struct fields {
    static_assert(Width == 8 || Width == 16, "a field has 8 or 16 bits");
    static_assert(Most >= 0 && Most >> (Width - 1) == 0, "the highest bit of a field stays free");
    static constexpr int width = Width, most = Most;
    std::uint32_t word;
};

// A member: what is read is at most Most; what is assigned may be any number, and is not read again.
template<class T, int Width, int Most> struct field_member;

namespace fields_detail {

using word = std::uint32_t;
template<int Width> inline constexpr word ones = Width == 8 ? 0x01010101u : 0x00010001u; // in each field
template<int Width> inline constexpr word tops = ones<Width> << (Width - 1);             // the highest bits
template<int Width> inline constexpr int limit = (1 << (Width - 1)) - 1;

constexpr int larger(int a, int b) { return a > b ? a : b; }
constexpr int smaller(int a, int b) { return a < b ? a : b; }
constexpr int all_bits_of(int most) { // the greatest number of as many bits
    int all = 0;
    while (all < most) all = 2 * all + 1;
    return all;
}

template<class T> inline constexpr bool is_fields = false;
template<int W, int M> inline constexpr bool is_fields<fields<W, M>> = true;
template<class T, int W, int M> inline constexpr bool is_fields<field_member<T, W, M>> = true;

template<int W, int M> TESSERA_FN constexpr fields<W, M> number(const fields<W, M>& a) { return a; }
template<class A> inline constexpr int width_of = A::width;
template<class A> inline constexpr int most_of = A::most;
template<> inline constexpr int most_of<bool> = 1;

// The number or the bool in each field of as many bits.
template<int W> TESSERA_FN constexpr word in_each(bool value) { return value ? ones<W> : 0; }
template<int W> TESSERA_FN constexpr word in_each(int value) { return ones<W> * static_cast<word>(value); }
template<int W, int M> TESSERA_FN constexpr word in_each(const fields<W, M>& a) { return a.word; }

// 1 in each field where that is so.
template<int W> TESSERA_FN constexpr word is_zero(word a) { return (tops<W> - a) >> (W - 1) & ones<W>; }
template<int W> TESSERA_FN constexpr word at_least(word a, word b) { return ((a | tops<W>)-b) >> (W - 1) & ones<W>; }
template<int W, class A> TESSERA_FN constexpr word is_any(const A& a) {
    if constexpr (most_of<A> <= 1)
        return in_each<W>(a);
    else
        return is_zero<W>(in_each<W>(a)) ^ ones<W>;
}
// All bits of the fields that have a 1.
template<int W> TESSERA_FN constexpr word all_bits(word ones_and_zeros) { return (ones_and_zeros << W) - ones_and_zeros; }

// A number that no field can hold is greater than all of them.
template<int W, int M> TESSERA_FN constexpr word equals(const fields<W, M>& a, int b) {
    return b < 0 || b > limit<W> ? 0 : is_zero<W>(a.word ^ in_each<W>(b));
}
template<int W, int M> TESSERA_FN constexpr word is_at_least(const fields<W, M>& a, int b) {
    return b < 0 ? ones<W> : b > limit<W> ? 0 : at_least<W>(a.word, in_each<W>(b));
}

template<class A, class B>
concept with_bool = (is_fields<A> && (is_fields<B> || same_type<B, bool>)) || (same_type<A, bool> && is_fields<B>);
template<class A, class B> constexpr int common_width() {
    if constexpr (is_fields<A>)
        return A::width;
    else
        return B::width;
}

} // namespace fields_detail

template<class A, class B>
requires fields_detail::with_bool<A, B> TESSERA_FN constexpr auto operator+(const A& a, const B& b) {
    using namespace fields_detail;
    constexpr int w = common_width<A, B>();
    return fields<w, most_of<A> + most_of<B>>{in_each<w>(a) + in_each<w>(b)};
}
template<class A, class B>
requires fields_detail::with_bool<A, B> TESSERA_FN constexpr auto operator&(const A& a, const B& b) {
    using namespace fields_detail;
    constexpr int w = common_width<A, B>();
    return fields<w, smaller(most_of<A>, most_of<B>)>{in_each<w>(a) & in_each<w>(b)};
}
template<class A, class B>
requires fields_detail::with_bool<A, B> TESSERA_FN constexpr auto operator|(const A& a, const B& b) {
    using namespace fields_detail;
    constexpr int w = common_width<A, B>();
    return fields<w, all_bits_of(larger(most_of<A>, most_of<B>))>{in_each<w>(a) | in_each<w>(b)};
}
template<class A, class B>
requires fields_detail::with_bool<A, B> TESSERA_FN constexpr auto operator^(const A& a, const B& b) {
    using namespace fields_detail;
    constexpr int w = common_width<A, B>();
    return fields<w, all_bits_of(larger(most_of<A>, most_of<B>))>{in_each<w>(a) ^ in_each<w>(b)};
}
template<class A, class B>
requires fields_detail::with_bool<A, B> TESSERA_FN constexpr auto operator&&(const A& a, const B& b) {
    using namespace fields_detail;
    constexpr int w = common_width<A, B>();
    return fields<w, 1>{is_any<w>(a) & is_any<w>(b)};
}
template<class A, class B>
requires fields_detail::with_bool<A, B> TESSERA_FN constexpr auto operator||(const A& a, const B& b) {
    using namespace fields_detail;
    constexpr int w = common_width<A, B>();
    return fields<w, 1>{is_any<w>(a) | is_any<w>(b)};
}
template<class A>
requires fields_detail::is_fields<A> TESSERA_FN constexpr auto operator!(const A& a) {
    using namespace fields_detail;
    return fields<A::width, 1>{is_any<A::width>(number(a)) ^ ones<A::width>};
}

// `Is` of two words of fields; `IsInt` of fields and an int, and whether that is turned over: a < 3 is !(a >= 3), 3 < a is a >= 4.
#define TESSERA_FIELDS_COMPARISON(op, Is, IsInt, IntIs)                                                     \
    template<class A, class B>                                                                              \
    requires fields_detail::with_bool<A, B> TESSERA_FN constexpr auto operator op(const A& a, const B& b) { \
        using namespace fields_detail;                                                                      \
        constexpr int w = common_width<A, B>();                                                             \
        const word x = in_each<w>(a), y = in_each<w>(b);                                                    \
        return fields<w, 1>{Is};                                                                            \
    }                                                                                                       \
    template<class A>                                                                                       \
    requires fields_detail::is_fields<A> TESSERA_FN constexpr auto operator op(const A& a, int b) {         \
        using namespace fields_detail;                                                                      \
        constexpr int w = A::width;                                                                         \
        const auto x = number(a);                                                                           \
        return fields<w, 1>{IsInt};                                                                         \
    }                                                                                                       \
    template<class A>                                                                                       \
    requires fields_detail::is_fields<A> TESSERA_FN constexpr auto operator op(int b, const A& a) {         \
        using namespace fields_detail;                                                                      \
        constexpr int w = A::width;                                                                         \
        const auto x = number(a);                                                                           \
        return fields<w, 1>{IntIs};                                                                         \
    }
TESSERA_FIELDS_COMPARISON(==, is_zero<w>(x ^ y), equals(x, b), equals(x, b))
TESSERA_FIELDS_COMPARISON(!=, is_zero<w>(x ^ y) ^ ones<w>, equals(x, b) ^ ones<w>, equals(x, b) ^ ones<w>)
TESSERA_FIELDS_COMPARISON(>=, at_least<w>(x, y), is_at_least(x, b), is_at_least(x, b + 1) ^ ones<w>)
TESSERA_FIELDS_COMPARISON(<, at_least<w>(x, y) ^ ones<w>, is_at_least(x, b) ^ ones<w>, is_at_least(x, b + 1))
TESSERA_FIELDS_COMPARISON(<=, at_least<w>(y, x), is_at_least(x, b + 1) ^ ones<w>, is_at_least(x, b))
TESSERA_FIELDS_COMPARISON(>, at_least<w>(y, x) ^ ones<w>, is_at_least(x, b + 1), is_at_least(x, b) ^ ones<w>)
#undef TESSERA_FIELDS_COMPARISON

template<class M, class A, class B>
requires(fields_detail::is_fields<M>&& fields_detail::with_bool<A, B>) TESSERA_FN
    constexpr auto select(const M& mask, const A& a, const B& b) {
    using namespace fields_detail;
    constexpr int w = M::width;
    const word where = all_bits<w>(is_any<w>(number(mask)));
    return fields<w, larger(most_of<A>, most_of<B>)>{(where & in_each<w>(a)) | (~where & in_each<w>(b))};
}
template<class M>
requires fields_detail::is_fields<M> TESSERA_FN constexpr auto select(const M& mask, bool a, bool b) {
    using namespace fields_detail;
    constexpr int w = M::width;
    const word where = is_any<w>(number(mask));
    return fields<w, 1>{(where & in_each<w>(a)) | ((where ^ ones<w>)&in_each<w>(b))};
}

template<class T, int Width, int Most> struct field_member : fields<Width, Most> {
    TESSERA_FN constexpr field_member() : fields<Width, Most>{0} {}
    TESSERA_FN constexpr explicit field_member(std::uint32_t word) : fields<Width, Most>{word} {}
    static TESSERA_FN constexpr field_member of(T value) { return field_member(fields_detail::in_each<Width>(static_cast<int>(value))); }

    template<class A> TESSERA_FN constexpr field_member& operator=(const A& value) {
        using namespace fields_detail;
        if constexpr (same_type<T, bool>) {
            if constexpr (is_fields<A>)
                this->word = is_any<Width>(number(value));
            else
                this->word = in_each<Width>(value != 0);
        } else if constexpr (is_fields<A>)
            this->word = value.word;
        else
            this->word = in_each<Width>(static_cast<int>(value) & 0xff);
        return *this;
    }
};

} // namespace tessera
