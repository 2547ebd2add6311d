#include "host/run/measure_cuts.hpp"

#include "device_runtime/error.hpp"
#include "host/execute/simulation.hpp"
#include "host/run/choose_memory.hpp"
#include "host/setup/stripes.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>

namespace tessera {
namespace {

// What each device worked in some steps, in seconds; nothing where there are too few steps to tell.
std::vector<double> seconds_of_work(const Setup& setup, const std::vector<Device*>& devices, jit::Compiler& compiler, ThreadPool& pool) {
    constexpr std::uint64_t cold = 2, most = 32, fewest = 4; // steps
    constexpr auto long_enough = std::chrono::milliseconds(250);
    const auto end = setup.run.run.steps ? **setup.run.run.steps : cold + most;
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
std::vector<double> speeds_of(const CollectionSetup& collection, const std::vector<double>& seconds) {
    std::vector<double> speeds;
    for (std::size_t p = 0; p < seconds.size(); ++p) {
        const auto rows = collection.stripe(p).rows();
        if (rows == 0 || seconds[p] <= 0) return {};
        speeds.push_back(static_cast<double>(rows) / seconds[p]);
    }
    return speeds;
}

std::string cuts_text(const CollectionSetup& collection) {
    std::string text;
    for (std::size_t p = 1; p < collection.stripes.size(); ++p)
        text += fmt::format("{}{}", text.empty() ? "" : ", ", collection.stripes[p].first);
    return fmt::format("cuts of {} are measured: {}", collection.name, text);
}

} // namespace

void measure_cuts(Setup& setup, const std::vector<Device*>& devices, jit::Compiler& compiler, ThreadPool& pool) {
    const auto measured = [&](const CollectionSetup& collection) {
        return collection.dimensions > 1 && cuts_are_measured(setup, collection);
    };
    const auto first = std::find_if(setup.collections.begin(), setup.collections.end(), measured);
    if (devices.size() == 1 || first == setup.collections.end()) return;
    std::vector<double> speeds;
    try {
        speeds = speeds_of(*first, seconds_of_work(setup, devices, compiler, pool));
    } catch (const Error& error) {
        if (error.kind() != Failure::model) throw;
    }
    if (speeds.empty()) return spdlog::info("the cuts stay: the first steps do not show the time of each device");
    move_cuts(setup, speeds);
    settle_seams(setup, devices);
    for (const auto& collection : setup.collections)
        if (measured(collection)) spdlog::info("{}", cuts_text(collection));
}

} // namespace tessera
