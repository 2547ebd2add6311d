// Functions of agents, and of places that have to do with agents, as kernels.
#include "host/bind/function_errors.hpp"
#include "host/bind/steps.hpp"
#include "host/run_file/nearest.hpp"
#include "host/setup/names.hpp"
#include "host/storage/accesses.hpp"
#include "host/storage/storage.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tessera {
namespace {

void add(std::vector<Access>& accesses, ColumnId column, const model::Use& use) { add_access(accesses, {column, use}); }

model::Use looking(const model::AgentUse& agent_use) {
    model::Use use;
    use.reads = true;
    use.low = agent_use.low;
    use.high = agent_use.high;
    use.everywhere = agent_use.along_links;
    return use;
}

// Where to point for a function that no phase of the run file names.
run_file::Where where_of(const Setup& setup, CollectionId id, const run_file::Where& where) {
    if (!where.file.empty()) return where;
    return setup.collections[id].size_where;
}

// Nothing lies beside places without a shape.
void refuse_sight_around(const Setup& setup, CollectionId among, const model::Function& function, const run_file::Where& where) {
    const auto& places = setup.collections[setup.ground_of(among)];
    if (places.has_shape()) return;
    const auto is_far = [](const auto& use) { return use.low[2] != std::array<int, 3>{} || use.high[2] != std::array<int, 3>{}; };
    const auto& uses = function.agent_uses;
    const bool looks = std::any_of(function.accesses.begin(), function.accesses.end(),
                                   [&](const model::MemberAccess& access) { return is_far(access.use); });
    const bool goes = std::any_of(uses.begin(), uses.end(), [&](const model::AgentUse& use) { return is_far(use) && use.moves; });
    if (!looks && !goes && std::none_of(uses.begin(), uses.end(), is_far)) return;
    run_file::fail_at(where_of(setup, among, where),
                      fmt::format("{}.{} {}", setup.collections[among].name, function.name,
                                  goes ? "goes to places beside its own" : "looks at places around its own"),
                      fmt::format("places.{} has a `count` and no `size`: nothing lies beside them", places.name),
                      fmt::format("give places.{} a `size`, or join them by links", places.name));
}

// Agents are seen, and gone to, where links lead to the places that they stand on themselves.
void check_where_links_lead(const Setup& setup, CollectionId agents, const model::Function& function, const run_file::Where& where) {
    const auto& collection = setup.collections[agents];
    const auto ground = setup.ground_of(agents);
    for (const auto& use : function.link_uses) {
        if (!use.has_agents) continue;
        for (const auto id : links_at(setup, ground, use)) {
            const auto& links = setup.collections[id];
            const auto far = use.side == model::LinkSide::out ? links.links->to : links.links->from;
            if (far != ground)
                run_file::fail_at(where_of(setup, agents, where),
                                  fmt::format("{}.{} goes along links.{} to other agents, or to other places", collection.name,
                                              function.name, links.name),
                                  fmt::format("they lead from {} to {}, and {} stand on {}", setup.collections[links.links->from].name,
                                              setup.collections[links.links->to].name, collection.name, setup.collections[ground].name),
                                  fmt::format("join places of {} with each other", setup.collections[ground].name));
        }
    }
}

// The collection of these agents on the same places.
CollectionId find_others(const Setup& setup, CollectionId among, const model::AgentUse& use, const std::string& function,
                         const run_file::Where& where) {
    if (const auto found = setup.agents_of_row(use.row, among)) return *found;
    const auto& collection = setup.collections[among];
    const auto& name = setup.description().rows[use.row].collection;
    run_file::fail_at(
        where_of(setup, among, where),
        fmt::format("{}.{} {} of type {}", collection.name, function,
                    use.counts  ? "counts agents"
                    : use.meets ? "meets agents"
                                : "has children",
                    name),
        fmt::format("no such agents are on {}", collection.agents ? setup.collections[collection.agents->ground].name : collection.name),
        fmt::format("add [agents.{}]", name));
}

void check_axes(const Setup& setup, CollectionId among, const std::string& function, const std::array<std::array<int, 3>, 3>& low,
                const std::array<std::array<int, 3>, 3>& high, const run_file::Where& where) {
    const auto& collection = setup.collections[among];
    const auto dims = static_cast<std::size_t>(collection.dimensions - 1);
    for (auto axis = static_cast<std::size_t>(collection.dimensions); axis < 3; ++axis)
        if (low[dims][axis] > 0 || high[dims][axis] > 0)
            run_file::fail_at(where_of(setup, among, where),
                              fmt::format("{}.{} needs more dimensions than {} has", collection.name, function,
                                          collection.agents ? setup.collections[collection.agents->ground].name : collection.name),
                              fmt::format("it looks or goes along {}, and `size` has {} extent{}", axis == 1 ? "y" : "z",
                                          collection.dimensions, collection.dimensions == 1 ? "" : "s"),
                              "give `size` more extents");
}

constexpr bool also_read = true;
model::Use writing(bool reads = false) {
    model::Use use;
    use.reads = reads;
    use.writes = true;
    return use;
}

// Which slots have somebody, or where a list has those of each place.
void add_who_is_there(const Setup& setup, std::vector<Access>& accesses, CollectionId agents, const model::AgentUse& use) {
    add(accesses, setup.column_of(agents, setup.collections[agents].agents->storage->presence()), looking(use));
}

// Of agents that are met: who is where, and the member that is seen. They are kept apart from those who go there
// (host/storage/accesses.hpp).
void add_met(Setup& setup, std::vector<Access>& accesses, CollectionId met, const model::AgentUse& use) {
    auto& agents = *setup.collections[met].agents;
    const auto dims = static_cast<std::size_t>(setup.collections[met].dimensions - 1);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        agents.met_low[axis] = std::max(agents.met_low[axis], use.low[dims][axis]);
        agents.met_high[axis] = std::max(agents.met_high[axis], use.high[dims][axis]);
    }
    add_who_is_there(setup, accesses, met, use);
    add(accesses, setup.ids_of(met), looking(use));
    for (const auto role : agents.storage->read_by_meetings()) add(accesses, setup.column_of(met, role), looking(use));
    add(accesses, setup.marks_of(met), writing());
    if (agents.space) add(accesses, setup.positions_of(met), looking(use));
    if (!use.member) return;
    auto seen = looking(use);
    seen.around = true; // as it was before the phase
    add(accesses, setup.column_of(met, *use.member), seen);
}

