// Random models under test: several at a time, each a collection of its own in one run, because compiling is what takes long.
#pragma once

#include "host/generate/march.hpp"
#include "host/views/stream.hpp"
#include "host/views/word_march.hpp"
#include "tests/conformance/random_model_loop.hpp"
#include "tests/conformance/random_model_maker.hpp"
#include "tests/conformance/random_model_text.hpp"
#include "tests/support/compilers.hpp"
#include "tests/support/stripes.hpp"
#include "tests/support/world_under_test.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>

namespace tessera::test::random_model {

// Which of the (model, depth) pairs were made several steps at a time.
struct Share {
    int pairs = 0, fused = 0;
};

class Batch {
public:
    static constexpr unsigned size = 10;

    // Models number * size and `count - 1` that follow it, on this device, with so many steps at a time. `volumes`: Plan::volumes_of_words.
    Batch(unsigned number, std::vector<int> depths, Options options, bool volumes = false, unsigned count = size)
        : dice_(number + 99), number_(number), depths_(std::move(depths)), options_(std::move(options)), volumes_(volumes) {
        const int deepest = *std::max_element(depths_.begin(), depths_.end());
        Plan plan;
        plan.reach_of_step = 32 / deepest; // at 4 places a lane
        plan.effort = deepest > 8 ? 25 : deepest > 3 ? 40 : 80;
        plan.functions = deepest > 8 ? 1 : deepest > 3 ? 2 : 3;
        plan.mathematics = number % 4 == 3;
        plan.volumes_of_words = volumes;
        if (volumes) plan.functions = 1;
        plan.parameters = {static_cast<std::uint32_t>(dice_.between(1, 1000)), static_cast<float>(dice_.between(-8, 8)) / 8};
        for (const int depth : depths_)
            to_make_.push_back(static_cast<std::uint64_t>(2 * depth + dice_.below(depth + 1) + (volumes ? 4 : 0)));
        for (const auto steps : to_make_) steps_ += steps;
        if (number % 4 == 1) plan.every = static_cast<std::uint64_t>(deepest + dice_.between(4, 9));
        if (number % 4 == 2) plan.until = 2;
        parameters_ = plan.parameters;
        for (unsigned i = 0; i < (volumes ? count / 2 : count); ++i) {
            auto one = plan;
            if (dice_.percent(8)) one.reach_of_step = 99; // whether it can be fused or not
            models_.push_back(ModelMaker(number * size + i, one).make());
        }
    }

    // Runs them and compares; failures name the model.
    Share run() {
        const auto source = folder_.write(name() + ".cu", source_of(models_, name()));
        const auto prepared = prepare({source.string(), keys(), {}}, compiler_);
        const auto device = open_device(options_.device, options_.threads);
        ThreadPool pool(options_.threads);
        Simulation simulation(prepared.setup, *device, compiler_, pool, views(prepared.setup));
        mismatched_.resize(models_.size());
        begin_anew(simulation, prepared.setup);
        step(simulation, prepared.setup, 1, "one step at a time", {});
        Share share;
        for (std::size_t i = 0; i < depths_.size(); ++i) make_fused_steps(simulation, prepared.setup, depths_[i], to_make_[i], share);
        for (int i = 0; i < divisions; ++i) run_divided(prepared.setup);
        return share;
    }

private:
    static constexpr int divisions = 3;

    // Over several devices, cut anywhere; every other batch with memory of their own, at times by fused steps.
    void run_divided(const Setup& bound) {
        auto draw = [this] { return static_cast<std::uint64_t>(dice_.below(1 << 20)); };
        auto distribution = cut_anywhere(bound, static_cast<std::size_t>(dice_.between(2, 6)), draw);
        constexpr std::uint64_t steps_of_ghosts = 4; // the same for all, so that they are compiled once
        if (number_ % 2 == 1) give_own_memory(bound, distribution, static_cast<std::uint64_t>(dice_.between(1, 4)), steps_of_ghosts);
        const auto setup = arranged(bound, std::move(distribution));
        const auto devices = open_devices(std::vector<std::string>(setup.partitions(), options_.device), options_.threads);
        ThreadPool pool(options_.threads);
        if (views_of_stripes_.empty()) views_of_stripes_ = views(setup);
        Simulation simulation(setup, pointers_to(devices), compiler_, pool, views_of_stripes_);
        const bool can_fuse = setup.own_memory() || volumes_;
        if (can_fuse && programs_of_stripes_.empty()) programs_of_stripes_ = fused_programs(setup, volumes_ ? 1 : dice_.between(2, 4));
        const bool fused = can_fuse && dice_.percent(60);
        if (fused) simulation.fuse(programs_of_stripes_, compiler_);
        begin_anew(simulation, setup);
        step(simulation, setup, std::min<std::uint64_t>(steps_, 9),
             setup.own_memory() ? "over devices with memory of their own" : "over several devices",
             fused ? programs_of_stripes_ : std::vector<FusedProgram>());
    }
    void begin_anew(const Simulation& simulation, const Setup& setup) {
        loops_.clear();
        for (const auto& model : models_) loops_.emplace_back(model, seed());
        compare(simulation, setup, "initial state", {});
    }

