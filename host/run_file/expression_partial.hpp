// What a reduction of an expression has come to, so far, or on one of several devices.
#pragma once

#include "host/run_file/expression.hpp"

#include <tessera/detail/exact_sum.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>

namespace tessera::expression {

__extension__ typedef __int128 Wide; // holds every sum of 2^63 64-bit integers

struct Partial {
    Wide integer = 0;                             // sum, smallest or largest of integers; count
    double number = 0;                            // smallest or largest of doubles
    std::array<std::uint64_t, exact_words> sum{}; // of doubles
    bool empty = true;
    unsigned faults = 0;

    [[nodiscard]] double total() const noexcept {
        auto words = sum;
        return rounded_sum(words.data());
    }
    // Of so many doubles, at least one.
    [[nodiscard]] double mean(double count) const noexcept {
        auto words = sum;
        return rounded_mean(words.data(), count);
    }
};

// From the words of a part, as kernels make them (kernels/reduce/reduction.hpp). `of_reals`: of doubles, else of integers.
[[nodiscard]] Partial partial_of_words(Op op, bool of_reals, const std::uint64_t* words) noexcept;

// What follows joins what was before it, in any order.
void combine(Partial& before, const Partial& next, Op op, bool of_reals) noexcept;

// Of the reductions of an expression, by their nodes, over all that there is.
using Partials = std::map<int, Partial>;
// Of several expressions of one state; nothing of those that are not for whoever is asked.
using Reducer = std::function<std::vector<std::optional<Partials>>(const std::vector<const Expression*>& expressions)>;

// As evaluate() (expression.hpp); what `partials` are of is not read from the columns. The values are the same.
[[nodiscard]] Value evaluate(const Expression& expression, const Columns& columns, std::uint64_t step, const ParallelFor& parallel_for,
                             std::optional<Partials> partials);

} // namespace tessera::expression
