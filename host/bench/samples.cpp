#include "host/bench/samples.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

namespace tessera::bench {
namespace {

constexpr double shortest_sample = 0.05; // seconds

struct Timed {
    double seconds;
    std::uint64_t steps;
};

Timed time(const Advance& advance, std::uint64_t steps) {
    const auto begin = std::chrono::steady_clock::now();
    const auto made = advance(steps);
    return {std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(), made};
}

} // namespace

Quartiles quartiles(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const auto at = [&](double share) {
        const double position = share * static_cast<double>(values.size() - 1), below = std::floor(position);
        const auto i = static_cast<std::size_t>(below);
        return values[i] + (position - below) * (values[std::min(i + 1, values.size() - 1)] - values[i]);
    };
    return {at(0.25), at(0.5), at(0.75)};
}

// Twice, because the first time code is loaded, launches are recorded, and memory is touched.
Sampler::Sampler(Advance advance) : advance_(std::move(advance)) {
    while (time(advance_, steps_).seconds < shortest_sample || time(advance_, steps_).seconds < shortest_sample) steps_ *= 2;
}

double Sampler::seconds_a_step() {
    const auto timed = time(advance_, steps_);
    return timed.seconds / static_cast<double>(timed.steps);
}

std::vector<double> samples_of(Sampler& sampler, int count) {
    std::vector<double> samples;
    for (int i = 0; i < count; ++i) samples.push_back(sampler.seconds_a_step());
    return samples;
}

Pair alternating_samples_of(Sampler& first, Sampler& second, int count) {
    Pair samples;
    for (int i = 0; i < count; ++i) {
        samples.first.push_back(first.seconds_a_step());
        samples.second.push_back(second.seconds_a_step());
    }
    return samples;
}

Pair samples_in_step(const Advance& first, const Advance& second, int count) {
    std::uint64_t steps = 1;
    const auto both = [&] {
        const auto one = time(first, steps);
        return std::pair(one, time(second, one.steps));
    };
    const auto is_short = [&] {
        const auto [one, other] = both();
        return std::min(one.seconds, other.seconds) < shortest_sample;
    };
    while (is_short() || is_short()) steps *= 2; // twice, as above
    Pair samples;
    for (int i = 0; i < count; ++i) {
        const auto [one, other] = both();
        samples.first.push_back(one.seconds / static_cast<double>(one.steps));
        samples.second.push_back(other.seconds / static_cast<double>(other.steps));
    }
    return samples;
}

} // namespace tessera::bench
