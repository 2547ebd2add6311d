// Medians of wall-clock time.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

namespace tessera::bench {

inline double seconds_since(std::chrono::steady_clock::time_point begin) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

inline double median(std::vector<double> times) {
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

// Microseconds a step of `advance(steps)`, which returns when the steps are done: the median of 9 runs of at least 50 ms, after a warm-up.
template<class Advance> double time_steps(const Advance& advance) {
    advance(1024); // segments reach their length, the clock its speed
    auto begin = std::chrono::steady_clock::now();
    advance(256);
    const auto steps = std::max<std::uint64_t>(static_cast<std::uint64_t>(0.05 / (seconds_since(begin) / 256)) / 256, 1) * 256;
    std::vector<double> times;
    for (int i = 0; i < 9; ++i) {
        begin = std::chrono::steady_clock::now();
        advance(steps);
        times.push_back(seconds_since(begin) / static_cast<double>(steps) * 1e6);
    }
    return median(times);
}

} // namespace tessera::bench
