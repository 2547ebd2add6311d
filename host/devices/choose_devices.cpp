#include "host/devices/choose_devices.hpp"

#include "device_runtime/devices.hpp"
#include "device_runtime/error.hpp"
#include "device_runtime/links.hpp"
#include "host/distribution/arranged.hpp"
#include "host/distribution/stripes.hpp"
#include "host/prepare/prepare.hpp"
#include "host/world/world.hpp"
#include "jit/log.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tessera {
namespace {

bool are_equal(const DeviceInfo& a, const DeviceInfo& b) {
    return a.description == b.description && a.architecture == b.architecture && a.memory_total == b.memory_total;
}

bool has_cuts(const Setup& setup) {
    const auto& stripes = setup.wishes.stripes;
    return std::any_of(stripes.begin(), stripes.end(), [](const StripeWishes& wanted) { return !wanted.cuts.empty(); });
}

// Opens one more, if it can be had and shares memory with all of those; whether it does.
bool add_if_shared(std::vector<std::unique_ptr<Device>>& devices, const std::string& name, const CudaSearch& search) try {
    auto device = open_device(name, 0, search);
    for (const auto& other : devices)
        if (!share_memory(*device, *other)) return false;
    devices.push_back(std::move(device));
    return true;
} catch (const Error& error) { // another program's, say
    log_debug("{} is skipped: {}", name, error.what());
    return false;
}

// How many devices could have stripes of the grids, and how many of them would have enough to do.
struct Useful {
    std::size_t most = 1, busy = 1;
};

Useful useful_devices(const Setup& setup) {
    std::int64_t places = 0, rows = 1;
    for (const auto id : setup.collections.ids()) {
        const auto& collection = setup.collections[id];
        if (collection.links && are_of_one_device(setup, id)) return {};
        if (stand_on_numbers(setup, collection)) return {};
        if (collection.dimensions == 1 || !collection.are_places()) continue;
        places += collection.places();
        rows = std::max(rows, collection.whole().rows());
    }
    const auto busy = std::clamp<std::int64_t>(places / least_places_a_gpu, 1, rows);
    return {static_cast<std::size_t>(rows), static_cast<std::size_t>(busy)};
}

// Whether the first devices, so many, have room for the grids; the memory of the others counts for nothing.
bool can_hold(const Setup& setup, const std::vector<std::unique_ptr<Device>>& devices, std::size_t count) try {
    auto first = pointers_to(devices);
    first.resize(count);
    World::refuse_too_large(arranged(setup, divided(setup, count)), first);
    return true;
} catch (const Error& error) {
    if (error.kind() != Failure::memory) throw;
    return false;
}

ChosenDevices first_of(std::vector<std::unique_ptr<Device>> devices, std::size_t count, std::string why) {
    ChosenDevices chosen{{}, std::move(why), {}};
    for (std::size_t i = 0; i < count; ++i) chosen.names.push_back(devices[i]->info().name);
    chosen.asked = std::move(devices);
    return chosen;
}

bool is_for_one_device(const Setup& setup) {
    return std::any_of(setup.collections.begin(), setup.collections.end(),
                       [](const CollectionSetup& each) { return each.agents && belong_to_no_rows(each); });
}

} // namespace

ChosenDevices choose_gpus(const Setup& setup, const CudaSearch& search) {
    const auto gpus = cuda_status(search).devices;
    const auto [most, busy] = useful_devices(setup);
    std::vector<std::unique_ptr<Device>> devices;
    if (!add_if_shared(devices, gpus.front().name, search))
        return {{gpus.front().name}, "the first GPU", {}}; // to open it will say why not
    if (gpus.size() == 1) return first_of(std::move(devices), 1, "the only GPU");
    if (is_for_one_device(setup))
        return first_of(std::move(devices), 1,
                        "the first GPU: agents of unlimited capacity are moved by one device, and agents that go anywhere would mostly go "
                        "to other devices");
    if (has_cuts(setup)) return first_of(std::move(devices), 1, "the first GPU: cuts are for devices that are named");
    std::size_t holding = can_hold(setup, devices, 1) ? 1 : 0; // how many have room for the grids; 0: not all so far
    if (holding == 1 && busy == 1)
        return first_of(std::move(devices), 1, fmt::format("the first GPU: two would have fewer than {} places each", least_places_a_gpu));
    for (std::size_t i = 1; i < gpus.size() && devices.size() < most && (holding == 0 || devices.size() < busy); ++i) {
        if (!are_equal(gpus[i], gpus.front()) || !add_if_shared(devices, gpus[i].name, search)) continue;
        if (holding == 0 && can_hold(setup, devices, devices.size())) holding = devices.size();
    }
    if (devices.size() == 1) return first_of(std::move(devices), 1, "the first GPU: no other is equal to it and shares memory with it");
    // Some of another may be taken, and fewer devices have room where all have not.
    const auto count = holding > 0 && !can_hold(setup, devices, devices.size()) ? holding : devices.size();
    if (count > busy) return first_of(std::move(devices), count, fmt::format("{} equal GPUs: fewer have no room for the grids", count));
    if (count == 1) return first_of(std::move(devices), 1, "the first GPU: others that are equal to it have no room for their part");
    return first_of(std::move(devices), count, fmt::format("{} equal GPUs: each has at least {} places", count, least_places_a_gpu));
}

ChosenDevices choose_devices(const Setup& setup) {
    auto names = choose_devices(setup.wishes, *setup.model);
    if (*setup.wishes.devices.front() != "auto") return {std::move(names), {}, {}};
    if (names.front() == "cpu") return {std::move(names), "the CPU: there is no GPU that can be used", {}};
    return choose_gpus(setup, cuda_driver());
}

} // namespace tessera
