#include "host/execute/faults.hpp"

#include "device_runtime/error.hpp"
#include "host/execute/mistakes.hpp"
#include "host/generate/any_run_source.hpp"
#include "host/setup/uniforms.hpp"
#include "host/world/agent_table.hpp"
#include "host/world/outgrown_room.hpp"
#include "kernels/agents/agent_id.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace tessera {

namespace {

// That has this entry point.
const model::Uniform* find_uniform(const Setup& setup, const std::string& symbol) {
    const auto& uniforms = setup.description().uniforms;
    for (std::size_t u = 0; u < uniforms.size(); ++u)
        if (uniform_symbol(u) == symbol) return &uniforms[u];
    return nullptr;
}

// "cell.tick". Code for any run has one entry point for all collections of a row: "cell.tick or north.tick".
std::string names_of_kernels(const Setup& setup, const std::string& symbol) {
    if (const auto* const uniform = find_uniform(setup, symbol)) return uniform->name;
    std::string names;
    for (const auto& kernel : setup.kernels)
        if (kernel.symbol == symbol || any_run_symbol(setup, kernel) == symbol) names += (names.empty() ? "" : " or ") + kernel.name;
    return names.empty() ? symbol : names;
}

[[noreturn]] void tell_too_many(bool are_links, const std::string& when, const std::string& who) {
    throw Error(Failure::model, fmt::format("{} {} than allowed {}", who, are_links ? "spawns more links" : "has more children", when),
                "the access list has the maximum for one call",
                fmt::format("write spawns<{}, MOST> with a larger number", are_links ? "LINK, anywhere" : "AGENT, NEIGHBOURHOOD"));
}

} // namespace

void tell_fault(const Setup& setup, const Partitions& partitions, const KernelFault& fault, std::uint64_t step) {
    const auto is_this = [&](const auto& each) { return each.symbol == fault.kernel(); };
    const auto kernel = std::find_if(setup.kernels.begin(), setup.kernels.end(), is_this);
    if (setup.modes().checked && kernel != setup.kernels.end() && kernel->is_function())
        tell_mistake(setup, *kernel, fault, NotedMistake(partitions.front()).record(), step);
    if (const auto* const uniform = find_uniform(setup, fault.kernel()); uniform != nullptr && setup.modes().checked)
        tell_mistake(setup, *uniform, fault, NotedMistake(partitions.front()).record(), step);
    throw Error(Failure::model, fmt::format("{} {} in step {}", names_of_kernels(setup, fault.kernel()), fault.what_happened(), step),
                fault.why(), fault.advice());
}

namespace {

std::string place_text(const Setup& setup, CollectionId id, std::int64_t number) {
    const auto& collection = setup.collections[id];
    if (!setup.collections[setup.ground_of(id)].has_shape()) return std::to_string(number);
    const auto place = place_of(collection, number);
    return fmt::format("({})", fmt::join(place.begin(), place.begin() + collection.dimensions, ", "));
}

// What may be born beyond the edge, as a phase wants it.
std::string child_of(const Setup& setup, PhaseId phase) {
    for (const auto& collection : setup.collections) {
        if (!collection.agents || collection.agents->on_edge == run_file::EdgeRule::refuse) continue;
        const auto& sources = collection.agents->sources;
        if (std::any_of(sources.begin(), sources.end(), [&](const BirthSource& source) { return source.phase == phase; }))
            return collection.name;
    }
    return "NAME";
}

// Which agent did it, or which place.
std::string who_did(const Setup& setup, CollectionId id, std::uint64_t number, const StateReader& read) {
    const auto& collection = setup.collections[id];
    if (!collection.agents) return fmt::format("{} on place {}", collection.name, place_text(setup, id, static_cast<std::int64_t>(number)));
    const auto table = find_agents(setup, id, read);
    const auto found = std::lower_bound(table.ids.begin(), table.ids.end(), number);
    // Of several devices others may have gone on meanwhile, and have moved it.
    const bool is_certain = setup.partitions() == 1 || (collection.agents->storage->has_rows_of_places() && !setup.own_memory());
    const bool is_there = is_certain && found != table.ids.end() && *found == number;
    return fmt::format("{} {}{}", collection.name, number,
                       is_there ? " on place " + place_text(setup, id, table.places[static_cast<std::size_t>(found - table.ids.begin())])
                                : "");
}

// Which numbers the places have that links join which a phase wants.
std::string places_text(const Setup& setup, PhaseId phase) {
    std::string text;
    for (const auto& collection : setup.collections) {
        if (!collection.links) continue;
        const auto& sources = collection.links->sources;
        if (std::none_of(sources.begin(), sources.end(), [&](const LinkSource& source) { return source.phase == phase; })) continue;
        for (const auto end : {collection.links->from, collection.links->to})
            if (const auto& places = setup.collections[end]; text.find(places.name) == std::string::npos)
                text +=
                    fmt::format("{}the places of {} have numbers from 0 to {}", text.empty() ? "" : ", ", places.name, places.places() - 1);
    }
    return text;
}

[[noreturn]] void tell_no_room(const Setup& setup, const AgentFault& fault, const PhaseSetup& phase) {
    std::vector<CollectionId> who;
    for (const auto agents : std::get<ManagePhase>(phase.action).collections)
        if (const auto& collection = setup.collections[agents];
            collection.links || (collection.agents->in_list() && !collection.agents->sources.empty()))
            who.push_back(agents);
    throw OutgrownRoom(setup, who, fault.id, fmt::format("in step {}, {}", fault.step, phase.name));
}

} // namespace

