// What a reduction makes of a block of elements, and of the blocks. Internal to host/run_file.
#pragma once

#include "host/run_file/expression_partial.hpp"
#include "host/run_file/expression_program.hpp"

#include <tessera/detail/at_once.hpp>

#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

namespace tessera::expression {

template<class T> [[nodiscard]] Wide sum_integers(const T* values, std::int64_t count) noexcept {
    if constexpr (sizeof(T) < 8) {
        using Narrow = std::conditional_t<sizeof(T) == 4, std::int64_t, std::int32_t>; // holds 4096 of them
        Narrow sum = 0;
        TESSERA_ADDING_AT_ONCE(sum)
        for (std::int64_t i = 0; i < count; ++i) sum += static_cast<Narrow>(values[i]);
        return sum;
    } else {
        // The two halves on their own, so that the loop vectorises.
        T high = 0;
        std::uint64_t low = 0;
        TESSERA_ADDING_AT_ONCE(high, low)
        for (std::int64_t i = 0; i < count; ++i) {
            high += values[i] >> 32;
            low += static_cast<std::uint64_t>(values[i]) & 0xFFFFFFFFu;
        }
        return static_cast<Wide>(high) * (Wide{1} << 32) + static_cast<Wide>(low);
    }
}

constexpr int lanes = 8;

// Lanes of plain sums, where no addition among them is rounded (Knuth's TwoSum tells): so it is with most that is whole, or of few digits.
template<class T> void sum_numbers(const T* values, std::int64_t count, std::uint64_t* words) noexcept {
    double lane[lanes] = {};
    std::uint64_t inexact[lanes] = {};
    std::int64_t i = 0;
    const auto add = [&](int k, double value) {
        const double sum = lane[k] + value, added = sum - lane[k];
        inexact[k] |= (lane[k] - (sum - added)) + (value - added) != 0 ? 1u : 0u;
        lane[k] = sum;
    };
    for (; i + lanes <= count; i += lanes) {
        TESSERA_AT_ONCE
        for (int k = 0; k < lanes; ++k) add(k, static_cast<double>(values[i + k]));
    }
    for (int k = 0; i + k < count; ++k) add(k, static_cast<double>(values[i + k]));
    std::uint64_t any = 0;
    for (const auto one : inexact) any |= one;
    if (any == 0)
        for (const auto one : lane) add_exactly(words, one);
    else
        for (i = 0; i < count; ++i) add_exactly(words, static_cast<double>(values[i]));
}

// Of the zeros the one that comes first, -0 before +0: no order of the values shows.
template<class T, class Before> [[nodiscard]] T first_zero(const T* values, std::int64_t count, Before before) noexcept {
    bool is_there[2] = {};
    for (std::int64_t i = 0; i < count; ++i)
        if (values[i] == 0) is_there[std::signbit(values[i]) ? 1 : 0] = true;
    const bool negative = before(T{0}, T{1}) ? is_there[1] : !is_there[0];
    return negative ? -T{0} : T{0};
}

// The first in `before` order; NaN if there is one.
template<class T, class Before> [[nodiscard]] T extreme(const T* values, std::int64_t count, Before before) noexcept {
    T best[lanes];
    bool is_nan = false;
    for (int k = 0; k < lanes; ++k) best[k] = values[0];
    std::int64_t i = 0;
    for (; i + lanes <= count; i += lanes)
        for (int k = 0; k < lanes; ++k) {
            const T value = values[i + k];
            is_nan |= value != value;
            best[k] = before(value, best[k]) ? value : best[k];
        }
    for (int k = 0; i + k < count; ++k) {
        const T value = values[i + k];
        is_nan |= value != value;
        best[k] = before(value, best[k]) ? value : best[k];
    }
    for (int k = 1; k < lanes; ++k) best[0] = before(best[k], best[0]) ? best[k] : best[0];
    if constexpr (std::is_floating_point_v<T>) {
        if (is_nan) return std::numeric_limits<T>::quiet_NaN();
        if (best[0] == 0) return first_zero(values, count, before);
    }
    return best[0];
}

template<class T> [[nodiscard]] T extreme(Op op, const T* values, std::int64_t count) noexcept {
    return op == Op::minimum ? extreme(values, count, [](T a, T b) { return a < b; })
                             : extreme(values, count, [](T a, T b) { return a > b; });
}

template<class T, class Holds> [[nodiscard]] std::int64_t count_where(const T* values, std::int64_t count, Holds holds) noexcept {
    std::uint32_t found = 0; // narrow, for the loop's sake
    TESSERA_ADDING_AT_ONCE(found)
    for (std::int64_t i = 0; i < count; ++i) found += holds(values[i]) ? 1u : 0u;
    return found;
}

// One to block_length elements.
template<class T> [[nodiscard]] Partial reduce_block(Op op, const T* values, std::int64_t count) noexcept {
    Partial partial;
    partial.empty = false;
    if (op == Op::count)
        partial.integer = count_where(values, count, [](T value) { return value != T{}; });
    else if constexpr (std::is_floating_point_v<T>) {
        if (op == Op::sum || op == Op::mean)
            sum_numbers(values, count, partial.sum.data());
        else
            partial.number = static_cast<double>(extreme(op, values, count));
    } else
        partial.integer = op == Op::sum || op == Op::mean ? sum_integers(values, count) : static_cast<Wide>(extreme(op, values, count));
    return partial;
}

} // namespace tessera::expression