// Of children: the birth requests of the phase, or where there are none, before the first step, the children themselves. None of a list
// where no phase calls the function.
void add_children(const Setup& setup, std::vector<Access>& accesses, CollectionId children, const KernelSetup& kernel) {
    const auto& phase = kernel.phase;
    const auto& collection = setup.collections[children];
    const auto members = setup.row_of(collection).members.size();
    const auto is_of_phase = [&](const BirthSource& source) { return phase && source.phase == *phase; };
    const bool is_init = setup.function_of(kernel).is_init;
    if (collection.agents->in_list() && !phase && !is_init) return;
    const auto source = std::find_if(collection.agents->sources.begin(), collection.agents->sources.end(), is_of_phase);
    if (source == collection.agents->sources.end()) {
        for (std::size_t m = 0; m < members; ++m) add(accesses, setup.column_of(children, m), writing());
        add(accesses, setup.codes_of(children), writing(also_read));
        add(accesses, setup.ids_of(children), writing());
        for (const auto role : collection.agents->storage->written_by_first_births(*collection.agents))
            add(accesses, setup.column_of(children, role), writing(role != Role::position));
        return;
    }
    add(accesses, setup.column_of(children, source->column), writing(also_read));
    for (std::size_t c = 1; c < members + (source->of_places ? 1 : 2) + (collection.agents->space ? 1 : 0); ++c)
        add(accesses, setup.column_of(children, source->column + c), writing());
    if (source->log) add(accesses, setup.column_of(children, *source->log), writing(also_read));
    if (source->flags) add(accesses, setup.column_of(children, *source->flags), writing());
}

// What it saw would depend on which places had been called before.
void refuse_sight_of_children(const Setup& setup, CollectionId collection, const model::Function& function) {
    for (const auto& child : function.agent_uses)
        for (const auto& use : function.agent_uses)
            if (child.spawns && child.row == use.row && (use.counts || use.meets))
                fail_in_function(
                    setup, function, where_of(setup, collection, {}),
                    fmt::format("{}.{} sees agents {} and spawns {} itself, before the first step", setup.collections[collection].name,
                                function.name, setup.description().rows[use.row].name, setup.description().rows[use.row].name),
                    "what it sees would depend on the order in which places are called", "do one of them in another TESSERA_INIT function");
}

