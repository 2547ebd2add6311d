#include "host/devices/measure_cuts.hpp"

#include "device_runtime/error.hpp"
#include "host/distribution/stripes.hpp"
#include "host/execute/simulation.hpp"

#include <algorithm>
#include <chrono>
#include <optional>

namespace tessera {
namespace {

// What each device worked in some steps, in seconds; nothing where there are too few steps to tell.
std::vector<double> seconds_of_work(const Setup& setup, const std::vector<Device*>& devices, jit::Compiler& compiler, ThreadPool& pool) {
    constexpr std::uint64_t cold = 2, most = 32, fewest = 4; // steps
    constexpr auto long_enough = std::chrono::milliseconds(250);
    const auto end = setup.agenda.steps ? **setup.agenda.steps : cold + most;
    if (end < cold + fewest) return {};
    Simulation simulation(setup, devices, compiler, pool);
    simulation.sample_steps(cold);
    const auto before = simulation.device_timings();
    const auto begun = std::chrono::steady_clock::now();
    const auto is_enough = [&] { return simulation.step() >= cold + fewest && std::chrono::steady_clock::now() - begun >= long_enough; };
    while (simulation.step() < std::min(end, cold + most) && !is_enough()) simulation.sample_steps(1);
    std::vector<double> seconds;
    for (std::size_t p = 0; p < devices.size(); ++p)
        seconds.push_back(simulation.device_timings()[p].working_seconds - before[p].working_seconds);
    return seconds;
}

// Rows a second of each device; nothing where one has none, or no time to speak of.
std::vector<double> speeds_of(const Setup& setup, CollectionId collection, const std::vector<double>& seconds) {
    std::vector<double> speeds;
    for (std::size_t p = 0; p < seconds.size(); ++p) {
        const auto rows = setup.stripe(collection, p).rows();
        if (rows == 0 || seconds[p] <= 0) return {};
        speeds.push_back(static_cast<double>(rows) / seconds[p]);
    }
    return speeds;
}

std::optional<CollectionId> first_to_measure(const Setup& setup) {
    for (const auto id : setup.collections.ids())
        if (setup.collections[id].dimensions > 1 && cuts_are_measured(setup, setup.collections[id])) return id;
    return std::nullopt;
}

} // namespace

bool has_cuts_to_measure(const Setup& setup) { return setup.partitions() > 1 && first_to_measure(setup); }

std::vector<double> measure_speeds(const Setup& setup, const std::vector<Device*>& devices, jit::Compiler& compiler, ThreadPool& pool) {
    try {
        return speeds_of(setup, first_to_measure(setup).value(), seconds_of_work(setup, devices, compiler, pool));
    } catch (const Error& error) {
        if (error.kind() != Failure::model) throw;
        return {};
    }
}

} // namespace tessera
