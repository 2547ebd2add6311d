#include "host/execute/initialise.hpp"

#include "host/execute/faults.hpp"
#include "host/schedule/cycle.hpp"
#include "host/world/first_agents.hpp"
#include "host/world/initial_state.hpp"

#include <utility>

namespace tessera {
namespace {

void write_initial_values(LoadedModel& model, ColumnId column) {
    if (const auto values = initial_values(model.setup(), column, model.pool())) model.world().write(column, *values);
}

void write_first_agents(LoadedModel& model, CollectionId agents) {
    const auto& setup = model.setup();
    const auto first = first_agents(setup, agents);
    for (std::size_t c = 0; c < setup.collections[agents].columns.size(); ++c)
        if (const auto values = first_values(setup, setup.column_of(agents, c), first))
            model.world().write(setup.column_of(agents, c), *values);
}

void run_init_function(LoadedModel& model, KernelId number) {
    std::vector<Task> tasks;
    model.schedule().append_call({number}, 0, model.world().placement(), tasks);
    append_exchange_of_all(model.setup(), model.world().placement(), tasks);
    try {
        model.executor().start(model.executor().bind(std::move(tasks), {}));
        model.executor().synchronize();
    } catch (const KernelFault& fault) {
        tell_fault(model.setup(), fault, 0);
    }
    for (const auto& [column, use] : model.setup().kernels[number].accesses)
        if (use.writes && is_given(model.setup(), column)) write_initial_values(model, column);
}

} // namespace

void initialise(LoadedModel& model) {
    const auto& setup = model.setup();
    for (const auto column : setup.columns.ids())
        if (!setup.collections[setup.columns[column].collection].crowd) write_initial_values(model, column);
    for (const auto collection : setup.collections.ids())
        if (setup.collections[collection].crowd) write_first_agents(model, collection);
    for (const auto kernel : model.setup().init_kernels) run_init_function(model, kernel);
    model.executor().synchronize();
}

std::vector<std::string> restore(LoadedModel& model, const Snapshot& snapshot) {
    std::vector<std::string> notes;
    for (const auto column : model.setup().columns.ids()) {
        auto restored = restored_values(model.setup(), column, snapshot, model.pool());
        if (restored.values) model.world().write(column, *restored.values);
        if (!restored.note.empty()) notes.push_back(std::move(restored.note));
    }
    model.set_step(snapshot.step);
    model.executor().synchronize();
    return notes;
}

} // namespace tessera
