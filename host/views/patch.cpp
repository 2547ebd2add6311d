#include "host/views/patch.hpp"

#include "host/views/estimates.hpp"
#include "host/views/program_plan.hpp"
#include "host/views/strips.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tessera {
namespace {

// Rows of a patch, with those that are worked out and not stored; and registers that a lane needs for them.
struct PatchSize {
    std::int64_t rows = 0, registers = 0;
};
PatchSize size_of_patch(const Setup& setup, const CallSequence& sequence, const FusedView& view) {
    const auto& collection = setup.collections[sequence.collection];
    const auto step = plan_of(setup, sequence, view);
    const auto all = repeated(sequence, view.depth); // rotations bring up other columns
    auto used = all.written(setup);
    for (std::size_t call = 0; call < all.phases.size(); ++call)
        for (std::size_t m = 0; m < used.size(); ++m)
            if (uses_of(setup, all.phases[call])[m].reads) used[all.columns[call][m]] = true;
    PatchSize size;
    size.rows = view.piece.length + std::int64_t{view.depth} * (step.low_of_all(1) + step.high_of_all(1));
    for (std::size_t c = 0; c < used.size(); ++c) {
        const auto& layout = collection.columns[c].layout;
        const auto words = std::max<std::int64_t>(1, static_cast<std::int64_t>(size_of(layout.type)) / 4);
        if (used[c]) size.registers += layout.elements * words * view.piece.width * size.rows;
    }
    return size;
}

class PatchClass final : public FusedViewClass {
public:
    [[nodiscard]] std::vector<Spelling> spellings() const override {
        return {{"patch", "DxCxR", 3, 3, "patch:8x2x12 is 8 steps, 2 places of a lane and 12 rows"}};
    }
    [[nodiscard]] std::optional<FusedView> read(const std::string&, const std::vector<int>& numbers, std::string&) const override {
        return patch_view(numbers[0], numbers[1], numbers[2]);
    }
    [[nodiscard]] std::string spelled(const FusedView& view) const override {
        return fmt::format("patch:{}x{}x{}", view.depth, view.piece.width, view.piece.length);
    }
    [[nodiscard]] std::string kind(const FusedView&) const override { return "patch"; }
    [[nodiscard]] std::string text(const FusedView& view) const override {
        return fmt::format("patch, {}, {} a lane, {}", counted(view.depth, "step"), counted(view.piece.width, "place"),
                           counted(view.piece.length, "row"));
    }

    [[nodiscard]] std::string obstacle(const Setup& setup, const CallSequence& sequence, const FusedView& view) const override {
        if (auto why = obstacle_to_rows(setup, sequence); !why.empty()) return why;
        if (auto why = obstacle_to_strips(setup, sequence, view); !why.empty()) return why;
        constexpr int most_registers = 180; // of 255, for what stands there from step to step
        const auto& collection = setup.collections[sequence.collection];
        if (collection.dimensions != 2) return "a patch is a piece of a plane";
        for (const std::size_t axis : {0, 1})
            if (collection.boundary[axis] == run_file::Boundary::reflect) return "patches cannot have a reflecting boundary";
        if (const auto registers = size_of_patch(setup, sequence, view).registers; registers > most_registers)
            return fmt::format("{} steps keep {} values of a patch in a lane, and it has registers for {}", view.depth, registers,
                               most_registers);
        return {};
    }

    [[nodiscard]] std::vector<FusedView> pieces(const CollectionSetup& collection, const DeviceInfo&, int bits) const override {
        if (collection.dimensions != 2 || bits > 0) return {};
        std::vector<FusedView> views;
        for (const int depth : depths_tried(true))
            for (const int cells : {1, 2, 4})
                for (const int rows : {2, 4, 6, 8, 10, 12, 14, 16, 20, 24, 32}) views.push_back(patch_view(depth, cells, rows));
        return views;
    }
    [[nodiscard]] double seconds(const Setup& setup, const CallSequence& sequence, const DeviceInfo& device, const StepCosts& single,
                                 const FusedView& view) const override;

    [[nodiscard]] Tiling tiling(const Setup& setup, const CallSequence& sequence, const FusedView& view) const override {
        return tiling_of_strips(setup, sequence, view);
    }
    [[nodiscard]] std::string header() const override { return "patch.hpp"; }
    [[nodiscard]] std::string call(const FusedView& view, const std::string& program) const override {
        return fmt::format("call_patches<{}, {}, {}>", program, view.piece.width, view.piece.length);
    }
};

double PatchClass::seconds(const Setup& setup, const CallSequence& sequence, const DeviceInfo& device, const StepCosts& single,
                           const FusedView& view) const {
    const auto& demand = single.demand;
    constexpr double schedulers = 4; // of one multiprocessor; each issues an instruction of a warp in a cycle
    const auto& collection = setup.collections[sequence.collection];
    if (view.piece.length > collection.size[1]) return never;
    const auto strips = strip_geometry(setup, sequence, view);
    const auto size = size_of_patch(setup, sequence, view);
    const double wide = static_cast<double>(strips.width) / static_cast<double>(strips.useful),
                 tall = static_cast<double>(size.rows) / view.piece.length;
    const double memory =
        static_cast<double>(collection.places()) * (demand.bytes_read * wide * tall + demand.bytes_written) / single.bandwidth / view.depth;
    const double warps_a_scheduler = std::ceil(static_cast<double>(strips.tiles) / (schedulers * device.processors));
    const bool torus = collection.boundary[0] == run_file::Boundary::torus && collection.boundary[1] == run_file::Boundary::torus;
    const double instructions = static_cast<double>(size.rows * view.piece.width) * (demand.instructions + 2) *
                                (torus ? 1 : 3); // what is beyond is put in after each call
    const double step = std::max(warps_a_scheduler * instructions / 0.8, instructions / 0.8 + stage_cycles) / clock_rate;
    return with_computing(std::max(memory, step + kernel_start / view.depth), single, wide * tall, view.depth);
}

} // namespace

const FusedViewClass& patch_class() {
    static const PatchClass instance;
    return instance;
}

FusedView patch_view(int depth, int cells, int rows) { return {&patch_class(), depth, {cells, rows, 1}}; }

} // namespace tessera
