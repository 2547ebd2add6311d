// Sorting by whole numbers: by the digits in which they differ, from the last one on, so that equal ones stay in their order.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace tessera {

// The keys are whole numbers, and differ in no higher digit than the numbers from 0 to `end` - 1. `other` is room to work with.
template<class T, class Key> void sort_by_digits(std::vector<T>& all, std::vector<T>& other, std::int64_t end, const Key& key_of) {
    constexpr int bits_of_digit = 8;
    constexpr std::size_t values = 1 << bits_of_digit;
    other.resize(all.size());
    for (int digit = 0; (end - 1) >> digit > 0; digit += bits_of_digit) {
        const auto value_of = [&](const T& one) { return static_cast<std::size_t>(key_of(one)) >> digit & (values - 1); };
        std::array<std::uint32_t, values + 1> starts{};
        for (const auto& one : all) ++starts[value_of(one) + 1];
        std::partial_sum(starts.begin(), starts.end(), starts.begin());
        for (const auto& one : all) other[starts[value_of(one)]++] = one;
        all.swap(other);
    }
}

} // namespace tessera