void add_agent_uses(Setup& setup, KernelSetup& kernel, const run_file::Where& where) {
    const auto& function = setup.function_of(kernel);
    const auto among = kernel.collection;
    for (const auto& use : function.agent_uses) {
        check_axes(setup, among, function.name, use.low, use.high, where);
        if (use.counts) add_who_is_there(setup, kernel.accesses, find_others(setup, among, use, function.name, where), use);
        if (use.meets) add_met(setup, kernel.accesses, find_others(setup, among, use, function.name, where), use);
        if (use.spawns) add_children(setup, kernel.accesses, find_others(setup, among, use, function.name, where), kernel);
    }
}

void refuse_move_requests_at_the_start(const Setup& setup, CollectionId collection, const model::Function& function) {
    for (const auto& use : function.agent_uses)
        if (use.moves || use.dies || use.results || use.refused_births || (use.spawns && setup.collections[collection].agents))
            fail_in_function(setup, function, where_of(setup, collection, {}),
                             fmt::format("{}.{} asks to {} before the first step", setup.collections[collection].name, function.name,
                                         use.moves    ? "go elsewhere"
                                         : use.dies   ? "die"
                                         : use.spawns ? "have children"
                                                      : "read the result of its request"),
                             "it is a TESSERA_INIT function, and no manageAll follows it", "ask for that in a TESSERA_CALL function");
}

// Where a kernel's agents leave their shares in a column of places; none: it is changed at once.
std::optional<ColumnId> share_of(const Setup& setup, CollectionId agents, ColumnId of_places) {
    const auto& shares = setup.collections[agents].agents->shares;
    const auto member = setup.columns[of_places].member;
    if (member >= shares.size() || shares[member] == 0) return std::nullopt;
    return setup.column_of(agents, shares[member]);
}

void add_folded(const Setup& setup, KernelSetup& kernel, ColumnId column, model::Use use) {
    const auto share = share_of(setup, kernel.collection, column);
    if (share) add(kernel.accesses, *share, writing());
    if (!share) use.reads = use.writes = true;
    if (use.reads) kernel.accesses.push_back({column, use});
}

// Of its own members and of the places below.
void add_own(Setup& setup, KernelSetup& kernel, const run_file::Where& where) {
    const auto agents = kernel.collection;
    const auto& collection = setup.collections[agents];
    const auto& function = setup.function_of(kernel);
    const auto& agents_setup = *collection.agents;
    const auto place = where_of(setup, agents, where);
    for (const auto& access : function.accesses) {
        const bool own = access.row == collection.row;
        check_axes(setup, agents, function.name, access.use.low, access.use.high, where);
        const auto& members = setup.description().rows[access.row].members;
        if (!own && access.use.writes && agents_setup.most_on_place != 1)
            run_file::fail_at(place,
                              fmt::format("{} writes {}::{} of the place that an agent stands on", kernel.name,
                                          setup.description().rows[access.row].name, members[access.member].name),
                              fmt::format("{} agents may stand on one place, and each would write to it",
                                          agents_setup.is_limited() ? std::to_string(agents_setup.most_on_place) : "any number of"),
                              "set capacity = 1, or change it by adds<...>, least<...> or most<...>");
        if (!own && access.use.writes && access.use.around)
            fail_in_function(setup, function, place,
                             fmt::format("{} reads {}::{} around itself and writes it", kernel.name,
                                         setup.description().rows[access.row].name, members[access.member].name),
                             "agents see others as they were before the phase", "look in one function and write in another");
        const auto column = setup.column_of(own ? agents : agents_setup.ground, access.member);
        if (access.use.folds)
            add_folded(setup, kernel, column, access.use);
        else
            kernel.accesses.push_back({column, access.use});
    }
}

