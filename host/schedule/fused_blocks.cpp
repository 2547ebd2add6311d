#include "host/schedule/fused_blocks.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tessera {
namespace {

// Rows stand on the stack, and are meant to stay in the second-level cache.
constexpr std::int64_t most_bytes = 1 << 20, narrowest = 256;

const KernelSetup& kernel_of(const Setup& setup, std::size_t phase) { return setup.kernels[std::get<CallPhase>(setup.phases[phase].action).kernel]; }
const std::vector<model::Use>& uses_of(const Setup& setup, std::size_t phase) {
    return setup.description().functions[kernel_of(setup, phase).function].uses;
}

// How far a call sees: to either side in x, up, down.
struct Sight {
    int aside = 0, above = 0, below = 0;
};
Sight sight_of(const CollectionSetup& collection, const model::Use& use) {
    const auto dims = static_cast<std::size_t>(collection.dimensions - 1);
    const auto& low = use.low[dims];
    const auto& high = use.high[dims];
    const bool symmetric = collection.boundary[1] == run_file::Boundary::reflect; // program.hpp: make_symmetric
    const int both = std::max<int>(low[1], high[1]);
    return {std::max<int>(low[0], high[0]), symmetric ? both : low[1], symmetric ? both : high[1]};
}
Sight sight_of(const Setup& setup, const CollectionSetup& collection, std::size_t phase) {
    Sight all;
    for (const auto& use : uses_of(setup, phase)) {
        const auto one = sight_of(collection, use);
        all = {std::max(all.aside, one.aside), std::max(all.above, one.above), std::max(all.below, one.below)};
    }
    return all;
}

// Rows of a column that are kept after stage k wrote it: as long as later stages see them, until one writes it anew.
int rows_kept(const Setup& setup, const CallSequence& all, const std::vector<int>& lags, std::size_t k, std::size_t column) {
    const auto& collection = setup.collections[all.collection];
    int rows = 1;
    bool written = false;
    for (std::size_t j = k + 1; j < all.phases.size() && !written; ++j) {
        const auto& uses = uses_of(setup, all.phases[j]);
        for (std::size_t m = 0; m < uses.size(); ++m) {
            if (all.columns[j][m] != column) continue;
            if (uses[m].reads) rows = std::max(rows, lags[j] - lags[k] + sight_of(collection, uses[m]).above + 1);
            written |= uses[m].writes;
        }
    }
    return rows;
}

// What all stages keep for blocks of `width` places, about.
std::int64_t bytes_kept(const Setup& setup, const CallSequence& all, std::int64_t width) {
    const auto& collection = setup.collections[all.collection];
    std::vector<int> lags;
    int aside = 0;
    for (const auto phase : all.phases) {
        const auto sight = sight_of(setup, collection, phase);
        lags.push_back((lags.empty() ? 0 : lags.back()) + sight.below);
        aside += sight.aside;
    }
    const auto row_of = [&](std::size_t column) {
        const auto& layout = collection.columns[column].layout;
        return (width + 2 * (aside + 64)) * static_cast<std::int64_t>(size_of(layout.type)) * layout.elements;
    };
    std::int64_t bytes = 0;
    const auto written = all.written(setup);
    for (std::size_t c = 0; c < written.size(); ++c)
        if (written[c]) bytes += row_of(c);
    for (std::size_t k = 0; k < all.phases.size(); ++k) {
        const auto& uses = uses_of(setup, all.phases[k]);
        for (std::size_t m = 0; m < uses.size(); ++m)
            if (uses[m].writes) bytes += rows_kept(setup, all, lags, k, all.columns[k][m]) * row_of(all.columns[k][m]);
    }
    return bytes;
}

} // namespace

std::string obstacle_to_blocks(const Setup& setup, const CallSequence& sequence, const FusedView& view) {
    for (const auto phase : sequence.phases)
        if (rows_in_hand(setup, kernel_of(setup, phase)) > most_rows_in_hand)
            return fmt::format("{} uses more than {} values of a row", setup.phases[phase].name, most_rows_in_hand);
    const auto width = std::min({narrowest, std::int64_t{view.cells}, setup.collections[sequence.collection].size[0]});
    const auto bytes = bytes_kept(setup, repeated(sequence, view.depth), width);
    if (bytes > most_bytes) return fmt::format("{} steps keep {} KiB of even {} places a row, too many for a cache", view.depth, bytes / 1024, width);
    return {};
}

LaunchShape shape_of_blocks(const CollectionSetup& collection, const FusedView& view) {
    LaunchShape shape;
    shape.items = (collection.size[0] + view.cells - 1) / view.cells * ((collection.size[1] + view.rows - 1) / view.rows);
    return shape;
}

} // namespace tessera
