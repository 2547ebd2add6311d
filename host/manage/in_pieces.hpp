// Work on a list by several threads.
#pragma once

#include "device_runtime/thread_pool.hpp"

#include <cstdint>

namespace tessera {

// Calls `body(begin, end)` for pieces of [0, items), side by side, and returns when all are done. Where there is too little to do for a
// second thread to gain anything, there is one piece.
template<class Body> void in_pieces(ThreadPool& team, std::int64_t items, const Body& body) {
    constexpr std::int64_t enough_for_two = 1 << 15;
    if (items < enough_for_two)
        body(std::int64_t{0}, items);
    else
        team.run(items, body);
}

} // namespace tessera
