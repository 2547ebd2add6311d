// Times one step of the shipped models for each size and view: bench_views [device].
#include "device_runtime/devices.hpp"
#include "host/run/prepare.hpp"
#include "host/schedule/simulation.hpp"
#include "jit/cache.hpp"
#include "tests/bench/timing.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <cstdio>
#include <string>
#include <vector>

namespace {

using namespace tessera;
std::vector<ViewChoice> candidates(bool cuda) {
    using Kind = ViewChoice::Kind;
    if (!cuda) return {{Kind::rows, 64, 4, 8, 32}};
    std::vector<ViewChoice> views{{Kind::direct, 64, 4, 8, 32}};
    for (const int cells : {1, 2, 4})
        for (const int rows : {1, 2, 4, 8, 16}) views.push_back({Kind::window, 64, cells, rows, 128});
    return views;
}

void time_views(const std::string& model, const std::string& collection, int size, Device& device, jit::Compiler& compiler, ThreadPool& pool) {
    RunRequest request{model, {fmt::format("places.{}.size=[{},{}]", collection, size, size), "output=[]", fmt::format("places.{}.boundary=\"torus\"", collection)}, {}};
    const auto prepared = prepare(request, compiler);
    for (const auto& view : candidates(device.info().name != "cpu")) {
        if (model != "life" && view.kind == ViewChoice::Kind::window && view.rows > 8) continue;
        try {
            Simulation simulation(prepared.setup, device, compiler, pool, std::vector<ViewChoice>(prepared.setup.kernels.size(), view));
            const double time = bench::time_steps([&](std::uint64_t steps) { simulation.advance(simulation.step() + steps, [](std::uint64_t) { return true; }); });
            std::printf("%-10s %6d %-36s %10.3f us/step %9.1f Gplaces/s\n", model.c_str(), size, (to_string(view)).c_str(), time,
                        static_cast<double>(size) * size / time / 1e3);
        } catch (const std::exception& error) {
            std::printf("%-10s %6d %-36s %s\n", model.c_str(), size, to_string(view).c_str(), error.what());
        }
        std::fflush(stdout);
    }
}

} // namespace

int main(int argc, char** argv) {
    spdlog::set_level(spdlog::level::warn);
    const std::string name = argc > 1 ? argv[1] : "cpu";
    jit::Cache cache;
    jit::Compiler compiler(cache);
    ThreadPool pool(1);
    const auto device = open_device(name, 1);
    for (const int size : {500, 1000, 2000, 4096, 8192})
        for (const auto& [model, collection] : {std::pair{"life", "cell"}, {"heat2d", "plate"}, {"wave2d", "wave"}}) time_views(model, collection, size, *device, compiler, pool);
}
