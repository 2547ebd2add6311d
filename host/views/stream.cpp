#include "host/views/stream.hpp"

#include "host/views/estimates.hpp"
#include "host/views/program_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tessera {
namespace {

constexpr int lanes = 32;                    // of a warp
constexpr double bytes_on_their_way = 15e3;  // that keep a multiprocessor's share of the memory busy: fitted to shapes on an H200
constexpr double registers_beside = 32;      // of a thread at least, for what does not stand there from plane to plane
constexpr double registers_as_compiled = 48; // about as many as NVRTC takes for that

int threads_of(const FusedView& view) { return view.piece.height / rows_of_thread * lanes; }

// What the stages of a block see and keep.
struct StreamPlan {
    std::int64_t wide = 0, useful = 0, rows = 0; // places along x, and those of them that are stored; rows that are stored
    int planes = 0;                              // that are made and not stored
    std::int64_t shared_bytes = 0;
    double registers = 0; // 32-bit values of a thread that stand there from plane to plane
    std::string why_not;  // what keeps a stage from seeing other rows
};
StreamPlan stream_plan(const Setup& setup, const CallSequence& sequence, const FusedView& view) {
    const auto& collection = setup.collections[sequence.collection];
    const auto all = repeated(sequence, view.depth);
    const auto plan = plan_of(setup, all, view);
    StreamPlan stream;
    const std::int64_t aside = std::max(plan.low_of_all(0), plan.high_of_all(0)), lane = view.piece.width;
    stream.wide = lanes * lane;
    stream.useful = stream.wide - 2 * ((aside + lane - 1) / lane * lane);
    stream.rows = view.piece.height - plan.low_of_all(2) - plan.high_of_all(2);
    stream.planes = plan.low_of_all(1) + plan.high_of_all(1);
    const plan_size size{static_cast<int>(plan.lag.size()), static_cast<int>(collection.columns.size())};
    for (std::size_t version = 0; version < plan.version.size(); ++version)
        for (std::size_t c = 0; c < collection.columns.size(); ++c) {
            const auto& kept = plan.version[version][c];
            if (!kept.used) continue;
            const auto& layout = collection.columns[c].layout;
            const auto bytes = static_cast<std::int64_t>(size_of(layout.type)) * layout.elements;
            const double values = std::max(1.0, static_cast<double>(bytes) / 4) * rows_of_thread * static_cast<double>(lane);
            stream.registers += values * (kept.depth + (kept.loaded ? 1 : 0)); // and one that is on its way
            const int age = age_across(plan, size, all.columns, static_cast<int>(version), static_cast<int>(c));
            if (age == seen_across_by_none) continue;
            stream.shared_bytes += bytes * stream.wide * view.piece.height;
            if (age == seen_across_in_several)
                stream.why_not =
                    fmt::format("other rows of {} are seen in several planes", setup.name_of(setup.column_of(sequence.collection, c)));
            else if (age == 0 && !kept.loaded)
                stream.why_not = fmt::format("other rows of {} are seen in the plane that is just made",
                                             setup.name_of(setup.column_of(sequence.collection, c)));
        }
    return stream;
}

std::string obstacle_to_planes(const Setup& setup, const CallSequence& sequence) {
    const auto& collection = setup.collections[sequence.collection];
    if (collection.dimensions != 3) return "planes are streamed on grids of three dimensions";
    for (const std::size_t axis : {0, 1, 2})
        if (collection.boundary[axis] == run_file::Boundary::reflect) return "streams of planes cannot have a reflecting boundary";
    for (const auto phase : sequence.phases)
        for (const auto& use : uses_of(setup, phase)) {
            if (use.around && !use.along_axes)
                return fmt::format("{} sees places that are further along two axes", setup.phases[phase].name);
            for (const std::size_t axis : {0, 1, 2})
                if (use.low[2][axis] > most_reach_fused || use.high[2][axis] > most_reach_fused)
                    return fmt::format("{} sees further than {} places", setup.phases[phase].name, most_reach_fused);
        }
    return {};
}

class StreamClass final : public FusedViewClass {
public:
    [[nodiscard]] std::vector<Spelling> spellings() const override {
        return {{"stream", "DxCxHxP", 4, 4, "stream:4x4x24x64 is 4 steps, 4 places of a lane, 24 rows of a block and 64 planes"}};
    }
    [[nodiscard]] std::optional<FusedView> read(const std::string&, const std::vector<int>& numbers, std::string& why_not) const override {
        if (numbers[1] > 4 || numbers[1] == 3 || numbers[2] % rows_of_thread != 0 || numbers[2] > 64) {
            why_not = "a lane has 1, 2 or 4 places, and a block 2, 4, ... or 64 rows";
            return {};
        }
        return stream_view(numbers[0], numbers[1], numbers[2], numbers[3]);
    }
    [[nodiscard]] std::string spelled(const FusedView& view) const override {
        return fmt::format("stream:{}x{}x{}x{}", view.depth, view.piece.width, view.piece.height, view.piece.length);
    }
    [[nodiscard]] std::string kind(const FusedView&) const override { return "stream of planes"; }
    [[nodiscard]] std::string text(const FusedView& view) const override {
        return fmt::format("stream of planes, {}, {} a lane, {} rows, {} planes", counted(view.depth, "step"),
                           counted(view.piece.width, "place"), view.piece.height, view.piece.length);
    }

