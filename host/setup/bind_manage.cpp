// Functions of agents and manageAll as kernels.
//
// What they may wait for follows from their accesses, as everywhere, where several devices make the rows. Three things stand behind what is
// declared here. A function that says what it wants writes codes, and others who look at codes meanwhile ask what that does not change (who
// is there): it is declared as a writer of marks, which nobody reads but manageAll. Whose wish is granted is written where it goes, beyond
// the rows of the launch; but two never go to the same slot, and all who look there before and after are kept apart by the marks and codes
// that granting reads. And all functions of agents are writers of marks, for their members are among what is written there.
#include "host/run_file/nearest.hpp"
#include "host/setup/bind.hpp"
#include "host/setup/names.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tessera {
namespace {

// What the functions that a phase calls may ask of a manageAll.
struct Wishes {
    bool moves = false, dies = false;
};

Wishes wishes_of(const Setup& setup, const PhaseSetup& phase, CollectionId agents) {
    Wishes wishes;
    const auto* call = std::get_if<CallPhase>(&phase.action);
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

// What may have been asked since the manageAll that is surely behind: phases repeat with the steps.
Wishes wishes_before(const Setup& setup, PhaseId number, CollectionId agents) {
    Wishes all;
    const auto phases = setup.phases.size();
    for (std::size_t back = 1; back <= phases; ++back) {
        const auto& phase = setup.phases[(number.index() + phases - back) % phases];
        if (manages(phase, agents) && phase.timing == run_file::Timing{}) break;
        const auto wishes = wishes_of(setup, phase, agents);
        all.moves |= wishes.moves;
        all.dies |= wishes.dies;
    }
    return all;
}

// A use of a column, joined with others of the same one.
void add(std::vector<Access>& accesses, ColumnId column, const model::Use& use) {
    for (auto& access : accesses)
        if (access.column == column) {
            access.use.reads |= use.reads;
            access.use.around |= use.around;
            access.use.writes |= use.writes;
            for (std::size_t dims = 0; dims < 3; ++dims)
                for (std::size_t axis = 0; axis < 3; ++axis) {
                    access.use.low[dims][axis] = std::max(access.use.low[dims][axis], use.low[dims][axis]);
                    access.use.high[dims][axis] = std::max(access.use.high[dims][axis], use.high[dims][axis]);
                }
            return;
        }
    accesses.push_back({column, use});
}

model::Use looking(const model::CrowdUse& crowd) {
    model::Use use;
    use.reads = true;
    use.low = crowd.low;
    use.high = crowd.high;
    return use;
}

// The collection of these agents on the same places.
CollectionId find_counted(const Setup& setup, CollectionId agents, std::size_t row, const std::string& function,
                          const run_file::Where& where) {
    const auto ground = setup.collections[agents].crowd->ground;
    for (const auto c : setup.collections.ids())
        if (setup.collections[c].row == row && setup.collections[c].crowd && setup.collections[c].crowd->ground == ground) return c;
    const auto& name = setup.description().rows[row].collection;
    run_file::fail_at(where.file.empty() ? setup.agents_of(agents).name.where : where,
                      fmt::format("{}.{} counts agents of type {}", setup.collections[agents].name, function, name),
                      fmt::format("there are none on {}", setup.collections[ground].name), fmt::format("add [agents.{}]", name));
}

void check_axes(const Setup& setup, CollectionId agents, const std::string& function, const std::array<std::array<int, 3>, 3>& low,
                const std::array<std::array<int, 3>, 3>& high, const run_file::Where& where) {
    const auto& collection = setup.collections[agents];
    const auto dims = static_cast<std::size_t>(collection.dimensions - 1);
    for (auto axis = static_cast<std::size_t>(collection.dimensions); axis < 3; ++axis)
        if (low[dims][axis] > 0 || high[dims][axis] > 0)
            run_file::fail_at(where.file.empty() ? setup.agents_of(agents).name.where : where,
                              fmt::format("{}.{} needs more dimensions than {} has", collection.name, function,
                                          setup.collections[collection.crowd->ground].name),
                              fmt::format("it looks or goes along {}, and `size` has {} extent{}", axis == 1 ? "y" : "z",
                                          collection.dimensions, collection.dimensions == 1 ? "" : "s"),
                              "give `size` more extents");
}

KernelId manage_kernel(Setup& setup, CollectionId agents, KernelWork work) {
    for (const auto id : setup.kernels.ids())
        if (setup.kernels[id].collection == agents && setup.kernels[id].work == work) return id;
    const auto& collection = setup.collections[agents];
    KernelSetup kernel;
    kernel.collection = agents;
    kernel.work = work;
    const char* const part = work == KernelWork::wishes ? "wishes" : work == KernelWork::slots ? "slots" : "slots_after_wishes";
    kernel.name = "manageAll " + collection.name; // the key of priorities is made of it
    kernel.symbol = fmt::format("tessera_manage_{}_{}", part, collection.name);
    const auto dims = static_cast<std::size_t>(collection.dimensions - 1);
    const model::Use changing{true, false, true, {}, {}};
    model::Use looking{true, false, false, {}, {}}; // at rivals, which are as far from where both want to go
    for (std::size_t axis = 0; axis < 3; ++axis)
        looking.low[dims][axis] = looking.high[dims][axis] = collection.crowd->low[axis] + collection.crowd->high[axis];
    const bool wishes = work == KernelWork::wishes;
    for (std::size_t m = 0; wishes && m < setup.row_of(collection).members.size(); ++m)
        kernel.accesses.push_back({setup.column_of(agents, m), changing});
    kernel.accesses.push_back({setup.codes_of(agents), wishes ? looking : changing});
    if (work != KernelWork::slots) kernel.accesses.push_back({setup.marks_of(agents), wishes ? looking : changing});
    if (wishes) kernel.accesses.push_back({setup.ids_of(agents), changing});
    return setup.kernels.add(std::move(kernel));
}

} // namespace

KernelId agent_kernel(Setup& setup, CollectionId agents, std::size_t number, const run_file::Where& where) {
    const auto& function = setup.description().functions[number];
    auto& collection = setup.collections[agents];
    auto& crowd = *collection.crowd;
    const auto dims = static_cast<std::size_t>(collection.dimensions - 1);
    const auto place = where.file.empty() ? setup.agents_of(agents).name.where : where;
    KernelSetup kernel{
        agents, number, entry_symbol(collection.name, function.name), collection.name + "." + function.name, {}, KernelWork::function};
    for (const auto& access : function.accesses) {
        const bool own = access.row == collection.row;
        check_axes(setup, agents, function.name, access.use.low, access.use.high, where);
        const auto& members = setup.description().rows[access.row].members;
        if (!own && access.use.writes && crowd.capacity > 1)
            run_file::fail_at(place,
                              fmt::format("{} writes {}::{} of the place that an agent stands on", kernel.name,
                                          setup.description().rows[access.row].name, members[access.member].name),
                              fmt::format("{} agents may stand on one, and each would write it", crowd.capacity), "set capacity = 1");
        if (!own && access.use.writes && access.use.around)
            run_file::fail_at(place,
                              fmt::format("{} reads {}::{} around itself and writes it", kernel.name,
                                          setup.description().rows[access.row].name, members[access.member].name),
                              "what agents see of others is as it was before the phase", "look in one function and write in another");
        kernel.accesses.push_back({setup.column_of(own ? agents : crowd.ground, access.member), access.use});
    }
    add(kernel.accesses, setup.codes_of(agents), {true, false, false, {}, {}});
    add(kernel.accesses, setup.marks_of(agents), {false, false, true, {}, {}});
    add(kernel.accesses, setup.ids_of(agents), {true, false, false, {}, {}});
    for (const auto& use : function.crowds) {
        check_axes(setup, agents, function.name, use.low, use.high, where);
        crowd.keeps_results |= use.results;
        for (std::size_t axis = 0; use.moves && axis < 3; ++axis) {
            crowd.low[axis] = std::max(crowd.low[axis], use.low[dims][axis]);
            crowd.high[axis] = std::max(crowd.high[axis], use.high[dims][axis]);
        }
        if (use.counts)
            add(kernel.accesses,
                setup.codes_of(use.row == collection.row ? agents : find_counted(setup, agents, use.row, function.name, where)),
                looking(use));
    }
    return setup.kernels.add(std::move(kernel));
}

void bind_manage(Setup& setup, PhaseId number) {
    const auto collections = std::get<ManagePhase>(setup.phases[number].action).collections;
    std::vector<KernelId> kernels;
    for (const auto agents : collections) {
        const auto wishes = wishes_before(setup, number, agents);
        if (wishes.moves) kernels.push_back(manage_kernel(setup, agents, KernelWork::wishes));
        if (wishes.moves)
            kernels.push_back(manage_kernel(setup, agents, KernelWork::slots_after_wishes));
        else if (wishes.dies || setup.collections[agents].crowd->keeps_results)
            kernels.push_back(manage_kernel(setup, agents, KernelWork::slots));
    }
    std::get<ManagePhase>(setup.phases[number].action).kernels = std::move(kernels);
}

void check_intentions(const Setup& setup) {
    constexpr std::uint64_t looked_at = 1024;
    const auto steps = setup.run.run.steps ? std::min(**setup.run.run.steps, looked_at) : looked_at;
    for (const auto id : setup.phases.ids()) {
        const auto& phase = setup.phases[id];
        const auto* call = std::get_if<CallPhase>(&phase.action);
        if (call == nullptr) continue;
        const auto agents = setup.kernels[call->kernel].collection;
        const auto wishes = wishes_of(setup, phase, agents);
        if (!wishes.moves && !wishes.dies) continue;
        std::vector<const PhaseSetup*> behind;
        for (auto i = id.index() + 1; i < setup.phases.size(); ++i)
            if (manages(setup.phases[PhaseId(i)], agents)) behind.push_back(&setup.phases[PhaseId(i)]);
        const auto is_managed_in = [&](std::uint64_t step) {
            return std::any_of(behind.begin(), behind.end(), [&](const PhaseSetup* manage) { return manage->timing.includes(step); });
        };
        std::uint64_t step = 0;
        while (step < steps && (!phase.timing.includes(step) || is_managed_in(step))) ++step;
        if (!behind.empty() && step == steps) continue;
        run_file::fail_at(phase.where, fmt::format("{} asks to {}", phase.name, wishes.moves ? "go elsewhere" : "be no more"),
                          behind.empty() ? "no manageAll behind it in the step carries that out"
                                         : fmt::format("no manageAll behind it carries that out in step {}", step),
                          fmt::format("add [[phase]] manageAll = \"{}\" behind it", setup.collections[agents].name));
    }
}

} // namespace tessera
