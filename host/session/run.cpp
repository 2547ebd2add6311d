#include "host/session/run.hpp"

#include "device_runtime/devices.hpp"
#include "device_runtime/error.hpp"
#include "host/devices/spread.hpp"
#include "host/run_file/where.hpp"
#include "host/setup/call_sequence.hpp"
#include "host/views/fused_view.hpp"

#include <fmt/format.h>

#include <utility>

namespace tessera {

namespace {

Setup spread_over(const Setup& setup, Session& session, Run::Remarks remarks) {
    return spread_run(setup, session.devices(), session.compiler(), session.pool(), remarks == Run::Remarks::known);
}

} // namespace

Run::Run(std::shared_ptr<const model::Model> model, const Bound& bound, Session& session, Remarks remarks)
    : model_(std::move(model)), setup_(spread_over(bound.setup, session, remarks)), run_file_(bound.run_file), session_(session) {
    begin(nullptr);
}

Run::Run(std::shared_ptr<const model::Model> model, const Bound& bound, Session& session, Run& before, Remarks remarks)
    : model_(std::move(model)), setup_(spread_over(bound.setup, session, remarks)), run_file_(bound.run_file), session_(session) {
    const auto state = before.simulation_->snapshot();
    begin(&state);
}

Run::Run(std::shared_ptr<const model::Model> model, const Bound& bound, Session& session, const Snapshot& from, Remarks remarks)
    : model_(std::move(model)), setup_(spread_over(bound.setup, session, remarks)), run_file_(bound.run_file), session_(session) {
    begin(&from);
}

void Run::begin(const Snapshot* from) {
    simulation_.emplace(setup_, session_.devices(), session_.compiler(), session_.pool(), std::vector<ViewChoice>{}, from,
                        session_.pacer());
    fuse_as_asked();
    tuner_.emplace(setup_, session_.all_devices(), fmt::format("driver {}", cuda_status().driver_version), *simulation_,
                   session_.compiler());
}

// In the way that the run file names.
void Run::fuse_as_asked() {
    const auto& asked = setup_.modes().fused;
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
    simulation_->fuse(programs, session_.compiler());
}

std::unique_ptr<jit::CompiledAhead> Run::compile_ahead(jit::Compiler& compiler) const {
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

void Run::advance(std::uint64_t until, const std::function<bool(std::uint64_t)>& proceed) {
    let_go_of_view();
    simulation_->advance(until, proceed);
}

const StateView& Run::view() {
    if (!view_ || view_->step() != step()) view_.emplace(simulation_->state(), session_.pool());
    return *view_;
}

void Run::write(ColumnId column, const ArraySource& values) {
    simulation_->write(column, values);
    let_go_of_view();
}

void Run::write_to(const ResultFolder& folder, Run* before) {
    outputs_.emplace(setup_, folder, [this] { return session_.interrupted(); });
    if (before != nullptr) outputs_->go_on_from(*before->outputs_);
}

} // namespace tessera