    [[nodiscard]] std::string obstacle(const Setup& setup, const CallSequence& sequence, const FusedView& view) const override {
        if (auto why = obstacle_to_planes(setup, sequence); !why.empty()) return why;
        const auto plan = stream_plan(setup, sequence, view);
        if (!plan.why_not.empty()) return plan.why_not;
        if (2 * (plan.wide - plan.useful) > plan.wide)
            return fmt::format("{} steps see {} places sideways, too many for {}", view.depth, (plan.wide - plan.useful) / 2, plan.wide);
        if (plan.rows < 1) return fmt::format("{} steps see more than {} rows", view.depth, view.piece.height);
        const double most_kept = std::min(255.0, registers / threads_of(view)) - registers_beside;
        if (plan.registers > most_kept)
            return fmt::format("{} steps keep {} values of planes in a thread, and it has registers for {}", view.depth, plan.registers,
                               std::floor(most_kept));
        if (plan.shared_bytes > most_shared_bytes)
            return fmt::format("{} steps keep {} KiB of planes, and shared memory has {}", view.depth, (plan.shared_bytes + 1023) / 1024,
                               most_shared_bytes / 1024);
        return {};
    }

    [[nodiscard]] std::vector<FusedView> pieces(const CollectionSetup& collection, const DeviceInfo&, int bits) const override {
        std::vector<FusedView> views;
        if (collection.dimensions != 3 || bits > 0) return views;
        for (const int depth : {2, 3, 4})
            for (const int places : {2, 4})
                for (const int rows : {16, 20, 24, 32})
                    for (const int planes : {32, 64, 128}) views.push_back(stream_view(depth, places, rows, planes));
        return views;
    }
    [[nodiscard]] double seconds(const Setup& setup, const CallSequence& sequence, const DeviceInfo& device, const StepCosts& single,
                                 const FusedView& view) const override;

    [[nodiscard]] int stream_axis(const CollectionSetup&) const override { return 2; }
    [[nodiscard]] int threads(const FusedView& view) const override { return threads_of(view); }
    [[nodiscard]] Tiling tiling(const Setup& setup, const CallSequence& sequence, const FusedView& view) const override {
        const auto& size = setup.collections[sequence.collection].size;
        const auto plan = stream_plan(setup, sequence, view);
        const auto across = (size[0] + plan.useful - 1) / plan.useful, down = (size[1] + plan.rows - 1) / plan.rows;
        return {across * down, view.piece.length, threads_of(view), threads_of(view)};
    }
    [[nodiscard]] std::string header() const override { return "stream.hpp"; }
    [[nodiscard]] std::string call(const FusedView& view, const std::string& program) const override {
        return fmt::format("call_streams<{}, {}, {}, {}>", program, view.piece.width, view.piece.height, view.piece.length);
    }
};

double StreamClass::seconds(const Setup& setup, const CallSequence& sequence, const DeviceInfo& device, const StepCosts& single,
                            const FusedView& view) const {
    const auto& size = setup.collections[sequence.collection].size;
    const auto plan = stream_plan(setup, sequence, view);
    if (plan.useful > size[0] || plan.rows > size[1] || view.piece.length > size[2]) return never;
    const double places = static_cast<double>(size[0] * size[1] * size[2]);
    const double wide = static_cast<double>(plan.wide) / static_cast<double>(plan.useful),
                 tall = static_cast<double>(view.piece.height) / static_cast<double>(plan.rows),
                 deep = static_cast<double>(view.piece.length + plan.planes) / view.piece.length, made = wide * tall * deep;
    const auto& demand = single.demand;
    const double memory = places * (demand.bytes_read * made + demand.bytes_written) / single.bandwidth / view.depth;
    const double blocks = std::max(1.0, std::floor(registers / ((plan.registers + registers_as_compiled) * threads_of(view))));
    const double threads = blocks * threads_of(view), busy = std::min(threads / lanes / 16, 1.0);
    const double issue = places * made * (demand.instructions + 8) / lanes_a_cycle / (device.processors * clock_rate * 0.9 * busy);
    // Each thread has one plane's places on their way from memory, and half of what is issued waits for them.
    const double on_their_way = std::min(threads * rows_of_thread * view.piece.width * demand.bytes_read / bytes_on_their_way, 1.0);
    const double tiles = std::ceil(static_cast<double>(size[0]) / static_cast<double>(plan.useful)) *
                         std::ceil(static_cast<double>(size[1]) / static_cast<double>(plan.rows)) *
                         std::ceil(static_cast<double>(size[2]) / view.piece.length);
    return with_computing((memory / on_their_way + issue / 2) * unevenness(blocks * device.processors, tiles), single, made, view.depth);
}

} // namespace

const FusedViewClass& stream_class() {
    static const StreamClass instance;
    return instance;
}

FusedView stream_view(int depth, int places, int height, int length) { return {&stream_class(), depth, {places, length, height}}; }

} // namespace tessera
