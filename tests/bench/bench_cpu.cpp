// The engine on the CPU: bench_cpu [rounds [depth,across,rows...]]. Prints two tables of docs/performance.md, each of interleaved times: the engine
// beside loops written by hand, and several steps at a time beside one. The second is for the blocks given, or for those that suit.
//
// The model is compiled by $CXX (or c++); to compare like with like, let it be the compiler that this program was built with.
#include "device_runtime/cpu_device.hpp"
#include "host/run/prepare.hpp"
#include "host/schedule/simulation.hpp"
#include "jit/cache.hpp"
#include "tests/bench/by_hand.hpp"
#include "tests/bench/timing.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

using namespace tessera;
using namespace tessera::bench;
using Clock = std::chrono::steady_clock;

constexpr std::int64_t width = 4096, height = 8192;
constexpr std::uint64_t steps = 4, fused_steps = 64; // a round

struct Subject {
    std::string model, collection, member;
    std::size_t bytes;
    void (*by_hand)(const void*, void*, std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t);
    std::vector<std::string> overrides;
};

// The two grids of a loop written by hand, in the layout of tests/bench/reference/README.md.
class Loop {
public:
    Loop(const Subject& subject, const Array& initial, ThreadPool& pool) : subject_(subject), pool_(pool) {
        row_ = (static_cast<std::size_t>(width) * subject.bytes + 144 + 127) / 128 * 128;
        for (auto& grid : grids_) grid.resize(128 + (height + 2) * row_ + 128);
        for (std::int64_t y = -1; y <= height; ++y) {
            auto* to = place(0) + y * static_cast<std::int64_t>(row_);
            const auto* from = initial.bytes.data() + static_cast<std::size_t>((y + height) % height) * width * subject.bytes;
            const auto line = width * subject.bytes, one = subject.bytes;
            std::memcpy(to, from, line);
            std::memcpy(to - one, from + line - one, one);
            std::memcpy(to + line, from, one);
        }
    }
    void advance(std::uint64_t count) {
        for (; count > 0; --count, current_ = 1 - current_)
            pool_.run(height, [&](std::int64_t first, std::int64_t last) {
                subject_.by_hand(place(current_), place(1 - current_), width, height, static_cast<std::int64_t>(row_ / subject_.bytes), first, last);
            });
    }
    [[nodiscard]] bool equals(const Array& state) {
        for (std::int64_t y = 0; y < height; ++y)
            if (std::memcmp(place(current_) + y * static_cast<std::int64_t>(row_), state.bytes.data() + static_cast<std::size_t>(y) * width * subject_.bytes,
                            width * subject_.bytes) != 0)
                return false;
        return true;
    }

private:
    [[nodiscard]] std::byte* place(int grid) { return aligned(grids_[grid].data()) + row_; }
    static std::byte* aligned(std::byte* p) { return p + (128 - reinterpret_cast<std::uintptr_t>(p) % 128); }

    const Subject& subject_;
    ThreadPool& pool_;
    std::size_t row_ = 0;
    std::vector<std::byte> grids_[2];
    int current_ = 0;
};

struct Times {
    double engine, by_hand; // seconds a step
};

std::vector<std::string> keys(const Subject& subject) {
    auto overrides = subject.overrides;
    overrides.push_back(fmt::format("places.{}.size=[{},{}]", subject.collection, width, height));
    overrides.push_back(fmt::format("places.{}.boundary=\"torus\"", subject.collection));
    overrides.emplace_back("output=[]");
    return overrides;
}

Times compare(const Subject& subject, int threads, int rounds, jit::Compiler& compiler) {
    const auto prepared = prepare({subject.model, keys(subject), {}}, compiler);
    const auto device = open_cpu_device(threads);
    ThreadPool pool(threads);
    Simulation simulation(prepared.setup, *device, compiler, pool);
    Loop loop(subject, simulation.read(0, 0), pool);
    const auto advance = [&] { simulation.advance(simulation.step() + steps, [](std::uint64_t) { return true; }); };
    std::vector<double> engine, by_hand;
    for (int round = -1; round < rounds; ++round) { // the first warms up
        auto begin = Clock::now();
        advance();
        const double of_engine = seconds_since(begin) / steps;
        begin = Clock::now();
        loop.advance(steps);
        if (round < 0) continue;
        engine.push_back(of_engine);
        by_hand.push_back(seconds_since(begin) / steps);
    }
    if (!loop.equals(simulation.read(0, 0))) std::printf("DIFFERENT STATE: %s\n", subject.model.c_str());
    return {median(engine), median(by_hand)};
}

