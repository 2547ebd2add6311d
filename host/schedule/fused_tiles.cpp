#include "host/schedule/fused_tiles.hpp"

#include "host/schedule/program_plan.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tessera {
namespace {

constexpr std::int64_t most_bytes = 48 << 10; // of shared memory that a kernel has without asking for more

// Places of a plane that stage k makes.
std::int64_t places_of_plane(const ProgramPlan& plan, const FusedView& view, std::size_t k) {
    const std::array<std::int64_t, 3> own{view.cells, 1, view.tall};
    std::int64_t places = 1;
    for (const std::size_t axis : {0, 2}) {
        const int low = plan.until.back().low[axis] - plan.until[k].low[axis],
                  high = plan.until.back().high[axis] - plan.until[k].high[axis];
        places *= own[axis] + low + high;
    }
    return places;
}

} // namespace

std::int64_t bytes_of_tile(const Setup& setup, const CallSequence& sequence, const FusedView& view) {
    const auto& collection = setup.collections[sequence.collection];
    const auto plan = plan_of(setup, repeated(sequence, view.depth), view);
    const std::size_t stages = plan.kept.size();
    std::vector<std::int64_t> alive(stages); // at once: those of a single plane make room for each other
    for (std::size_t k = 0; k < stages; ++k)
        for (std::size_t c = 0; c < collection.columns.size(); ++c) {
            if (plan.kept[k][c] == 0) continue;
            const auto& layout = collection.columns[c].layout;
            const auto plane = (places_of_plane(plan, view, k) * static_cast<std::int64_t>(size_of(layout.type)) + 7) / 8 * 8;
            const auto bytes = plan.kept[k][c] * layout.elements * plane;
            const bool streamed = stream_axis(collection, view) < collection.dimensions;
            for (std::size_t j = streamed ? 0 : k; j <= (streamed ? stages - 1 : plan.last_reader[k][c]); ++j) alive[j] += bytes;
        }
    return *std::max_element(alive.begin(), alive.end()) + 8;
}

std::string obstacle_to_tiles(const Setup& setup, const CallSequence& sequence, const FusedView& view) {
    if (view.tall > 1 && setup.collections[sequence.collection].dimensions < 3) return "tiles of planes are for grids of three dimensions";
    const auto bytes = bytes_of_tile(setup, sequence, view);
    if (bytes > most_bytes)
        return fmt::format("{} steps keep {} KiB of a tile, and shared memory has {}", view.depth, (bytes + 1023) / 1024,
                           most_bytes / 1024);
    return {};
}

TileOverlap overlap_of_tiles(const Setup& setup, const CallSequence& sequence, const FusedView& view) {
    const auto plan = plan_of(setup, repeated(sequence, view.depth), view);
    const std::size_t stages = plan.until.size();
    const double own = static_cast<double>(view.cells) * view.tall * view.rows;
    const auto made = [&](std::size_t k) {
        const auto& last = plan.until.back();
        const int planes = view.rows + last.low[1] - plan.until[k].low[1] + last.high[1] - plan.until[k].high[1];
        return static_cast<double>(places_of_plane(plan, view, k)) * planes / own;
    };
    TileOverlap overlap{made(0), 0};
    for (std::size_t k = 0; k < stages; ++k) overlap.mean += made(k) / static_cast<double>(stages);
    return overlap;
}

int threads_of_tile(const FusedView& view) {
    constexpr int most = 512;
    return std::clamp(view.cells * view.tall / 2 / block_threads * block_threads, int{block_threads}, most);
}

std::int64_t count_of_tiles(const CollectionSetup& collection, const FusedView& view) {
    const auto axes = axes_of(collection, view);
    const std::array<std::int64_t, 3> own{view.cells, view.rows, view.tall};
    std::int64_t tiles = 1;
    for (std::size_t i = 0; i < 3; ++i) tiles *= (collection.size[axes[i]] + own[i] - 1) / own[i];
    return tiles;
}

} // namespace tessera
