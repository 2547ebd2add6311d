// Which phases may ask for children, and the columns for their birth requests; and those for shares in what agents add to
// places, and for where they go who go anywhere. Known from the run file's phases and what their functions declare, before columns have
// numbers.
#include "host/bind/steps.hpp"
#include "host/run_file/nearest.hpp"
#include "host/storage/storage.hpp"
#include "kernels/agents/birth_flags.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace tessera {
namespace {

// A call of a function, in the order of the run's phases.
struct Call {
    CollectionId collection;
    std::size_t function = 0;
    PhaseId phase;
    run_file::Where where;
};

// What bind_phases binds, which refuses names that are none.
std::vector<Call> calls_of(const Setup& setup, const run_file::RunFile& run) {
    std::vector<Call> calls;
    const auto& functions = setup.description().functions;
    if (run.phases.empty()) {
        std::size_t phase = 0;
        for (std::size_t f = 0; f < functions.size(); ++f)
            for (const auto c : setup.collections.ids())
                if (!functions[f].is_init && functions[f].row == setup.collections[c].row) calls.push_back({c, f, PhaseId(phase++), {}});
        return calls;
    }
    for (std::size_t p = 0; p < run.phases.size(); ++p) {
        const auto* call = std::get_if<run_file::CallAll>(&run.phases[p]->action);
        const auto collection = call == nullptr ? std::nullopt : setup.find_collection(call->function->collection);
        if (!collection) continue;
        const auto function = setup.description().find_function(setup.collections[*collection].row, call->function->member);
        if (function) calls.push_back({*collection, *function, PhaseId(p), call->function.where});
    }
    return calls;
}

// The entries of an access list for children of one type, together.
struct Wanted {
    std::array<int, 3> low{}, high{};
    int most = 0;
};

std::map<std::size_t, Wanted> wanted_by(const model::Function& function, int dimensions) {
    std::map<std::size_t, Wanted> wanted;
    const auto dims = static_cast<std::size_t>(dimensions - 1);
    for (const auto& use : function.agent_uses) {
        if (!use.spawns) continue;
        auto& of_row = wanted[use.row];
        of_row.most = std::max(of_row.most, use.most);
        for (std::size_t axis = 0; axis < 3; ++axis) {
            of_row.low[axis] = std::max(of_row.low[axis], use.low[dims][axis]);
            of_row.high[axis] = std::max(of_row.high[axis], use.high[dims][axis]);
        }
    }
    return wanted;
}

std::string called(const Setup& setup, const Call& call) {
    return setup.collections[call.collection].name + "." + setup.description().functions[call.function].name;
}

void check_wanted(const Setup& setup, const Call& call, const CollectionSetup& child, const Wanted& wanted) {
    const auto where = call.where.file.empty() ? child.where : call.where;
    for (int axis = 0; axis < child.dimensions; ++axis) {
        const auto a = static_cast<std::size_t>(axis);
        if (child.boundary[a] == run_file::Boundary::torus && std::max(wanted.low[a], wanted.high[a]) >= child.size[a])
            run_file::fail_at(where,
                              fmt::format("{} has children {} places away along {}", called(setup, call),
                                          std::max(wanted.low[a], wanted.high[a]), "xyz"[axis]),
                              fmt::format("the torus has {}", child.size[a]), "use a larger grid, or `spawns` over a shorter distance");
    }
}

// In a list an entry is an agent or a birth request, by a number of 31 bits.
void check_room_for_birth_requests(const Setup& setup, const Call& call, const CollectionSetup& child, const BirthSource& source) {
    const auto& parents = setup.collections[call.collection].agents;
    if (parents && !parents->is_limited() && child.agents->is_limited())
        run_file::fail_at(
            call.where, fmt::format("{} has children of which a place holds at most {}", called(setup, call), child.agents->most_on_place),
            "agents of unlimited capacity can only have children of unlimited capacity",
            fmt::format("set agents.{}.capacity = \"unlimited\"", child.name));
    if (!child.agents->in_list()) return;
    auto entries = std::int64_t{child.agents->capacity} + birth_requests_of(child, source);
    for (const auto& other : child.agents->sources) entries += birth_requests_of(child, other);
    if (entries >= std::int64_t{1} << 31)
        run_file::fail_at(call.where, fmt::format("{} may have too many children at once", called(setup, call)),
                          fmt::format("together with the present agents these are {}, and a list has room for 2^31", entries),
                          "declare fewer children, or give less `reserve`");
}

// Of children in a list: which birth requests there are, so that nobody looks for them among all that there is room for.
void add_what_there_is(CollectionSetup& child, BirthSource& source) {
    if (!child.agents->in_list()) return;
    const auto most = birth_requests_of(child, source);
    const bool is_ordered = child.agents->storage->is_ordered();
    (is_ordered ? source.log : source.flags) = child.columns.size();
    if (is_ordered)
        add_column(child, Role::log, unnamed_member("(log)", Scalar::i32, 1), 1 + most);
    else
        add_column(child, Role::flags, unnamed_member("(birth flags)", Scalar::u8, 1), words_of_flags(most) * flags_a_word);
}

void add_source(Setup& setup, const Call& call, CollectionId id, const Wanted& wanted) {
    const auto& parents = setup.collections[call.collection];
    auto& child = setup.collections[id];
    check_wanted(setup, call, child, wanted);
    BirthSource source;
    source.phase = call.phase;
    source.parents = call.collection;
    source.of_places = !parents.agents;
    source.in_list = parents.agents && parents.agents->in_list();
    source.slots = parents.agents ? parents.agents->capacity : 1;
    source.calls = wanted.most;
    source.low = wanted.low;
    source.high = wanted.high;
    source.column = child.columns.size();
    if (source.offsets() >= 0x10000)
        run_file::fail_at(call.where, fmt::format("{} has children on one of {} places", called(setup, call), source.offsets()),
                          "a request has 16 bits for the place", "declare `spawns` over a shorter distance");
    check_room_for_birth_requests(setup, call, child, source);
    const auto cells = source.in_list ? std::int64_t{source.slots} : 0;
    const int requests = source.in_list ? source.calls : source.slots * source.calls; // in a cell
    const Scalar code = child.agents->storage->type_of_birth_requests(source.offsets());
    add_column(child, Role::birth_request, unnamed_member("(birth request)", code, requests), cells);
    if (!source.of_places)
        add_column(child, Role::parent, unnamed_member("(parent)", Scalar::u64, source.in_list ? 1 : source.slots), cells);
    for (const auto& member : setup.row_of(child).members) {
        auto request = repeated_member(member, requests);
        request.name = "(child's " + member.name + ")";
        add_column(child, Role::child_member, std::move(request), cells);
    }
    if (child.agents->space)
        add_column(child, Role::child_position,
                   unnamed_member("(child's position)", child.agents->space->number, child.dimensions * requests), cells);
    add_what_there_is(child, source);
    child.agents->sources.push_back(source);
}

// Of agents whose function goes anywhere.
void add_goals(Setup& setup, const Call& call, const model::Function& function) {
    auto& agents = setup.collections[call.collection];
    const bool goes =
        std::any_of(function.agent_uses.begin(), function.agent_uses.end(), [](const model::AgentUse& use) { return use.anywhere; });
    if (!goes || agents.has(Role::goal)) return;
    if (agents.places() >= std::int64_t{1} << 31)
        run_file::fail_at(call.where, fmt::format("{} goes anywhere on {} places", called(setup, call), agents.places()),
                          "a place's number has 31 bits there", "use a smaller grid, or moves<NEIGHBOURHOOD>");
    agents.agents->storage->add_columns_of_goals(agents);
}

// Of agents whose function asks how many of its children were not born. None is known before the first step.
void add_refused_births(Setup& setup, const Call& call, const model::Function& function) {
    auto& agents = setup.collections[call.collection];
    const bool asks =
        std::any_of(function.agent_uses.begin(), function.agent_uses.end(), [](const auto& use) { return use.refused_births; });
    if (!asks || agents.has(Role::refused_births)) return;
    add_agent_column(agents, Role::refused_births, unnamed_member("(refused births)", Scalar::u32, 1));
}

// Where others look at what is added to in the same phase, and where there are others who add, it cannot be done at once.
void add_shares(Setup& setup, CollectionId of, const model::Function& function) {
    auto& agents = setup.collections[of];
    if (!agents.agents) return;
    auto& shares = agents.agents->shares;
    for (const auto& access : function.accesses) {
        if (!access.use.folds || (agents.agents->most_on_place == 1 && !access.use.around)) continue;
        const auto& members = setup.description().rows[access.row].members;
        shares.resize(members.size());
        if (shares[access.member] != 0) continue;
        shares[access.member] = agents.columns.size();
        auto share = members[access.member];
        share.name = "(share in " + share.name + ")";
        add_agent_column(agents, Role::share, share);
    }
}

} // namespace

void bind_birth_requests(Setup& setup, const run_file::RunFile& run) {
    for (const auto c : setup.collections.ids())
        for (const auto& function : setup.description().functions)
            if (function.is_init && function.row == setup.collections[c].row) add_shares(setup, c, function);
    for (const auto& call : calls_of(setup, run)) {
        const auto& function = setup.description().functions[call.function];
        add_shares(setup, call.collection, function);
        add_goals(setup, call, function);
        add_refused_births(setup, call, function);
        for (const auto& [row, wanted] : wanted_by(function, setup.collections[call.collection].dimensions)) {
            const auto child = setup.agents_of_row(row, call.collection);
            const auto& name = setup.description().rows[row].collection;
            if (!child) {
                const auto& among = setup.collections[call.collection];
                run_file::fail_at(
                    call.where, fmt::format("{} has children of type {}", called(setup, call), name),
                    fmt::format("no such agents are on {}", among.agents ? setup.collections[among.agents->ground].name : among.name),
                    fmt::format("add [agents.{}]", name));
            }
            add_source(setup, call, *child, wanted);
        }
    }
}

} // namespace tessera
