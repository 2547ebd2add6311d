#include "host/run/running.hpp"

#include "device_runtime/devices.hpp"
#include "device_runtime/error.hpp"
#include "host/devices/spread.hpp"
#include "host/run/carry_over.hpp"
#include "host/run_file/where.hpp"
#include "host/setup/call_sequence.hpp"
#include "host/views/fused_view.hpp"

#include <fmt/format.h>

#include <utility>

namespace tessera {

namespace {

Setup spread_over(const Setup& setup, const RunGround& ground) {
    return spread_run(setup, ground.devices, ground.compiler, ground.pool, ground.was_told);
}

// One that goes on from the state of another.
Setup spread_after(const Setup& before, const Setup& setup, const RunGround& ground) {
    check_carried_agents(before, setup);
    return spread_over(setup, ground);
}

} // namespace

Running::Running(std::shared_ptr<const model::Model> model, const Setup& setup, const RunGround& ground)
    : model_(std::move(model)), setup_(spread_over(setup, ground)), all_devices_(ground.all_devices), interrupted_(ground.interrupted) {
    begin(ground, nullptr);
}

Running::Running(std::shared_ptr<const model::Model> model, const Setup& setup, const RunGround& ground, Running& before)
    : model_(std::move(model)), setup_(spread_after(before.setup_, setup, ground)), all_devices_(ground.all_devices),
      interrupted_(ground.interrupted) {
    const auto state = before.simulation_->snapshot();
    begin(ground, &state);
}

void Running::begin(const RunGround& ground, const Snapshot* from) {
    simulation_.emplace(setup_, ground.devices, ground.compiler, ground.pool, std::vector<ViewChoice>{}, from);
    fuse_as_asked(ground.compiler);
    tuner_.emplace(setup_, all_devices_, fmt::format("driver {}", cuda_status().driver_version), *simulation_, ground.compiler);
}

// In the way that the run file names.
void Running::fuse_as_asked(jit::Compiler& compiler) {
    const auto& asked = setup_.run.schedule.fused;
    if (!asked || setup_.modes().checked || setup_.modes().debug) return;
    const auto view = read_fused_view(**asked); // which prepare has looked at
    std::vector<FusedProgram> programs;
    std::string obstacles;
    for (const auto& sequence : fusible_sequences(setup_)) {
        const auto& name = setup_.collections[sequence.collection].name;
        if (const auto why = obstacle(setup_, sequence, *view.view); why.empty())
            programs.push_back({sequence, *view.view, "fused_" + name});
        else
            obstacles += fmt::format("{}{}: {}", obstacles.empty() ? "" : "; ", name, why);
    }
    if (programs.empty())
        run_file::fail_at(asked->where, fmt::format("no steps can be made by `{}`", **asked),
                          obstacles.empty() ? "no phases of places follow each other so that several steps could be made at once"
                                            : obstacles,
                          "name another way, or leave `tune` out");
    simulation_->fuse(programs, compiler);
}

std::unique_ptr<jit::CompiledAhead> Running::compile_ahead(jit::Compiler& compiler) const {
    const auto& model = *setup_.model;
    if (model.library || !model.has_source()) return nullptr;
    auto changed = model;
    try {
        changed.source = jit::read_model(model.path);
    } catch (const Error&) { // which is told when it is read to be run
        return nullptr;
    }
    if (changed.source == model.source) return nullptr;
    auto setup = setup_;
    setup.model = &changed;
    return std::make_unique<jit::CompiledAhead>(compiler, simulation_->jobs_with(setup));
}

void Running::write_to(const ResultFolder& folder, Running* before) {
    outputs_.emplace(setup_, folder, interrupted_);
    if (before != nullptr) outputs_->go_on_from(*before->outputs_);
}

} // namespace tessera
