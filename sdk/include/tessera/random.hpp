// SPDX-License-Identifier: Apache-2.0
// Counter-based random numbers: what is drawn is a function of who draws, when, in which function and how many were drawn there before.
//
// There is no state to keep, to seed or to share, so that the numbers are the same on every device, for any partitioning and in any order
// of evaluation. They are words of Philox 4x32-10 (detail/philox.hpp).
#pragma once

#include <tessera/detail/checks.hpp>
#include <tessera/detail/philox.hpp>
#if !defined(TESSERA_WITHOUT_MATH)
#include <tessera/math.hpp>
#endif

namespace tessera {

// The type of what is drawn below an n of type T: T itself, and of an enumeration without `class` what it counts as.
template<class T> struct drawn_below {
    static constexpr bool is_integer = false;
    using type = int;
};
template<class T>
requires(!__is_class(T) && !__is_enum(T) && requires(T n) { n % n; }) struct drawn_below<T> {
    static constexpr bool is_integer = static_cast<T>(2) != static_cast<T>(1); // of bool there are two values
    using type = T;
};
template<class T>
requires(__is_enum(T) && requires(T n) { n % n; }) struct drawn_below<T> {
    static constexpr bool is_integer = true;
    using type = decltype(T{} % T{});
};

/// The random numbers of one entity (a place or an agent, by its number) in one call of one function at one step.
///
/// n is the entity's number, and s the step.
///
///     first draw                word n % 4 of the block at the counter (n / 4, s, 0): four entities that follow each other share it
///     draw d, d = 1, 2, ...     word (d - 1) % 4 of the block at the counter (n, s, 1 + (d - 1) / 4)
///
/// A counter's first part is two words, the lower half first. A place's number is row * w + x: rows are counted over all planes, and w is
/// the grid's extent in x rounded up to a multiple of four, so that four neighbours in x share a block and no block is shared by two rows.
/// `bits`, `uniform`, `below` and `bernoulli` draw once, `uniform64` and `normal` twice.
///
/// Making a stream costs nothing. The first draw costs a block, or a quarter of one, for the engine makes those of four places together
/// where it can; the second to fifth cost another together.
class random_stream {
public:
    TESSERA_FN constexpr random_stream(std::uint64_t key, std::uint64_t entity, std::uint32_t step)
        : key_(key), group_(entity / 4), step_(step), word_(static_cast<std::uint32_t>(entity) & 3) {}

    // The engine's: the number is 4 * group + word, and the first draw is known.
    TESSERA_FN constexpr random_stream(std::uint64_t key, std::uint64_t group, std::uint32_t word, std::uint32_t step, std::uint32_t first)
        : key_(key), group_(group), step_(step), word_(word), first_(first), first_is_known_(true) {}

    // The engine's: entity number `number` of those whose first draws are made together. They know all else.
    TESSERA_FN constexpr random_stream(first_draws& with, int number) : random_stream(0, 0, 0) {
        number_ = number;
        together_ = &with;
    }

    // A copy would draw the same numbers again: functions take it by reference.
    random_stream(const random_stream&) = delete;
    random_stream& operator=(const random_stream&) = delete;

    /// The next 32 random bits.
    TESSERA_FN constexpr std::uint32_t bits() {
        const std::uint32_t draw = drawn_++;
        if (!TESSERA_GPU && draw <= first_draws::again && together_ != nullptr) return together_->of(number_, draw);
        if (draw == 0) return first_is_known_ ? first_ : word_of(random_block(key_, group_, step_, 0), word_);
        const std::uint32_t word = (draw - 1) & 3;
        if (word == 0) block_ = later_block(1 + (draw - 1) / 4);
        return word_of(block_, word);
    }

    /// A float in [0, 1): one of the 2^24 multiples of 2^-24, all as likely: (bits() >> 8) * 2^-24.
    TESSERA_FN constexpr float uniform() { return static_cast<float>(static_cast<std::int32_t>(bits() >> 8)) * 0x1p-24f; }

