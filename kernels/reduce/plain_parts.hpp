// What a thread adds up of floats, in integers of their own width where doubles would take two or three of them; and how that becomes what
// the parts of a reduce have (reduction.hpp).
#pragma once

#include <tessera/kernels/reduce/reduction.hpp>

namespace tessera {

// An exact sum. A float is a whole number of 24 bits, shifted by less than 32 within the digit where it begins (exact_sum.hpp): 55 bits, so
// that 64 bits with a sign hold the sum of 128. What begins in one of two digits next to each other is added at once; for others these two
// are put down among the words first.
struct float_sum {
    static constexpr int most_near = 128;
    std::uint64_t count = 0, digits[3] = {};
    std::int64_t near[2] = {}; // of the last values, those that begin in digit `base`, and in the next one
    int base = 0, values_near = 0;

    TESSERA_FN void add(float value, std::uint64_t* words) {
        const auto bits = __builtin_bit_cast(std::uint32_t, value);
        const auto exponent = static_cast<int>(bits >> 23 & 0xff);
        const std::uint32_t fraction = bits & 0x7fffff;
        ++count;
        if (exponent == 0xff) {
            join_atomically(words + part_first + exact_word_of(static_cast<double>(value)), 1, joining::by_adding);
            return;
        }
        const std::uint32_t significand = exponent == 0 ? fraction : fraction | 0x800000u;
        const int place = (exponent == 0 ? 0 : exponent - 1) + 925; // 2^-149 is bit 925 of the sum
        const std::int64_t shifted = static_cast<std::int64_t>(std::uint64_t{significand} << (place & 31));
        const std::int64_t amount = bits >> 31 != 0 ? -shifted : shifted;
        const int at = place >> 5;
        if (at != base && at != base + 1) {
            if (significand == 0) return;
            move_to(at, words);
        }
        near[0] += at == base ? amount : 0;
        near[1] += at == base ? 0 : amount;
        if (++values_near == most_near) fold();
    }
    // At the end.
    TESSERA_FN void put(real_sum_part& part, std::uint64_t* words) {
        fold();
        part.count += count;
#if TESSERA_GPU
        part.base = base;
        for (int i = 0; i < 3; ++i) part.digits[i] = digits[i];
        (void)words;
#else
        put_down(words);
#endif
    }

private:
    TESSERA_FN void fold() {
        digits[0] += static_cast<std::uint64_t>(near[0] & 0xffffffff);
        digits[1] += static_cast<std::uint64_t>((near[0] >> 32) + (near[1] & 0xffffffff));
        digits[2] += static_cast<std::uint64_t>(near[1] >> 32);
        near[0] = near[1] = 0;
        values_near = 0;
    }
    TESSERA_FN void put_down(std::uint64_t* words) const {
#pragma unroll
        for (int i = 0; i < 3; ++i) join_atomically(words + part_first + base + i, digits[i], joining::by_adding);
    }
    TESSERA_FN void move_to(int at, std::uint64_t* words) {
        fold();
        put_down(words);
        digits[0] = digits[1] = digits[2] = 0;
        base = at > base ? at - 1 : at;
    }
};

// The smallest or largest: keys of 32 bits that compare as the values do (ordered_key). 0 is no float's that is a number.
template<bool Largest> struct float_extreme {
    std::uint64_t count = 0, nans = 0;
    std::uint32_t key = 0;

    TESSERA_FN void add(float value) {
        const auto bits = __builtin_bit_cast(std::uint32_t, value);
        const std::uint32_t rising = bits >> 31 != 0 ? ~bits : bits | 0x80000000u, ordered = Largest ? rising : ~rising;
        const bool is_number = value == value;
        ++count;
        nans += is_number ? 0 : 1;
        if (is_number && ordered > key) key = ordered;
    }
    TESSERA_FN void put(extreme_part<double, Largest>& part) const {
        part.count += count;
        part.nans += nans;
        if (key == 0) return;
        const std::uint32_t rising = Largest ? key : ~key, bits = rising >> 31 != 0 ? rising & 0x7fffffffu : ~rising;
        const std::uint64_t wide = ordered_key(static_cast<double>(__builtin_bit_cast(float, bits)));
        const std::uint64_t ordered = Largest ? wide : ~wide;
        if (ordered > part.key) part.key = ordered;
    }
};

} // namespace tessera
