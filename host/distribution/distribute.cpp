#include "host/distribution/distribute.hpp"

#include "device_runtime/error.hpp"
#include "device_runtime/machine.hpp"
#include "host/distribution/halo.hpp"
#include "host/distribution/stripes.hpp"
#include "host/run_file/where.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tessera {
namespace {

using run_file::MemoryModel;
using run_file::Transport;

bool has_gpus(const Machine& machine) {
    return std::any_of(machine.devices.begin(), machine.devices.end(), [](const MachineDevice& device) { return device.is_gpu; });
}

// Which partitions share memory: each is in the first island with all of which it does.
std::vector<std::size_t> islands_of(const Setup& setup, const Machine& machine) {
    const bool by_host = *setup.wishes.transport == Transport::host;
    std::vector<std::size_t> islands;
    for (std::size_t p = 0; p < machine.devices.size(); ++p) {
        std::size_t island = 0;
        const auto shares_with_all = [&] {
            for (std::size_t q = 0; q < p; ++q)
                if (islands[q] == island && (by_host || !machine.pair(p, q).share_memory)) return false;
            return true;
        };
        while (!shares_with_all()) ++island;
        islands.push_back(island);
    }
    return islands;
}

// How the devices' memory is used, as the run file says, or else as they can.
struct MemoryUse {
    std::vector<std::size_t> islands;
    bool all_share = true, own = false;
};

// Several GPUs go along links. A read of the other's memory takes many times as long as one of the own, and at random places nothing is
// read twice, so that each has a copy of what it reads. Agents of which one device would make all there share their memory as ever.
bool is_read_anywhere_by_gpus(const Setup& setup, const Machine& machine) {
    const auto are_shared = [&](CollectionId id) { return setup.collections[id].links && !are_of_one_device(setup, id); };
    const auto ids = setup.collections.ids();
    return has_gpus(machine) && std::any_of(ids.begin(), ids.end(), are_shared) &&
           std::none_of(setup.collections.begin(), setup.collections.end(),
                        [](const CollectionSetup& each) { return each.agents && belong_to_no_rows(each); });
}

MemoryUse memory_use(const Setup& setup, const Machine& machine) {
    const auto& memory = *setup.wishes.memory;
    MemoryUse use{islands_of(setup, machine)};
    use.all_share = *setup.wishes.transport == Transport::automatic && *std::max_element(use.islands.begin(), use.islands.end()) == 0;
    use.own =
        memory == MemoryModel::own || (memory == MemoryModel::automatic && (!use.all_share || is_read_anywhere_by_gpus(setup, machine)));
    return use;
}

// Of the first two that do not share memory; nothing where nothing forbids it.
std::string why_own(const Machine& machine) {
    for (std::size_t p = 0; p < machine.devices.size(); ++p)
        for (std::size_t q = 0; q < p; ++q)
            if (const auto& pair = machine.pair(p, q); !pair.share_memory) return pair.why_not;
    return {};
}

std::string why_own_or_asked(const Setup& setup, const Machine& machine) {
    const auto why = why_own(machine);
    if (!why.empty()) return why;
    if (*setup.wishes.memory == MemoryModel::automatic && *setup.wishes.transport == Transport::automatic) return "GPUs go along links";
    return *setup.wishes.memory == MemoryModel::own ? "run.memory is \"own\"" : "run.transport is \"host\"";
}

// ---- what is refused

// What migrates to a device that has no room for it pushes out what that one works on.
void refuse_crowding(const Setup& setup, const Machine& machine) {
    std::uint64_t least = ~std::uint64_t{0};
    for (const auto& device : machine.devices) least = std::min(least, device.free_memory);
    if (static_cast<std::uint64_t>(setup.column_bytes()) > least / 2)
        run_file::fail_at(
            setup.wishes.memory.where,
            fmt::format("{} of columns are too many to migrate", readable_bytes(static_cast<std::uint64_t>(setup.column_bytes()))),
            fmt::format("a device has {} free, and half of that has to stay free", readable_bytes(least)),
            "set run.memory = \"shared\", or make the grid smaller");
}

// Who goes anywhere in slots bids for a place that may be another device's, by an atomic operation.
void refuse_bids_that_are_not_atomic(const Setup& setup, const Machine& machine) {
    for (const auto id : setup.collections.ids()) {
        const auto& agents = setup.collections[id].agents;
        if (!agents || !setup.collections[id].has(Role::goal) || !agents->storage->has_rows_of_places()) continue;
        if (stand_on_numbers(setup, setup.collections[id])) continue; // one device makes them
        for (std::size_t one = 0; one < machine.devices.size(); ++one)
            for (std::size_t other = 0; other < machine.devices.size(); ++other) {
                if (machine.pair(one, other).is_atomic) continue;
                const auto &name = machine.devices[one].name, &others = machine.devices[other].name;
                run_file::fail_at(setup.collections[id].where,
                                  fmt::format("{} cannot go anywhere on {} and {}", setup.collections[id].name, name, others),
                                  fmt::format("atomic operations of {} on the other's memory are not atomic, as over PCIe", name),
                                  "name GPUs with NVLink between them, or one device");
            }
    }
}

void refuse_what_sharing_forbids(const Setup& setup, const Machine& machine, bool all_share) {
    const auto& halo = setup.wishes.halo;
    const auto& transport = setup.wishes.transport;
    if (*setup.wishes.memory == MemoryModel::managed) refuse_crowding(setup, machine);
    if (halo && **halo > 1)
        run_file::fail_at(halo->where, fmt::format("no rows can be exchanged every {} steps", **halo),
                          "the devices share one range of addresses", "set run.memory = \"own\", or leave out `schedule.halo`");
    if (*transport != Transport::automatic)
        run_file::fail_at(transport.where, "no rows are transported", "the devices share one range of addresses",
                          "set run.memory = \"own\", or leave out `run.transport`");
    if (const auto& latency = setup.wishes.inject_latency)
        run_file::fail_at(latency->where, "there is no latency to inject", "the devices share one range of addresses",
                          "set run.memory = \"own\"");
    if (!all_share) throw Error(Failure::device, why_own(machine));
    refuse_bids_that_are_not_atomic(setup, machine);
}

const char* why_of_all(const CollectionSetup& agents) {
    if (agents.has(Role::goal)) return "one of their functions goes anywhere";
    return agents.agents->space ? "agents in space stand in one list" : "agents of unlimited capacity stand in one list";
}

void refuse_cuts_under_agents_of_all(const Setup& setup, const Machine& machine) {
    for (const auto& collection : setup.collections) {
        if (!collection.agents || !belong_to_no_rows(collection)) continue;
        const auto& places = setup.collections[collection.agents->ground];
        if (const auto& cuts = cuts_of(setup, places); !cuts.empty())
            run_file::fail_at(cuts.front().where, fmt::format("{} cannot be cut between devices with memory of their own", places.name),
                              fmt::format("{} is on it: {}; {}", collection.name, why_of_all(collection), why_own_or_asked(setup, machine)),
                              fmt::format("leave `places.{}.cuts` out, or name devices that share memory", places.name));
    }
}

void refuse_what_own_memory_forbids(const Setup& setup, const Machine& machine) {
    refuse_cuts_under_agents_of_all(setup, machine);
    const auto& halo = setup.wishes.halo;
    if (setup.has_agents() && halo && **halo > 1)
        run_file::fail_at(halo->where, fmt::format("no rows can be exchanged every {} steps", **halo),
                          "agents on the places around a device's own are known only after an exchange of rows",
                          "leave out `schedule.halo`");
    if (const auto& latency = setup.wishes.inject_latency; latency && has_gpus(machine))
        run_file::fail_at(latency->where, "there is no latency to inject", "GPUs wait for rows by themselves, without the program",
                          "name CPUs alone in `run.devices`");
}

// ---- what is decided

void remark_on_own_memory(const Setup& setup, const Machine& machine, Distributed& result) {
    const auto& wishes = setup.wishes;
    for (const auto id : keep_whole_under_agents(setup, result.distribution)) {
        const auto& agents = setup.collections[id];
        result.remarks.push_back({Remark::Level::warning, fmt::format("one device makes all of {} ({} is on it: {}; {})",
                                                                      setup.collections[agents.agents->ground].name, agents.name,
                                                                      why_of_all(agents), why_own_or_asked(setup, machine))});
    }
    if (wishes.inject_latency)
        result.remarks.push_back({Remark::Level::warning, fmt::format("an experiment: rows of other devices are delayed by {:g} us",
                                                                      **wishes.inject_latency * 1e6)});
    if (*wishes.memory == MemoryModel::automatic && *wishes.transport == Transport::automatic) {
        const auto why = why_own(machine);
        result.remarks.push_back(
            {Remark::Level::info,
             why.empty() ? "each device has memory of its own, with all that functions read along links"
                         : fmt::format("each device has memory of its own, and rows go by way of the host if necessary: {}", why)});
    }
}

// Where agents stand that ask for links between other places.
std::vector<CollectionId> other_grounds(const Setup& setup, const LinksSetup& links) {
    std::vector<CollectionId> grounds;
    for (const auto& source : links.sources) {
        const auto ground = setup.ground_of(source.authors);
        if (ground == links.from || ground == links.to || std::find(grounds.begin(), grounds.end(), ground) != grounds.end()) continue;
        grounds.push_back(ground);
    }
    return grounds;
}
void remark_on_links(const Setup& setup, std::vector<Remark>& remarks) {
    for (const auto id : setup.collections.ids()) {
        const auto& collection = setup.collections[id];
        if (!collection.links || !are_of_one_device(setup, id)) continue;
        const auto &from = setup.collections[collection.links->from].name, &to = setup.collections[collection.links->to].name;
        remarks.push_back(
            {Remark::Level::warning, fmt::format("one device makes all of {} ({} joins them: {})",
                                                 from == to ? from : fmt::format("{} and {}", from, to), collection.name,
                                                 collection.links->changes ? "they begin and end in steps"
                                                                           : "functions send along them, or agents go along them")});
        for (const auto ground : other_grounds(setup, *collection.links))
            remarks.push_back({Remark::Level::warning, fmt::format("one device makes all of {} (agents there ask for {})",
                                                                   setup.collections[ground].name, collection.name)});
    }
}

bool are_joined_on_one_device(const Setup& setup, CollectionId places) {
    const auto ids = setup.collections.ids();
    return std::any_of(ids.begin(), ids.end(), [&](CollectionId id) {
        const auto& links = setup.collections[id].links;
        return links && are_of_one_device(setup, id) && (links->from == places || links->to == places);
    });
}

void remark_on_numbered_agents(const Setup& setup, std::vector<Remark>& remarks) {
    for (const auto& collection : setup.collections)
        if (stand_on_numbers(setup, collection) && !are_joined_on_one_device(setup, collection.agents->ground))
            remarks.push_back(
                {Remark::Level::warning, fmt::format("one device makes all of {} ({} is on it: it has a `count` and no `size`)",
                                                     setup.collections[collection.agents->ground].name, collection.name)});
}

std::string why_few_rows(const CollectionSetup& places) {
    if (places.count) return fmt::format("it has {} places, and devices share them in multiples of {}", *places.count, places.size[0]);
    if (places.dimensions == 1) return "it has one dimension, and a grid is cut along its second or third";
    const auto rows = places.whole().rows();
    return fmt::format("it has {} {}, and a grid is cut between rows", rows, rows == 1 ? "row" : "rows");
}

void remark_on_few_rows(const Setup& setup, const Distribution& distribution, std::vector<Remark>& remarks) {
    for (const auto id : setup.collections.ids()) {
        const auto& places = setup.collections[id];
        const auto& stripes = distribution.stripes[id.index()];
        if (!places.are_places() || !has_too_few_rows(setup, places, stripes.size()) || are_joined_on_one_device(setup, id)) continue;
        const auto stands_there = [&](const CollectionSetup& each) { return stand_on_numbers(setup, each) && each.agents->ground == id; };
        if (std::any_of(setup.collections.begin(), setup.collections.end(), stands_there)) continue;
        const auto rows = places.whole().rows();
        remarks.push_back(
            {Remark::Level::warning, fmt::format("{} {} ({})", rows == 1 ? "one device makes all of" : fmt::format("{} devices make", rows),
                                                 places.name, why_few_rows(places))});
    }
}

// Of GPUs that share memory: measured, two took two to four times as long as one.
void remark_on_lists(const Setup& setup, const Machine& machine, std::vector<Remark>& remarks) {
    const auto gpu = std::find_if(machine.devices.begin(), machine.devices.end(), [](const MachineDevice& each) { return each.is_gpu; });
    if (gpu == machine.devices.end()) return;
    for (const auto& collection : setup.collections)
        if (collection.agents && !collection.agents->storage->has_rows_of_places())
            remarks.push_back({Remark::Level::warning,
                               fmt::format("agents of {} take longer on {} devices than on one (they stand in one list, which one "
                                           "device rebuilds while the others wait) use run.devices = \"{}\"",
                                           collection.name, machine.devices.size(), gpu->name)});
}

// Where nothing was measured, rows are exchanged every step.
void choose_cycle(const Setup& setup, const Machine& machine, Distribution& distribution) {
    const auto& halo = setup.wishes.halo;
    const auto& latency = setup.wishes.inject_latency;
    if (setup.has_agents()) return give_own_memory(setup, distribution, 1, 1);
    if (halo) return give_own_memory(setup, distribution, **halo, **halo);
    const auto steps =
        machine.exchange ? steps_that_pay(halo_costs(setup, distribution, *machine.exchange, latency ? **latency : 0)) : std::uint64_t{1};
    give_own_memory(setup, distribution, steps, std::max(steps, steps_worth_ghosts(setup, distribution)));
}

void choose_memory(const Setup& setup, const Machine& machine, Distributed& result) {
    auto& distribution = result.distribution;
    auto use = memory_use(setup, machine);
    if (!machine.is_assumed && use.own) refuse_what_own_memory_forbids(setup, machine);
    if (!machine.is_assumed && !use.own) refuse_what_sharing_forbids(setup, machine, use.all_share);
    remark_on_links(setup, result.remarks);
    remark_on_numbered_agents(setup, result.remarks);
    remark_on_few_rows(setup, distribution, result.remarks);
    if (!use.own) {
        remark_on_lists(setup, machine, result.remarks);
        distribution.migrating = *setup.wishes.memory == MemoryModel::managed;
        return;
    }
    remark_on_own_memory(setup, machine, result);
    distribution.islands = std::move(use.islands);
    choose_cycle(setup, machine, distribution);
}

void settle_seams(const Setup& setup, const Machine& machine, Distribution& distribution) {
    if (!distribution.own_memory && !distribution.migrating && has_gpus(machine)) settle_on_pages(setup, distribution, gpu_page);
}

std::string cuts_text(const CollectionSetup& collection, const std::vector<RowRange>& stripes) {
    std::string text;
    for (std::size_t p = 1; p < stripes.size(); ++p) text += fmt::format("{}{}", text.empty() ? "" : ", ", stripes[p].first);
    return fmt::format("cuts of {} are measured: {}", collection.name, text);
}

// Cuts that are not measured have settled before.
void move_measured_cuts(const Setup& setup, const Machine& machine, const std::vector<double>& speeds, Distributed& result) {
    auto& distribution = result.distribution;
    move_cuts(setup, distribution, speeds);
    settle_seams(setup, machine, distribution);
    result.remarks.clear();
    for (const auto id : setup.collections.ids())
        if (const auto& collection = setup.collections[id]; collection.dimensions > 1 && cuts_are_measured(setup, collection))
            result.remarks.push_back({Remark::Level::info, cuts_text(collection, distribution.stripes[id.index()])});
}

} // namespace

Distributed distribute(const Setup& setup, const Machine& machine, const std::vector<double>& speeds) {
    const auto partitions = machine.devices.size();
    Distributed result{divided(setup, partitions), {}};
    for (std::size_t p = 0; p < partitions; ++p) result.distribution.owners[p] = machine.devices[p].owner;
    if (partitions == 1) {
        if (const auto& latency = setup.wishes.inject_latency; latency && !machine.is_assumed)
            run_file::fail_at(latency->where, "there is no latency to inject", "the run has one device",
                              "name several CPUs in `run.devices`");
        return result;
    }
    choose_memory(setup, machine, result);
    settle_seams(setup, machine, result.distribution);
    if (!speeds.empty()) move_measured_cuts(setup, machine, speeds, result);
    return result;
}

ExchangeWanted exchange_wanted(const Setup& setup, const Machine& machine) {
    if (machine.devices.size() < 2 || setup.has_agents() || setup.wishes.halo) return ExchangeWanted::none;
    const auto use = memory_use(setup, machine);
    if (!use.own) return ExchangeWanted::none;
    return use.islands[0] == use.islands[1] ? ExchangeWanted::direct : ExchangeWanted::by_host;
}

} // namespace tessera
