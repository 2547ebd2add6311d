#include "host/views/tile.hpp"

#include "host/views/estimates.hpp"
#include "host/views/program_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace tessera {
namespace {

constexpr double words_a_cycle = 32;   // that one multiprocessor loads from its shared memory
constexpr double shared_bytes = 200e3; // of one multiprocessor
constexpr double barrier_cycles = 60;

// Places of a plane that stage k makes.
std::int64_t places_of_plane(const ProgramPlan& plan, const FusedView& view, std::size_t k) {
    const std::array<std::int64_t, 3> own{view.piece.width, 1, view.piece.height};
    std::int64_t places = 1;
    for (const std::size_t axis : {0, 2}) {
        const int low = plan.low_of_all(axis) - plan.low[axis][k], high = plan.high_of_all(axis) - plan.high[axis][k];
        places *= own[axis] + low + high;
    }
    return places;
}

// Whether there is more than one plane.
bool is_streamed(const CollectionSetup& collection, const FusedView& view) {
    return view.of->stream_axis(collection) < collection.dimensions;
}

// Bytes of shared memory of one tile, about.
std::int64_t bytes_of_tile(const Setup& setup, const CallSequence& sequence, const FusedView& view) {
    const auto& collection = setup.collections[sequence.collection];
    const auto plan = plan_of(setup, repeated(sequence, view.depth), view);
    const std::size_t stages = plan.kept.size();
    std::vector<std::int64_t> alive(stages); // at once: those of a single plane make room for each other
    for (std::size_t k = 0; k < stages; ++k)
        for (std::size_t c = 0; c < collection.columns.size(); ++c) {
            if (plan.kept[k][c].rows == 0) continue;
            const auto& layout = collection.columns[c].layout;
            const auto plane = (places_of_plane(plan, view, k) * static_cast<std::int64_t>(size_of(layout.type)) + 7) / 8 * 8;
            const auto bytes = plan.kept[k][c].rows * layout.elements * plane;
            const bool streamed = is_streamed(collection, view);
            for (std::size_t j = streamed ? 0 : k; j <= (streamed ? stages - 1 : plan.kept[k][c].last_reader); ++j) alive[j] += bytes;
        }
    return *std::max_element(alive.begin(), alive.end()) + 8;
}

// How many places are worked out for one that is stored: in the first step, and over all steps.
struct TileOverlap {
    double first = 1, mean = 1;
};
TileOverlap overlap_of_tiles(const Setup& setup, const CallSequence& sequence, const FusedView& view) {
    const auto plan = plan_of(setup, repeated(sequence, view.depth), view);
    const std::size_t stages = plan.lag.size();
    const double own = static_cast<double>(view.piece.width) * view.piece.height * view.piece.length;
    const auto made = [&](std::size_t k) {
        const int planes = view.piece.length + plan.low_of_all(1) - plan.low[1][k] + plan.high_of_all(1) - plan.high[1][k];
        return static_cast<double>(places_of_plane(plan, view, k)) * planes / own;
    };
    TileOverlap overlap{made(0), 0};
    for (std::size_t k = 0; k < stages; ++k) overlap.mean += made(k) / static_cast<double>(stages);
    return overlap;
}

// Of a block: each has two places of a plane, where that is not too many.
int threads_of_tile(const FusedView& view) {
    constexpr int most = 512;
    return std::clamp(view.piece.width * view.piece.height / 2 / block_threads * block_threads, int{block_threads}, most);
}

// In x, and along the axis that is not streamed.
std::int64_t tiles_of_plane(const CollectionSetup& collection, const FusedView& view) {
    const auto across = (collection.size[0] + view.piece.width - 1) / view.piece.width,
               other = collection.size[axes_of(collection, view)[2]];
    return across * ((other + view.piece.height - 1) / view.piece.height);
}
std::int64_t count_of_tiles(const CollectionSetup& collection, const FusedView& view) {
    const auto streamed = collection.size[axes_of(collection, view)[1]];
    return tiles_of_plane(collection, view) * ((streamed + view.piece.length - 1) / view.piece.length);
}

class TileClass final : public FusedViewClass {
public:
    [[nodiscard]] std::vector<Spelling> spellings() const override {
        return {{"tile", "DxWxH, tile:DxWxHxP", 3, 4,
                 "tile:3x128x32 is 3 steps, and tiles of 128 x 32 places; tile:2x32x8x16 is 2 steps of 32 x 8 x 16"}};
    }
    [[nodiscard]] std::optional<FusedView> read(const std::string&, const std::vector<int>& numbers, std::string&) const override {
        return numbers.size() > 3 ? tile_view(numbers[0], numbers[1], numbers[3], numbers[2])
                                  : tile_view(numbers[0], numbers[1], numbers[2]);
    }
    [[nodiscard]] std::string spelled(const FusedView& view) const override {
        const auto& [width, length, height] = view.piece;
        return height > 1 ? fmt::format("tile:{}x{}x{}x{}", view.depth, width, height, length)
                          : fmt::format("tile:{}x{}x{}", view.depth, width, length);
    }
    [[nodiscard]] std::string kind(const FusedView&) const override { return "tile"; }
    [[nodiscard]] std::string text(const FusedView& view) const override {
        const auto& [width, length, height] = view.piece;
        return fmt::format("tile, {}, {}{}{} places", counted(view.depth, "step"), width, height > 1 ? fmt::format(" x {}", height) : "",
                           length > 1 ? fmt::format(" x {}", length) : "");
    }

