// SPDX-License-Identifier: Apache-2.0
// Sums of floating-point numbers that are exact and rounded once, so that no order of adding shows: of threads, devices or storage.
// A wide fixed-point number, after Kulisch; here with digits that overlap, so that carries wait (Neal, "Fast exact summation using small
// and large superaccumulators", 2015). For kernels, and for the host, which sums in expressions of outputs (host/run_file).
//
// Digit i stands for 2^(32 i - 1074), in 64 bits with a sign: 2^31 numbers can be added before carries have to be passed on. Behind the
// digits stands how many were no number, or infinite. All are integers that wrap around, so that accumulators are joined by adding word by
// word, in any order, and atomically. The sum of nothing, and one that is 0, is +0.
#pragma once

#include <tessera/detail/base.hpp>

namespace tessera {

inline constexpr int exact_digits = 68, exact_nan = 68, exact_infinite = 69, exact_minus_infinite = 70, exact_words = 71;

// What a finite number adds: to digit `at` and the two behind it. 53 bits, shifted by less than 32, lie in three digits.
struct exact_parts {
    int at;
    std::int64_t digits[3];
};
TESSERA_FN exact_parts exact_parts_of(double value) {
    const auto bits = __builtin_bit_cast(std::uint64_t, value);
    const auto exponent = static_cast<int>(bits >> 52 & 0x7ff);
    const std::uint64_t fraction = bits & 0xfffffffffffff, significand = exponent == 0 ? fraction : fraction | std::uint64_t{1} << 52;
    const int place = exponent == 0 ? 0 : exponent - 1, shift = place & 31;
    const std::uint64_t low = significand << shift, high = shift == 0 ? 0 : significand >> (64 - shift);
    const std::int64_t sign = bits >> 63 != 0 ? -1 : 1;
    return {place >> 5,
            {sign * static_cast<std::int64_t>(low & 0xffffffff), sign * static_cast<std::int64_t>(low >> 32),
             sign * static_cast<std::int64_t>(high)}};
}

TESSERA_FN bool is_finite_number(double value) { return (__builtin_bit_cast(std::uint64_t, value) >> 52 & 0x7ff) != 0x7ff; }

// Which word counts a value that is not finite.
TESSERA_FN int exact_word_of(double value) {
    const auto bits = __builtin_bit_cast(std::uint64_t, value);
    if ((bits & 0xfffffffffffff) != 0) return exact_nan;
    return bits >> 63 != 0 ? exact_minus_infinite : exact_infinite;
}

TESSERA_FN void add_exactly(std::uint64_t* words, double value) {
    if (!is_finite_number(value)) {
        ++words[exact_word_of(value)];
        return;
    }
    const exact_parts parts = exact_parts_of(value);
    for (int i = 0; i < 3; ++i) words[parts.at + i] += static_cast<std::uint64_t>(parts.digits[i]);
}

// Passes carries on, so that each digit lies in [-2^31, 2^31): 2^31 numbers, or accumulators, may be added then.
TESSERA_FN void pass_carries(std::uint64_t* words) {
    std::int64_t carry = 0;
    for (int i = 0; i + 1 < exact_digits; ++i) {
        const auto digit = static_cast<std::int64_t>(words[i]) + carry;
        carry = (digit + (std::int64_t{1} << 31)) >> 32;
        words[i] = static_cast<std::uint64_t>(digit - carry * (std::int64_t{1} << 32));
    }
    words[exact_digits - 1] += static_cast<std::uint64_t>(carry);
}

// The digits of the sum's magnitude, each of 32 bits, in place; whether the sum is negative.
TESSERA_FN bool take_magnitude(std::uint64_t* words) {
    pass_carries(words);
    int top = exact_digits - 1;
    while (top > 0 && words[top] == 0) --top;
    const bool is_negative = static_cast<std::int64_t>(words[top]) < 0; // each digit outweighs all below it
    std::int64_t carry = 0;
    for (int i = 0; i < exact_digits; ++i) {
        const std::int64_t digit = (is_negative ? -static_cast<std::int64_t>(words[i]) : static_cast<std::int64_t>(words[i])) + carry;
        carry = digit >> 32;
        words[i] = static_cast<std::uint64_t>(digit) & 0xffffffff;
    }
    return is_negative;
}

// The number nearest to the sum, ties to even. The words are used up.
TESSERA_FN double rounded_sum(std::uint64_t* words) {
    constexpr std::uint64_t infinite = std::uint64_t{0x7ff} << 52, not_a_number = infinite | std::uint64_t{1} << 51;
    if (words[exact_nan] != 0 || (words[exact_infinite] != 0 && words[exact_minus_infinite] != 0))
        return __builtin_bit_cast(double, not_a_number);
    if (words[exact_infinite] != 0) return __builtin_bit_cast(double, infinite);
    if (words[exact_minus_infinite] != 0) return __builtin_bit_cast(double, infinite | std::uint64_t{1} << 63);
    const std::uint64_t sign = take_magnitude(words) ? std::uint64_t{1} << 63 : 0;
    int top = exact_digits - 1;
    while (top > 0 && words[top] == 0) --top;
    int bits = 32 * top; // of the magnitude, in units of the least number
    for (std::uint64_t digit = words[top]; digit != 0; digit >>= 1) ++bits;
    if (bits <= 53) return __builtin_bit_cast(double, sign | words[1] << 32 | words[0]);
    // The 53 bits from `last` on, which lie in three digits, and what is below.
    const int last = bits - 53, first = last >> 5, shift = last & 31;
    const std::uint64_t above = first + 2 < exact_digits ? words[first + 2] : 0;
    std::uint64_t significand = (words[first] >> shift) | words[first + 1] << (32 - shift);
    if (shift != 0) significand |= above << (64 - shift);
    significand &= (std::uint64_t{1} << 53) - 1;
    const int half = last - 1;
    const bool at_half = (words[half >> 5] >> (half & 31) & 1) != 0;
    bool beyond = (words[half >> 5] & ((std::uint64_t{1} << (half & 31)) - 1)) != 0;
    for (int i = 0; i < half >> 5; ++i) beyond |= words[i] != 0;
    if (at_half && (beyond || (significand & 1) != 0)) ++significand;
    const std::uint64_t magnitude = (static_cast<std::uint64_t>(last) << 52) + significand;
    return __builtin_bit_cast(double, sign | (magnitude < infinite ? magnitude : infinite));
}

// The rounded sum divided by `count`, above 0, and rounded again. A sum that is too large for a double is divided all the same: the mean of
// finite numbers is finite. The words are used up.
TESSERA_FN double rounded_mean(std::uint64_t* words, double count) {
    const double sum = rounded_sum(words);
    if (is_finite_number(sum) || (words[exact_nan] | words[exact_infinite] | words[exact_minus_infinite]) != 0) return sum / count;
    constexpr int dropped = 3; // digits of the magnitude: a 2^96th of it remains
    bool beyond = false;
    for (int i = 0; i < exact_digits; ++i) {
        beyond |= i < dropped && words[i] != 0;
        words[i] = i + dropped < exact_digits ? words[i + dropped] : 0;
    }
    words[0] |= beyond ? 1 : 0;
    const double mean = rounded_sum(words) / count * 0x1p96;
    return sum < 0 ? -mean : mean;
}

} // namespace tessera
