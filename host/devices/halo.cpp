#include "host/devices/halo.hpp"

#include "device_runtime/links.hpp"
#include "host/setup/stripes.hpp"
#include "host/setup/traffic.hpp"

#include <algorithm>
#include <cmath>

namespace tessera {

HaloCosts measure_halo_costs(const Setup& setup, const std::vector<Device*>& devices, double injected) {
    constexpr std::size_t bytes_of_copy = std::size_t{16} << 20;
    HaloCosts costs;
    costs.latency = seconds_of_news(*devices[0], *devices[1], setup.reaches(0, 1) ? Way::direct : Way::by_host) + injected;
    double bytes_of_rows = 0; // that a step makes twice, for each step more
    for (const auto id : setup.collections.ids()) {
        const auto& collection = setup.collections[id];
        const auto reach = reach_of_step(setup, id);
        if (collection.dimensions == 1 || reach == 0) continue;
        bytes_of_rows += reach * static_cast<double>(bytes_a_step(setup)) / static_cast<double>(collection.whole().rows());
    }
    costs.most = steps_with_room(setup);
    costs.each_more = bytes_of_rows > 0 ? bytes_of_rows / memory_bytes_a_second(*devices.front(), bytes_of_copy) : 0;
    return costs;
}

std::uint64_t steps_that_pay(const HaloCosts& costs) {
    if (costs.each_more <= 0) return 1;
    const auto steps = static_cast<std::uint64_t>(std::llround(std::min(std::sqrt(costs.latency / costs.each_more), 1e6)));
    return std::clamp<std::uint64_t>(steps, 1, costs.most);
}

} // namespace tessera
