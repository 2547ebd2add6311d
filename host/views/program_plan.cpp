#include "host/views/program_plan.hpp"

namespace tessera {
namespace {

stage_use use_in_stage(const CollectionSetup& collection, const FusedView& view, const model::Use& use) {
    const auto dims = static_cast<std::size_t>(collection.dimensions - 1);
    const auto axes = axes_of(collection, view);
    stage_use in_stage{};
    in_stage.reads = use.reads, in_stage.writes = use.writes;
    for (std::size_t i = 0; i < 3; ++i) in_stage.low[i] = use.low[dims][axes[i]], in_stage.high[i] = use.high[dims][axes[i]];
    return in_stage;
}

} // namespace

std::array<std::size_t, 3> axes_of(const CollectionSetup& collection, const FusedView& view) {
    return view.of->stream_axis(collection) == 2 ? std::array<std::size_t, 3>{0, 2, 1} : std::array<std::size_t, 3>{0, 1, 2};
}

ProgramPlan plan_of(const Setup& setup, const CallSequence& all, const FusedView& view) {
    const auto& collection = setup.collections[all.collection];
    const auto axes = axes_of(collection, view);
    const std::size_t stages = all.phases.size(), members = collection.columns.size();
    ProgramPlan plan;
    plan.use.resize(stages);
    for (std::size_t k = 0; k < stages; ++k)
        for (const auto& use : uses_of(setup, all.phases[k])) plan.use[k].push_back(use_in_stage(collection, view, use));
    plan.lag.resize(stages);
    plan.low.fill(plan.lag), plan.high.fill(plan.lag);
    plan.version_of.assign(stages, std::vector<int>(members));
    plan.version.assign(stages + 1, std::vector<version_plan>(members));
    plan.written.resize(members);
    bool mirrored[3]{};
    for (std::size_t i = 0; i < 3; ++i)
        mirrored[i] =
            axes[i] < static_cast<std::size_t>(collection.dimensions) && collection.boundary[axes[i]] == run_file::Boundary::reflect;
    std::vector<int> newest(members);
    const plan_size size{static_cast<int>(stages), static_cast<int>(members)};
    complete_plan(plan, size, all.columns, newest, mirrored);

    plan.kept.assign(stages, std::vector<ProgramPlan::Kept>(members));
    for (std::size_t k = 0; k < stages; ++k)
        for (std::size_t c = 0; c < members; ++c) {
            const int reader = plan.written[c] ? last_reader(plan, size, all.columns, static_cast<int>(k) + 1, static_cast<int>(c)) : -1;
            if (reader >= 0) plan.kept[k][c] = {plan.version[k + 1][c].depth, static_cast<std::size_t>(reader)};
        }
    return plan;
}

} // namespace tessera