struct FusedTimes {
    double one, fused; // seconds a step
};

FusedTimes compare_fused(const Subject& subject, const FusedView& view, int rounds, jit::Compiler& compiler) {
    const auto prepared = prepare({subject.model, keys(subject), {}}, compiler);
    const auto device = open_cpu_device(1);
    ThreadPool pool(1);
    Simulation one(prepared.setup, *device, compiler, pool), fused(prepared.setup, *device, compiler, pool);
    fused.fuse({{call_sequences(prepared.setup, usual_phases(prepared.setup)).front(), view, "fused"}}, compiler);
    // As a run goes on: some steps more than asked for, and one of them by itself each second. Per step.
    const auto time = [&](Simulation& simulation) {
        const auto from = simulation.step();
        const auto begin = Clock::now();
        simulation.advance(~std::uint64_t{0} >> 1, [&](std::uint64_t step) { return step < from + fused_steps; });
        return seconds_since(begin) / static_cast<double>(simulation.step() - from);
    };
    std::vector<double> one_at_a_time, several;
    for (int round = -1; round < rounds; ++round) { // the first warms up
        const FusedTimes times{time(one), time(fused)};
        if (round < 0) continue;
        one_at_a_time.push_back(times.one);
        several.push_back(times.fused);
    }
    const auto last = std::max(one.step(), fused.step());
    for (auto* simulation : {&one, &fused}) simulation->advance(last, [](std::uint64_t) { return true; });
    if (one.hash() != fused.hash()) std::printf("DIFFERENT STATE: %s\n", subject.model.c_str());
    return {median(one_at_a_time), median(several)};
}

} // namespace

int main(int argc, char** argv) {
    spdlog::set_level(spdlog::level::warn);
    const int rounds = argc > 1 ? std::atoi(argv[1]) : 9;
    jit::Cache cache;
    jit::Compiler compiler(cache);
    const std::vector<Subject> subjects = {{"life", "cell", "alive", 1, life_by_hand, {"places.cell.init={alive={random=0.3}}"}},
                                           {"heat2d", "plate", "heat", 4, heat_by_hand, {"params.r=0.2", "params.heat_time=0"}},
                                           {"wave2d", "wave", "now", 4, nullptr, {}}};
    std::printf("%s, %lld x %lld places, models compiled by %s\n\n", cpu_info(1).description.c_str(), static_cast<long long>(width),
                static_cast<long long>(height), jit::HostCompiler::find().version().c_str());
    constexpr double places = static_cast<double>(width * height);
    if (argc < 3) std::printf("| model | threads | engine, Gplaces/s | by hand, Gplaces/s | ratio | speed-up of the engine | by hand |\n| --- | --- | --- | --- | --- | --- | --- |\n");
    for (const auto& subject : subjects) {
        if (subject.by_hand == nullptr || argc >= 3) continue;
        Times one{};
        for (const int threads : {1, 2}) {
            const auto times = compare(subject, threads, rounds, compiler);
            if (threads == 1) one = times;
            std::printf("| %s | %d | %.2f | %.2f | %.2f | %.2f | %.2f |\n", subject.model.c_str(), threads, places / times.engine / 1e9, places / times.by_hand / 1e9,
                        times.by_hand / times.engine, one.engine / times.engine, one.by_hand / times.by_hand);
        }
    }
    std::vector<FusedView> views;
    for (int i = 2; i < argc; ++i) {
        FusedView view{FusedView::Kind::blocks};
        if (std::sscanf(argv[i], "%d,%d,%d", &view.depth, &view.cells, &view.rows) == 3) views.push_back(view);
    }
    if (views.empty())
        for (const int depth : {4, 8, 16}) views.push_back({FusedView::Kind::blocks, depth, 4096, 512});
    std::printf("\n| model | view | Gplaces/s | one step at a time | ratio |\n| --- | --- | --- | --- | --- |\n");
    for (const auto& subject : subjects)
        for (const auto& view : views) {
            const auto times = compare_fused(subject, view, rounds, compiler);
            std::printf("| %s | %s | %.2f | %.2f | %.2f |\n", subject.model.c_str(), to_string(view).c_str(), places / times.fused / 1e9,
                        places / times.one / 1e9, times.one / times.fused);
            std::fflush(stdout);
        }
}
