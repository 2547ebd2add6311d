// What a phase `reduce` adds up: a part for each sum, mean, min, max and count of its expressions, and what becomes of the parts.
//
// A part has words of 8 bytes that begin as 0: what went wrong (reduce_fault), how many elements there were, and what they are added up
// to. Threads, blocks, chunks and partitions each have words of their own; what one has joins another's by adding, by raising, or bit by
// bit, all of them integers, so that no order shows. On a GPU a thread has parts in registers, and a block words in shared memory.
#pragma once

#include <tessera/detail/exact_sum.hpp>
#include <tessera/detail/member.hpp>

namespace tessera {

// What a value cannot be made of; bits of a set.
enum reduce_fault : std::uint32_t {
    reduce_overflow = 1,     // an integer that has no place in 64 bits, with a sign
    reduce_zero_divisor = 2, // a remainder of a division by 0
    reduce_out_of_range = 4, // an integer that the declared type does not hold
    reduce_of_nothing = 8    // what is to be an integer is a smallest or largest one of no elements
};

// ---- joining words

enum class joining { by_adding, by_raising, by_bits };

TESSERA_FN void join_word(std::uint64_t& to, std::uint64_t value, joining how) {
    if (how == joining::by_adding)
        to += value;
    else if (how == joining::by_bits)
        to |= value;
    else if (value > to)
        to = value;
}
TESSERA_FN void join_atomically(std::uint64_t* to, std::uint64_t value, joining how) {
    if (value == 0) return; // which changes nothing, however it joins
#if TESSERA_GPU
    auto* const word = reinterpret_cast<unsigned long long*>(to);
    if (how == joining::by_adding)
        atomicAdd(word, static_cast<unsigned long long>(value));
    else if (how == joining::by_bits)
        atomicOr(word, static_cast<unsigned long long>(value));
    else
        atomicMax(word, static_cast<unsigned long long>(value));
#else
    if (how == joining::by_adding)
        __atomic_fetch_add(to, value, __ATOMIC_RELAXED);
    else if (how == joining::by_bits)
        __atomic_fetch_or(to, value, __ATOMIC_RELAXED);
    else
        for (std::uint64_t seen = __atomic_load_n(to, __ATOMIC_RELAXED);
             value > seen && !__atomic_compare_exchange_n(to, &seen, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED);) {}
#endif
}

#if TESSERA_GPU
TESSERA_FN std::uint64_t sum_of_warp(std::uint64_t value) {
#if __CUDA_ARCH__ >= 800
    if (__all_sync(~0u, value >> 27 == 0)) return __reduce_add_sync(~0u, static_cast<unsigned>(value)); // 32 of them have 32 bits
#endif
#pragma unroll
    for (int d = 16; d > 0; d /= 2) value += __shfl_xor_sync(~0u, static_cast<unsigned long long>(value), d);
    return value;
}
// What the lanes of a warp have, into a word of their block.
TESSERA_FN void join_warp(std::uint64_t* word, std::uint64_t value, joining how) {
    if (__all_sync(~0u, value == 0)) return; // as faults are, in most runs
    if (how == joining::by_adding) {
        value = sum_of_warp(value);
    } else {
#pragma unroll
        for (int d = 16; d > 0; d /= 2) join_word(value, __shfl_xor_sync(~0u, static_cast<unsigned long long>(value), d), how);
    }
    if (threadIdx.x % 32 == 0) join_atomically(word, value, how);
}
#endif

// ---- values

// An integer or a double, as an expression has them outside of its reductions.
struct whole_or_real {
    bool is_real;
    std::int64_t whole;
    double real;
};
TESSERA_FN whole_or_real whole_value(std::int64_t value) { return {false, value, 0}; }
TESSERA_FN whole_or_real real_value(double value) { return {true, 0, value}; }
TESSERA_FN double as_real(const whole_or_real& value) { return value.is_real ? value.real : static_cast<double>(value.whole); }
TESSERA_FN bool as_truth(const whole_or_real& value) { return value.is_real ? value.real != 0 : value.whole != 0; }

TESSERA_FN std::int64_t wrapped(std::uint64_t value) { return static_cast<std::int64_t>(value); }
TESSERA_FN std::int64_t whole_sum_of(std::int64_t a, std::int64_t b, std::uint32_t& faults) {
    const std::int64_t sum = wrapped(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
    if (((a ^ sum) & (b ^ sum)) < 0) faults |= reduce_overflow;
    return sum;
}
TESSERA_FN std::int64_t whole_difference_of(std::int64_t a, std::int64_t b, std::uint32_t& faults) {
    const std::int64_t difference = wrapped(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
    if (((a ^ b) & (a ^ difference)) < 0) faults |= reduce_overflow;
    return difference;
}
TESSERA_FN std::int64_t whole_product_of(std::int64_t a, std::int64_t b, std::uint32_t& faults) {
#if TESSERA_GPU
    const std::int64_t product = wrapped(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
    if (__mul64hi(static_cast<long long>(a), static_cast<long long>(b)) != product >> 63) faults |= reduce_overflow;
#else
    std::int64_t product = 0;
    if (__builtin_mul_overflow(a, b, &product)) faults |= reduce_overflow;
#endif
    return product;
}
TESSERA_FN std::int64_t whole_remainder_of(std::int64_t a, std::int64_t b, std::uint32_t& faults) {
    if (b == 0) faults |= reduce_zero_divisor;
    return b == 0 || b == -1 ? 0 : a % b; // by -1 it is 0, also where the quotient would overflow
}
// Of a member; only one of 64 bits without a sign may not fit.
template<class T> TESSERA_FN std::int64_t whole_of(T value, std::uint32_t& faults) {
    if (T(-1) > T(0) && sizeof(T) == 8 && (static_cast<std::uint64_t>(value) >> 63) != 0) faults |= reduce_overflow;
    return static_cast<std::int64_t>(value);
}

// The operators outside of reductions. `Whole` is what they do with two integers, `Real` with others.
#define TESSERA_OF_BOTH(name, Whole, Real)                                                                                  \
    TESSERA_FN whole_or_real name(const whole_or_real& a, const whole_or_real& b, [[maybe_unused]] std::uint32_t& faults) { \
        if (a.is_real || b.is_real) return real_value(Real);                                                                \
        return whole_value(Whole);                                                                                          \
    }
TESSERA_OF_BOTH(sum_of, whole_sum_of(a.whole, b.whole, faults), as_real(a) + as_real(b))
TESSERA_OF_BOTH(difference_of, whole_difference_of(a.whole, b.whole, faults), as_real(a) - as_real(b))
TESSERA_OF_BOTH(product_of, whole_product_of(a.whole, b.whole, faults), as_real(a) * as_real(b))
#undef TESSERA_OF_BOTH
TESSERA_FN whole_or_real quotient_of(const whole_or_real& a, const whole_or_real& b, std::uint32_t&) {
    return real_value(as_real(a) / as_real(b));
}
TESSERA_FN whole_or_real negative_of(const whole_or_real& a, std::uint32_t& faults) {
    return a.is_real ? real_value(-a.real) : whole_value(whole_difference_of(0, a.whole, faults));
}
#define TESSERA_COMPARED(name, op)                                                                  \
    TESSERA_FN whole_or_real name(const whole_or_real& a, const whole_or_real& b) {                 \
        return whole_value(a.is_real || b.is_real ? as_real(a) op as_real(b) : a.whole op b.whole); \
    }
TESSERA_COMPARED(is_equal, ==)
TESSERA_COMPARED(is_not_equal, !=)
TESSERA_COMPARED(is_less, <)
TESSERA_COMPARED(is_less_or_equal, <=)
TESSERA_COMPARED(is_greater, >)
TESSERA_COMPARED(is_greater_or_equal, >=)
#undef TESSERA_COMPARED

// ---- parts

inline constexpr int part_faults = 0, part_count = 1, part_first = 2; // words

// How many elements were true.
struct counted_part {
    static constexpr int words = 2;
    std::uint64_t count = 0;
    std::uint32_t faults = 0;

    TESSERA_FN void add(bool value, std::uint64_t*) { count += value ? 1 : 0; }
    template<class Put> TESSERA_FN void put(Put&& put) const { put(part_count, count); }
    TESSERA_FN void put_rest(std::uint64_t*) const {}
    static TESSERA_FN void settle(std::uint64_t*) {}
    static TESSERA_FN joining how(int) { return joining::by_adding; }
    static TESSERA_FN whole_or_real value(const std::uint64_t* word, std::uint32_t&) { return whole_value(wrapped(word[part_count])); }
};

// A sum of integers, in halves, for it may have 128 bits.
struct whole_sum_part {
    static constexpr int words = 4, low_word = 2, high_word = 3;
    std::uint64_t count = 0, low = 0, high = 0;
    std::uint32_t faults = 0;

    TESSERA_FN void add(std::int64_t value, std::uint64_t*) {
        ++count;
        low += static_cast<std::uint64_t>(value) & 0xffffffff;
        high += static_cast<std::uint64_t>(value >> 32);
    }
    template<class Put> TESSERA_FN void put(Put&& put) const {
        put(part_count, count);
        put(low_word, low);
        put(high_word, high);
    }
    TESSERA_FN void put_rest(std::uint64_t*) const {}
    static TESSERA_FN void settle(std::uint64_t* word) {
        word[high_word] += word[low_word] >> 32;
        word[low_word] &= 0xffffffff;
    }
    static TESSERA_FN joining how(int) { return joining::by_adding; }
    static TESSERA_FN whole_or_real value(const std::uint64_t* word, std::uint32_t& faults) {
        const std::int64_t high = wrapped(word[high_word]);
        if (high < -(std::int64_t{1} << 31) || high >= std::int64_t{1} << 31) faults |= reduce_overflow;
        return whole_value(wrapped(word[high_word] << 32 | word[low_word]));
    }
    static TESSERA_FN whole_or_real mean(const std::uint64_t* word, std::uint32_t&) {
        if (word[part_count] == 0) return real_value(__builtin_bit_cast(double, std::uint64_t{0x7ff8} << 48));
        const std::int64_t high = wrapped(word[high_word]);
        std::uint64_t exact[exact_words] = {};
        add_exactly(exact, static_cast<double>(high >> 32) * 0x1p64);
        add_exactly(exact, static_cast<double>(high & 0xffffffff) * 0x1p32);
        add_exactly(exact, static_cast<double>(word[low_word]));
        return real_value(rounded_sum(exact) / static_cast<double>(word[part_count]));
    }
};

// An exact sum of doubles. A thread of a GPU has four digits in registers, and puts them down where a number has no place in them.
struct real_sum_part {
    static constexpr int words = part_first + exact_words;
    std::uint64_t count = 0;
    std::uint32_t faults = 0;
#if TESSERA_GPU
    int base = 0;
    std::uint64_t digits[4] = {};

    TESSERA_FN void add(double value, std::uint64_t* word) {
        ++count;
        if (!is_finite_number(value)) return join_atomically(word + part_first + exact_word_of(value), 1, joining::by_adding);
        const exact_parts parts = exact_parts_of(value);
        if (parts.at < base || parts.at > base + 1) {
            put_rest(word);
#pragma unroll
            for (int i = 0; i < 4; ++i) digits[i] = 0;
            base = parts.at;
        }
        const bool up = parts.at != base;
        digits[0] += static_cast<std::uint64_t>(up ? 0 : parts.digits[0]);
        digits[1] += static_cast<std::uint64_t>(up ? parts.digits[0] : parts.digits[1]);
        digits[2] += static_cast<std::uint64_t>(up ? parts.digits[1] : parts.digits[2]);
        digits[3] += static_cast<std::uint64_t>(up ? parts.digits[2] : 0);
    }
    TESSERA_FN void put_rest(std::uint64_t* word) const {
#pragma unroll
        for (int i = 0; i < 4; ++i) join_atomically(word + part_first + base + i, digits[i], joining::by_adding);
    }
    // Of the lanes of a warp, those together that have the same digits.
    TESSERA_FN void put_warp(std::uint64_t* word) const {
        const unsigned lane = threadIdx.x % 32;
        for (unsigned left = ~0u; left != 0;) {
            const int of = __shfl_sync(~0u, base, __ffs(static_cast<int>(left)) - 1);
            const bool with = base == of;
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                const std::uint64_t sum = sum_of_warp(with ? digits[i] : 0);
                if (lane == 0) join_atomically(word + part_first + of + i, sum, joining::by_adding);
            }
            left &= ~__ballot_sync(~0u, with);
        }
    }
#else
    TESSERA_FN void add(double value, std::uint64_t* word) {
        ++count;
        add_exactly(word + part_first, value);
    }
    TESSERA_FN void put_rest(std::uint64_t*) const {}
#endif
    template<class Put> TESSERA_FN void put(Put&& put) const { put(part_count, count); }
    static TESSERA_FN void settle(std::uint64_t* word) { pass_carries(word + part_first); }
    static TESSERA_FN joining how(int) { return joining::by_adding; }
    static TESSERA_FN whole_or_real value(std::uint64_t* word, std::uint32_t&) { return real_value(rounded_sum(word + part_first)); }
    static TESSERA_FN whole_or_real mean(std::uint64_t* word, std::uint32_t&) {
        if (word[part_count] == 0) return real_value(__builtin_bit_cast(double, std::uint64_t{0x7ff8} << 48));
        return real_value(rounded_mean(word + part_first, static_cast<double>(word[part_count])));
    }
};

// Integers that compare as what they stand for does, -0 below +0; of the smallest ones the other way round.
TESSERA_FN std::uint64_t ordered_key(std::int64_t value) { return static_cast<std::uint64_t>(value) ^ std::uint64_t{1} << 63; }
TESSERA_FN std::uint64_t ordered_key(double value) {
    const auto bits = __builtin_bit_cast(std::uint64_t, value);
    return bits >> 63 != 0 ? ~bits : bits | std::uint64_t{1} << 63;
}
TESSERA_FN std::int64_t whole_of_key(std::uint64_t key) { return wrapped(key ^ std::uint64_t{1} << 63); }
TESSERA_FN double real_of_key(std::uint64_t key) {
    return __builtin_bit_cast(double, key >> 63 != 0 ? key & ~(std::uint64_t{1} << 63) : ~key);
}

// The smallest or the largest of T; of none, and where one of them is no number, no number.
template<class T, bool Largest> struct extreme_part {
    static constexpr int words = 4, key_word = 2, nan_word = 3;
    std::uint64_t count = 0, key = 0, nans = 0;
    std::uint32_t faults = 0;

    TESSERA_FN void add(T value, std::uint64_t*) {
        ++count;
        nans += value != value ? 1 : 0;
        const std::uint64_t ordered = Largest ? ordered_key(value) : ~ordered_key(value);
        if (value == value && ordered > key) key = ordered;
    }
    template<class Put> TESSERA_FN void put(Put&& put) const {
        put(part_count, count);
        put(key_word, key);
        put(nan_word, nans);
    }
    TESSERA_FN void put_rest(std::uint64_t*) const {}
    static TESSERA_FN void settle(std::uint64_t*) {}
    static TESSERA_FN joining how(int word) { return word == key_word ? joining::by_raising : joining::by_adding; }
    static TESSERA_FN whole_or_real value(const std::uint64_t* word, std::uint32_t&) {
        if (word[part_count] == 0 || word[nan_word] != 0) return real_value(__builtin_bit_cast(double, std::uint64_t{0x7ff8} << 48));
        const std::uint64_t key = Largest ? word[key_word] : ~word[key_word];
        if constexpr (same_type<T, double>)
            return real_value(real_of_key(key));
        else
            return whole_value(whole_of_key(key));
    }
};

template<class Part> TESSERA_FN joining joining_of(int word) { return word == part_faults ? joining::by_bits : Part::how(word); }

} // namespace tessera
