#include "host/views/estimates.hpp"

#include <algorithm>

namespace tessera {

double unevenness(double at_once, double tiles) { return std::min(1 + 0.8 * at_once / tiles, 3.0); }

double with_computing(double seconds, const StepCosts& single, double redundant, int depth) {
    const double least = single.computing * redundant + (single.seconds - single.computing) / depth;
    return least < worth_a_change * single.seconds ? std::max(seconds, least) : never;
}

const std::vector<int>& depths_by_promise_on_cpu() {
    static const std::vector depths{8, 4, 16};
    return depths;
}

const std::vector<int>& depths_tried(bool cuda) {
    static const std::vector<int> on_gpu{2, 3, 4, 5, 6, 8, 10, 12, 16}, on_cpu = [] {
        auto depths = depths_by_promise_on_cpu();
        std::sort(depths.begin(), depths.end());
        return depths;
    }();
    return cuda ? on_gpu : on_cpu;
}

namespace {

// Places that are seen, with the own one: of a box about half, of a volume those along the axes if it is known.
double seen_around(const model::Use& use, std::size_t dims) {
    double box = 1, along = 1;
    for (const std::size_t axis : {0, 1, 2}) {
        const int beside = use.low[dims][axis] + use.high[dims][axis];
        box *= beside + 1, along += beside;
    }
    return dims == 2 && use.along_axes ? along : 1 + (box - 1) / 2;
}

} // namespace

Demand demand_of(const Setup& setup, const CallSequence& sequence) {
    const auto& collection = setup.collections[sequence.collection];
    const auto dims = static_cast<std::size_t>(collection.dimensions - 1);
    Demand demand;
    std::vector<bool> is_read(collection.columns.size());
    const auto written = repeated(sequence, 2).written(setup);
    for (std::size_t call = 0; call < sequence.phases.size(); ++call) {
        const auto& uses = uses_of(setup, sequence.phases[call]);
        int low = 0, high = 0;
        for (std::size_t m = 0; m < uses.size(); ++m) {
            const auto& use = uses[m];
            const auto column = sequence.columns[call][m];
            const double words = std::max(1.0, static_cast<double>(size_of(collection.columns[column].layout.type)) / 4) *
                                 collection.columns[column].layout.elements;
            low = std::max(low, use.low[dims][1]), high = std::max(high, use.high[dims][1]);
            if (use.reads) is_read[column] = true;
            const double height = use.low[dims][1] + 1 + use.high[dims][1], seen = use.around ? seen_around(use, dims) : 1;
            if (use.reads) demand.instructions += words * seen, demand.loads += words * seen;
            if (use.reads) demand.kept += words * height;
            if (use.writes) demand.instructions += words;
        }
        demand.low += low, demand.high += high;
    }
    for (std::size_t c = 0; c < collection.columns.size(); ++c) {
        const double bytes = static_cast<double>(size_of(collection.columns[c].layout.type)) * collection.columns[c].layout.elements;
        if (is_read[c] || written[c]) demand.bytes_read += bytes;
        if (written[c]) demand.bytes_written += bytes;
    }
    return demand;
}

StepCosts costs_of(const Setup& setup, const CallSequence& sequence, const DeviceInfo& device, double step_seconds) {
    constexpr double reached = 0.75, start = 2e-6; // of the memory's speed; seconds of a kernel's beginning and end
    StepCosts costs;
    costs.demand = demand_of(setup, sequence);
    costs.seconds = step_seconds;
    const double bytes =
        static_cast<double>(setup.collections[sequence.collection].places()) * (costs.demand.bytes_read + costs.demand.bytes_written);
    costs.bandwidth = bytes / step_seconds;
    if (device.memory_bandwidth > 0) costs.computing = std::max(step_seconds - start - bytes / (reached * device.memory_bandwidth), 0.0);
    return costs;
}

} // namespace tessera
