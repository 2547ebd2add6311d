#include "host/devices/ask_machine.hpp"

#include "device_runtime/error.hpp"
#include "device_runtime/links.hpp"
#include "host/distribution/distribute.hpp"

namespace tessera {
namespace {

// Why two devices do not share memory, as a whole message; empty where they do.
std::string why_not_shared(Device& a, Device& b) try {
    require_shared_memory(a, b);
    return {};
} catch (const Error& error) {
    if (error.kind() != Failure::device) throw;
    return error.what();
}

void ask_pairs(Machine& machine, const std::vector<Device*>& devices) {
    machine.pairs.resize(devices.size() * devices.size());
    for (std::size_t p = 0; p < devices.size(); ++p) {
        for (std::size_t q = 0; q < p; ++q) {
            const auto why_not = why_not_shared(*devices[q], *devices[p]);
            for (auto* pair : {&machine.pair(p, q), &machine.pair(q, p)}) pair->share_memory = why_not.empty(), pair->why_not = why_not;
        }
        for (std::size_t q = 0; q < devices.size(); ++q) machine.pair(p, q).is_atomic = devices[p]->is_atomic_on(*devices[q]);
    }
}

} // namespace

ExchangeCosts measure_exchange(const std::vector<Device*>& devices, bool by_host) {
    constexpr std::size_t bytes_of_copy = std::size_t{16} << 20;
    ExchangeCosts costs;
    costs.seconds = seconds_of_news(*devices[0], *devices[1], by_host ? Way::by_host : Way::direct);
    costs.bytes_a_second = memory_bytes_a_second(*devices.front(), bytes_of_copy);
    return costs;
}

Machine ask_machine(const Setup& setup, const std::vector<Device*>& devices) {
    Machine machine;
    for (std::size_t d = 0; d < devices.size(); ++d) {
        const auto& info = devices[d]->info();
        machine.devices.push_back({info.name, info.kind == DeviceKind::cuda, devices[d]->free_memory(), Owner{0, d}});
    }
    if (devices.size() > 1) ask_pairs(machine, devices);
    if (const auto wanted = exchange_wanted(setup, machine); wanted != ExchangeWanted::none)
        machine.exchange = measure_exchange(devices, wanted == ExchangeWanted::by_host);
    return machine;
}

} // namespace tessera
