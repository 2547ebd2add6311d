// manageAll: what may have been asked of it, and in which order it carries that out.
#include "host/bind/steps.hpp"
#include "host/run_file/nearest.hpp"
#include "host/setup/names.hpp"
#include "host/storage/calls.hpp"
#include "host/storage/changing_links.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tessera {
namespace {

// What a phase may ask of links.
Asked asked_of_links(const Setup& setup, PhaseId phase, CollectionId links) {
    Asked asked;
    const auto& sources = setup.collections[links].links->sources;
    for (std::size_t s = 0; s < sources.size(); ++s)
        if (sources[s].phase == phase) asked.births.push_back(s);
    const auto* call = std::get_if<CallPhase>(&setup.phases[phase].action);
    if (call != nullptr && setup.kernels[call->kernel].collection == links)
        asked.dies = setup.function_of(setup.kernels[call->kernel]).ends_links;
    return asked;
}

Asked asked_in(const Setup& setup, PhaseId phase, CollectionId agents) {
    if (setup.collections[agents].links) return asked_of_links(setup, phase, agents);
    Asked asked;
    const auto& sources = setup.collections[agents].agents->sources;
    for (std::size_t s = 0; s < sources.size(); ++s)
        if (sources[s].phase == phase) asked.births.push_back(s);
    const auto* call = std::get_if<CallPhase>(&setup.phases[phase].action);
    if (call == nullptr || setup.kernels[call->kernel].collection != agents) return asked;
    for (const auto& use : setup.function_of(setup.kernels[call->kernel]).agent_uses) {
        asked.moves |= use.moves;
        asked.dies |= use.dies;
    }
    return asked;
}

// Whether a phase is made wherever `of` is: it stands in no repeat that may end before, or in the same one and no later round.
bool is_made_with(const Setup& setup, PhaseId phase, PhaseId of) {
    const auto &round = setup.phases[phase].perhaps_round, &other = setup.phases[of].perhaps_round;
    return !round || (other && round->repeat == other->repeat && round->number <= other->number);
}

// What may have been asked since the manageAll that is surely behind: phases repeat with the steps.
Asked asked_before(const Setup& setup, PhaseId number, CollectionId agents) {
    Asked all;
    const auto phases = setup.phases.size();
    for (std::size_t back = 1; back <= phases; ++back) {
        const PhaseId before((number.index() + phases - back) % phases);
        const bool is_sure = setup.phases[before].timing == run_file::Timing{} && is_made_with(setup, before, number);
        if (is_manage_all_of(setup.phases[before], agents) && is_sure) break;
        const auto asked = asked_in(setup, before, agents);
        all.moves |= asked.moves;
        all.dies |= asked.dies;
        all.births.insert(all.births.end(), asked.births.begin(), asked.births.end());
    }
    return all;
}

// Of several collections all move, then all are born, then slots are settled: parents whose children are of another type are told before
// what they want is forgotten, and a GPU can make what does not collide together (host/generate/chains.hpp). Lists are made one after the
// other where nobody is told.
void put_in_turn(const Setup& setup, std::vector<KernelId>& kernels) {
    const auto tells = [](const CollectionSetup& collection) { return collection.has(Role::refused_births); };
    const auto is_of_list = [&](KernelId id) {
        const auto& agents = setup.collections[setup.kernels[id].collection].agents; // none: links
        return agents && agents->in_list();
    };
    if (std::any_of(kernels.begin(), kernels.end(), is_of_list) && std::none_of(setup.collections.begin(), setup.collections.end(), tells))
        return;
    const auto turn = [&](KernelId id) { return setup.kernels[id].kind->turn(); };
    std::stable_sort(kernels.begin(), kernels.end(), [&](KernelId a, KernelId b) { return turn(a) < turn(b); });
}

// Parents are found by where they stood when they asked and where they have gone since: who asks for children and has a part in a manageAll
// before they are born, or none in that by which they are, would be taken for somebody else.
void check_told_parents(const Setup& setup, PhaseId number, CollectionId children) {
    const auto& phase = setup.phases[number];
    for (const auto s : asked_before(setup, number, children).births) {
        const auto& source = setup.collections[children].agents->sources[s];
        if (!setup.tells_parents(source) || is_manage_all_of(phase, source.parents) == is_manage_all_of(phase, children)) continue;
        const auto &parents = setup.collections[source.parents].name, &born = setup.collections[children].name;
        const bool without_parents = is_manage_all_of(phase, children);
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
        if (setup.collections[agents].agents) check_told_parents(setup, number, agents);
    for (const auto agents : collections) {
        if (setup.collections[agents].links) {
            add_kernels_of_links(setup, agents, kernels);
            continue;
        }
        const auto asked = asked_before(setup, number, agents);
        if (!asked.births.empty()) setup.collections[agents].agents->birth_phases.push_back(number);
        setup.collections[agents].agents->storage->add_kernels(setup, number, agents, asked, kernels);
    }
    put_in_turn(setup, kernels);
    std::get<ManagePhase>(setup.phases[number].action).kernels = std::move(kernels);
}

void check_intentions(const Setup& setup) {
    constexpr std::uint64_t looked_at = 1024;
    const auto steps = setup.agenda.steps ? std::min(**setup.agenda.steps, looked_at) : looked_at;
    for (const auto id : setup.phases.ids())
        for (const auto agents : setup.collections.ids()) {
            if (setup.collections[agents].are_places()) continue;
            const auto& phase = setup.phases[id];
            const auto asked = asked_in(setup, id, agents);
            if (!asked.any()) continue;
            std::vector<const PhaseSetup*> behind;
            bool perhaps = false;
            for (auto i = id.index() + 1; i < setup.phases.size(); ++i) perhaps |= is_manage_all_of(setup.phases[PhaseId(i)], agents);
            for (auto i = id.index() + 1; i < setup.phases.size(); ++i)
                if (is_manage_all_of(setup.phases[PhaseId(i)], agents) && is_made_with(setup, PhaseId(i), id))
                    behind.push_back(&setup.phases[PhaseId(i)]);
            const auto is_managed_in = [&](std::uint64_t step) {
                return std::any_of(behind.begin(), behind.end(), [&](const PhaseSetup* manage) { return manage->timing.includes(step); });
            };
            std::uint64_t step = 0;
            while (step < steps && (!phase.timing.includes(step) || is_managed_in(step))) ++step;
            if (!behind.empty() && step == steps) continue;
            run_file::fail_at(phase.where,
                              fmt::format("{} asks {}", phase.name,
                                          asked.moves                       ? "to go elsewhere"
                                          : asked.dies                      ? "to die"
                                          : setup.collections[agents].links ? "for links"
                                                                            : "for children"),
                              behind.empty() ? perhaps ? "the manageAll after it stands in a repeat that may end before it"
                                                       : "no manageAll after it in the step carries out the request"
                                             : fmt::format("no manageAll after it carries out the request in step {}", step),
                              fmt::format("add [[phase]] manageAll = \"{}\" after it", setup.collections[agents].name));
        }
}

} // namespace tessera
