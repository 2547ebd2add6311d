#include "host/edits/carry_over.hpp"

#include "device_runtime/error.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tessera {
namespace {

class Keeper {
public:
    template<class T> void keep(const std::string& key, T& next, const T& now) {
        if (next == now) return;
        next = now;
        differing.push_back(key);
    }
    // Of first values, which are of the members that there are now and are not asked for again.
    template<class T> void tell(const std::string& key, const T& next, const T& now) {
        if (!(next == now)) differing.push_back(key);
    }
    std::vector<std::string> differing;
};

template<class List> auto* named(List& list, const std::string& name) {
    const auto found = std::find_if(list.begin(), list.end(), [&](const auto& each) { return *each.value.name == name; });
    return found == list.end() ? nullptr : &found->value;
}

// As it was found: a run file may name the results of a run, of which another checkpoint is the last by now.
void keep_start(Keeper& keeper, run_file::Run& next, const run_file::Run& now) {
    if (next.start && now.start && next.start->checkpoint == now.start->checkpoint)
        next.start = now.start;
    else
        keeper.keep("run.start", next.start, now.start);
}

void keep_run(Keeper& keeper, run_file::Run& next, const run_file::Run& now) {
    keeper.keep("run.seed", next.seed, now.seed);
    keeper.keep("run.devices", next.devices, now.devices);
    keeper.keep("run.weights", next.weights, now.weights);
    keeper.keep("run.memory", next.memory, now.memory);
    keeper.keep("run.transport", next.transport, now.transport);
    keeper.keep("run.inject_latency", next.inject_latency, now.inject_latency);
    keeper.keep("run.threads", next.threads, now.threads);
    keeper.keep("run.out", next.out, now.out);
    keeper.keep("run.float", next.float_mode, now.float_mode);
    keeper.keep("run.checkpoint", next.checkpoint, now.checkpoint);
    keep_start(keeper, next, now);
}

void keep_places(Keeper& keeper, run_file::Places& next, const run_file::Places& now) {
    const auto key = [&](const char* name) { return fmt::format("places.{}.{}", *next.name, name); };
    keeper.keep(key(next.count || now.count ? "count" : "size"), next.size, now.size);
    if (next.count != now.count) keeper.keep(key("count"), next.count, now.count);
    keeper.keep(key("extent"), next.extent, now.extent);
    keeper.keep(key("devices"), next.devices, now.devices);
    keeper.keep(key("cuts"), next.cuts, now.cuts);
    keeper.keep(key("cuts"), next.cuts_measured, now.cuts_measured);
    keeper.tell(key("init"), next.init, now.init);
}

void keep_links(Keeper& keeper, run_file::Links& next, const run_file::Links& now) {
    const auto key = [&](const char* name) { return fmt::format("links.{}.{}", *next.name, name); };
    keeper.keep(key("from"), next.from, now.from);
    keeper.keep(key("to"), next.to, now.to);
    keeper.keep(key("file"), next.file, now.file);
    keeper.keep(key("generate"), next.generate, now.generate);
    keeper.keep(key("parallel"), next.parallel, now.parallel);
    keeper.keep(key("loops"), next.loops, now.loops);
    next.grown_room = now.grown_room;
    next.table = now.table;
    keeper.keep(key("delays"), next.delays, now.delays);
    keeper.tell(key("init"), next.init, now.init);
}

void keep_agents(Keeper& keeper, run_file::Agents& next, const run_file::Agents& now) {
    const auto key = [&](const char* name) { return fmt::format("agents.{}.{}", *next.name, name); };
    keeper.keep(key("count"), next.count, now.count);
    keeper.keep(key("place"), next.place, now.place);
    keeper.keep(key("place"), next.box, now.box);
    keeper.keep(key("place"), next.file, now.file);
    keeper.keep(key("capacity"), next.capacity, now.capacity);
    keeper.keep(key("reserve"), next.reserve, now.reserve);
    next.grown_room = now.grown_room;
    next.read_count = now.read_count;
    keeper.tell(key("init"), next.init, now.init);
}

} // namespace

std::vector<std::string> keep_beginning(run_file::RunFile& next, const run_file::RunFile& now) {
    Keeper keeper;
    keep_run(keeper, next.run, now.run);
    keeper.keep("schedule.halo", next.schedule.halo, now.schedule.halo);
    for (auto& places : next.places)
        if (const auto* before = named(now.places, *places->name)) keep_places(keeper, places.value, *before);
    for (auto& links : next.links)
        if (const auto* before = named(now.links, *links->name)) keep_links(keeper, links.value, *before);
    for (auto& agents : next.agents)
        if (const auto* before = named(now.agents, *agents->name)) keep_agents(keeper, agents.value, *before);
    return keeper.differing;
}

void check_carried_agents(const Setup& now, const Setup& next) {
    const auto refuse = [](const std::string& agents, const std::string& why) {
        throw Error(Failure::input, fmt::format("{} cannot go on", agents), why, "begin the run again");
    };
    for (const auto id : next.collections.ids()) {
        const auto& agents = next.collections[id];
        if (!agents.agents) continue;
        const auto found = now.find_collection(agents.name);
        if (!found || !now.collections[*found].agents) refuse(agents.name, "they did not exist when the run began");
        const auto& before = now.collections[*found];
        const bool other_capacity = agents.agents->most_on_place != before.agents->most_on_place;
        if (other_capacity || agents.agents->in_list() != before.agents->in_list() ||
            agents.agents->space.has_value() != before.agents->space.has_value())
            refuse(agents.name, "their places would have another capacity, or other memory");
        if (now.collections[before.agents->ground].name != next.collections[agents.agents->ground].name)
            refuse(agents.name, "they would stand on other places");
        if (now.births_of(*found) != next.births_of(id))
            refuse(agents.name, "the phases in which they may be born have changed, and their ids are numbered by these phases");
    }
    for (const auto& agents : now.collections)
        if (agents.agents && !next.find_collection(agents.name)) refuse(agents.name, "they no longer exist");
}

} // namespace tessera
