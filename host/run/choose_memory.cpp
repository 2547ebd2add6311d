#include "host/run/choose_memory.hpp"

#include "device_runtime/error.hpp"
#include "device_runtime/links.hpp"
#include "device_runtime/machine.hpp"
#include "host/run/halo.hpp"
#include "host/run_file/where.hpp"
#include "host/setup/stripes.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>

namespace tessera {
namespace {

bool is_gpu(const Device* device) { return device->info().kind == DeviceKind::cuda; }

// Which partitions share memory: each is in the first island with all of which it does.
std::vector<std::size_t> islands_of(const std::vector<Device*>& devices, bool by_host) {
    std::vector<std::size_t> islands;
    for (std::size_t p = 0; p < devices.size(); ++p) {
        std::size_t island = 0;
        const auto shares_with_all = [&] {
            for (std::size_t q = 0; q < p; ++q)
                if (islands[q] == island && (by_host || !share_memory(*devices[p], *devices[q]))) return false;
            return true;
        };
        while (!shares_with_all()) ++island;
        islands.push_back(island);
    }
    return islands;
}

// What migrates to a device that has no room for it pushes out what that one works on.
void refuse_crowding(const Setup& setup, const std::vector<Device*>& devices) {
    std::uint64_t least = ~std::uint64_t{0};
    for (const auto* device : devices) least = std::min(least, device->free_memory());
    if (static_cast<std::uint64_t>(setup.column_bytes()) > least / 2)
        run_file::fail_at(
            setup.run.run.memory.where,
            fmt::format("{} of columns are too many to migrate", readable_bytes(static_cast<std::uint64_t>(setup.column_bytes()))),
            fmt::format("a device has {} free, and half of that has to stay free", readable_bytes(least)),
            "set run.memory = \"shared\", or make the grid smaller");
}

// Says what is wrong with the first two that do not.
void require_all_share(const std::vector<Device*>& devices) {
    for (std::size_t p = 0; p < devices.size(); ++p)
        for (std::size_t q = 0; q < p; ++q) require_shared_memory(*devices[q], *devices[p]);
}

// Of partitions that do not share memory though nothing forbids it.
std::string why_own(const std::vector<Device*>& devices) try {
    require_all_share(devices);
    return {};
} catch (const Error& error) {
    return error.what();
}

std::string why_own_or_asked(const Setup& setup, const std::vector<Device*>& devices) {
    const auto why = why_own(devices);
    if (!why.empty()) return why;
    return *setup.run.run.memory == run_file::MemoryModel::own ? "run.memory is \"own\"" : "run.transport is \"host\"";
}

const char* why_of_all(const CollectionSetup& agents) {
    if (agents.has(Role::goal)) return "one of their functions goes anywhere";
    return agents.crowd->space ? "agents in space stand in one list" : "agents of unlimited capacity stand in one list";
}

void keep_agents_of_all_on_one(Setup& setup, const std::vector<Device*>& devices, bool was_told) {
    for (const auto& collection : setup.collections) {
        if (!collection.crowd || !belong_to_no_rows(collection)) continue;
        const auto& places = setup.collections[collection.crowd->ground];
        if (const auto& cuts = cuts_of(setup, places); !cuts.empty())
            run_file::fail_at(cuts.front().where, fmt::format("{} cannot be cut between devices with memory of their own", places.name),
                              fmt::format("{} is on it: {}; {}", collection.name, why_of_all(collection), why_own_or_asked(setup, devices)),
                              fmt::format("leave `places.{}.cuts` out, or name devices that share memory", places.name));
    }
    const auto kept_whole = keep_whole_under_agents(setup);
    if (was_told) return;
    for (const auto id : kept_whole) {
        const auto& crowd = *setup.collections[id].crowd;
        spdlog::warn("one device makes all of {} ({} is on it: {}; {})", setup.collections[crowd.ground].name, setup.collections[id].name,
                     why_of_all(setup.collections[id]), why_own_or_asked(setup, devices));
    }
}

// Who goes anywhere in slots bids for a place that may be another device's, by an atomic operation.
void refuse_bids_that_are_not_atomic(const Setup& setup, const std::vector<Device*>& devices) {
    for (const auto id : setup.collections.ids()) {
        const auto& crowd = setup.collections[id].crowd;
        if (!crowd || !setup.collections[id].has(Role::goal) || crowd->in_list) continue;
        for (const auto* one : devices)
            for (const auto* other : devices)
                if (!one->is_atomic_on(*other))
                    run_file::fail_at(
                        setup.agents_of(id).name.where,
                        fmt::format("{} cannot go anywhere on {} and {}", setup.collections[id].name, one->info().name, other->info().name),
                        fmt::format("atomic operations of {} on the other's memory are not atomic, as over PCIe", one->info().name),
                        "name GPUs with NVLink between them, or one device");
    }
}

} // namespace

bool wants_own_memory(const Setup& setup, const std::vector<std::string>& devices) {
    const auto& run = setup.run.run;
    const bool some_cpus = std::find(devices.begin(), devices.end(), "cpu") != devices.end();
    const bool all_cpus = std::all_of(devices.begin(), devices.end(), [](const std::string& name) { return name == "cpu"; });
    return devices.size() > 1 && (*run.memory == run_file::MemoryModel::own || *run.transport == run_file::Transport::host ||
                                  (*run.memory == run_file::MemoryModel::automatic && some_cpus && !all_cpus));
}

void settle_seams(Setup& setup, const std::vector<Device*>& devices) {
    if (!setup.own_memory && !setup.migrating && std::any_of(devices.begin(), devices.end(), is_gpu)) settle_on_pages(setup, gpu_page);
}

void choose_memory(Setup& setup, const std::vector<Device*>& devices, bool was_told) {
    const auto& memory = setup.run.run.memory;
    const auto& halo = setup.run.schedule.halo;
    const auto& transport = setup.run.run.transport;
    const auto& latency = setup.run.run.inject_latency;
    if (latency && setup.partitions() == 1)
        run_file::fail_at(latency->where, "there is no latency to inject", "the run has one device", "name several CPUs in `run.devices`");
    if (setup.partitions() == 1) return;
    const auto islands = islands_of(devices, *transport == run_file::Transport::host);
    const bool all_share = *transport == run_file::Transport::automatic && *std::max_element(islands.begin(), islands.end()) == 0;
    const bool own = *memory == run_file::MemoryModel::own || (*memory == run_file::MemoryModel::automatic && !all_share);
    if (!own) {
        setup.migrating = *memory == run_file::MemoryModel::managed;
        if (setup.migrating) refuse_crowding(setup, devices);
        if (halo && **halo > 1)
            run_file::fail_at(halo->where, fmt::format("no rows can be exchanged every {} steps", **halo),
                              "the devices share one range of addresses", "set run.memory = \"own\", or leave out `schedule.halo`");
        if (*transport != run_file::Transport::automatic)
            run_file::fail_at(transport.where, "no rows are transported", "the devices share one range of addresses",
                              "set run.memory = \"own\", or leave out `run.transport`");
        if (latency)
            run_file::fail_at(latency->where, "there is no latency to inject", "the devices share one range of addresses",
                              "set run.memory = \"own\"");
        if (!all_share) require_all_share(devices);
        refuse_bids_that_are_not_atomic(setup, devices);
        return settle_seams(setup, devices);
    }
    keep_agents_of_all_on_one(setup, devices, was_told);
    if (setup.has_agents() && halo && **halo > 1)
        run_file::fail_at(halo->where, fmt::format("no rows can be exchanged every {} steps", **halo),
                          "agents on the places around a device's own are known only after an exchange of rows",
                          "leave out `schedule.halo`");
    if (latency && std::any_of(devices.begin(), devices.end(), is_gpu))
        run_file::fail_at(latency->where, "there is no latency to inject", "GPUs wait for rows by themselves, without the program",
                          "name CPUs alone in `run.devices`");
    if (latency && !was_told) spdlog::warn("an experiment: rows of other devices are delayed by {:g} us", **latency * 1e6);
    if (*memory == run_file::MemoryModel::automatic && *transport == run_file::Transport::automatic && !was_told)
        spdlog::info("each device has memory of its own, and rows go by way of the host if necessary: {}", why_own(devices));
    setup.islands = islands;
    if (setup.has_agents()) return give_own_memory(setup, 1, 1);
    const auto steps = halo ? **halo : steps_that_pay(measure_halo_costs(setup, devices, latency ? **latency : 0));
    give_own_memory(setup, steps, halo ? steps : std::max(steps, steps_worth_ghosts(setup)));
}

} // namespace tessera
