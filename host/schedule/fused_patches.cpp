#include "host/schedule/fused_patches.hpp"

#include "host/schedule/program_plan.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tessera {

PatchSize size_of_patch(const Setup& setup, const CallSequence& sequence, const FusedView& view) {
    const auto& collection = setup.collections[sequence.collection];
    const auto step = plan_of(setup, sequence, view).until.back();
    const auto all = repeated(sequence, view.depth); // rotations bring up other columns
    auto used = all.written(setup);
    for (std::size_t call = 0; call < all.phases.size(); ++call)
        for (std::size_t m = 0; m < used.size(); ++m)
            if (uses_of(setup, all.phases[call])[m].reads) used[all.columns[call][m]] = true;
    PatchSize size;
    size.rows = view.rows + std::int64_t{view.depth} * (step.low[1] + step.high[1]);
    for (std::size_t c = 0; c < used.size(); ++c) {
        const auto& layout = collection.columns[c].layout;
        const auto words = std::max<std::int64_t>(1, static_cast<std::int64_t>(size_of(layout.type)) / 4);
        if (used[c]) size.registers += layout.elements * words * view.cells * size.rows;
    }
    return size;
}

std::string obstacle_to_patches(const Setup& setup, const CallSequence& sequence, const FusedView& view) {
    constexpr int most_registers = 180; // of 255, for what stands there from step to step
    const auto& collection = setup.collections[sequence.collection];
    if (collection.dimensions != 2) return "a patch is a piece of a plane";
    for (const std::size_t axis : {0, 1})
        if (collection.boundary[axis] == run_file::Boundary::reflect) return "patches have no mirrors";
    if (const auto registers = size_of_patch(setup, sequence, view).registers; registers > most_registers)
        return fmt::format("{} steps keep {} values of a patch in a lane, and it has registers for {}", view.depth, registers,
                           most_registers);
    return {};
}

} // namespace tessera
