#include "host/run_file/expression_partial.hpp"

#include <cmath>
#include <limits>
#include <utility>

namespace tessera::expression {
namespace {

// Where they stand in a part's words (kernels/reduce/reduction.hpp).
constexpr int faults_word = 0, count_word = 1, first_word = 2;

// An integer that compares as a number does, -0 below +0, and back.
double number_of_key(std::uint64_t key) noexcept {
    constexpr auto top = std::uint64_t{1} << 63;
    return __builtin_bit_cast(double, (key & top) != 0 ? key & ~top : ~key);
}
std::int64_t integer_of_key(std::uint64_t key) noexcept { return static_cast<std::int64_t>(key ^ std::uint64_t{1} << 63); }

void put_extreme(Partial& partial, Op op, bool of_reals, const std::uint64_t* words) noexcept {
    const auto key = op == Op::maximum ? words[first_word] : ~words[first_word];
    if (!of_reals)
        partial.integer = integer_of_key(key);
    else
        partial.number = words[first_word + 1] != 0 ? std::numeric_limits<double>::quiet_NaN() : number_of_key(key);
}

// Whether `next` comes before `now` where the smallest are looked for, or behind it; zeros by their signs.
bool is_further(double next, double now, bool smallest) noexcept {
    if (next == 0 && now == 0) return std::signbit(next) != std::signbit(now) && std::signbit(next) == smallest;
    return smallest ? next < now : next > now;
}

} // namespace

Partial partial_of_words(Op op, bool of_reals, const std::uint64_t* words) noexcept {
    Partial partial;
    partial.faults = static_cast<unsigned>(words[faults_word]);
    partial.empty = op != Op::count && words[count_word] == 0;
    if (op == Op::count) {
        partial.integer = static_cast<Wide>(words[count_word]);
    } else if (op == Op::minimum || op == Op::maximum) {
        put_extreme(partial, op, of_reals, words);
    } else if (of_reals) {
        for (std::size_t w = 0; w < partial.sum.size(); ++w) partial.sum[w] = words[first_word + static_cast<int>(w)];
        pass_carries(partial.sum.data());
    } else {
        partial.integer =
            static_cast<Wide>(static_cast<std::int64_t>(words[first_word + 1])) * (Wide{1} << 32) + static_cast<Wide>(words[first_word]);
    }
    return partial;
}

void combine(Partial& before, const Partial& next, Op op, bool of_reals) noexcept {
    before.faults |= next.faults;
    if (next.empty) return;
    const bool first = std::exchange(before.empty, false);
    if (op == Op::count || (!of_reals && (op == Op::sum || op == Op::mean))) {
        before.integer += next.integer;
    } else if (op == Op::sum || op == Op::mean) {
        for (std::size_t word = 0; word < exact_words; ++word) before.sum[word] += next.sum[word];
        pass_carries(before.sum.data());
    } else if (of_reals) {
        const bool better = is_further(next.number, before.number, op == Op::minimum);
        if (first || (!std::isnan(before.number) && (better || std::isnan(next.number)))) before.number = next.number;
    } else {
        const bool better = op == Op::minimum ? next.integer < before.integer : next.integer > before.integer;
        if (first || better) before.integer = next.integer;
    }
}

} // namespace tessera::expression
