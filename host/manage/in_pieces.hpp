// Work on a list by several threads.
#pragma once

#include "device_runtime/thread_pool.hpp"

#include <atomic>
#include <cstdint>

namespace tessera {

// Numbers of a list from which on a second thread gains anything.
inline constexpr std::int64_t enough_for_two = 1 << 15;
[[nodiscard]] inline bool pays_for_two(const ThreadPool& team, std::int64_t numbers) noexcept {
    return team.threads() > 1 && numbers >= enough_for_two;
}

// Calls `body(begin, end)` for pieces of [0, numbers), side by side, and returns when all are done; for one piece where that is too little.
template<class Body> void in_pieces(ThreadPool& team, std::int64_t numbers, const Body& body) {
    if (pays_for_two(team, numbers))
        team.run(numbers, body);
    else
        body(std::int64_t{0}, numbers);
}

// Calls `body(number)` for each of some tasks that may differ in length: whoever is done takes the next one.
template<class Body> void one_by_one(ThreadPool& team, int tasks, const Body& body) {
    std::atomic<int> next{0};
    team.run(team.threads(), [&](std::int64_t, std::int64_t) {
        for (int task = next++; task < tasks; task = next++) body(task);
    });
}

} // namespace tessera
