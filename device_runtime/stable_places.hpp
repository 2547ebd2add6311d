// Where things go when they are put in the order of a digit and stay in their order besides (counting sort), by the threads of a pool.
#pragma once

#include "device_runtime/thread_pool.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tessera {

// Calls `put(item, place)` for each item of [0, items) whose `digit_of(item)` is less than `digits`; others are left out. Returns where
// each digit's begin, and behind the last where all end. Both are called by several threads, for each item once by one of them; neither
// throws.
template<class Number, class DigitOf, class Put>
std::vector<Number> put_in_places(ThreadPool& pool, std::int64_t items, std::size_t digits, const DigitOf& digit_of, const Put& put) {
    // Each part of the items counts for itself, which pays where parts have more items than there are digits.
    constexpr std::int64_t shortest_part = 1 << 15;
    const auto parts =
        static_cast<int>(std::clamp<std::int64_t>(items / std::max(shortest_part, static_cast<std::int64_t>(digits)), 1, pool.threads()));
    std::vector<std::vector<Number>> next(static_cast<std::size_t>(parts));
    const auto each_part = [&](const auto& visit) {
        pool.run(parts, [&](std::int64_t first, std::int64_t last) {
            for (auto part = first; part < last; ++part) {
                const auto [begin, end] = ThreadPool::piece(items, parts, static_cast<int>(part));
                visit(next[static_cast<std::size_t>(part)], begin, end);
            }
        });
    };
    for (auto& of_part : next) of_part.assign(digits, 0);
    each_part([&](std::vector<Number>& count, std::int64_t begin, std::int64_t end) {
        for (auto item = begin; item < end; ++item)
            if (const std::size_t digit = digit_of(item); digit < digits) ++count[digit];
    });
    std::vector<Number> starts(digits + 1, 0);
    Number before = 0;
    for (std::size_t digit = 0; digit < digits; ++digit) {
        starts[digit] = before;
        for (auto& of_part : next) {
            const Number count = of_part[digit];
            of_part[digit] = before;
            before += count;
        }
    }
    starts[digits] = before;
    each_part([&](std::vector<Number>& at, std::int64_t begin, std::int64_t end) {
        for (auto item = begin; item < end; ++item)
            if (const std::size_t digit = digit_of(item); digit < digits) put(item, at[digit]++);
    });
    return starts;
}

} // namespace tessera
