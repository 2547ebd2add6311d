// SPDX-License-Identifier: Apache-2.0
// What is sent to a member of a place, until it is there: added up exactly, and rounded once; or the least or the most of it. For kernels,
// and for the host, which rounds what is under way for the state's hash (host/world).
//
// Words of 8 bytes that begin as 0, and to which whoever sends adds atomically, so that nobody's turn matters. Of integers one, which wraps
// around. Of floating-point numbers digits as exact_sum.hpp has them, of a float those ten that can be other than 0; and
// behind them a word of bits: that something was no number, infinite, or minus infinite. Of the least and the most one, which rises: 0 is
// nothing.
#pragma once

#include <tessera/detail/exact_sum.hpp>
#include <tessera/detail/member.hpp>

namespace tessera {

inline constexpr int float_digits = 10, first_float_digit = 28;                          // of exact_digits: 2^-149 to 2^128
inline constexpr std::uint64_t sent_nan = 1, sent_infinite = 2, sent_minus_infinite = 4; // bits of the last word

template<class T> inline constexpr bool has_fraction = same_type<T, float> || same_type<T, double>;
template<class T> inline constexpr int words_of_sum = 1;
template<> inline constexpr int words_of_sum<float> = float_digits + 1;
template<> inline constexpr int words_of_sum<double> = exact_digits + 1;

TESSERA_FN std::uint64_t flag_of(double value) {
    const int word = exact_word_of(value);
    return word == exact_nan ? sent_nan : word == exact_infinite ? sent_infinite : sent_minus_infinite;
}

// Of a finite float: its 24 bits, shifted by less than 32, lie in two digits.
template<class Add> TESSERA_FN void add_float(float value, Add& add) {
    constexpr int least = 29; // the bit of the first digit that stands for 2^-149
    const auto bits = __builtin_bit_cast(std::uint32_t, value);
    const auto exponent = static_cast<int>(bits >> 23 & 0xff);
    const std::uint32_t fraction = bits & 0x7fffff;
    const int place = least + (exponent == 0 ? 0 : exponent - 1);
    const std::uint64_t all = static_cast<std::uint64_t>(exponent == 0 ? fraction : fraction | 1U << 23) << (place & 31);
    const std::uint64_t low = all & 0xffffffff, high = all >> 32;
    const bool is_negative = bits >> 31 != 0;
    if (low != 0) add(place >> 5, is_negative ? std::uint64_t{0} - low : low);
    if (high != 0) add((place >> 5) + 1, is_negative ? std::uint64_t{0} - high : high);
}
// Calls `add(word, by)` or `set(word, bits)` for what a number changes of a sum.
template<class T, class Add, class Set> TESSERA_FN void add_to_sum(T value, Add&& add, Set&& set) {
    if constexpr (!has_fraction<T>)
        add(0, static_cast<std::uint64_t>(value));
    else {
        const auto wide = static_cast<double>(value);
        if (!is_finite_number(wide))
            set(words_of_sum<T> - 1, flag_of(wide));
        else if constexpr (sizeof(T) == 4)
            add_float(value, add);
        else {
            const exact_parts parts = exact_parts_of(wide);
            for (int i = 0; i < 3; ++i)
                if (parts.digits[i] != 0) add(parts.at + i, static_cast<std::uint64_t>(parts.digits[i]));
        }
    }
}

// What bits of flags make of a sum, where there are any: not a number, infinite, or minus infinite.
TESSERA_FN std::uint32_t float_bits_of(std::uint64_t flags) {
    if ((flags & sent_nan) != 0 || flags == (sent_infinite | sent_minus_infinite)) return 0x7fc00000;
    return flags == sent_infinite ? 0x7f800000 : 0xff800000;
}

// The float that is nearest to the sum, where that can be seen from one integer: all but two neighbouring digits are 0, as they are where
// numbers of about one size were added.
TESSERA_FN bool round_two_digits(const std::uint64_t (&words)[float_digits + 1], float& rounded) {
    constexpr std::int64_t most_low = std::int64_t{1} << 61, most_high = std::int64_t{1} << 29;
    std::int64_t low = 0, high = 0;
    int at = -1;
    bool are_two = true;
    for (int i = 0; i < float_digits; ++i) {
        const auto digit = static_cast<std::int64_t>(words[i]);
        if (digit == 0) continue;
        if (at < 0) {
            at = i;
            low = digit;
        } else if (i == at + 1)
            high = digit;
        else
            are_two = false;
    }
    if (!are_two || low > most_low || low < -most_low || high > most_high || high < -most_high) return false;
    const std::int64_t sum = low + high * (std::int64_t{1} << 32); // of 2^(32 at - 178)
    rounded = static_cast<float>(sum);
    if (sum == 0) return true;
    const auto bits = __builtin_bit_cast(std::uint32_t, rounded);
    const int exponent = static_cast<int>(bits >> 23 & 0xff) + 32 * at - 178;
    rounded = __builtin_bit_cast(float, (bits & 0x807fffff) | static_cast<std::uint32_t>(exponent & 0xff) << 23);
    return exponent > 0 && exponent < 255;
}

// The float that is nearest to the sum, ties to even. The words are used up.
TESSERA_FN float rounded_float(std::uint64_t (&words)[float_digits + 1]) {
    constexpr int least = 29; // the bit of the first digit that stands for 2^-149, below which there is none
    if (words[float_digits] != 0) return __builtin_bit_cast(float, float_bits_of(words[float_digits]));
    if (float rounded = 0; round_two_digits(words, rounded)) return rounded;
    std::int64_t carry = 0;
    for (int i = 0; i < float_digits; ++i) { // digits in [0, 2^32), and what is left is the sign, or beyond
        const auto digit = static_cast<std::int64_t>(words[i]) + carry;
        carry = digit >> 32;
        words[i] = static_cast<std::uint64_t>(digit) & 0xffffffff;
    }
    const bool is_negative = carry < 0;
    if (is_negative) { // the magnitude
        std::uint64_t borrowed = 1;
        for (int i = 0; i < float_digits; ++i) {
            words[i] = (~words[i] & 0xffffffff) + borrowed;
            borrowed = words[i] >> 32;
            words[i] &= 0xffffffff;
        }
        carry = ~carry + static_cast<std::int64_t>(borrowed);
    }
    const std::uint32_t sign = is_negative ? 0x80000000 : 0;
    if (carry != 0) return __builtin_bit_cast(float, sign | 0x7f800000);
    int top = float_digits - 1;
    while (top > 0 && words[top] == 0) --top;
    int bits = 32 * top;
    for (std::uint64_t digit = words[top]; digit != 0; digit >>= 1) ++bits;
    // The 24 bits from `last` on, which lie in two digits, and what is below.
    const int last = bits - 24 > least ? bits - 24 : least, first = last >> 5, shift = last & 31;
    const std::uint64_t above = first + 1 < float_digits ? words[first + 1] : 0;
    std::uint64_t significand = ((above << 32 | words[first]) >> shift) & 0xffffff;
    if (last > least) {
        const int half = last - 1;
        const bool at_half = (words[half >> 5] >> (half & 31) & 1) != 0;
        bool beyond = (words[half >> 5] & ((std::uint64_t{1} << (half & 31)) - 1)) != 0;
        for (int i = 0; i < half >> 5; ++i) beyond |= words[i] != 0;
        if (at_half && (beyond || (significand & 1) != 0)) ++significand;
    }
    const std::uint64_t magnitude = (static_cast<std::uint64_t>(last - least) << 23) + significand;
    return __builtin_bit_cast(float, sign | (magnitude < 0x7f800000 ? static_cast<std::uint32_t>(magnitude) : 0x7f800000));
}

// What a sum is as a value of the member. The words are used up.
template<class T> TESSERA_FN T rounded_sent(std::uint64_t (&words)[words_of_sum<T>]) {
    if constexpr (same_type<T, bool>)
        return words[0] != 0;
    else if constexpr (!has_fraction<T>)
        return static_cast<T>(words[0]);
    else if constexpr (sizeof(T) == 4)
        return rounded_float(words);
    else {
        std::uint64_t all[exact_words] = {};
        for (int i = 0; i < exact_digits; ++i) all[i] = words[i];
        const std::uint64_t flags = words[exact_digits];
        all[exact_nan] = flags & sent_nan;
        all[exact_infinite] = flags & sent_infinite;
        all[exact_minus_infinite] = flags & sent_minus_infinite;
        return rounded_sum(all);
    }
}

// Of the least and the most: a number that rises with the value; -0 is less than 0. None of what is no number.
template<class T> TESSERA_FN std::uint64_t rank_of_value(T value) {
    constexpr std::uint64_t sign = std::uint64_t{1} << 63;
    if constexpr (has_fraction<T>) {
        const auto bits = __builtin_bit_cast(std::uint64_t, static_cast<double>(value));
        return (bits & sign) != 0 ? ~bits : bits | sign;
    } else if constexpr (same_type<T, bool>)
        return value ? 1 : 0;
    else
        return T(-1) < T(0) ? static_cast<std::uint64_t>(value) ^ sign : static_cast<std::uint64_t>(value);
}
template<class T> TESSERA_FN T value_of_rank(std::uint64_t rank) {
    constexpr std::uint64_t sign = std::uint64_t{1} << 63;
    if constexpr (has_fraction<T>)
        return static_cast<T>(__builtin_bit_cast(double, (rank & sign) != 0 ? rank ^ sign : ~rank));
    else if constexpr (same_type<T, bool>)
        return rank != 0;
    else
        return static_cast<T>(T(-1) < T(0) ? rank ^ sign : rank);
}
template<class T> TESSERA_FN bool is_no_number(T value) {
    if constexpr (has_fraction<T>)
        return value != value;
    else
        return false;
}

} // namespace tessera
