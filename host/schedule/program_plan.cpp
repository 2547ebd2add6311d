#include "host/schedule/program_plan.hpp"

#include <algorithm>

namespace tessera {
namespace {

Sight sight_of(const CollectionSetup& collection, const FusedView& view, const model::Use& use) {
    const auto dims = static_cast<std::size_t>(collection.dimensions - 1);
    const auto axes = axes_of(collection, view);
    Sight sight;
    for (std::size_t i = 0; i < 3; ++i) sight.low[i] = use.low[dims][axes[i]], sight.high[i] = use.high[dims][axes[i]];
    for (std::size_t i = 0; i < 3; ++i) // program.hpp: make_symmetric
        if (axes[i] < static_cast<std::size_t>(collection.dimensions) && collection.boundary[axes[i]] == run_file::Boundary::reflect)
            sight.low[i] = sight.high[i] = std::max(sight.low[i], sight.high[i]);
    return sight;
}

std::vector<Sight> summed_sights(const Setup& setup, const CallSequence& all, const FusedView& view) {
    std::vector<Sight> until;
    Sight total;
    for (const auto phase : all.phases) {
        Sight most;
        for (const auto& use : uses_of(setup, phase)) {
            const auto one = sight_of(setup.collections[all.collection], view, use);
            for (std::size_t i = 0; i < 3; ++i)
                most.low[i] = std::max(most.low[i], one.low[i]), most.high[i] = std::max(most.high[i], one.high[i]);
        }
        for (std::size_t i = 0; i < 3; ++i) total.low[i] += most.low[i], total.high[i] += most.high[i];
        until.push_back(total);
    }
    return until;
}

} // namespace

std::array<std::size_t, 3> axes_of(const CollectionSetup& collection, const FusedView& view) {
    return stream_axis(collection, view) == 2 ? std::array<std::size_t, 3>{0, 2, 1} : std::array<std::size_t, 3>{0, 1, 2};
}

const KernelSetup& kernel_of(const Setup& setup, PhaseId phase) {
    return setup.kernels[std::get<CallPhase>(setup.phases[phase].action).kernel];
}
std::vector<model::Use> uses_of(const Setup& setup, PhaseId phase) { return own_uses(setup, kernel_of(setup, phase)); }

ProgramPlan plan_of(const Setup& setup, const CallSequence& all, const FusedView& view) {
    const auto& collection = setup.collections[all.collection];
    ProgramPlan plan;
    plan.until = summed_sights(setup, all, view);
    const std::size_t stages = all.phases.size(), members = collection.columns.size();
    plan.kept.assign(stages, std::vector<int>(members));
    plan.last_reader.assign(stages, std::vector<std::size_t>(members));
    std::vector<std::size_t> writer(members, stages); // of each column's newest version
    for (std::size_t k = 0; k < stages; ++k) {
        const auto& uses = uses_of(setup, all.phases[k]);
        for (std::size_t m = 0; m < members; ++m) {
            const auto column = all.columns[k][m];
            const auto made = writer[column];
            if (!uses[m].reads || made == stages) continue;
            const int rows = plan.until[k].high[1] - plan.until[made].high[1] + sight_of(collection, view, uses[m]).low[1] + 1;
            plan.kept[made][column] = std::max(plan.kept[made][column], rows);
            plan.last_reader[made][column] = k;
        }
        for (std::size_t m = 0; m < members; ++m)
            if (uses[m].writes) writer[all.columns[k][m]] = k;
    }
    return plan;
}

} // namespace tessera