void tell_fault(const Setup& setup, const AgentFault& fault, const StateReader& read) {
    const auto& phase = setup.phases[fault.phase];
    if (fault.what == births_too_often)
        throw Error(Failure::model, fmt::format("the ids for births are used up in step {}, {}", fault.step, phase.name),
                    fmt::format("an id has {} bits for the number of the manageAll in which its agent was born", id_bits_of_cycle),
                    "make a shorter run, or call manageAll in fewer steps");
    if (fault.what == births_too_many)
        throw Error(Failure::model, fmt::format("too many agents are born on one place in step {}, {}", fault.step, phase.name),
                    "their ids are used up", "use fewer places, or fewer children at once");
    if (fault.what == outgrows_room) tell_no_room(setup, fault, phase);
    const auto agents = setup.kernels[std::get<CallPhase>(phase.action).kernel].collection;
    const auto& collection = setup.collections[agents];
    const auto who = who_did(setup, agents, fault.id, read);
    switch (fault.what) {
    case migrates_off_grid:
        throw Error(Failure::model, fmt::format("{} goes off the grid in step {}, {}", who, fault.step, phase.name),
                    "only a torus continues on the other side",
                    fmt::format("{}, or set agents.{}.on_edge = \"refuse\"",
                                collection.agents->space ? "keep within 0 and self.extent" : "ask site.free() or self.position first",
                                collection.name));
    case spawns_off_grid:
        throw Error(Failure::model, fmt::format("{} has a child off the grid in step {}, {}", who, fault.step, phase.name),
                    "only a torus continues on the other side",
                    fmt::format("{}, or set agents.{}.on_edge = \"refuse\"",
                                collection.agents && collection.agents->space ? "keep within 0 and self.extent" : "ask self.position first",
                                child_of(setup, fault.phase)));
    case migrates_to_no_number:
    case spawns_at_no_number:
        throw Error(
            Failure::model,
            fmt::format("{} {} a position that is not a number in step {}, {}", who,
                        fault.what == migrates_to_no_number ? "goes to" : "has a child at", fault.step, phase.name),
            "such a position is nowhere in space",
            "look for 0 / 0, infinity - infinity, and roots and logarithms of negative numbers; a run with --check reports the line");
    case links_to_nowhere:
        throw Error(Failure::model, fmt::format("{} spawns a link that leads to no place in step {}, {}", who, fault.step, phase.name),
                    places_text(setup, fault.phase),
                    collection.agents ? "give spawn(LINK, from, to) the numbers of places, such as self.place.id"
                                      : "give spawn(LINK, to) the number of a place, such as other.id");
    case spawns_too_many:
    case spawns_too_many_links:
        tell_too_many(fault.what == spawns_too_many_links, fmt::format("in step {}, {}", fault.step, phase.name), who);
    case spawns_undeclared:
        if (collection.agents && collection.agents->space)
            throw Error(Failure::model, fmt::format("{} has a child further away than allowed in step {}, {}", who, fault.step, phase.name),
                        "the access list has the maximum distance", "write spawns<AGENT, within<R>> with a larger R");
        throw Error(Failure::model,
                    fmt::format("{} has a child on a place that is not allowed in step {}, {}", who, fault.step, phase.name),
                    "its own place is not in `spawns` of the function's access list",
                    "write spawns<AGENT, with_here<NEIGHBOURHOOD>>, or put the child elsewhere");
    case migrates_undeclared:
        if (collection.agents->space)
            throw Error(Failure::model, fmt::format("{} goes further than allowed in step {}, {}", who, fault.step, phase.name),
                        "the access list has the maximum along each axis", "write moves<within<R>> with a larger R");
        [[fallthrough]];
    default:
        throw Error(Failure::model, fmt::format("{} goes to a place that is not allowed in step {}, {}", who, fault.step, phase.name),
                    "the offset is not in `moves` of the function's access list", "widen moves<NEIGHBOURHOOD>, or go elsewhere");
    }
}

} // namespace tessera