    [[nodiscard]] std::string name() const { return "batch" + std::to_string(number_); }
    [[nodiscard]] std::uint64_t seed() const { return 1000 + number_; }
    [[nodiscard]] bool on_cpu() const { return options_.device == "cpu"; }

    std::vector<std::string> keys() {
        std::vector<std::string> keys{"output=[]", "run.steps=" + std::to_string(1 + steps_), "run.seed=" + std::to_string(seed()),
                                      "params.salt=" + std::to_string(parameters_.salt),
                                      "params.drift=" + std::to_string(parameters_.drift)};
        for (const auto& model : models_) keys = std::move(keys) + Writer(model).keys();
        keys.push_back("phase=[" + interleaved_phases() + "]");
        if (number_ % 2 == 0) keys.emplace_back("schedule.exchange=\"auto\"");
        if (number_ % 5 == 4) keys.emplace_back("run.bake=false");
        return keys;
    }
    // Those of a model in their order.
    std::string interleaved_phases() {
        std::vector<std::vector<std::string>> left;
        for (const auto& model : models_) left.push_back(Writer(model).phases());
        std::string text;
        for (;;) {
            std::vector<std::size_t> open;
            for (std::size_t i = 0; i < left.size(); ++i)
                if (!left[i].empty()) open.push_back(i);
            if (open.empty()) return text;
            auto& next = left[dice_.of(open)];
            if (number_ % 2 == 1) text += "{exchangeAll=\"*\"},";
            text += next.front() + ",";
            next.erase(next.begin());
        }
    }
    // A view for each kernel.
    std::vector<ViewChoice> views(const Setup& setup) {
        std::vector<ViewChoice> views;
        for (std::size_t i = 0; i < setup.kernels.size(); ++i) {
            const int kind = dice_.below(3);
            ViewChoice view{ViewChoice::Kind::direct, 32 << dice_.below(3), 1 << dice_.below(3), dice_.between(1, 9), 32 << dice_.below(3)};
            if (kind == 1) view.kind = ViewChoice::Kind::window;
            if (kind == 2 && on_cpu()) view.kind = ViewChoice::Kind::rows;
            const auto& kernel = setup.kernels[KernelId(i)];
            if (setup.collections[kernel.collection].dimensions == 3 && kernel.is_function() && dice_.percent(50))
                view = march_view(setup.collections[kernel.collection], view.cells, dice_.between(1, 3), dice_.between(1, 9));
            views.push_back(view);
        }
        return views;
    }

    void make_fused_steps(Simulation& simulation, const Setup& setup, int depth, std::uint64_t steps, Share& share) {
        const auto programs = fused_programs(setup, depth);
        simulation.fuse(programs, compiler_);
        const auto before = simulation.fused_steps();
        step(simulation, setup, steps, std::to_string(depth) + " steps at a time", programs);
        share.pairs += static_cast<int>(models_.size());
        if (simulation.fused_steps() > before) share.fused += static_cast<int>(programs.size());
    }
    std::vector<FusedProgram> fused_programs(const Setup& setup, int depth) {
        std::vector<FusedProgram> programs;
        for (const auto& sequence : call_sequences(setup, usual_phases(setup))) {
            const auto view = fused_view(setup, sequence, depth);
            if (obstacle(setup, sequence, view).empty())
                programs.push_back({sequence, view, "fused_" + setup.collections[sequence.collection].name});
        }
        return programs;
    }
    FusedView fused_view(const Setup& setup, const CallSequence& sequence, int depth) {
        const int rows = dice_.of(std::vector{1, 3, 8, 16, 17, 32, 64});
        const auto& collection = setup.collections[sequence.collection].name;
        const auto& model = *std::find_if(models_.begin(), models_.end(), [&](const Model& one) { return one.collection == collection; });
        const int bits = dice_.percent(70) ? model.bits : 0;
        const auto fits = [&](const FusedView& view) { return obstacle(setup, sequence, view).empty(); };
        if (bits > 0 && depth == 1 && model.dimensions == 3)
            if (const auto march = some_march(bits); fits(march)) return march;
        if (bits == 0 && model.dimensions == 3 && dice_.percent(70))
            if (const auto stream = some_stream(depth, rows); fits(stream)) return stream;
        if (bits == 0 && dice_.percent(15)) return some_tile(setup, sequence, depth, rows);
        if (bits == 0 && on_cpu() && dice_.percent(40)) {
            const auto blocks = blocks_view(depth, dice_.of(std::vector{16, 33, 64, 100, 4096}), rows);
            return fits(blocks) ? blocks : some_tile(setup, sequence, depth, rows);
        }
        std::vector<int> cells{1, 2, 4};
        dice_.shuffle(cells);
        if (bits == 0 && dice_.percent(30)) {
            const int rows_of_patch = dice_.of(std::vector{1, 3, 8, 11});
            for (const int n : cells)
                if (const auto patch = patch_view(depth, n, rows_of_patch); fits(patch)) return patch;
        }
        for (const int n : cells) {
            if (n * bits > 8) continue; // compiles for minutes
            const bool words = bits > 0 && dice_.percent(60);
            if (const auto view = pipeline_view(depth, n, rows, bits, words); fits(view)) return view;
            if (const auto view = pipeline_view(depth, n, rows, bits); fits(view)) return view;
        }
        return some_tile(setup, sequence, depth, rows);
    }
    FusedView some_march(int bits) {
        const int words = dice_.of(std::vector{1, 1, 2});
        return word_march_view(words, dice_.between(1, 3), dice_.between(1, 5), bits);
    }
    FusedView some_stream(int depth, int planes) {
        return stream_view(depth, dice_.of(std::vector{1, 2, 4}), 2 * dice_.between(2, 9), planes);
    }
    FusedView some_tile(const Setup& setup, const CallSequence& sequence, int depth, int length) {
        const int width = dice_.of(std::vector{8, 16, 32, 50});
        const bool tall = setup.collections[sequence.collection].dimensions == 3;
        return tile_view(depth, width, length, tall ? dice_.of(std::vector{1, 2, 4, 8}) : 1);
    }

