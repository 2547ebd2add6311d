#include "host/storage/list_plan.hpp"

#include "kernels/agents/agent_id.hpp"

#include <algorithm>

namespace tessera {
namespace {

boundary rule_of(run_file::Boundary rule) {
    switch (rule) {
    case run_file::Boundary::torus: return boundary::torus;
    case run_file::Boundary::fixed: return boundary::fixed;
    case run_file::Boundary::reflect: return boundary::reflect;
    case run_file::Boundary::open: break;
    }
    return boundary::open;
}

ListColumn column_at(const Setup& setup, ColumnId column, int argument, int elements) {
    const auto& layout = setup[column].layout;
    return {argument, static_cast<int>(size_of(layout.type)), elements, layout.element, layout.row, layout.plane};
}

// Column number c of the collection is argument number c.
ListColumn own(const Setup& setup, CollectionId agents, std::size_t c, int elements = 1) {
    return column_at(setup, setup.column_of(agents, c), static_cast<int>(c), elements);
}
ListColumn own(const Setup& setup, CollectionId agents, Role role) {
    const auto c = setup.collections[agents].find_column(role);
    return c ? own(setup, agents, *c) : ListColumn{};
}

// A launch of any part of its manageAll: all have the same arguments. None: no phase manages them.
const KernelSetup* part_of_manage_all(const Setup& setup, CollectionId agents) {
    const auto found = std::find_if(setup.kernels.begin(), setup.kernels.end(),
                                    [&](const KernelSetup& kernel) { return kernel.collection == agents && kernel.kind->list_work(); });
    return found == setup.kernels.end() ? nullptr : &*found;
}

ListColumn told(const Setup& setup, const KernelSetup& kernel, const BirthSource& source) {
    if (!setup.tells_parents(source)) return {};
    const auto column = setup.column_of(source.parents, Role::refused_births);
    for (std::size_t i = 0; i < kernel.accesses.size(); ++i)
        if (kernel.accesses[i].column == column) return column_at(setup, column, static_cast<int>(i), 1);
    return {};
}

ListSource source_of(const Setup& setup, CollectionId agents, const KernelSetup& kernel, const BirthSource& source) {
    const auto& collection = setup.collections[agents];
    ListSource plan;
    auto column = source.column;
    plan.request = own(setup, agents, column++);
    if (!source.of_places) plan.parent = own(setup, agents, column++);
    for (const auto& member : setup.row_of(collection).members) plan.members.push_back(own(setup, agents, column++, member.elements));
    plan.log = own(setup, agents, source.log.value());
    plan.refused = told(setup, kernel, source);
    plan.parents = source.of_places ? collection.places() : source.slots;
    plan.calls = source.calls;
    plan.of_places = source.of_places;
    plan.order = source.of_places ? 0 : 1 + static_cast<int>(setup.collections[source.parents].row);
    plan.phase = static_cast<int>(source.phase.index()) + 1;
    return plan;
}

void add_grid(ListPlan& plan, const CollectionSetup& collection) {
    plan.dimensions = collection.dimensions;
    plan.size = collection.size;
    for (std::size_t axis = 0; axis < 3; ++axis) plan.rule[axis] = rule_of(collection.boundary[axis]);
    plan.place_bits = bits_of_places(collection.places());
}

} // namespace

ListPlan list_plan(const Setup& setup, CollectionId agents) {
    const auto& collection = setup.collections[agents];
    const auto& agents_setup = *collection.agents;
    ListPlan plan;
    add_grid(plan, collection);
    plan.room = agents_setup.capacity;
    plan.most_on_place = agents_setup.most_on_place;
    plan.random_priority = agents_setup.priority == run_file::Priority::random;
    plan.keeps_results = agents_setup.keeps_results;
    const auto next = setup.column_of(agents, Role::next);
    for (const auto& kernel : setup.kernels)
        for (const auto& access : kernel.accesses) plan.chains |= access.column == next && !kernel.kind->list_work();
    for (const auto& [to, role] :
         {std::pair(&plan.code, Role::code), std::pair(&plan.id, Role::id), std::pair(&plan.place, Role::place),
          std::pair(&plan.target, Role::target), std::pair(&plan.rank, Role::rank), std::pair(&plan.next, Role::next),
          std::pair(&plan.goal, Role::goal), std::pair(&plan.refused, Role::refused_births), std::pair(&plan.start, Role::start),
          std::pair(&plan.count, Role::count)})
        *to = own(setup, agents, role);
    const auto& members = setup.row_of(collection).members;
    for (std::size_t m = 0; m < members.size(); ++m) plan.members.push_back(own(setup, agents, m, members[m].elements));
    for (const auto phase : agents_setup.birth_phases) {
        const auto& timing = setup.phases[phase].timing;
        plan.births.push_back({phase.index() + 1, timing.every, timing.from, timing.until.value_or(0xffffffff)});
    }
    const auto* const kernel = part_of_manage_all(setup, agents);
    if (kernel == nullptr) return plan;
    plan.columns = static_cast<int>(kernel->accesses.size());
    for (const auto& source : agents_setup.sources) plan.sources.push_back(source_of(setup, agents, *kernel, source));
    return plan;
}

} // namespace tessera
