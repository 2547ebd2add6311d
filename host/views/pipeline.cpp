#include "host/views/pipeline.hpp"

#include "host/views/estimates.hpp"
#include "host/views/packing.hpp"
#include "host/views/strips.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace tessera {
namespace {

constexpr int usual_warps = 16;          // of a multiprocessor at least: registers are shared out so
constexpr int shortest_fitted = 16;      // rows of a strip
constexpr double edge_bits_cycles = 800; // of bits in strips at the grid's edge, all of which a small grid has: stage_cycles

// Lengths of strips with which all tiles are made in a few rounds of the warps that work at once, and little of a round is left over; for
// functions that see one place aside. Of a loop unrolled by three one row over is best: its registers go round without being moved.
std::set<int> fitted_lengths(const CollectionSetup& collection, const DeviceInfo& device, int depth, int cells) {
    constexpr int most_rounds = 6, longest = 200, unrolled = 3;
    constexpr double filled = 0.94; // tiles at the grid's edge take longer
    const int halo = (depth + cells - 1) / cells * cells, useful = 32 * cells - 2 * halo;
    std::set<int> lengths;
    if (useful <= 0) return lengths;
    const double across = std::ceil(static_cast<double>(collection.size[0]) / useful);
    for (int rounds = 1; rounds <= most_rounds; ++rounds) {
        const double down = std::floor(rounds * filled * usual_warps * device.processors / across);
        const double rows = down >= 1 ? std::ceil(static_cast<double>(collection.size[1]) / down) : longest + 1;
        if (rows < shortest_fitted || rows > longest) continue;
        int length = static_cast<int>(rows);
        while ((length + 2 * depth) % unrolled != 1) ++length;
        lengths.insert(length);
    }
    return lengths;
}

// How much longer it takes because tiles come in rounds of `at_once`: between what is left of a round at the end and that tiles do not all
// end together; and in few rounds those at the edge, which come first, are what all wait for. Fitted to Heat2D on one H200 and on two, for
// strips of some length; short ones were fitted to the common rule.
double unevenness_of_rounds(double at_once, double tiles, int length) {
    if (length < shortest_fitted) return unevenness(at_once, tiles);
    const double rounds = tiles / at_once;
    return std::min(std::max(0.5 * std::ceil(1.05 * rounds) / rounds + 0.5 * (1 + 0.8 / rounds), 1.75 / rounds), 3.0);
}

class PipelineClass final : public FusedViewClass {
public:
    [[nodiscard]] std::vector<Spelling> spellings() const override {
        return {{"pipeline", "DxCxR, pipeline:DxCxRxB", 3, 4,
                 "pipeline:6x4x64 is 6 steps, 4 places of a lane and strips of 64 rows; pipeline:8x1x32x2 has words of 2 bits a place"},
                {"words", "DxCxRxB", 4, 4, "words:8x1x32x1 is pipeline:8x1x32x1 with the bits in memory too"}};
    }
    [[nodiscard]] std::optional<FusedView> read(const std::string& name, const std::vector<int>& numbers,
                                                std::string& why_not) const override {
        const int bits = numbers.size() > 3 ? numbers[3] : 0;
        why_not = "a place takes 1, 2, 4 or 8 bits";
        if (bits != 0 && bits != 1 && bits != 2 && bits != 4 && bits != 8) return {};
        return pipeline_view(numbers[0], numbers[1], numbers[2], bits, name == "words");
    }
    [[nodiscard]] std::string spelled(const FusedView& view) const override {
        return fmt::format("{}:{}x{}x{}{}", view.words ? "words" : "pipeline", view.depth, view.piece.width, view.piece.length,
                           view.bits > 0 ? fmt::format("x{}", view.bits) : "");
    }
    [[nodiscard]] std::string kind(const FusedView& view) const override {
        return view.words ? "pipeline of words" : view.bits > 0 ? "pipeline of bits" : "pipeline";
    }
    [[nodiscard]] std::string text(const FusedView& view) const override {
        return fmt::format("pipeline, {}, {} a lane{}, strips of {}", counted(view.depth, "step"), counted(places_a_lane(view), "place"),
                           view.bits > 0 ? fmt::format(" ({} each{})", counted(view.bits, "bit"), view.words ? ", in memory too" : "") : "",
                           counted(view.piece.length, "row"));
    }

    [[nodiscard]] std::string obstacle(const Setup& setup, const CallSequence& sequence, const FusedView& view) const override {
        if (auto why = obstacle_to_rows(setup, sequence); !why.empty()) return why;
        if (auto why = obstacle_to_strips(setup, sequence, view); !why.empty()) return why;
        return view.words ? obstacle_to_words(setup, sequence) : "";
    }
    [[nodiscard]] std::string obstacle_to_depth(const Setup& setup, const CallSequence& sequence, int depth) const override {
        if (setup.collections[sequence.collection].dimensions == 3) return {}; // which are not for strips
        std::string why;
        for (const int cells : {1, 2, 4}) {
            why = obstacle(setup, sequence, pipeline_view(depth, cells, 1));
            if (why.empty()) return fmt::format("{} steps need more registers than a lane has, by the estimate", depth);
        }
        return why;
    }

