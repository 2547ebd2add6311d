#include "host/views/blocks.hpp"

#include "host/views/estimates.hpp"
#include "host/views/program_plan.hpp"
#include "host/views/strips.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

namespace tessera {
namespace {

// Rows stand on the stack, and are meant to stay in the second-level cache.
constexpr std::int64_t most_bytes = 1 << 20, narrowest = 256;

// What all stages keep for blocks of `width` places, about.
std::int64_t bytes_kept(const Setup& setup, const CallSequence& all, const FusedView& view, std::int64_t width) {
    const auto& columns = setup.collections[all.collection].columns;
    const auto plan = plan_of(setup, all, view);
    const int aside = std::max(plan.low_of_all(0), plan.high_of_all(0));
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
            if (uses[m].writes) bytes += std::max(plan.kept[k][all.columns[k][m]].rows, 1) * row_of(all.columns[k][m]);
    }
    return bytes;
}

// Pieces that are about `wanted` long, of `extent`: as many as threads have alike.
std::int64_t even_piece(std::int64_t extent, std::int64_t wanted, std::int64_t threads) {
    const std::int64_t pieces = ((extent + wanted - 1) / wanted + threads - 1) / threads * threads;
    return (extent + pieces - 1) / pieces;
}

// A line is cut in places; anything else in rows, beside each other where a row is long.
FusedView fair_blocks(const CollectionSetup& collection, const DeviceInfo& device, int depth, int across) {
    constexpr int rows = 512, a_line = 64; // places, so that no two threads write the same lines of the cache
    const std::int64_t threads = std::max(device.processors, 1), nx = collection.size[0], ny = collection.size[1];
    auto view = blocks_view(depth, across, rows);
    if (ny == 1)
        view.piece.width = static_cast<int>((even_piece(nx, across, threads) + a_line - 1) / a_line * a_line);
    else if (nx <= across)
        view.piece.length = static_cast<int>(even_piece(ny, rows, threads));
    return view;
}

class BlocksClass final : public FusedViewClass {
public:
    [[nodiscard]] std::vector<Spelling> spellings() const override {
        return {{"blocks", "DxWxH", 3, 3, "blocks:8x4096x512 is 8 steps, and blocks of 4096 x 512 places"}};
    }
    [[nodiscard]] std::optional<FusedView> read(const std::string&, const std::vector<int>& numbers, std::string&) const override {
        return blocks_view(numbers[0], numbers[1], numbers[2]);
    }
    [[nodiscard]] std::string spelled(const FusedView& view) const override {
        return fmt::format("blocks:{}x{}x{}", view.depth, view.piece.width, view.piece.length);
    }
    [[nodiscard]] std::string kind(const FusedView&) const override { return "blocks"; }
    [[nodiscard]] std::string text(const FusedView& view) const override {
        return fmt::format("blocks, {}, {} x {} places", counted(view.depth, "step"), view.piece.width, view.piece.length);
    }

    [[nodiscard]] bool is_for_cpu() const override { return true; }
    [[nodiscard]] std::string obstacle(const Setup& setup, const CallSequence& sequence, const FusedView& view) const override {
        if (auto why = obstacle_to_rows(setup, sequence); !why.empty()) return why;
        for (const auto phase : sequence.phases)
            if (rows_in_hand(setup, kernel_of(setup, phase)) > most_rows_in_hand)
                return fmt::format("{} uses more than {} values of a row", setup.phases[phase].name, most_rows_in_hand);
        const auto width = std::min({narrowest, std::int64_t{view.piece.width}, setup.collections[sequence.collection].size[0]});
        const auto bytes = bytes_kept(setup, repeated(sequence, view.depth), view, width);
        if (bytes > most_bytes)
            return fmt::format("{} steps keep {} KiB of even {} places a row, too many for a cache", view.depth, bytes / 1024, width);
        return {};
    }
    [[nodiscard]] std::string obstacle_to_depth(const Setup& setup, const CallSequence& sequence, int depth) const override {
        return obstacle(setup, sequence, blocks_view(depth, 4096, 256));
    }

    [[nodiscard]] std::vector<FusedView> pieces(const CollectionSetup& collection, const DeviceInfo& device, int bits) const override {
        std::vector<FusedView> views;
        for (const int depth : bits > 0 ? std::vector<int>{} : depths_by_promise_on_cpu())
            for (const int across : {4096, 1 << 20})
                if (const auto view = fair_blocks(collection, device, depth, across); views.empty() || views.back() != view)
                    views.push_back(view);
        return views;
    }
    [[nodiscard]] double seconds(const Setup&, const CallSequence&, const DeviceInfo&, const StepCosts&, const FusedView&) const override {
        return std::numeric_limits<double>::infinity();
    }
    [[nodiscard]] bool has_estimate() const override { return false; } // what is said of GPUs is not true of a CPU

    [[nodiscard]] Tiling tiling(const Setup& setup, const CallSequence& sequence, const FusedView& view) const override {
        return {(setup.collections[sequence.collection].size[0] + view.piece.width - 1) / view.piece.width, view.piece.length};
    }
    [[nodiscard]] std::string header() const override { return "row_blocks.hpp"; }
    [[nodiscard]] std::string call(const FusedView& view, const std::string& program) const override {
        return fmt::format("call_row_blocks<{}, {}, {}>", program, view.piece.width, view.piece.length);
    }
};

} // namespace

const FusedViewClass& blocks_class() {
    static const BlocksClass instance;
    return instance;
}

FusedView blocks_view(int depth, int places, int rows) { return {&blocks_class(), depth, {places, rows, 1}}; }

} // namespace tessera
