// manageAll as kernels.
//
// What they may wait for follows from their accesses, as everywhere, where several devices make the rows. Three things stand behind what is
// declared here. A function that says what it wants writes codes, and others who look at codes meanwhile ask what that does not change (who
// is there): it is declared as a writer of marks, which nobody reads but manageAll. Whose wish is granted is written where it goes, beyond
// the rows of the launch; but two never go to the same slot, and all who look there before and after are kept apart by the marks and codes
// that granting reads. And all functions of agents, those that meet them, and the joining of their shares, which goes by ids, are writers
// of marks, for members and ids are among what is written there. Children are born beyond the rows of a launch in the same way, and behind
// all who go: that is what they read ids for.
//
// How far is what tests/conformance/seams_test.cpp takes rows away from. Of what is read, some is kept by something else as well: codes
// are only changed by the kernel of slots, which also writes marks, and these are read as far; all columns of a note are written by the
// function that writes its code.
#include "host/run_file/nearest.hpp"
#include "host/setup/bind.hpp"
#include "host/setup/names.hpp"
#include "kernels/agents/list_blocks.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tessera {
namespace {

// What the functions that a phase calls may ask of a manageAll.
struct Wishes {
    bool moves = false, dies = false;
    std::vector<std::size_t> births; // in CrowdSetup::sources

