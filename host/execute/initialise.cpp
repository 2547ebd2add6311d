#include "host/execute/initialise.hpp"

#include "host/execute/faults.hpp"
#include "host/schedule/cycle.hpp"
#include "host/world/initial_state.hpp"

#include <utility>

namespace tessera {
namespace {

void write_initial_values(LoadedModel& model, ColumnId column) {
    if (const auto values = initial_values(model.setup(), column, model.pool())) model.world().write(column, *values);
}

void run_init_function(LoadedModel& model, KernelId number) {
    std::vector<Task> tasks;
    model.schedule().append_call(number, 0, 0, model.world().placement(), tasks);
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
    for (const auto column : model.setup().columns.ids()) write_initial_values(model, column);
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
