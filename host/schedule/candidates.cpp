#include "host/schedule/candidates.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace tessera {
namespace {

constexpr double clock = 1.7e9;         // of a GPU, within some tenths
constexpr double lanes_a_cycle = 128;   // of one multiprocessor: instructions of one lane each
constexpr double registers = 65536;     // of one multiprocessor
constexpr double stage_cycles = 60;     // from one stage's row to the next stage's: a shuffle and some dependent instructions

constexpr std::array depths_by_promise_on_cpu{8, 4, 16};

// What one step of a sequence asks for, a place.
struct Demand {
    double bytes_read = 0, bytes_written = 0; // of memory, each column once
    double instructions = 2, kept = 0;        // 32-bit registers that a stage keeps for each place of a row
    int low = 0, high = 0;                    // reach in y, a step
};

Demand demand_of(const Setup& setup, const CallSequence& sequence) {
    const auto& collection = setup.collections[sequence.collection];
    const auto dims = static_cast<std::size_t>(collection.dimensions - 1);
    Demand demand;
    std::vector<bool> is_read(collection.columns.size());
    const auto written = repeated(sequence, 2).written(setup);
    for (std::size_t call = 0; call < sequence.phases.size(); ++call) {
        const auto kernel = std::get<CallPhase>(setup.phases[sequence.phases[call]].action).kernel;
        const auto& uses = setup.description().functions[setup.kernels[kernel].function].uses;
        int low = 0, high = 0;
        for (std::size_t m = 0; m < uses.size(); ++m) {
            const auto& use = uses[m];
            const auto column = sequence.columns[call][m];
            const double words = std::max(1.0, static_cast<double>(size_of(collection.columns[column].layout.type)) / 4) * collection.columns[column].layout.elements;
            low = std::max(low, use.low[dims][1]), high = std::max(high, use.high[dims][1]);
            if (use.reads) is_read[column] = true;
            const double width = use.low[dims][0] + 1 + use.high[dims][0], height = use.low[dims][1] + 1 + use.high[dims][1];
            if (use.reads) demand.instructions += words * (1 + (use.around ? (width * height - 1) / 2 : 0)); // of a box, about half
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

// Seconds a step by a pipeline; infinite if it does not fit.
double estimate(const Setup& setup, const CallSequence& sequence, const Demand& demand, const DeviceInfo& device, double bandwidth, const FusedView& view) {
    const double never = std::numeric_limits<double>::infinity();
    const auto& collection = setup.collections[sequence.collection];
    if (view.rows > std::max<std::int64_t>(collection.size[1], 1)) return never;
    const double held = 32 + view.depth * view.cells * demand.kept * (view.bits > 0 ? 2.0 * view.bits : 1.3);
    if (held > 250) return never;
    const auto strips = strip_geometry(setup, sequence, view);
    const double wide = static_cast<double>(strips.width) / static_cast<double>(strips.useful);
    const double rows = view.rows + view.depth * (demand.low + demand.high), tall = rows / view.rows;
    const double places = static_cast<double>(collection.places()), tiles = static_cast<double>(strips.tiles);
    const double instructions = view.bits > 0 ? 1.2 * view.bits : demand.instructions;
    const double memory = places * (demand.bytes_read * wide * tall + demand.bytes_written) / bandwidth / view.depth;
    const double warps = std::min(48.0, std::floor(registers / 32 / held)), resident = warps * device.processors;
    const double busy = std::min(warps / 20, 1.0); // fewer do not hide how long an instruction takes
    const double issue = places * instructions * wide * tall / (device.processors * lanes_a_cycle * clock * 0.9 * busy);
    const double uneven = 1 + 0.5 * resident / tiles; // the last tiles leave half of the device idle
    const double chain = rows * stage_cycles / clock + 3e-6 / view.depth; // of one tile, and starting the kernel
    return std::max(std::max(memory, issue) * std::min(uneven, 3.0), chain);
}

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
    if (ny == 1) view.cells = static_cast<int>((even_piece(nx, across, threads) + a_line - 1) / a_line * a_line);
    else if (nx <= across) view.rows = static_cast<int>(even_piece(ny, rows, threads));
    return view;
}

std::vector<FusedView> blocks_for_cpu(const CollectionSetup& collection, const DeviceInfo& device) {
    std::vector<FusedView> views;
    for (const int depth : depths_by_promise_on_cpu)
        for (const int across : {4096, 1 << 20})
            if (const auto view = blocks(collection, device, depth, across); views.empty() || views.back() != view) views.push_back(view);
    return views;
}

std::vector<FusedView> pipelines_for_gpu(int bits) {
    std::vector<FusedView> views;
    for (const int depth : depths_tried(true))
        for (const int cells : bits > 0 ? std::vector{1} : std::vector{1, 2, 4})
            for (const int rows : {1, 4, 8, 16, 32, 64, 128}) views.push_back({FusedView::Kind::pipeline, depth, cells, rows, bits});
    return views;
}

// Few that differ in nothing but their rows: the estimate may be wrong in the same way for all of them.
std::vector<FusedView> unlike(const std::vector<std::pair<double, FusedView>>& ranked, std::size_t most) {
    std::vector<FusedView> views;
    for (const auto& [time, view] : ranked) {
        const auto alike = std::count_if(views.begin(), views.end(), [&view = view](const FusedView& other) { return other.depth == view.depth && other.cells == view.cells; });
        if (static_cast<std::size_t>(alike) < (view.bits > 0 ? 2 : 1 + most / 12) && views.size() < most) views.push_back(view);
    }
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
    if (device.name == "cpu" && bits > 0) return {};
    auto views = device.name == "cpu" ? blocks_for_cpu(setup.collections[sequence.collection], device) : pipelines_for_gpu(bits);
    views.erase(std::remove_if(views.begin(), views.end(), [&](const FusedView& view) { return !obstacle(setup, sequence, view).empty(); }), views.end());
    return views;
}

std::vector<FusedView> ranked_candidates(const Setup& setup, const CallSequence& sequence, const DeviceInfo& device, double step_seconds, int bits,
                                         std::size_t most) {
    std::vector<std::pair<double, FusedView>> ranked;
    const auto demand = demand_of(setup, sequence);
    const double bandwidth = static_cast<double>(setup.collections[sequence.collection].places()) * (demand.bytes_read + demand.bytes_written) / step_seconds;
    for (const auto& view : possible_views(setup, sequence, device, bits)) {
        const double time = view.kind == FusedView::Kind::blocks ? static_cast<double>(ranked.size()) : estimate(setup, sequence, demand, device, bandwidth, view);
        if (std::isfinite(time)) ranked.push_back({time, view});
    }
    std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    return unlike(ranked, most);
}

} // namespace tessera