    [[nodiscard]] bool any() const noexcept { return moves || dies || !births.empty(); }
};

Wishes wishes_of(const Setup& setup, PhaseId phase, CollectionId agents) {
    Wishes wishes;
    const auto& sources = setup.collections[agents].crowd->sources;
    for (std::size_t s = 0; s < sources.size(); ++s)
        if (sources[s].phase == phase) wishes.births.push_back(s);
    const auto* call = std::get_if<CallPhase>(&setup.phases[phase].action);
    if (call == nullptr || setup.kernels[call->kernel].collection != agents) return wishes;
    for (const auto& use : setup.function_of(setup.kernels[call->kernel]).crowds) {
        wishes.moves |= use.moves;
        wishes.dies |= use.dies;
    }
    return wishes;
}

bool manages(const PhaseSetup& phase, CollectionId agents) {
    const auto* manage = std::get_if<ManagePhase>(&phase.action);
    return manage != nullptr && std::find(manage->collections.begin(), manage->collections.end(), agents) != manage->collections.end();
}

// Whether a phase is made wherever `of` is: it stands in no repeat that may end before, or in the same one and no later round.
bool is_made_with(const Setup& setup, PhaseId phase, PhaseId of) {
    const auto &round = setup.phases[phase].perhaps_round, &other = setup.phases[of].perhaps_round;
    return !round || (other && round->repeat == other->repeat && round->number <= other->number);
}

// What may have been asked since the manageAll that is surely behind: phases repeat with the steps.
Wishes wishes_before(const Setup& setup, PhaseId number, CollectionId agents) {
    Wishes all;
    const auto phases = setup.phases.size();
    for (std::size_t back = 1; back <= phases; ++back) {
        const PhaseId before((number.index() + phases - back) % phases);
        const bool is_sure = setup.phases[before].timing == run_file::Timing{} && is_made_with(setup, before, number);
        if (manages(setup.phases[before], agents) && is_sure) break;
        const auto wishes = wishes_of(setup, before, agents);
        all.moves |= wishes.moves;
        all.dies |= wishes.dies;
        all.births.insert(all.births.end(), wishes.births.begin(), wishes.births.end());
    }
    return all;
}

using Reach = std::array<int, 3>;

Reach operator+(const Reach& a, const Reach& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }

Reach further(const Reach& a, const Reach& b) { return {std::max(a[0], b[0]), std::max(a[1], b[1]), std::max(a[2], b[2])}; }

// From -low to high.
struct Sight {
    Reach low{}, high{};
};

// As far as those stand who look from -low to high, and see where something is done that comes from so far away.
Sight operator+(const Sight& to, const Sight& seen) { return {to.low + seen.high, to.high + seen.low}; }
Sight further(const Sight& a, const Sight& b) { return {further(a.low, b.low), further(a.high, b.high)}; }

model::Use looking(const CollectionSetup& agents, const Sight& sight) {
    const auto dims = static_cast<std::size_t>(agents.dimensions - 1);
    model::Use use;
    use.reads = true;
    use.low[dims] = sight.low;
    use.high[dims] = sight.high;
    return use;
}

model::Use everywhere(const CollectionSetup& agents) {
    const auto rows = static_cast<int>(agents.whole().rows());
    Sight all;
    all.low[agents.dimensions == 3 ? 2 : 1] = all.high[agents.dimensions == 3 ? 2 : 1] = rows;
    return looking(agents, all);
}

// Where agents may want to go, or children be wanted by any source; from where a collection's agents are met.
Sight moves_of(const CrowdSetup& crowd) { return {crowd.low, crowd.high}; }
Sight births_of(const BirthSource& source) { return {source.low, source.high}; }
Sight births_of(const CrowdSetup& crowd) {
    Sight all;
    for (const auto& source : crowd.sources) all = further(all, births_of(source));
    return all;
}
Sight meetings_of(const CrowdSetup& crowd) { return {crowd.met_low, crowd.met_high}; }

void add_wishes(const Setup& setup, KernelSetup& kernel) {
    const auto agents = kernel.collection;
    const auto& collection = setup.collections[agents];
    const auto& crowd = *collection.crowd;
    const auto moves = moves_of(crowd), rivals = moves + moves;
    const model::Use changing{true, false, true, {}, {}};
    for (std::size_t m = 0; m < setup.row_of(collection).members.size(); ++m)
        kernel.accesses.push_back({setup.column_of(agents, m), changing});
    kernel.accesses.push_back({setup.codes_of(agents), looking(collection, rivals)});
    kernel.accesses.push_back({setup.marks_of(agents), looking(collection, further(rivals, moves + meetings_of(crowd)))});
    kernel.accesses.push_back({setup.ids_of(agents), changing});
}

ColumnId claims_of(const Setup& setup, CollectionId agents) { return setup.column_of(agents, Role::claim); }

// A place on which they bid may be anybody's. So those who open claims wait until all functions are done and, in later rounds, all grants:
// for marks, which both write. Those who bid wait for all claims that they see, and those who grant, who are declared as writing claims,
// until all have seen theirs; all who come behind wait for these. None of one kind wait for each other.
void add_bids(const Setup& setup, KernelSetup& kernel) {
    const auto agents = kernel.collection;
    const auto& collection = setup.collections[agents];
    const auto goals = setup.column_of(agents, Role::goal);
    const bool opens = kernel.work == KernelWork::open_bids, grants = kernel.work == KernelWork::grant_bids;
    const model::Use reading = looking(collection, {}), writing{true, false, true, {}, {}};
    for (std::size_t m = 0; grants && m < setup.row_of(collection).members.size(); ++m)
        kernel.accesses.push_back({setup.column_of(agents, m), writing});
    kernel.accesses.push_back({setup.codes_of(agents), reading});
    kernel.accesses.push_back({setup.marks_of(agents), opens ? everywhere(collection) : grants ? writing : reading});
    kernel.accesses.push_back({setup.ids_of(agents), grants ? writing : reading});
    kernel.accesses.push_back({goals, reading});
    kernel.accesses.push_back({claims_of(setup, agents), opens || grants ? writing : everywhere(collection)});
}

// What comes behind bids, of those who go anywhere.
void add_end_of_bids(const Setup& setup, KernelSetup& kernel) {
    const auto& collection = setup.collections[kernel.collection];
    if (collection.has(Role::goal)) kernel.accesses.push_back({claims_of(setup, kernel.collection), everywhere(collection)});
}

model::Use joined(const model::Use& a, const model::Use& b) {
    model::Use both = a;
    both.reads |= b.reads;
    both.around |= b.around;
    both.writes |= b.writes;
    for (std::size_t d = 0; d < 3; ++d)
        for (std::size_t axis = 0; axis < 3; ++axis) {
            both.low[d][axis] = std::max(a.low[d][axis], b.low[d][axis]);
            both.high[d][axis] = std::max(a.high[d][axis], b.high[d][axis]);
        }
    return both;
}
void also_access(KernelSetup& kernel, ColumnId column, const model::Use& use) {
    for (auto& access : kernel.accesses)
        if (access.column == column) return void(access.use = joined(access.use, use));
    kernel.accesses.push_back({column, use});
}

// Of parents who are told which births are refused: each is looked for where it has gone, by its mark and id, and waits there, as all
// functions do, until who looks at its mark is done. What it is told is added to beyond the rows of the launch as well.
void add_told_parents(const Setup& setup, KernelSetup& kernel) {
    const auto& source = setup.collections[kernel.collection].crowd->sources[kernel.source];
    if (!setup.tells_parents(source)) return;
    const auto parents = source.parents;
    const auto& collection = setup.collections[parents];
    const auto& crowd = *collection.crowd;
    const auto told = setup.column_of(parents, Role::refused_births);
    if (crowd.in_list) return also_access(kernel, told, {true, false, true, {}, {}});
    const bool from_anywhere = collection.has(Role::goal) || kernel.work == KernelWork::count_notes; // whose launch is for all rows
    const auto moves = moves_of(crowd);
    const auto gone = from_anywhere ? everywhere(collection) : looking(collection, moves);
    also_access(kernel, setup.codes_of(parents), from_anywhere ? gone : looking(collection, {}));
    also_access(kernel, setup.marks_of(parents), gone);
    also_access(kernel, setup.ids_of(parents), from_anywhere ? gone : looking(collection, moves + moves));
    also_access(kernel, told, gone);
    if (!collection.has(Role::goal)) return;
    also_access(kernel, setup.column_of(parents, Role::goal), from_anywhere ? gone : looking(collection, {}));
    also_access(kernel, claims_of(setup, parents), gone);
}

void add_births(const Setup& setup, KernelSetup& kernel) {
    const auto agents = kernel.collection;
    const auto& collection = setup.collections[agents];
    const auto& crowd = *collection.crowd;
    const auto members = setup.row_of(collection).members.size();
    const auto moves = moves_of(crowd), births = births_of(crowd.sources[kernel.source]);
    const model::Use changing{true, false, true, {}, {}};
    for (std::size_t m = 0; m < members; ++m) kernel.accesses.push_back({setup.column_of(agents, m), changing});
    kernel.accesses.push_back({setup.codes_of(agents), looking(collection, births)});
    kernel.accesses.push_back({setup.marks_of(agents), looking(collection, births + meetings_of(crowd))});
    // Who has left is written over: those who are to find out by its id whether they come before it must have done so.
    kernel.accesses.push_back({setup.ids_of(agents), looking(collection, births + (moves + moves))});
    for (auto c = setup.ids_of(agents).index() + 1; c < collection.first_column.index() + collection.columns.size(); ++c)
        if (setup[ColumnId(c)].role != Role::refused_births)
            kernel.accesses.push_back({ColumnId(c), looking(collection, births + births_of(crowd))});
    add_end_of_bids(setup, kernel);
    add_told_parents(setup, kernel);
}

void add_forgotten_births(const Setup& setup, KernelSetup& kernel) {
    kernel.accesses.push_back({setup.column_of(kernel.collection, Role::refused_births), {true, false, true, {}, {}}});
}

void add_slots(const Setup& setup, KernelSetup& kernel) {
    const auto agents = kernel.collection;
    const model::Use changing{true, false, true, {}, {}};
    kernel.accesses.push_back({setup.codes_of(agents), changing});
    if (kernel.work != KernelWork::slots) kernel.accesses.push_back({setup.marks_of(agents), changing});
    if (kernel.work == KernelWork::slots_and_notes)
        for (const auto& source : setup.collections[agents].crowd->sources)
            kernel.accesses.push_back({setup.column_of(agents, source.column), changing});
    add_end_of_bids(setup, kernel);
}

// By one device, for all rows: what comes behind what follows from the order of launches.
void add_list(const Setup& setup, KernelSetup& kernel) {
    const auto agents = kernel.collection;
    const auto& collection = setup.collections[agents];
    for (std::size_t c = 0; c < collection.columns.size(); ++c) {
        const auto column = setup.column_of(agents, c);
        const auto role = setup[column].role;
        const bool moves = is_state(role) && role != Role::start;
        kernel.accesses.push_back({column, {true, moves && kernel.work == KernelWork::settle_list, true, {}, {}}});
    }
    if (kernel.work == KernelWork::count_notes) add_told_parents(setup, kernel);
}

KernelId manage_kernel(Setup& setup, CollectionId agents, KernelWork work, std::size_t source = 0, int round = 0) {
    for (const auto id : setup.kernels.ids())
        if (const auto& known = setup.kernels[id];
            known.collection == agents && known.work == work && known.source == source && known.round == round)
            return id;
    KernelSetup kernel;
    kernel.collection = agents;
    kernel.work = work;
    kernel.source = source;
    kernel.round = round;
    const auto& name = setup.collections[agents].name;
    kernel.name = "manageAll " + name; // the key of priorities is made of it
    kernel.symbol = fmt::format("tessera_manage_{}_{}{}", name_of(work), name,
                                has_source(work)   ? fmt::format("_{}", source)
                                : is_of_bids(work) ? fmt::format("_{}", round)
                                                   : "");
    if (work == KernelWork::wishes)
        add_wishes(setup, kernel);
    else if (is_of_bids(work))
        add_bids(setup, kernel);
    else if (work == KernelWork::births)
        add_births(setup, kernel);
    else if (work == KernelWork::forget_refused_births)
        add_forgotten_births(setup, kernel);
    else if (setup.collections[agents].crowd->in_list)
        add_list(setup, kernel);
    else
        add_slots(setup, kernel);
    return setup.kernels.add(std::move(kernel));
}

// Of a list: the parts in their order. Who is there before and who is there then stand in different buffers.
void add_list_kernels(Setup& setup, CollectionId agents, const Wishes& wishes, std::vector<KernelId>& kernels) {
    const auto add = [&](KernelWork work) { kernels.push_back(manage_kernel(setup, agents, work)); };
    const auto add_of_notes = [&](KernelWork work) {
        for (const auto source : wishes.births) kernels.push_back(manage_kernel(setup, agents, work, source));
    };
    add(KernelWork::find_targets);
    add_of_notes(KernelWork::count_notes);
    if (!makes_sums_by_itself(setup.collections[agents].places())) add(KernelWork::sum_blocks);
    add(KernelWork::find_starts);
    add(KernelWork::enter_agents);
    add_of_notes(KernelWork::enter_notes);
    add(KernelWork::settle_list);
    add_of_notes(KernelWork::forget_list_notes);
}

void add_bid_kernels(Setup& setup, CollectionId agents, std::vector<KernelId>& kernels) {
    for (int round = 0; round < setup.collections[agents].crowd->capacity; ++round)
        for (const auto work : {KernelWork::open_bids, KernelWork::bid_for_places, KernelWork::grant_bids})
            kernels.push_back(manage_kernel(setup, agents, work, 0, round));
}

// ---- passes over all slots that a function makes, which goes over them anyway

bool looks_at_others(const Setup& setup, const KernelSetup& kernel) {
    const auto& uses = setup.function_of(kernel).crowds;
    return std::any_of(uses.begin(), uses.end(), [&](const model::CrowdUse& use) {
        return (use.counts || use.meets) && setup.agents_of_row(use.row, kernel.collection) == kernel.collection;
    });
}

// Whether the phase is made in each step, and once.
bool is_usual(const PhaseSetup& phase) { return phase.timing == run_file::Timing{} && !phase.perhaps_round; }

// The function that this phase calls, if it can change who is in a slot while it goes over them: that is to be done in no other phase, and
// nobody is to look at another agent meanwhile.
std::optional<KernelId> function_among_slots(const Setup& setup, std::size_t phase, CollectionId agents) {
    const auto& crowd = *setup.collections[agents].crowd;
    if (phase >= setup.phases.size() || crowd.in_list || crowd.capacity > 1 || setup.collections[agents].has(Role::goal)) return {};
    const auto call_in = [&](std::size_t i) { return std::get_if<CallPhase>(&setup.phases[PhaseId(i)].action); };
    const auto* call = call_in(phase);
    if (call == nullptr || call->shares || !is_usual(setup.phases[PhaseId(phase)])) return {};
    for (std::size_t i = 0; i < setup.phases.size(); ++i)
        if (i != phase && call_in(i) != nullptr && call_in(i)->kernel == call->kernel) return {};
    const auto& kernel = setup.kernels[call->kernel];
    if (kernel.collection != agents || looks_at_others(setup, kernel)) return {};
    return call->kernel;
}

void let_change(KernelSetup& kernel, ColumnId column) {
    for (auto& access : kernel.accesses)
        if (access.column == column) access.use.reads = access.use.writes = true;
}

// Whether the function that is called right before a manageAll, by which agents die and nothing else, buries them.
bool is_buried_before(Setup& setup, PhaseId manage, CollectionId agents) {
    if (!is_usual(setup.phases[manage])) return false;
    const auto by = function_among_slots(setup, manage.index() - 1, agents);
    if (!by) return false;
    setup.kernels[*by].buries = true;
    let_change(setup.kernels[*by], setup.codes_of(agents));
    std::get<ManagePhase>(setup.phases[manage].action).with.push_back(*by);
    return true;
}
// Whether the function that is called right behind it settles the slots.
bool is_settled_behind(Setup& setup, PhaseId manage, CollectionId agents, SlotWork work) {
    auto& phase = std::get<ManagePhase>(setup.phases[manage].action);
    if (!is_usual(setup.phases[manage]) || phase.collections.back() != agents) return false;
    const auto by = function_among_slots(setup, manage.index() + 1, agents);
    if (!by) return false;
    setup.kernels[*by].settles = work;
    let_change(setup.kernels[*by], setup.codes_of(agents));
    if (work == SlotWork::marked) let_change(setup.kernels[*by], setup.marks_of(agents));
    phase.with.push_back(*by);
    return true;
}

// Of one collection: wishes to go, then those for children, then what becomes of each slot.
void add_kernels(Setup& setup, PhaseId phase, CollectionId agents, const Wishes& wishes, std::vector<KernelId>& kernels) {
    const bool keeps_anything = setup.collections[agents].crowd->keeps_results || setup.collections[agents].has(Role::refused_births);
    if (setup.collections[agents].crowd->in_list) {
        if (wishes.any() || keeps_anything) add_list_kernels(setup, agents, wishes, kernels);
        return;
    }
    if (setup.collections[agents].has(Role::refused_births))
        kernels.push_back(manage_kernel(setup, agents, KernelWork::forget_refused_births));
    if (wishes.moves && !setup.collections[agents].has(Role::goal)) kernels.push_back(manage_kernel(setup, agents, KernelWork::wishes));
    if (wishes.moves && setup.collections[agents].has(Role::goal)) add_bid_kernels(setup, agents, kernels);
    for (const auto source : wishes.births) kernels.push_back(manage_kernel(setup, agents, KernelWork::births, source));
    if (!wishes.births.empty())
        kernels.push_back(manage_kernel(setup, agents, KernelWork::slots_and_notes));
    else if (wishes.moves) {
        if (!is_settled_behind(setup, phase, agents, SlotWork::marked))
            kernels.push_back(manage_kernel(setup, agents, KernelWork::marked_slots));
    } else if (wishes.dies || setup.collections[agents].crowd->keeps_results) {
        if (!is_buried_before(setup, phase, agents) && !is_settled_behind(setup, phase, agents, SlotWork::unmarked))
            kernels.push_back(manage_kernel(setup, agents, KernelWork::slots));
    }
}

// Parents whose children are of another type are told before what they want is forgotten.
void tell_parents_in_time(const Setup& setup, std::vector<KernelId>& kernels) {
    const auto asks = [](const CollectionSetup& collection) { return collection.has(Role::refused_births); };
    if (std::none_of(setup.collections.begin(), setup.collections.end(), asks)) return;
    const auto turn = [&](KernelId id) {
        switch (setup.kernels[id].work) {
        case KernelWork::wishes:
        case KernelWork::open_bids:
        case KernelWork::bid_for_places:
        case KernelWork::grant_bids:
        case KernelWork::forget_refused_births:
        case KernelWork::find_targets: return 0;
        case KernelWork::births:
        case KernelWork::count_notes: return 1;
        default: return 2;
        }
    };
    std::stable_sort(kernels.begin(), kernels.end(), [&](KernelId a, KernelId b) { return turn(a) < turn(b); });
}

// Parents are found by where they stood when they asked and where they have gone since: who asks for children and has a part in a manageAll
// before they are born, or none in that by which they are, would be taken for somebody else.
void check_told_parents(const Setup& setup, PhaseId number, CollectionId children) {
    const auto& phase = setup.phases[number];
    for (const auto s : wishes_before(setup, number, children).births) {
        const auto& source = setup.collections[children].crowd->sources[s];
        if (!setup.tells_parents(source) || manages(phase, source.parents) == manages(phase, children)) continue;
        const auto &parents = setup.collections[source.parents].name, &born = setup.collections[children].name;
        const bool without_parents = manages(phase, children);
        run_file::fail_at(phase.where, fmt::format("{} leaves out `{}`", phase.name, without_parents ? parents : born),
                          fmt::format("{} asks reads<refused_births>, and its children {}", parents,
                                      without_parents ? "are born here" : fmt::format("of type `{}` are not born yet", born)),
                          fmt::format("write manageAll = [\"{}\", \"{}\"], or \"*\"", parents, born));
    }
}

} // namespace

