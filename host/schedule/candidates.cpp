#include "host/schedule/candidates.hpp"

#include "host/schedule/estimates.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace tessera {
namespace {

constexpr std::array depths_by_promise_on_cpu{8, 4, 16};

// Pieces that are about `wanted` long, of `extent`: as many as threads have alike.
std::int64_t even_piece(std::int64_t extent, std::int64_t wanted, std::int64_t threads) {
    const std::int64_t pieces = ((extent + wanted - 1) / wanted + threads - 1) / threads * threads;
    return (extent + pieces - 1) / pieces;
}

// A line is cut in places; anything else in rows, beside each other where a row is long.
FusedView blocks(const CollectionSetup& collection, const DeviceInfo& device, int depth, int across) {
    constexpr int rows = 512, a_line = 64; // places, so that no two threads write the same lines of the cache
    const std::int64_t threads = std::max(device.processors, 1), nx = collection.size[0], ny = collection.size[1];
    FusedView view{FusedView::Kind::blocks, depth, across, rows, 0};
    if (ny == 1)
        view.cells = static_cast<int>((even_piece(nx, across, threads) + a_line - 1) / a_line * a_line);
    else if (nx <= across)
        view.rows = static_cast<int>(even_piece(ny, rows, threads));
    return view;
}

std::vector<FusedView> blocks_for_cpu(const CollectionSetup& collection, const DeviceInfo& device) {
    std::vector<FusedView> views;
    for (const int depth : depths_by_promise_on_cpu)
        for (const int across : {4096, 1 << 20})
            if (const auto view = blocks(collection, device, depth, across); views.empty() || views.back() != view) views.push_back(view);
    return views;
}

std::vector<FusedView> pipelines_for_gpu(int bits, bool words) {
    std::vector<FusedView> views;
    for (const int depth : depths_tried(true))
        for (const int cells : bits > 0 ? std::vector{1} : std::vector{1, 2, 4})
            for (const int rows : {1, 4, 8, 16, 32, 48, 64, 96, 128})
                views.push_back({FusedView::Kind::pipeline, depth, cells, rows, bits, 1, words});
    return views;
}

std::vector<FusedView> tiles_for_gpu(int dimensions) {
    std::vector<FusedView> views;
    for (const int depth : depths_tried(true))
        for (const int across : dimensions == 1   ? std::vector{512, 1024, 2048, 4096}
                                : dimensions == 2 ? std::vector{128, 256, 512}
                                                  : std::vector{32, 64})
            for (const int tall : dimensions < 3 ? std::vector{1} : std::vector{4, 8, 16})
                for (const int planes : dimensions == 1 ? std::vector{1} : std::vector{8, 16, 32, 64, 128})
                    views.push_back({FusedView::Kind::tile, depth, across, planes, 0, tall});
    return views;
}

std::vector<FusedView> patches_for_gpu() {
    std::vector<FusedView> views;
    for (const int depth : depths_tried(true))
        for (const int cells : {1, 2, 4})
            for (const int rows : {2, 4, 6, 8, 10, 12, 14, 16, 20, 24, 32})
                views.push_back({FusedView::Kind::patch, depth, cells, rows, 0});
    return views;
}

void append(std::vector<FusedView>& views, const std::vector<FusedView>& more) { views.insert(views.end(), more.begin(), more.end()); }

// Few that differ in nothing but their rows, and some of each kind that is not far behind: the estimate may be wrong in the same way for
// all alike.
std::vector<FusedView> unlike(const std::vector<std::pair<double, FusedView>>& ranked, std::size_t most) {
    constexpr double not_far = 1.6;
    constexpr std::size_t of_each_kind = 2;
    std::vector<FusedView> views;
    const auto is_new = [&](const FusedView& view) {
        const auto alike = std::count_if(views.begin(), views.end(), [&](const FusedView& other) {
            return other.kind == view.kind && other.depth == view.depth && other.cells == view.cells && other.tall == view.tall;
        });
        return static_cast<std::size_t>(alike) < 1 + most / 12;
    };
    for (const auto kind : {FusedView::Kind::pipeline, FusedView::Kind::patch, FusedView::Kind::tile}) {
        std::size_t taken = 0;
        for (const auto& [time, view] : ranked)
            if (view.kind == kind && taken < of_each_kind && views.size() < most && time < not_far * ranked.front().first && is_new(view))
                views.push_back(view), ++taken;
    }
    for (const auto& [time, view] : ranked)
        if (views.size() < most && std::find(views.begin(), views.end(), view) == views.end() && is_new(view)) views.push_back(view);
    const auto place = [&](const FusedView& view) {
        return std::find_if(ranked.begin(), ranked.end(), [&](const auto& one) { return one.second == view; });
    };
    std::sort(views.begin(), views.end(), [&](const FusedView& a, const FusedView& b) { return place(a) < place(b); });
    return views;
}

} // namespace

