// The engine beside kernels written by hand, on one GPU: bench_gpu [cuda:0]. Prints the tables of docs/performance.md.
//
// Each hand-written kernel starts from the engine's state 0 and its state after some steps is compared with the engine's, bit for bit.
#include "device_runtime/devices.hpp"
#include "host/run/prepare.hpp"
#include "host/schedule/simulation.hpp"
#include "host/world/names.hpp"
#include "jit/cache.hpp"
#include "tests/bench/reference_kernel.hpp"
#include "tests/bench/timing.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <cstdio>
#include <string>
#include <vector>

namespace {

using namespace tessera;
using namespace tessera::bench;

struct Subject {
    std::string model, collection, first, second; // members that the hand-written kernel calls in and out
    double bytes;                                 // that a step has to move for a place
    std::vector<ReferenceSpec> by_hand;
    std::vector<std::string> overrides;
};

std::vector<Subject> subjects() {
    return {{"life", "cell", "alive", "alive", 2,
             {{"life_vector.cu", 1, "unsigned char", {32, 4, 1}, {512, 32}, false, 0, 128}, {"life_byte.cu", 1, "unsigned char", {64, 4, 1}, {64, 4}, false, 0, 256}},
             {"places.cell.init={alive={random=0.3}}"}},
            {"heat2d", "plate", "heat", "heat", 8,
             {{"heat_vector.cu", 4, "float", {32, 4, 1}, {128, 16}, true, 0.2f, 128}, {"heat_simple.cu", 4, "float", {64, 4, 1}, {64, 4}, true, 0.2f, 256}},
             {"places.plate.init={heat={random=\"uniform\",low=0,high=20}}", "params.r=0.2", "params.heat_time=0"}},
            {"wave2d", "wave", "now", "before", 12, {{"wave_vector.cu", 4, "float", {32, 4, 1}, {128, 16}, true, 0.0025f, 128}}, {}}};
}

// What the copy kernel moves, in bytes a second, read and written.
double copy_bandwidth(Device& device) {
    const std::size_t bytes = std::size_t{1} << 30;
    const auto from = device.allocate(bytes), to = device.allocate(bytes);
    const auto copy = make_copy(device, from, to);
    const double microseconds = time_steps([&](std::uint64_t steps) {
        for (; steps > 0; --steps) device.launch(copy.launch);
        device.synchronize();
    });
    return 2 * static_cast<double>(bytes) / (microseconds * 1e-6);
}

void compare(const Subject& subject, int size, Device& device, jit::Compiler& compiler, ThreadPool& pool, double bandwidth) {
    auto overrides = subject.overrides;
    overrides.push_back(fmt::format("places.{}.size=[{},{}]", subject.collection, size, size));
    overrides.push_back(fmt::format("places.{}.boundary=\"torus\"", subject.collection));
    overrides.emplace_back("output=[]");
    const auto prepared = prepare({subject.model, overrides, {}}, compiler);
    Simulation simulation(prepared.setup, device, compiler, pool);
    const auto read = [&](const std::string& member) {
        const auto column = require_column(prepared.setup, {{subject.collection, member}, {}});
        return simulation.read(column.collection, column.member).bytes;
    };
    const auto first = read(subject.first), second = read(subject.second);
    const auto advance = [&](std::uint64_t steps) { simulation.advance(simulation.step() + steps, [](std::uint64_t) { return true; }); };
    constexpr int checked_steps = 100;
    advance(checked_steps);
    const auto expected = read(subject.first);

    std::vector<double> by_hand;
    std::string check = "same bits";
    for (const auto& spec : subject.by_hand) {
        ReferenceKernel reference(device, spec, size, first, second);
        reference.advance(checked_steps);
        if (reference.state() != expected) check = "DIFFERENT STATE: " + spec.file;
        by_hand.push_back(time_steps([&](std::uint64_t steps) { reference.advance(steps); }));
    }
    const double engine = time_steps(advance);
    const double places = static_cast<double>(size) * size;
    std::string view;
    for (const auto& phase : simulation.timings())
        if (!phase.view.empty()) view = phase.view;
    std::printf("| %s | %d | %.2f | %.2f | %.2f | %s | %.1f | %.0f %% | %s | %s |\n", subject.model.c_str(), size, engine, by_hand[0], engine / by_hand[0],
                by_hand.size() > 1 ? fmt::format("{:.1f}", by_hand[1]).c_str() : "-", places / engine / 1e3,
                100 * places * subject.bytes / (engine * 1e-6) / bandwidth, view.c_str(), check.c_str());
    std::fflush(stdout);
}

} // namespace

int main(int argc, char** argv) {
    spdlog::set_level(spdlog::level::warn);
    jit::Cache cache;
    jit::Compiler compiler(cache);
    ThreadPool pool(4);
    const auto device = open_device(argc > 1 ? argv[1] : "cuda:0", 1);
    const double bandwidth = copy_bandwidth(*device);
    std::printf("%s; a copy moves %.0f GB/s\n\n", device->info().description.c_str(), bandwidth / 1e9);
    std::printf("| model | size | engine, us a step | by hand, vectorised | ratio | by hand, one place a thread | Gplaces/s | of the copy | view | check |\n");
    std::printf("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
    for (const auto& subject : subjects())
        for (const int size : {500, 1000, 2000, 4096, 8192, 16384}) compare(subject, size, *device, compiler, pool, bandwidth);
}
