#include "host/schedule/candidates.hpp"

#include "host/schedule/estimates.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tessera {
namespace {

std::vector<FusedView> pipelines(int bits) {
    std::vector<FusedView> views;
    for (const int depth : {2, 3, 4, 5, 6, 8, 10, 12, 16})
        for (const int cells : bits > 0 ? std::vector{1} : std::vector{1, 2, 4})
            for (const int rows : {1, 4, 8, 16, 32, 64, 128}) views.push_back({FusedView::Kind::pipeline, depth, cells, rows, bits});
    return views;
}

std::vector<FusedView> tiles(int dimensions) {
    std::vector<FusedView> views;
    for (const int depth : {2, 3, 4, 5, 6, 8, 10, 12, 16})
        for (const int across : dimensions == 1 ? std::vector{512, 1024, 2048, 4096} : dimensions == 2 ? std::vector{128, 256, 512} : std::vector{32, 64})
            for (const int tall : dimensions < 3 ? std::vector{1} : std::vector{4, 8, 16})
                for (const int planes : dimensions == 1 ? std::vector{1} : std::vector{8, 16, 32, 64, 128})
                    views.push_back({FusedView::Kind::tile, depth, across, planes, 0, tall});
    return views;
}

std::vector<FusedView> blocks_for_cpu() {
    std::vector<FusedView> views;
    for (const int depth : {8, 4, 16})
        for (const int across : {4096, 1 << 20}) views.push_back({FusedView::Kind::blocks, depth, across, 512, 0});
    return views;
}

} // namespace

std::vector<FusedView> ranked_candidates(const Setup& setup, const CallSequence& sequence, const DeviceInfo& device, double step_seconds, int bits,
                                         std::size_t most) {
    std::vector<std::pair<double, FusedView>> ranked;
    if (device.name == "cpu") {
        if (bits == 0)
            for (const auto& view : blocks_for_cpu())
                if (obstacle(setup, sequence, view).empty()) ranked.push_back({static_cast<double>(ranked.size()), view});
    } else {
        const auto demand = demand_of(setup, sequence);
        const double bandwidth = static_cast<double>(setup.collections[sequence.collection].places()) * (demand.bytes_read + demand.bytes_written) / step_seconds;
        const auto estimate_all = [&](const std::vector<FusedView>& views) {
            for (const auto& view : views) {
                const double time = estimated_seconds(setup, sequence, demand, device, bandwidth, view);
                if (std::isfinite(time)) ranked.push_back({time, view});
            }
        };
        const int dimensions = setup.collections[sequence.collection].dimensions;
        estimate_all(pipelines(bits));
        if (bits == 0 && (ranked.empty() || dimensions == 1)) estimate_all(tiles(dimensions)); // in a plane, registers are faster by far
        std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    }
    std::vector<FusedView> views;
    for (const auto& [time, view] : ranked) {
        // Few that differ in nothing but their rows: the estimate may be wrong in the same way for all of them.
        const auto alike = std::count_if(views.begin(), views.end(), [&view = view](const FusedView& other) { return other.kind == view.kind && other.depth == view.depth && other.cells == view.cells; });
        if (static_cast<std::size_t>(alike) < (view.bits > 0 ? 2 : 1 + most / 12) && views.size() < most) views.push_back(view);
    }
    return views;
}

std::vector<FusedView> packed_and_plain_candidates(const Setup& setup, const CallSequence& sequence, const DeviceInfo& device, double step_seconds, int bits,
                                                   std::size_t most) {
    std::vector<FusedView> views;
    if (bits > 0) views = ranked_candidates(setup, sequence, device, step_seconds, bits, most / 2);
    const auto plain = ranked_candidates(setup, sequence, device, step_seconds, 0, most);
    views.insert(views.end(), plain.begin(), plain.end());
    return views;
}

} // namespace tessera