    [[nodiscard]] std::string obstacle(const Setup& setup, const CallSequence& sequence, const FusedView& view) const override {
        if (view.piece.height > 1 && setup.collections[sequence.collection].dimensions < 3)
            return "tiles of planes are for grids of three dimensions";
        const auto bytes = bytes_of_tile(setup, sequence, view);
        if (bytes > most_shared_bytes)
            return fmt::format("{} steps keep {} KiB of a tile, and shared memory has {}", view.depth, (bytes + 1023) / 1024,
                               most_shared_bytes / 1024);
        return {};
    }
    [[nodiscard]] std::string obstacle_to_depth(const Setup& setup, const CallSequence& sequence, int depth) const override {
        const auto dimensions = setup.collections[sequence.collection].dimensions;
        const auto smallest = dimensions == 1   ? tile_view(depth, 512, 1)
                              : dimensions == 2 ? tile_view(depth, 128, 8)
                                                : tile_view(depth, 32, 8, 4);
        const auto why = obstacle(setup, sequence, smallest);
        return why.empty() ? "the grid is smaller than a tile" : why;
    }

    [[nodiscard]] std::vector<FusedView> pieces(const CollectionSetup& collection, const DeviceInfo&, int bits) const override {
        const int dimensions = collection.dimensions;
        std::vector<FusedView> views;
        if (bits > 0) return views;
        for (const int depth : depths_tried(true))
            for (const int width : dimensions == 1   ? std::vector{512, 1024, 2048, 4096}
                                   : dimensions == 2 ? std::vector{128, 256, 512}
                                                     : std::vector{32, 64})
                for (const int height : dimensions < 3 ? std::vector{1} : std::vector{4, 8, 16})
                    for (const int length : dimensions == 1 ? std::vector{1} : std::vector{8, 16, 32, 64, 128})
                        views.push_back(tile_view(depth, width, length, height));
        return views;
    }
    // In a plane, rows are streamed through registers faster by far than through shared memory.
    [[nodiscard]] bool is_last_resort(const CollectionSetup& collection) const override { return collection.dimensions == 2; }
    [[nodiscard]] double seconds(const Setup& setup, const CallSequence& sequence, const DeviceInfo& device, const StepCosts& single,
                                 const FusedView& view) const override;

    [[nodiscard]] int stream_axis(const CollectionSetup& collection) const override { return collection.dimensions == 3 ? 2 : 1; }
    [[nodiscard]] int threads(const FusedView& view) const override { return threads_of_tile(view); }
    [[nodiscard]] Tiling tiling(const Setup& setup, const CallSequence& sequence, const FusedView& view) const override {
        const int threads = threads_of_tile(view);
        return {tiles_of_plane(setup.collections[sequence.collection], view), view.piece.length, threads, threads};
    }
    [[nodiscard]] std::string header() const override { return "tile.hpp"; }
    [[nodiscard]] std::string call(const FusedView& view, const std::string& program) const override {
        return fmt::format("call_tiles<{}, {}, {}, {}>", program, view.piece.width, view.piece.height, view.piece.length);
    }
};

double TileClass::seconds(const Setup& setup, const CallSequence& sequence, const DeviceInfo& device, const StepCosts& single,
                          const FusedView& view) const {
    const auto& demand = single.demand;
    const auto& collection = setup.collections[sequence.collection];
    const auto axes = axes_of(collection, view);
    if (view.piece.width > collection.size[0] || view.piece.height > collection.size[axes[2]] ||
        view.piece.length > collection.size[axes[1]])
        return never;
    const auto overlap = overlap_of_tiles(setup, sequence, view);
    const double places = static_cast<double>(collection.places()), tiles = static_cast<double>(count_of_tiles(collection, view));
    const double memory = places * (demand.bytes_read * overlap.first + demand.bytes_written) / single.bandwidth / view.depth;
    const double threads = threads_of_tile(view);
    const double blocks = std::floor(
        std::min(16.0 * block_threads / threads, shared_bytes / static_cast<double>(bytes_of_tile(setup, sequence, view) + 1024)));
    const double busy = std::min(blocks * threads / 32 / 20, 1.0),
                 finding = collection.dimensions == 3 ? 60 : 12, // instructions for where a place's neighbours are, as measured with heat
        cycles = std::max((demand.instructions + finding) / lanes_a_cycle, demand.loads / words_a_cycle);
    const double issue = places * cycles * overlap.mean / (device.processors * clock_rate * 0.9 * busy);
    const double stages = static_cast<double>(sequence.phases.size()) * view.depth,
                 planes =
                     view.piece.length + (stream_axis(collection) < collection.dimensions ? view.depth * (demand.low + demand.high) : 0);
    const double rounds = std::ceil(static_cast<double>(view.piece.width) * view.piece.height / threads);
    const double chain = planes * stages * (barrier_cycles + rounds * stage_cycles) / clock_rate / view.depth + kernel_start / view.depth;
    return with_computing(std::max(std::max(memory, issue) * unevenness(blocks * device.processors, tiles), chain), single, overlap.mean,
                          view.depth);
}

} // namespace

const FusedViewClass& tile_class() {
    static const TileClass instance;
    return instance;
}

FusedView tile_view(int depth, int width, int length, int height) { return {&tile_class(), depth, {width, length, height}}; }

} // namespace tessera