// What it asks for changes its slot's code; see host/storage/accesses.hpp for the marks.
void add_move_requests(Setup& setup, KernelSetup& kernel) {
    const auto agents = kernel.collection;
    auto& agents_setup = *setup.collections[agents].agents;
    const auto dims = static_cast<std::size_t>(setup.collections[agents].dimensions - 1);
    model::Use looking_here;
    looking_here.reads = true;
    add_access(kernel.accesses, {setup.codes_of(agents), looking_here, true});
    add(kernel.accesses, setup.marks_of(agents), writing());
    add(kernel.accesses, setup.ids_of(agents), looking_here);
    for (const auto role : agents_setup.storage->read_by_functions()) add(kernel.accesses, setup.column_of(agents, role), looking_here);
    if (agents_setup.space) {
        add(kernel.accesses, setup.positions_of(agents), looking_here);
        add(kernel.accesses, setup.aims_of(agents), writing());
    }
    const auto goal = setup.find_column(agents, Role::goal);
    for (const auto& use : setup.function_of(kernel).agent_uses) {
        agents_setup.keeps_results |= use.results;
        if (const auto refused = setup.find_column(agents, Role::refused_births); use.refused_births && refused)
            add(kernel.accesses, *refused, looking_here);
        if (use.moves && goal) add(kernel.accesses, *goal, writing());
        if (const auto target = agents_setup.storage->written_by_moves(); use.moves && !goal && target)
            add(kernel.accesses, setup.column_of(agents, *target), writing());
        for (std::size_t axis = 0; use.moves && !goal && axis < 3; ++axis) {
            agents_setup.low[axis] = std::max(agents_setup.low[axis], use.low[dims][axis]);
            agents_setup.high[axis] = std::max(agents_setup.high[axis], use.high[dims][axis]);
        }
    }
}

} // namespace

void check_init_function(const Setup& setup, CollectionId collection, std::size_t function) {
    refuse_move_requests_at_the_start(setup, collection, setup.description().functions[function]);
    refuse_sight_of_children(setup, collection, setup.description().functions[function]);
}

KernelId agent_kernel(Setup& setup, CollectionId collection, std::size_t number, std::optional<PhaseId> phase,
                      const run_file::Where& where) {
    const auto& function = setup.description().functions[number];
    const auto& name = setup.collections[collection].name;
    KernelSetup kernel;
    kernel.collection = collection;
    kernel.function = number;
    kernel.phase = phase;
    kernel.symbol = entry_symbol(name, function.name) + (phase ? fmt::format("_{}", phase->index()) : "");
    kernel.name = name + "." + function.name;
    refuse_sight_around(setup, collection, function, where);
    if (setup.collections[collection].agents) {
        add_own(setup, kernel, where);
        add_move_requests(setup, kernel);
    } else
        for (const auto& access : function.accesses) {
            check_axes(setup, collection, function.name, access.use.low, access.use.high, where);
            kernel.accesses.push_back({setup.column_of(collection, access.member), access.use});
        }
    add_agent_uses(setup, kernel, where);
    if (function.has_to_do_with_links()) {
        check_where_links_lead(setup, collection, function, where);
        add_link_accesses(setup, kernel, where_of(setup, collection, where));
    }
    return setup.kernels.add(std::move(kernel));
}

std::optional<KernelId> shares_kernel(Setup& setup, KernelId of) {
    KernelSetup kernel = setup.kernels[of];
    const auto agents = kernel.collection;
    if (!setup.collections[agents].agents) return std::nullopt;
    kernel.kind = &kind_of_shares();
    kernel.accesses.clear();
    for (const auto id : setup.kernels.ids())
        if (const auto& known = setup.kernels[id];
            known.kind == kernel.kind && known.collection == agents && known.function == kernel.function && known.phase == kernel.phase)
            return id;
    kernel.symbol += "_shares";
    const auto ground = setup.collections[agents].agents->ground;
    for (const auto& access : setup.function_of(kernel).accesses) {
        if (!access.use.folds) continue;
        const auto column = setup.column_of(ground, access.member);
        const auto share = share_of(setup, agents, column);
        if (!share) continue;
        kernel.accesses.push_back({column, writing(also_read)});
        kernel.accesses.push_back({*share, looking({})});
    }
    if (kernel.accesses.empty()) return std::nullopt;
    add_who_is_there(setup, kernel.accesses, agents, {});
    kernel.accesses.push_back({setup.ids_of(agents), looking({})});
    for (const auto role : setup.collections[agents].agents->storage->read_by_shares())
        add(kernel.accesses, setup.column_of(agents, role), looking({}));
    add(kernel.accesses, setup.marks_of(agents), writing()); // whoever comes to a dying one's slot waits until its share is joined
    return setup.kernels.add(std::move(kernel));
}

} // namespace tessera