void bind_manage(Setup& setup, PhaseId number) {
    const auto collections = std::get<ManagePhase>(setup.phases[number].action).collections;
    std::vector<KernelId> kernels;
    for (const auto agents : setup.collections.ids())
        if (setup.collections[agents].crowd) check_told_parents(setup, number, agents);
    for (const auto agents : collections) {
        const auto wishes = wishes_before(setup, number, agents);
        if (!wishes.births.empty()) setup.collections[agents].crowd->bearers.push_back(number);
        add_kernels(setup, number, agents, wishes, kernels);
    }
    tell_parents_in_time(setup, kernels);
    std::get<ManagePhase>(setup.phases[number].action).kernels = std::move(kernels);
}

void check_intentions(const Setup& setup) {
    constexpr std::uint64_t looked_at = 1024;
    const auto steps = setup.run.run.steps ? std::min(**setup.run.run.steps, looked_at) : looked_at;
    for (const auto id : setup.phases.ids())
        for (const auto agents : setup.collections.ids()) {
            if (!setup.collections[agents].crowd) continue;
            const auto& phase = setup.phases[id];
            const auto wishes = wishes_of(setup, id, agents);
            if (!wishes.any()) continue;
            std::vector<const PhaseSetup*> behind;
            bool perhaps = false;
            for (auto i = id.index() + 1; i < setup.phases.size(); ++i) perhaps |= manages(setup.phases[PhaseId(i)], agents);
            for (auto i = id.index() + 1; i < setup.phases.size(); ++i)
                if (manages(setup.phases[PhaseId(i)], agents) && is_made_with(setup, PhaseId(i), id))
                    behind.push_back(&setup.phases[PhaseId(i)]);
            const auto is_managed_in = [&](std::uint64_t step) {
                return std::any_of(behind.begin(), behind.end(), [&](const PhaseSetup* manage) { return manage->timing.includes(step); });
            };
            std::uint64_t step = 0;
            while (step < steps && (!phase.timing.includes(step) || is_managed_in(step))) ++step;
            if (!behind.empty() && step == steps) continue;
            run_file::fail_at(phase.where,
                              fmt::format("{} asks {}", phase.name,
                                          wishes.moves  ? "to go elsewhere"
                                          : wishes.dies ? "to die"
                                                        : "for children"),
                              behind.empty() ? perhaps ? "the manageAll after it stands in a repeat that may end before it"
                                                       : "no manageAll after it in the step carries out the request"
                                             : fmt::format("no manageAll after it carries out the request in step {}", step),
                              fmt::format("add [[phase]] manageAll = \"{}\" after it", setup.collections[agents].name));
        }
}

} // namespace tessera
