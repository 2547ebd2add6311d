#include "host/distribution/halo.hpp"

#include "host/distribution/stripes.hpp"
#include "host/setup/traffic.hpp"

#include <algorithm>
#include <cmath>

namespace tessera {

HaloCosts halo_costs(const Setup& setup, const Distribution& distribution, const ExchangeCosts& measured, double injected) {
    HaloCosts costs;
    costs.latency = measured.seconds + injected;
    double bytes_of_rows = 0; // that a step makes twice, for each step more
    for (const auto id : setup.collections.ids()) {
        const auto& collection = setup.collections[id];
        const auto reach = reach_of_step(setup, id);
        if (collection.dimensions == 1 || reach == 0) continue;
        bytes_of_rows += reach * static_cast<double>(bytes_a_step(setup)) / static_cast<double>(collection.whole().rows());
    }
    costs.most = steps_with_room(setup, distribution);
    costs.each_more = bytes_of_rows > 0 ? bytes_of_rows / measured.bytes_a_second : 0;
    return costs;
}

std::uint64_t steps_that_pay(const HaloCosts& costs) {
    if (costs.each_more <= 0) return 1;
    const auto steps = static_cast<std::uint64_t>(std::llround(std::min(std::sqrt(costs.latency / costs.each_more), 1e6)));
    return std::clamp<std::uint64_t>(steps, 1, costs.most);
}

} // namespace tessera
