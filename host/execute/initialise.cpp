#include "host/execute/initialise.hpp"

#include "host/execute/faults.hpp"
#include "host/manage/list_settle.hpp"
#include "host/schedule/exchange.hpp"
#include "host/world/first_agents.hpp"
#include "host/world/first_children.hpp"
#include "host/world/initial_state.hpp"
#include "host/world/link_lists.hpp"
#include "host/world/under_way.hpp"
#include "kernels/launch/arguments.hpp"

#include <cstring>
#include <memory>
#include <utility>
#include <vector>

namespace tessera {
namespace {

void write_initial_values(LoadedModel& model, ColumnId column) {
    if (const auto values = initial_values(model.setup(), column, model.pool())) model.world().write(column, *values);
}

void write_first_agents(LoadedModel& model, CollectionId agents) {
    const auto& setup = model.setup();
    const auto first = std::make_shared<const FirstAgents>(first_agents(setup, agents, model.pool()));
    for (std::size_t c = 0; c < setup.collections[agents].columns.size(); ++c) {
        const auto column = setup.column_of(agents, c);
        const auto values = first_values(setup, column, first, model.pool());
        if (!values) continue;
        // The cells of a list that no agent has are zero, as memory is from the start.
        if (setup.collections[agents].agents->in_list() && setup[column].role != Role::start)
            model.world().write(column, *values, static_cast<std::int64_t>(first->agents.size()));
        else
            model.world().write(column, *values);
    }
}

// Counts and ranks of agents in lists in the order of ids, who stand where their column of places says.
void index_lists(LoadedModel& model) {
    const auto& setup = model.setup();
    const auto& lists = model.partitions().front().lists;
    for (const auto id : setup.collections.ids()) {
        if (!lists[id.index()]) continue;
        const auto numbers = [&](Role role) {
            const int buffer = model.world().placement().current[setup.column_of(id, role).index()];
            return static_cast<std::int32_t*>(model.world().origin(buffer, 0));
        };
        index_list(lists[id.index()]->plan(), numbers(Role::place), numbers(Role::start), static_cast<void*>(numbers(Role::count)),
                   numbers(Role::rank), numbers(Role::next));
    }
}

// What a column of agents holds, to be written again.
ArraySource kept(const LoadedModel& model, ColumnId column) {
    const auto& layout = model.setup()[column].layout;
    const auto cells = layout.size[0] * layout.size[1] * layout.size[2];
    const auto bytes = static_cast<std::size_t>(cells) * size_of(layout.type);
    auto values = std::make_shared<std::vector<std::byte>>(bytes * static_cast<std::size_t>(layout.elements));
    for (int e = 0; e < layout.elements; ++e)
        model.world().reader()(column, e, {0, cells}, values->data() + static_cast<std::size_t>(e) * bytes);
    return [values, bytes, elements = layout.elements, size = size_of(layout.type)](const PlaceRange& range, std::byte* into) {
        const auto count = static_cast<std::size_t>(range.count()) * size;
        for (int e = 0; e < elements; ++e)
            std::memcpy(into + static_cast<std::size_t>(e) * count,
                        values->data() + static_cast<std::size_t>(e) * bytes + static_cast<std::size_t>(range.first) * size, count);
    };
}

// What the run file gives of what an init function writes, and how it is written again.
std::vector<std::pair<ColumnId, ArraySource>> given_members(const LoadedModel& model, const KernelSetup& kernel) {
    std::vector<std::pair<ColumnId, ArraySource>> given;
    const auto& setup = model.setup();
    for (const auto& [column, use, aside] : kernel.accesses) {
        const auto collection = setup.columns[column].collection;
        if (!use.writes || collection != kernel.collection || !setup.collections[collection].agents) continue;
        if (setup.is_given(collection, setup.columns[column].member)) given.emplace_back(column, kept(model, column));
    }
    return given;
}

void call(LoadedModel& model, const CallWork& work) {
    const auto& setup = model.setup();
    std::vector<Task> tasks;
    model.schedule().append_call(work, 0, model.world().placement(), tasks);
    append_exchange_of_all(setup, model.world().placement(), tasks);
    try {
        model.executor().start(model.executor().bind(std::move(tasks), {}));
        model.executor().synchronize();
    } catch (const KernelFault& fault) {
        tell_fault(setup, model.partitions(), fault, 0);
    }
}

void run_init_function(LoadedModel& model, KernelId number, LinkLists& lists_of_links) {
    const auto& setup = model.setup();
    const auto of_agents = given_members(model, setup.kernels[number]);
    const auto lists = setup.lists_with_first_children(setup.kernels[number]);
    if (!lists.empty()) call(model, {number, 0, counts_children});
    for (const auto list : lists) make_room_for_children(model.world(), setup, list);
    call(model, {number});
    for (const auto list : lists) check_children_came(model.world(), setup, list);
    if (!lists.empty()) index_lists(model);
    for (const auto& [column, use, aside] : setup.kernels[number].accesses) {
        const auto& [collection, member] = setup.columns[column];
        if (use.writes && !setup.collections[collection].agents && setup.is_given(collection, member)) write_initial_values(model, column);
    }
    for (const auto& [column, values] : of_agents) model.world().write(column, values);
    lists_of_links.write_members(setup.kernels[number].collection);
}

} // namespace

void initialise(LoadedModel& model) {
    const auto& setup = model.setup();
    for (const auto column : setup.columns.ids())
        if (!setup.collections[setup.columns[column].collection].agents) write_initial_values(model, column);
    for (const auto collection : setup.collections.ids())
        if (setup.collections[collection].agents) write_first_agents(model, collection);
    index_lists(model);
    LinkLists lists(model.world(), setup, model.pool());
    for (const auto kernel : setup.init_kernels) run_init_function(model, kernel, lists);
    model.executor().synchronize();
}

std::vector<std::string> restore(LoadedModel& model, const Snapshot& snapshot) {
    std::vector<std::string> notes;
    for (const auto column : model.setup().columns.ids()) {
        auto restored = restored_values(model.setup(), column, snapshot, model.pool());
        if (restored.values && model.setup()[column].role == Role::due)
            restored.values = as_devices_have_it(model.setup()[column], snapshot.step, std::move(*restored.values));
        if (restored.values) model.world().write(column, *restored.values);
        if (!restored.note.empty()) notes.push_back(std::move(restored.note));
    }
    index_lists(model);
    LinkLists(model.world(), model.setup(), model.pool());
    model.set_step(snapshot.step);
    model.executor().synchronize();
    return notes;
}

} // namespace tessera
