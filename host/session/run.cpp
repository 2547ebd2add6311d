#include "host/session/run.hpp"

#include "device_runtime/devices.hpp"
#include "device_runtime/error.hpp"
#include "host/bind/steps.hpp"
#include "host/bind/stop_question.hpp"
#include "host/devices/spread.hpp"
#include "host/generate/kernel_source.hpp"
#include "host/run_file/given.hpp"
#include "host/setup/asked_stop.hpp"
#include "host/setup/call_sequence.hpp"
#include "host/views/fused_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tessera {

namespace {

Setup spread_over(const Setup& setup, Session& session, Run::Remarks remarks) {
    auto spread = spread_run(setup, session.devices(), session.compiler(), session.pool(), remarks == Run::Remarks::known);
    const auto& devices = session.infos();
    if (devices.size() == 1 && devices.front().kind == DeviceKind::cuda) add_stop_question(spread);
    return spread;
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
    if (const auto stop = find_stop_question(setup_)) simulation_->stop_at(*stop);
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
    return std::make_unique<jit::CompiledAhead>(compiler, simulation_->jobs_with(setup, compiler));
}

void Run::advance(std::uint64_t until, const std::function<bool(std::uint64_t)>& proceed) {
    let_go_of_view();
    simulation_->advance(until, proceed);
}

const StateView& Run::view() {
    if (!view_)
        open_view();
    else if (!is_view_of_this_ || view_->step() != step())
        view_->turn_to(simulation_->state());
    is_view_of_this_ = true;
    return *view_;
}

void Run::open_view() {
    view_.emplace(simulation_->state(), session_.pool());
    const auto& devices = session_.infos();
    if (std::none_of(devices.begin(), devices.end(), [](const auto& device) { return device.kind == DeviceKind::cuda; })) return;
    reductions_.emplace(setup_, *simulation_, session_.compiler());
    view_->reduce_by([this](const std::vector<const expression::Expression*>& expressions) { return reductions_->of(expressions); });
}

void Run::let_go_of_view() {
    if (view_) view_->forget();
    is_view_of_this_ = false;
}

void Run::write(ColumnId column, const ArraySource& values) {
    simulation_->write(column, values);
    let_go_of_view();
}

void Run::write(ColumnId column, int element, const PlaceBox& box, const std::byte* values) {
    simulation_->write(column, element, box, values);
    let_go_of_view();
}

bool Run::sets_at_once(const run_file::Parameters& given) const {
    if (setup_.modes().bake) return false;
    const auto& known = setup_.description().parameters;
    return std::none_of(known.begin(), known.end(), [&](const model::Parameter& parameter) {
        const auto is_it = [&](const auto& each) { return *each.name == parameter.name; };
        return is_baked(setup_, parameter) && std::any_of(given.begin(), given.end(), is_it);
    });
}

void Run::set_parameters(const run_file::Parameters& given) {
    auto next = with_parameters(given);
    simulation_->set_parameters(bind_values(*setup_.model, next).parameters);
    run_file_ = std::move(next);
}

run_file::RunFile Run::with_parameters(const run_file::Parameters& given) const {
    auto next = run_file_;
    for (const auto& each : given) run_file::set_parameter(next, each);
    (void)bind_values(*setup_.model, next);
    return next;
}

void Run::write_to(const ResultFolder& folder, Outbox& outbox, Run* before) {
    outputs_.emplace(setup_, folder, outbox, [this] { return session_.interrupted(); });
    if (before != nullptr) outputs_->go_on_from(*before->outputs_);
}

} // namespace tessera