    /// A double in [0, 1): one of the 2^53 multiples of 2^-53: ((first word >> 5) * 2^26 + (second word >> 6)) * 2^-53.
    TESSERA_FN constexpr double uniform64() {
        const double upper = static_cast<double>(static_cast<std::int32_t>(bits() >> 5));
        const double lower = static_cast<double>(static_cast<std::int32_t>(bits() >> 6));
        return (upper * 0x1p26 + lower) * 0x1p-53;
    }

    /// An integer in [0, n), of the type of n: the upper half of bits() * n. n is 1 to 2^32 - 1: a checked run reports any other, and in
    /// any other run below(0) is 0, and what else is drawn may be anything. Some values come up once more often in 2^32 draws than others:
    /// a relative bias of at most n / 2^32, less than one in four million for n up to 1000.
#if defined(TESSERA_CHECKED)
    template<class T> TESSERA_FN constexpr auto below(const T& n, text_place at = text_place::here()) {
        static_assert(drawn_below<T>::is_integer, "below(n) takes an integer");
        if (n < static_cast<T>(1) || static_cast<std::uint64_t>(n) > 0xffffffff) leave_with_draw(mistake::draw, value_to_tell(n), at);
#else
    template<class T> TESSERA_FN constexpr auto below(const T& n) {
        static_assert(drawn_below<T>::is_integer, "below(n) takes an integer");
#endif
        return static_cast<typename drawn_below<T>::type>(std::uint64_t{bits()} * static_cast<std::uint32_t>(n) >> 32);
    }

    /// True with probability p, from 0 to 1, to a multiple of 2^-24: uniform() < p. A checked run reports any other p; in any other run it
    /// is never true for p <= 0 and NaN, and always for p >= 1. Takes a word in any case.
#if defined(TESSERA_CHECKED)
    TESSERA_FN constexpr bool bernoulli(float p, text_place at = text_place::here()) {
        if (!(p >= 0 && p <= 1)) leave_with_draw(mistake::chance, value_to_tell(p), at);
#else
    TESSERA_FN constexpr bool bernoulli(float p) {
#endif
        return uniform() < p;
    }

#if !defined(TESSERA_WITHOUT_MATH)
    /// A float of the standard normal distribution, by Box and Muller (Ann. Math. Statist. 29, 1958) from two words u, v:
    /// sqrt(-2 log((u + 1) 2^-32)) cos(2 pi v 2^-32), in double and rounded once. |normal()| <= 6.67.
    TESSERA_FN float normal() {
        const double u = real(bits()), v = real(bits());
        const double radius = sqrt(-2.0 * log((u + 1.0) * 0x1p-32));
        const double quarters = v * 0x1p-30, shifted = quarters + math_detail::to_integer;
        const double angle = (quarters - (shifted - math_detail::to_integer)) * math_detail::half_pi_hi;
        const double cosine = math_detail::sin_near_of({angle, 0.0, math_detail::bits_of(shifted) + 1});
        return static_cast<float>(radius * cosine);
    }
#endif

private:
    TESSERA_FN constexpr philox_words later_block(std::uint32_t block) const {
        if (!TESSERA_GPU && together_ != nullptr) return together_->block(*together_, number_, block);
        return random_block(key_, 4 * group_ + word_, step_, block);
    }

#if !defined(TESSERA_WITHOUT_MATH)
    // A word as a double, by way of the low bits of 2^52: conversions of unsigned words do not vectorise everywhere.
    TESSERA_FN static constexpr double real(std::uint32_t x) {
        return math_detail::from_bits(0x4330000000000000 | std::uint64_t{x}) - 0x1p52;
    }
#endif

    std::uint64_t key_, group_;
    std::uint32_t step_, word_, first_ = 0, drawn_ = 0;
    bool first_is_known_ = false;
    int number_ = 0;
    first_draws* together_ = nullptr;
    philox_words block_{}; // of the second and later draws
};

} // namespace tessera
