#include "host/schedule/fused_blocks.hpp"

#include "host/schedule/program_plan.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tessera {
namespace {

// Rows stand on the stack, and are meant to stay in the second-level cache.
constexpr std::int64_t most_bytes = 1 << 20, narrowest = 256;

// What all stages keep for blocks of `width` places, about.
std::int64_t bytes_kept(const Setup& setup, const CallSequence& all, const FusedView& view, std::int64_t width) {
    const auto& columns = setup.collections[all.collection].columns;
    const auto plan = plan_of(setup, all, view);
    const int aside = std::max(plan.until.back().low[0], plan.until.back().high[0]);
    const auto row_of = [&](std::size_t column) {
        const auto& layout = columns[column].layout;
        return (width + 2 * (aside + 64)) * static_cast<std::int64_t>(size_of(layout.type)) * layout.elements;
    };
    std::int64_t bytes = 0;
    const auto written = all.written(setup);
    for (std::size_t c = 0; c < written.size(); ++c)
        if (written[c]) bytes += row_of(c);
    for (std::size_t k = 0; k < all.phases.size(); ++k) {
        const auto& uses = uses_of(setup, all.phases[k]);
        for (std::size_t m = 0; m < uses.size(); ++m)
            if (uses[m].writes) bytes += std::max(plan.kept[k][all.columns[k][m]], 1) * row_of(all.columns[k][m]);
    }
    return bytes;
}

} // namespace

std::string obstacle_to_blocks(const Setup& setup, const CallSequence& sequence, const FusedView& view) {
    for (const auto phase : sequence.phases)
        if (rows_in_hand(setup, kernel_of(setup, phase)) > most_rows_in_hand)
            return fmt::format("{} uses more than {} values of a row", setup.phases[phase].name, most_rows_in_hand);
    const auto width = std::min({narrowest, std::int64_t{view.cells}, setup.collections[sequence.collection].size[0]});
    const auto bytes = bytes_kept(setup, repeated(sequence, view.depth), view, width);
    if (bytes > most_bytes)
        return fmt::format("{} steps keep {} KiB of even {} places a row, too many for a cache", view.depth, bytes / 1024, width);
    return {};
}

LaunchShape shape_of_blocks(const CollectionSetup& collection, const FusedView& view) {
    LaunchShape shape;
    shape.items = (collection.size[0] + view.cells - 1) / view.cells * ((collection.size[1] + view.rows - 1) / view.rows);
    return shape;
}

} // namespace tessera
