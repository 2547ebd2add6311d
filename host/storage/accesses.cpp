#include "host/storage/accesses.hpp"

#include <algorithm>

namespace tessera {
namespace {

using Reach = std::array<int, 3>;

Reach sum(const Reach& a, const Reach& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
Reach further(const Reach& a, const Reach& b) { return {std::max(a[0], b[0]), std::max(a[1], b[1]), std::max(a[2], b[2])}; }

model::Use joined(const model::Use& a, const model::Use& b) {
    model::Use both = a;
    both.reads |= b.reads;
    both.around |= b.around;
    both.writes |= b.writes;
    both.everywhere |= b.everywhere;
    for (std::size_t d = 0; d < 3; ++d)
        for (std::size_t axis = 0; axis < 3; ++axis) {
            both.low[d][axis] = std::max(a.low[d][axis], b.low[d][axis]);
            both.high[d][axis] = std::max(a.high[d][axis], b.high[d][axis]);
        }
    return both;
}

} // namespace

Sight operator+(const Sight& to, const Sight& seen) { return {sum(to.low, seen.high), sum(to.high, seen.low)}; }
Sight further(const Sight& a, const Sight& b) { return {further(a.low, b.low), further(a.high, b.high)}; }

Sight moves_of(const AgentsSetup& agents) { return {agents.low, agents.high}; }
Sight births_of(const BirthSource& source) { return {source.low, source.high}; }
Sight births_of(const AgentsSetup& agents) {
    Sight all;
    for (const auto& source : agents.sources) all = further(all, births_of(source));
    return all;
}
Sight meetings_of(const AgentsSetup& agents) { return {agents.met_low, agents.met_high}; }

model::Use reading(const CollectionSetup& agents, const Sight& sight) {
    const auto dims = static_cast<std::size_t>(agents.dimensions - 1);
    model::Use use;
    use.reads = true;
    use.low[dims] = sight.low;
    use.high[dims] = sight.high;
    return use;
}

model::Use reading_everywhere(const CollectionSetup& agents) {
    const auto rows = static_cast<int>(agents.whole().rows());
    Sight all;
    all.low[agents.dimensions == 3 ? 2 : 1] = all.high[agents.dimensions == 3 ? 2 : 1] = rows;
    return reading(agents, all);
}

model::Use changing() { return {true, false, true, {}, {}}; }

void add_access(std::vector<Access>& accesses, const Access& added) {
    for (auto& access : accesses)
        if (access.column == added.column) {
            access.use = joined(access.use, added.use);
            access.also_written |= added.also_written;
            return;
        }
    accesses.push_back(added);
}

void add_claims_taken_back(const Setup& setup, CollectionId agents, std::vector<Access>& accesses) {
    const auto& collection = setup.collections[agents];
    if (!collection.has(Role::goal)) return;
    add_access(accesses, {setup.column_of(agents, Role::goal), reading(collection, {})});
    add_access(accesses, {setup.column_of(agents, Role::claim), reading_everywhere(collection), true});
}

void add_told_parents(const Setup& setup, const KernelSetup& kernel, std::vector<Access>& accesses) {
    const auto& source = setup.collections[kernel.collection].agents->sources[kernel.source];
    if (!setup.tells_parents(source)) return;
    const auto parents = source.parents;
    const auto& collection = setup.collections[parents];
    const auto& agents = *collection.agents;
    const auto told = setup.column_of(parents, Role::refused_births);
    if (agents.in_list()) return add_access(accesses, {told, changing()});
    const bool from_anywhere = collection.has(Role::goal) || kernel.kind->is_of_all_rows();
    const auto moves = moves_of(agents);
    const auto everywhere = reading_everywhere(collection), own = reading(collection, {});
    const auto gone = from_anywhere ? everywhere : reading(collection, moves);
    add_access(accesses, {setup.codes_of(parents), from_anywhere ? gone : own});
    add_access(accesses, {setup.marks_of(parents), gone});
    add_access(accesses, {setup.ids_of(parents), from_anywhere ? gone : reading(collection, moves + moves)});
    add_access(accesses, {told, gone, !kernel.kind->is_of_all_rows()});
    if (!collection.has(Role::goal)) return;
    add_access(accesses, {setup.column_of(parents, Role::goal), from_anywhere ? gone : own});
    add_access(accesses, {setup.column_of(parents, Role::claim), gone});
}

} // namespace tessera
