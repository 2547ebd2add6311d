#include "host/run/halo.hpp"

#include "host/setup/stripes.hpp"
#include "host/setup/traffic.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace tessera {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

// From one device to the other and back, by turns; the least of some rounds.
double seconds_of_news(Device& a, Device& b) {
    constexpr int rounds = 5, hops = 16;
    constexpr std::size_t bytes = 4096;
    const auto between = a.info().kind == DeviceKind::cuda ? a.host_memory(bytes) : b.host_memory(bytes);
    const Memory at_a = a.allocate(bytes), at_b = b.allocate(bytes);
    const auto queue_a = a.queue(), queue_b = b.queue();
    double least = 1;
    for (int round = 0; round < rounds; ++round) {
        const auto begin = Clock::now();
        for (int hop = 0; hop < hops; ++hop) {
            auto& queue = hop % 2 == 0 ? queue_a : queue_b;
            queue->copy({(hop % 2 == 0 ? at_a : at_b).address(), between.address(), bytes});
            (hop % 2 == 0 ? queue_b : queue_a)->after(queue->mark(Timed::no));
        }
        queue_a->synchronize();
        queue_b->synchronize();
        least = std::min(least, seconds_since(begin) / hops);
    }
    return least;
}

// Of a copy within a device's memory, read and written.
double bytes_a_second(Device& device) {
    constexpr std::size_t bytes = std::size_t{16} << 20;
    const Memory from = device.allocate(bytes), to = device.allocate(bytes);
    const auto queue = device.queue();
    double least = 1;
    for (int round = 0; round < 3; ++round) {
        const auto begin = Clock::now();
        queue->copy({to.address(), from.address(), bytes});
        queue->synchronize();
        least = std::min(least, seconds_since(begin));
    }
    return 2 * bytes / std::max(least, 1e-9);
}

} // namespace

HaloCosts measure_halo_costs(const Setup& setup, const std::vector<Device*>& devices, double injected) {
    HaloCosts costs;
    costs.latency = seconds_of_news(*devices[0], *devices[1]) + injected;
    double bytes_of_rows = 0; // that a step makes twice, for each step more
    for (const auto id : setup.collections.ids()) {
        const auto& collection = setup.collections[id];
        const auto reach = reach_of_step(setup, id);
        if (collection.dimensions == 1 || reach == 0) continue;
        bytes_of_rows += reach * static_cast<double>(bytes_a_step(setup)) / static_cast<double>(collection.whole().rows());
    }
    costs.most = steps_with_room(setup);
    costs.each_more = bytes_of_rows > 0 ? bytes_of_rows / bytes_a_second(*devices.front()) : 0;
    return costs;
}

std::uint64_t steps_that_pay(const HaloCosts& costs) {
    if (costs.each_more <= 0) return 1;
    const auto steps = static_cast<std::uint64_t>(std::llround(std::min(std::sqrt(costs.latency / costs.each_more), 1e6)));
    return std::clamp<std::uint64_t>(steps, 1, costs.most);
}

} // namespace tessera