const std::vector<int>& depths_tried(bool cuda) {
    static const std::vector<int> on_gpu{2, 3, 4, 5, 6, 8, 10, 12, 16}, on_cpu = [] {
        std::vector<int> depths(depths_by_promise_on_cpu.begin(), depths_by_promise_on_cpu.end());
        std::sort(depths.begin(), depths.end());
        return depths;
    }();
    return cuda ? on_gpu : on_cpu;
}

std::vector<FusedView> possible_views(const Setup& setup, const CallSequence& sequence, const DeviceInfo& device, int bits) {
    const auto& collection = setup.collections[sequence.collection];
    if (device.kind == DeviceKind::cpu && bits > 0) return {};
    const auto that_fit = [&](std::vector<FusedView> views) {
        views.erase(
            std::remove_if(views.begin(), views.end(), [&](const FusedView& view) { return !obstacle(setup, sequence, view).empty(); }),
            views.end());
        return views;
    };
    if (device.kind == DeviceKind::cpu) return that_fit(blocks_for_cpu(collection, device));
    auto views = that_fit(pipelines_for_gpu(bits, bits > 0));
    if (views.empty()) views = that_fit(pipelines_for_gpu(bits, false));
    if (bits > 0) return views;
    if (collection.dimensions == 2) append(views, that_fit(patches_for_gpu()));
    append(views, that_fit(tiles_for_gpu(collection.dimensions)));
    return views;
}

std::vector<FusedView> neighbours_of(const FusedView& view, const std::vector<FusedView>& possible) {
    std::vector<FusedView> neighbours;
    for (int FusedView::*varied : {&FusedView::rows, &FusedView::depth, &FusedView::cells}) {
        std::optional<FusedView> below, above;
        for (const auto& other : possible) {
            FusedView alike = other;
            alike.*varied = view.*varied;
            if (alike != view) continue;
            if (other.*varied < view.*varied && (!below || other.*varied > (*below).*varied)) below = other;
            if (other.*varied > view.*varied && (!above || other.*varied < (*above).*varied)) above = other;
        }
        for (const auto& one : {below, above})
            if (one) neighbours.push_back(*one);
    }
    return neighbours;
}

bool hopeless(double predicted_seconds, double step_seconds) { return predicted_seconds > 1.5 * step_seconds; }

double predicted_seconds(const Setup& setup, const CallSequence& sequence, const DeviceInfo& device, double step_seconds,
                         const FusedView& view) {
    const auto demand = demand_of(setup, sequence);
    const double bandwidth =
        static_cast<double>(setup.collections[sequence.collection].places()) * (demand.bytes_read + demand.bytes_written) / step_seconds;
    return estimated_seconds(setup, sequence, demand, device, bandwidth, view);
}

std::vector<FusedView> ranked_neighbours(const Setup& setup, const CallSequence& sequence, const DeviceInfo& device, double step_seconds,
                                         const FusedView& view, std::size_t most) {
    std::vector<std::pair<double, FusedView>> ranked;
    for (const auto& other : neighbours_of(view, possible_views(setup, sequence, device, view.bits)))
        ranked.push_back({predicted_seconds(setup, sequence, device, step_seconds, other), other});
    std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<FusedView> views;
    for (const auto& [time, other] : ranked)
        if (views.size() < most && (std::isfinite(time) || other.kind == FusedView::Kind::blocks)) views.push_back(other);
    return views;
}

std::vector<FusedView> ranked_candidates(const Setup& setup, const CallSequence& sequence, const DeviceInfo& device, double step_seconds,
                                         int bits, std::size_t most) {
    const auto& collection = setup.collections[sequence.collection];
    std::vector<std::pair<double, FusedView>> ranked;
    for (const auto& view : possible_views(setup, sequence, device, bits)) {
        // In a plane, rows are streamed through registers faster by far than through shared memory.
        const bool slow_tile = view.kind == FusedView::Kind::tile && collection.dimensions == 2;
        if (slow_tile && !ranked.empty() && ranked.front().second.kind == FusedView::Kind::pipeline) continue;
        const double time = view.kind == FusedView::Kind::blocks ? static_cast<double>(ranked.size())
                                                                 : predicted_seconds(setup, sequence, device, step_seconds, view);
        if (std::isfinite(time)) ranked.push_back({time, view});
    }
    std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    return unlike(ranked, most);
}

std::vector<FusedView> packed_and_plain_candidates(const Setup& setup, const CallSequence& sequence, const DeviceInfo& device,
                                                   double step_seconds, int bits, std::size_t most) {
    std::vector<FusedView> views;
    if (bits > 0) views = ranked_candidates(setup, sequence, device, step_seconds, bits, most / 2);
    views.erase(std::remove_if(views.begin(), views.end(),
                               [&](const FusedView& view) {
                                   return hopeless(predicted_seconds(setup, sequence, device, step_seconds, view), step_seconds);
                               }),
                views.end());
    append(views, ranked_candidates(setup, sequence, device, step_seconds, 0, most));
    return views;
}

} // namespace tessera
