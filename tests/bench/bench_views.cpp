// Times one step of the shipped models for each size and view: bench_views [device] [most microseconds a step to bother with].
#include "device_runtime/devices.hpp"
#include "host/run/prepare.hpp"
#include "host/schedule/simulation.hpp"
#include "host/world/state_hash.hpp"
#include "jit/cache.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

namespace {

using namespace tessera;
using Clock = std::chrono::steady_clock;

double seconds(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

// Median of 9 timings of enough steps to fill some milliseconds, in microseconds a step.
double time_step(Simulation& simulation) {
    const auto go_on = [](std::uint64_t) { return true; };
    simulation.advance(simulation.step() + 1024, go_on); // segments reach their length, the clock its speed
    auto begun = Clock::now();
    simulation.advance(simulation.step() + 256, go_on);
    const auto steps = std::max<std::uint64_t>(static_cast<std::uint64_t>(0.05 / (seconds(begun) / 256)) / 256, 1) * 256;
    std::vector<double> times;
    for (int i = 0; i < 9; ++i) {
        begun = Clock::now();
        simulation.advance(simulation.step() + steps, go_on);
        times.push_back(seconds(begun) / static_cast<double>(steps) * 1e6);
    }
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

std::vector<ViewChoice> candidates(bool cuda) {
    using Kind = ViewChoice::Kind;
    if (!cuda) return {{Kind::rows, 64, 4, 8, 32}};
    std::vector<ViewChoice> views{{Kind::direct, 64, 4, 8, 32}};
    for (const int cells : {2, 4, 8, 16})
        for (const int rows : {1, 2, 4, 8})
            for (const int lanes : {32, 128}) views.push_back({Kind::window, 64, cells, rows, lanes});
    return views;
}

void bench(const std::string& model, const std::string& collection, int size, Device& device, jit::Compiler& compiler, ThreadPool& pool) {
    RunRequest request{model, {fmt::format("places.{}.size=[{},{}]", collection, size, size), "output=[]", fmt::format("places.{}.boundary=\"torus\"", collection)}, {}};
    const auto prepared = prepare(request, compiler);
    for (const auto& view : candidates(device.info().name != "cpu")) {
        if (view.kind == ViewChoice::Kind::window && model != "life" && view.cells > 4) continue;
        try {
            Simulation simulation(prepared.setup, device, compiler, pool, std::vector<ViewChoice>(prepared.setup.kernels.size(), view));
            const double time = time_step(simulation);
            std::printf("%-10s %6d %-36s %10.3f us/step %9.1f Gplaces/s\n", model.c_str(), size, (to_string(view) + fmt::format(" lanes {}", view.lanes)).c_str(), time,
                        static_cast<double>(size) * size / time / 1e3);
        } catch (const std::exception& error) {
            std::printf("%-10s %6d %-36s %s\n", model.c_str(), size, to_string(view).c_str(), error.what());
        }
        std::fflush(stdout);
    }
}

} // namespace

int main(int argc, char** argv) {
    const std::string name = argc > 1 ? argv[1] : "cpu";
    jit::Cache cache;
    jit::Compiler compiler(cache);
    ThreadPool pool(1);
    const auto device = open_device(name, 1);
    for (const int size : {500, 8192})
        for (const auto& [model, collection] : {std::pair{"life", "cell"}, {"heat2d", "plate"}, {"wave2d", "wave"}}) bench(model, collection, size, *device, compiler, pool);
}