    [[nodiscard]] std::vector<FusedView> pieces(const CollectionSetup& collection, const DeviceInfo& device, int bits) const override {
        std::vector<FusedView> views;
        for (const bool words : bits > 0 ? std::vector{true, false} : std::vector{false})
            for (const int depth : depths_tried(true))
                for (const int cells : bits > 0 ? std::vector{1} : std::vector{1, 2, 4}) {
                    std::set<int> lengths{1, 4, 8, 16, 32, 48, 64, 96, 128};
                    if (bits == 0) lengths.merge(fitted_lengths(collection, device, depth, cells));
                    for (const int rows : lengths) views.push_back(pipeline_view(depth, cells, rows, bits, words));
                }
        return views;
    }
    [[nodiscard]] double seconds(const Setup& setup, const CallSequence& sequence, const DeviceInfo& device, const StepCosts& single,
                                 const FusedView& view) const override;

    [[nodiscard]] int blocks(const FusedView& view) const override { return view.bits > 0 ? 0 : usual_warps * 32 / block_threads; }
    [[nodiscard]] Tiling tiling(const Setup& setup, const CallSequence& sequence, const FusedView& view) const override {
        return tiling_of_strips(setup, sequence, view);
    }
    [[nodiscard]] std::string header() const override { return "pipeline.hpp"; }
    [[nodiscard]] std::string call(const FusedView& view, const std::string& program) const override {
        return fmt::format("call_pipeline<{}, {}, {}>", program, view.piece.width, view.piece.length);
    }
};

double PipelineClass::seconds(const Setup& setup, const CallSequence& sequence, const DeviceInfo& device, const StepCosts& single,
                              const FusedView& view) const {
    const auto& demand = single.demand;
    const auto& collection = setup.collections[sequence.collection];
    if (view.piece.length > std::max<std::int64_t>(collection.size[1], 1)) return never;
    const double held = 32 + view.depth * view.piece.width * demand.kept * (view.bits > 0 ? 2.0 * view.bits : 1.3);
    if (held > 250) return never;
    const auto strips = strip_geometry(setup, sequence, view);
    const double wide = static_cast<double>(strips.width) / static_cast<double>(strips.useful);
    const double rows = view.piece.length + view.depth * (demand.low + demand.high), tall = rows / view.piece.length;
    const double places = static_cast<double>(collection.places()), tiles = static_cast<double>(strips.tiles);
    const double instructions = view.words ? 0.9 * view.bits : view.bits > 0 ? 1.2 * view.bits : demand.instructions;
    const double bytes_of_byte = view.words ? view.bits / 8.0 : 1;
    const double memory = places * bytes_of_byte * (demand.bytes_read * wide * tall + demand.bytes_written) / single.bandwidth / view.depth;
    const double least = view.bits > 0 ? 0 : usual_warps; // they get no more registers (blocks)
    const double warps = std::clamp(std::floor(registers / 32 / held), least, 48.0), resident = warps * device.processors;
    // Fewer do not hide how long an instruction takes. A lane's places do not wait for each other, nor do the bits' instructions.
    const double busy = std::min(warps * (view.bits > 0 ? 2 : view.piece.width) / 40, 1.0);
    const double issue = places * instructions * wide * tall / (device.processors * lanes_a_cycle * clock_rate * 0.9 * busy);
    const double uneven = view.bits > 0 ? unevenness(resident, tiles) : unevenness_of_rounds(resident, tiles, view.piece.length);
    const bool has_inside = collection.size[0] > 3 * strips.width;
    const double chain = rows * (view.bits > 0 && !has_inside ? edge_bits_cycles : stage_cycles) / clock_rate +
                         kernel_start / view.depth; // of one tile, and starting the kernel
    const int kept = demand.low + demand.high + 1;  // rows, by which the loop is unrolled
    const double ragged = view.bits > 0 || (view.piece.length + view.depth * (kept - 1)) % kept == 1 % kept ? 1 : 1.15;
    const double seconds = std::max(std::max(memory, issue) * uneven * ragged, chain);
    return view.bits > 0 ? seconds
                         : with_computing(seconds, single, wide * tall, view.depth); // of 32 places at once a single step says nothing
}

} // namespace

const FusedViewClass& pipeline_class() {
    static const PipelineClass instance;
    return instance;
}

FusedView pipeline_view(int depth, int cells, int rows, int bits, bool words) {
    return {&pipeline_class(), depth, {cells, rows, 1}, bits, words};
}

} // namespace tessera
