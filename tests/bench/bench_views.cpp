// Times one step of the shipped models for each size and view: bench_views [device [all|fused [model...]]].
#include "device_runtime/devices.hpp"
#include "host/run/prepare.hpp"
#include "host/schedule/simulation.hpp"
#include "jit/cache.hpp"
#include "tests/bench/timing.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
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

std::vector<FusedView> fused_candidates(const std::string& model, int size, bool cuda) {
    std::vector<FusedView> views;
    if (!cuda) return views;
    const bool small = size < 2000;
    if (model == "life") {
        for (const int depth : {8, 12})
            for (const int rows : small ? std::vector{4, 8, 16} : std::vector{16, 32, 64, 128}) views.push_back({FusedView::Kind::pipeline, depth, 1, rows, 1});
        return views;
    }
    for (const int depth : small ? std::vector{4, 6, 8} : std::vector{4, 6, 8})
        for (const int cells : small ? std::vector{1, 2} : std::vector{2, 4})
            for (const int rows : small ? std::vector{2, 4, 8} : std::vector{32, 64, 128}) views.push_back({FusedView::Kind::pipeline, depth, cells, rows, 0});
    return views;
}

void print(const std::string& model, int size, const std::string& view, double time) {
    std::printf("%-10s %6d %-60s %10.3f us/step %9.1f Gplaces/s\n", model.c_str(), size, view.c_str(), time, static_cast<double>(size) * size / time / 1e3);
    std::fflush(stdout);
}

// Prints the time, or why there is none.
template<class Prepare> void time_view(const std::string& model, int size, const std::string& view, Simulation& simulation, const Prepare& prepare) {
    try {
        prepare();
        print(model, size, view, bench::time_steps([&](std::uint64_t steps) { simulation.advance(simulation.step() + steps, [](std::uint64_t) { return true; }); }));
    } catch (const std::exception& error) {
        std::printf("%-10s %6d %-60s %s\n", model.c_str(), size, view.c_str(), error.what());
    }
}

void time_views(const std::string& model, const std::string& collection, int size, bool fused_only, Device& device, jit::Compiler& compiler, ThreadPool& pool) {
    RunRequest request{model, {fmt::format("places.{}.size=[{},{}]", collection, size, size), "output=[]", fmt::format("places.{}.boundary=\"torus\"", collection)}, {}};
    const auto prepared = prepare(request, compiler);
    const bool cuda = device.info().name != "cpu";
    if (!fused_only)
        for (const auto& view : candidates(cuda)) {
            if (model != "life" && view.kind == ViewChoice::Kind::window && view.rows > 8) continue;
            Simulation simulation(prepared.setup, device, compiler, pool, std::vector<ViewChoice>(prepared.setup.kernels.size(), view));
            time_view(model, size, to_string(view), simulation, [] {});
        }
    Simulation simulation(prepared.setup, device, compiler, pool);
    time_view(model, size, "chosen", simulation, [] {});
    for (const auto& view : fused_candidates(model, size, cuda))
        time_view(model, size, to_string(view), simulation, [&] {
            const auto begin = std::chrono::steady_clock::now();
            simulation.fuse({{call_sequences(prepared.setup, usual_phases(prepared.setup)).front(), view, "fused"}}, compiler);
            std::printf("(%.2f s to compile) ", bench::seconds_since(begin));
        });
}

} // namespace

int main(int argc, char** argv) {
    spdlog::set_level(spdlog::level::warn);
    const std::string name = argc > 1 ? argv[1] : "cpu";
    jit::Cache cache;
    jit::Compiler compiler(cache);
    ThreadPool pool(1);
    const auto device = open_device(name, 1);
    const bool fused_only = argc > 2 && std::string(argv[2]) == "fused";
    const std::vector<std::string> wanted(argv + std::min(argc, 3), argv + argc);
    for (const int size : {8192, 500})
        for (const auto& [model, collection] : {std::pair{"heat2d", "plate"}, {"wave2d", "wave"}, {"life", "cell"}, {"leadership", "person"}})
            if (wanted.empty() || std::find(wanted.begin(), wanted.end(), model) != wanted.end())
                time_views(model, collection, size, fused_only, *device, compiler, pool);
}