    void step(Simulation& simulation, const Setup& setup, std::uint64_t steps, const std::string& how,
              const std::vector<FusedProgram>& programs) {
        simulation.advance(simulation.step() + steps, [](std::uint64_t) { return true; });
        for (auto& loop : loops_) loop.step_to(simulation.step());
        compare(simulation, setup, how, programs);
    }
    void compare(const Simulation& simulation, const Setup& setup, const std::string& how, const std::vector<FusedProgram>& programs) {
        for (std::size_t i = 0; i < models_.size(); ++i) {
            const auto& model = models_[i];
            const auto collection = *setup.find_collection(model.collection);
            for (std::size_t m = 0; m < model.members.size() && !mismatched_[i]; ++m) {
                const auto difference = first_difference(model, m, simulation.read(setup.column_of(collection, m)), loops_[i].state()[m]);
                if (difference.empty()) continue;
                mismatched_[i] = true; // all that follows would differ as well
                std::string view;
                for (const auto& program : programs)
                    if (program.step.collection == collection) view = ", " + to_string(program.view);
                ADD_FAILURE() << "model " << model.number << ", " << how << view << ", state " << simulation.step() << ": " << difference
                              << "\n"
                              << description(model);
            }
        }
    }
    static std::string first_difference(const Model& model, std::size_t m, const Array& is, const Column& expected) {
        const auto& member = model.members[m];
        const auto size_of_one = size_of(member.type);
        std::size_t different = 0, first = 0;
        Bits found = 0;
        for (std::size_t i = 0; i < expected.size(); ++i) {
            Bits bits = 0;
            std::memcpy(&bits, is.bytes.data() + i * size_of_one, size_of_one);
            if (bits == expected[i]) continue;
            if (different++ == 0) first = i, found = bits;
        }
        if (different == 0) return {};
        std::ostringstream text;
        text << member.name << " differs in " << different << " of " << expected.size() << " places, first at "
             << is.position(static_cast<std::int64_t>(first)) << ": bits " << std::hex << found << " instead of " << expected[first];
        return text.str();
    }
    static std::string description(const Model& model) {
        Writer writer(model);
        std::string text = writer.source();
        for (const auto& key : writer.keys()) text += key + "\n";
        for (const auto& phase : writer.phases()) text += phase + "\n";
        return text;
    }

    Dice dice_;
    unsigned number_;
    std::vector<int> depths_;
    std::vector<std::uint64_t> to_make_{};
    Options options_;
    bool volumes_;
    std::uint64_t steps_ = 0;
    Parameters parameters_{};
    std::vector<Model> models_{};
    std::vector<Loop> loops_{};
    std::vector<bool> mismatched_{};
    std::vector<ViewChoice> views_of_stripes_{};
    std::vector<FusedProgram> programs_of_stripes_{}; // in memory of their own
    TemporaryFolder folder_{};
    jit::Cache cache_{folder_.path() / "cache"}; // nobody compiles them again
    jit::Compiler compiler_{cache_};
};

// "cpu_7": the batch, and the device that it is tried on.
inline std::string batch_test_name(const ::testing::TestParamInfo<std::tuple<std::string, unsigned>>& tested) {
    std::string name = std::get<0>(tested.param) + "_" + std::to_string(std::get<1>(tested.param));
    std::replace(name.begin(), name.end(), ':', '_');
    return name;
}

} // namespace tessera::test::random_model
