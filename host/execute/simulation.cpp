#include "host/execute/simulation.hpp"

#include "device_runtime/error.hpp"
#include "host/execute/initialise.hpp"
#include "host/execute/kernel_image.hpp"
#include "host/execute/load_programs.hpp"
#include "host/generate/kernel_source.hpp"
#include "host/schedule/exchange_check.hpp"
#include "host/views/packing.hpp"
#include "host/world/column_copies.hpp"
#include "host/world/state_hash.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>

namespace tessera {
namespace {

const Setup& checked(const Setup& setup) {
    check_exchanges(setup);
    return setup;
}

} // namespace

Simulation::Simulation(const Setup& setup, const std::vector<Device*>& devices, jit::Compiler& compiler, ThreadPool& pool,
                       const std::vector<ViewChoice>& views, const Snapshot* from, const Pacer& pacer)
    : pacer_(pacer), model_(checked(setup), devices, compiler, pool, views), timer_(model_, pacer),
      stepper_(model_, timer_, from == nullptr ? 0 : from->step, pacer) {
    const auto begun = std::chrono::steady_clock::now();
    if (from == nullptr)
        initialise(model_);
    else
        restored_ = restore(model_, *from);
    take_up_pasts(from);
    initialise_seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
}

void Simulation::write(ColumnId column, const ArraySource& values) {
    model_.world().write(column, values);
    synchronize();
    const auto bits = fused().empty() ? 0 : stepper_.programs().view().bits;
    if (model_.setup()[column].layout.type != Scalar::u8) return; // a bool is 0 or 1, and nothing else is packed
    for (const auto& program : fused()) {
        const auto& sequence = program.steps.program.step;
        if (bits == 0 || sequence.collection != model_.setup().columns[column].collection) continue;
        if (packing_of(model_.setup(), sequence, reader()).bits > bits) return stepper_.use({});
    }
}

void Simulation::write(ColumnId column, int element, const PlaceBox& box, const std::byte* values) {
    model_.world().write(column, element, box, values);
    synchronize();
    const auto bits = fused().empty() ? 0 : stepper_.programs().view().bits;
    if (bits == 0 || model_.setup()[column].layout.type != Scalar::u8) return;
    const bool fit = std::all_of(values, values + box.count(), [&](std::byte value) { return std::to_integer<int>(value) >> bits == 0; });
    if (!fit && is_fused(model_.setup().columns[column].collection)) stepper_.use({});
}

// Whether the steps of its places are made several at a time.
bool Simulation::is_fused(CollectionId collection) const {
    return std::any_of(fused().begin(), fused().end(),
                       [&](const LoadedProgram& program) { return program.steps.program.step.collection == collection; });
}

void Simulation::set_parameter(const std::string& name, std::vector<std::byte> bytes) {
    const auto& known = model_.setup().description().parameters;
    const auto refuse = [&](const std::string& why, const std::string& suggestion) {
        throw Error(Failure::input, fmt::format("the parameter `{}` cannot be given another value", name), why, suggestion);
    };
    auto values = model_.parameters();
    std::size_t p = 0;
    while (p < values.size() && values[p].name != name) ++p;
    if (p == values.size()) refuse(fmt::format("{} has none of that name", model_.setup().description().name), "");
    if (model_.setup().modes().bake) refuse("it is a constant of the compiled code", "set run.bake = false");
    if (is_baked(model_.setup(), known[p]))
        refuse("an access list names it, so that it is a constant of the compiled code", "change it in the run file, and compile again");
    if (bytes.size() != values[p].bytes.size())
        refuse(fmt::format("it has {} bytes, and the value {}", values[p].bytes.size(), bytes.size()), "");
    values[p].bytes = std::move(bytes);
    set_parameters(std::move(values));
}

void Simulation::set_parameters(std::vector<ParameterValue> values) {
    stepper_.drain();
    model_.set_parameters(std::move(values));
    for (std::size_t partition = 0; partition < stepper_.programs().loaded.size(); ++partition)
        model_.set_parameters(*stepper_.programs().loaded[partition], *model_.partitions()[partition].queue);
    synchronize();
}

FrameMaker& Simulation::frames(jit::Compiler& compiler) {
    if (!frames_) frames_.emplace(model_, compiler);
    frames_->load();
    return *frames_;
}

bool Simulation::frames_are_ready(jit::Compiler& compiler) {
    if (!frames_) frames_.emplace(model_, compiler);
    return frames_->is_ready();
}

StateReducer& Simulation::reducer(jit::Compiler& compiler) {
    if (!reducer_) reducer_.emplace(model_, compiler);
    return *reducer_;
}

State Simulation::state() const {
    return {model_.setup(), step(), reader(), [this](CollectionId agents) { return past(agents); }};
}

std::optional<State> Simulation::copied(ColumnCopies& copies, const std::vector<ColumnId>& columns) const {
    const auto& partitions = model_.partitions();
    if (partitions.size() != 1 || partitions.front().device->info().kind != DeviceKind::cuda) return std::nullopt;
    auto read = copies.take(model_.setup(), model_.world(), {partitions.front().device, partitions.front().queue.get()}, columns);
    if (!read) return std::nullopt;
    std::map<CollectionId, AgentsPast> pasts;
    for (const auto id : model_.setup().collections.ids())
        if (model_.setup().collections[id].is_managed()) pasts[id] = past(id);
    return State(model_.setup(), step(), std::move(*read), [pasts = std::move(pasts)](CollectionId id) { return pasts.at(id); });
}

std::uint64_t Simulation::hash() const { return state_hash(state(), model_.pool()); }

Snapshot Simulation::snapshot() const { return take_snapshot(state()); }

AgentsPast Simulation::past(CollectionId agents) const {
    return {model_.setup().collections[agents].name, first_counts_[agents.index()], counters(agents)};
}

// Of each collection of agents: as the snapshot has it, whatever the run file says by now of how many there are at first.
void Simulation::take_up_pasts(const Snapshot* from) {
    const auto& setup = model_.setup();
    first_counts_.assign(setup.collections.size(), 0);
    for (const auto id : setup.collections.ids()) {
        const auto& collection = setup.collections[id];
        if (collection.are_places()) continue;
        first_counts_[id.index()] = collection.agents ? first_count(setup, id) : setup.start[id].links ? setup.start[id].links->size() : 0;
        if (from == nullptr) continue;
        for (const auto& past : from->agents) {
            if (past.collection != collection.name) continue;
            first_counts_[id.index()] = past.first;
            set_counters(model_.partitions(), setup, id, past.counters);
        }
    }
}

LoadedPrograms Simulation::load_programs(const std::vector<FusedProgram>& programs, jit::Image image) {
    return tessera::load_programs(model_, programs, std::move(image));
}

std::optional<Trial> Simulation::try_programs(const LoadedPrograms& programs, std::uint64_t until, Timed timed) {
    auto trial = tessera::try_programs(model_, stepper_, programs, until, timed);
    if (trial) {
        trial->fused_step_seconds = pacer_.most(trial->fused_step_seconds);
        trial->single_step_seconds = pacer_.most(trial->single_step_seconds);
    }
    return trial;
}

void Simulation::fuse(const std::vector<FusedProgram>& programs, jit::Compiler& compiler) {
    use(load_programs(programs, compile_programs(model_.setup(), programs, model_.target(), compiler)));
}

std::string Simulation::fused_view() const { return fused().empty() ? "" : to_string(stepper_.programs().view()); }

} // namespace tessera
