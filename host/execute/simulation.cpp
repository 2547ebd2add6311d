#include "host/execute/simulation.hpp"

#include "host/execute/initialise.hpp"
#include "host/execute/kernel_image.hpp"
#include "host/schedule/exchange_check.hpp"
#include "host/world/state_hash.hpp"

#include <chrono>

namespace tessera {
namespace {

const Setup& checked(const Setup& setup) {
    check_exchanges(setup);
    return setup;
}

} // namespace

Simulation::Simulation(const Setup& setup, const std::vector<Device*>& devices, jit::Compiler& compiler, ThreadPool& pool,
                       const std::vector<ViewChoice>& views, const Snapshot* from)
    : model_(checked(setup), devices, compiler, pool, views), timer_(model_), stepper_(model_, timer_, from == nullptr ? 0 : from->step) {
    const auto begun = std::chrono::steady_clock::now();
    if (from == nullptr)
        initialise(model_);
    else
        restored_ = restore(model_, *from);
    take_up_pasts(from);
    initialise_seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
}

std::uint64_t Simulation::hash() const { return state_hash(model_.setup(), reader(), model_.pool()); }

Snapshot Simulation::snapshot() const {
    const auto& setup = model_.setup();
    auto snapshot = take_snapshot(setup, step(), reader());
    for (const auto id : setup.collections.ids())
        if (setup.collections[id].crowd) snapshot.agents.push_back({setup.collections[id].name, first_counts_[id.index()], counters(id)});
    return snapshot;
}

// Of each collection of agents: as the snapshot has it, whatever the run file says by now of how many there are at first.
void Simulation::take_up_pasts(const Snapshot* from) {
    const auto& setup = model_.setup();
    first_counts_.assign(setup.collections.size(), 0);
    for (const auto id : setup.collections.ids()) {
        const auto& collection = setup.collections[id];
        if (!collection.crowd) continue;
        first_counts_[id.index()] = first_count(setup, id);
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
    return tessera::try_programs(model_, stepper_, programs, until, timed);
}

void Simulation::fuse(const std::vector<FusedProgram>& programs, jit::Compiler& compiler) {
    use(load_programs(programs, compile_programs(model_.setup(), programs, model_.target(), compiler)));
}

std::string Simulation::fused_view() const { return fused().empty() ? "" : to_string(stepper_.programs().view()); }

} // namespace tessera
