// Times of steps: samples long enough to be trusted, and what is said of several.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace tessera::bench {

// Makes at least so many steps and returns when they are done: how many it made.
using Advance = std::function<std::uint64_t(std::uint64_t steps)>;

struct Quartiles {
    double low = 0, median = 0, high = 0;
};

// Of at least one value, with linear interpolation between neighbours in order.
[[nodiscard]] Quartiles quartiles(std::vector<double> values);

// Takes samples of at least 50 ms each.
class Sampler {
public:
    // Warms up: makes steps until it knows how many of them a sample takes.
    explicit Sampler(Advance advance);

    [[nodiscard]] double seconds_a_step(); // of one more sample

private:
    Advance advance_;
    std::uint64_t steps_ = 1; // of a sample
};

// So many samples; those of two are taken by turns, so that what disturbs the one disturbs the other.
[[nodiscard]] std::vector<double> samples_of(Sampler& sampler, int count);
struct Pair {
    std::vector<double> first, second;
};
[[nodiscard]] Pair alternating_samples_of(Sampler& first, Sampler& second, int count);

// The same of two whose steps take longer or shorter as they go on: what the first makes the second has to make as well, so that both are
// where the other is. The second makes exactly what it is asked for.
[[nodiscard]] Pair samples_in_step(const Advance& first, const Advance& second, int count);

} // namespace tessera::bench
