#include "host/schedule/estimates.hpp"

#include "host/schedule/fused_patches.hpp"
#include "host/schedule/fused_tiles.hpp"
#include "host/schedule/program_plan.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tessera {
namespace {

constexpr double clock = 1.7e9;          // of a GPU, within some tenths
constexpr double lanes_a_cycle = 128;    // of one multiprocessor: instructions of one lane each
constexpr double registers = 65536;      // of one multiprocessor
constexpr double stage_cycles = 60;      // from one stage's row to the next stage's: a shuffle and some dependent instructions
constexpr double edge_bits_cycles = 800; // the same of bits in strips at the grid's edge, all of which a small grid has
constexpr double words_a_cycle = 32;     // that one multiprocessor loads from its shared memory
constexpr double shared_bytes = 200e3;   // of one multiprocessor
constexpr double barrier_cycles = 60;
constexpr double never = std::numeric_limits<double>::infinity();

// How much longer it takes because the last of `tiles` leave most of what works at once idle.
double unevenness(double at_once, double tiles) { return std::min(1 + 0.8 * at_once / tiles, 3.0); }

double seconds_by_pipeline(const Setup& setup, const CallSequence& sequence, const Demand& demand, const DeviceInfo& device,
                           double bandwidth, const FusedView& view) {
    const auto& collection = setup.collections[sequence.collection];
    if (view.rows > std::max<std::int64_t>(collection.size[1], 1)) return never;
    const double held = 32 + view.depth * view.cells * demand.kept * (view.bits > 0 ? 2.0 * view.bits : 1.3);
    if (held > 250) return never;
    const auto strips = strip_geometry(setup, sequence, view);
    const double wide = static_cast<double>(strips.width) / static_cast<double>(strips.useful);
    const double rows = view.rows + view.depth * (demand.low + demand.high), tall = rows / view.rows;
    const double places = static_cast<double>(collection.places()), tiles = static_cast<double>(strips.tiles);
    const double instructions = view.words ? 0.9 * view.bits : view.bits > 0 ? 1.2 * view.bits : demand.instructions;
    const double bytes_of_byte = view.words ? view.bits / 8.0 : 1;
    const double memory = places * bytes_of_byte * (demand.bytes_read * wide * tall + demand.bytes_written) / bandwidth / view.depth;
    const double warps = std::min(48.0, std::floor(registers / 32 / held)), resident = warps * device.processors;
    // Fewer do not hide how long an instruction takes. A lane's places do not wait for each other, nor do the bits' instructions.
    const double busy = std::min(warps * (view.bits > 0 ? 2 : view.cells) / 40, 1.0);
    const double issue = places * instructions * wide * tall / (device.processors * lanes_a_cycle * clock * 0.9 * busy);
    const double uneven = unevenness(resident, tiles);
    const bool has_inside = collection.size[0] > 3 * strips.width;
    const double chain = rows * (view.bits > 0 && !has_inside ? edge_bits_cycles : stage_cycles) / clock +
                         3e-6 / view.depth; // of one tile, and starting the kernel
    return std::max(std::max(memory, issue) * uneven, chain);
}

double seconds_by_patch(const Setup& setup, const CallSequence& sequence, const Demand& demand, const DeviceInfo& device, double bandwidth,
                        const FusedView& view) {
    constexpr double schedulers = 4; // of one multiprocessor; each issues an instruction of a warp in a cycle
    const auto& collection = setup.collections[sequence.collection];
    if (view.rows > collection.size[1]) return never;
    const auto strips = strip_geometry(setup, sequence, view);
    const auto size = size_of_patch(setup, sequence, view);
    const double wide = static_cast<double>(strips.width) / static_cast<double>(strips.useful),
                 tall = static_cast<double>(size.rows) / view.rows;
    const double memory =
        static_cast<double>(collection.places()) * (demand.bytes_read * wide * tall + demand.bytes_written) / bandwidth / view.depth;
    const double warps_a_scheduler = std::ceil(static_cast<double>(strips.tiles) / (schedulers * device.processors));
    const bool torus = collection.boundary[0] == run_file::Boundary::torus && collection.boundary[1] == run_file::Boundary::torus;
    const double instructions = static_cast<double>(size.rows * view.cells) * (demand.instructions + 2) *
                                (torus ? 1 : 3); // what is beyond is put in after each call
    const double step = std::max(warps_a_scheduler * instructions / 0.8, instructions / 0.8 + stage_cycles) / clock;
    return std::max(memory, step + 3e-6 / view.depth);
}

double seconds_by_tile(const Setup& setup, const CallSequence& sequence, const Demand& demand, const DeviceInfo& device, double bandwidth,
                       const FusedView& view) {
    const auto& collection = setup.collections[sequence.collection];
    const auto axes = axes_of(collection, view);
    if (view.cells > collection.size[0] || view.tall > collection.size[axes[2]] || view.rows > collection.size[axes[1]]) return never;
    const auto overlap = overlap_of_tiles(setup, sequence, view);
    const double places = static_cast<double>(collection.places()), tiles = static_cast<double>(count_of_tiles(collection, view));
    const double memory = places * (demand.bytes_read * overlap.first + demand.bytes_written) / bandwidth / view.depth;
    const double threads = threads_of_tile(view);
    const double blocks = std::floor(
        std::min(16.0 * block_threads / threads, shared_bytes / static_cast<double>(bytes_of_tile(setup, sequence, view) + 1024)));
    const double busy = std::min(blocks * threads / 32 / 20, 1.0),
                 cycles = std::max((demand.instructions + 12) / lanes_a_cycle, demand.loads / words_a_cycle);
    const double issue = places * cycles * overlap.mean / (device.processors * clock * 0.9 * busy);
    const double stages = static_cast<double>(sequence.phases.size()) * view.depth,
                 planes = view.rows + (stream_axis(collection, view) < collection.dimensions ? view.depth * (demand.low + demand.high) : 0);
    const double rounds = std::ceil(static_cast<double>(view.cells) * view.tall / threads);
    const double chain = planes * stages * (barrier_cycles + rounds * stage_cycles) / clock / view.depth + 3e-6 / view.depth;
    return std::max(std::max(memory, issue) * unevenness(blocks * device.processors, tiles), chain);
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
            const double width = use.low[dims][0] + 1 + use.high[dims][0], height = use.low[dims][1] + 1 + use.high[dims][1];
            const double seen =
                1 + (use.around ? (width * height * (use.low[dims][2] + 1 + use.high[dims][2]) - 1) / 2 : 0); // of a box, about half
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

double estimated_seconds(const Setup& setup, const CallSequence& sequence, const Demand& demand, const DeviceInfo& device, double bandwidth,
                         const FusedView& view) {
    if (!obstacle(setup, sequence, view).empty()) return never;
    if (view.kind == FusedView::Kind::patch) return seconds_by_patch(setup, sequence, demand, device, bandwidth, view);
    if (view.kind == FusedView::Kind::blocks) return never; // a CPU's, of which nothing here is true
    return view.kind == FusedView::Kind::tile ? seconds_by_tile(setup, sequence, demand, device, bandwidth, view)
                                              : seconds_by_pipeline(setup, sequence, demand, device, bandwidth, view);
}

} // namespace tessera
