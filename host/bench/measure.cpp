#include "host/bench/measure.hpp"

#include "device_runtime/devices.hpp"
#include "device_runtime/error.hpp"
#include "host/bench/reference_kernel.hpp"
#include "host/bench/reference_program.hpp"
#include "host/execute/simulation.hpp"
#include "host/views/candidates.hpp"
#include "host/views/packing.hpp"
#include "jit/log.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>

namespace tessera::bench {
namespace {

void make_steps(Simulation& simulation, std::uint64_t steps) {
    simulation.advance(simulation.step() + steps, [](std::uint64_t) { return true; });
}

// As a run goes on: some more than asked for, and one by itself each second.
Advance steps_of(Simulation& simulation) {
    return [&simulation](std::uint64_t steps) {
        const auto from = simulation.step();
        simulation.advance(std::numeric_limits<std::uint64_t>::max() / 2, [&](std::uint64_t step) { return step < from + steps; });
        return simulation.step() - from;
    };
}

Advance steps_of(ReferenceKernel& kernel) {
    return [&kernel](std::uint64_t steps) { return kernel.advance(steps); };
}

Advance steps_of(ReferenceProgram& program) {
    return [&program](std::uint64_t steps) { return program.advance(steps); };
}

const char* kind_of(const ViewChoice& view) {
    switch (view.kind) {
    case ViewChoice::Kind::rows: return "rows";
    case ViewChoice::Kind::numbered: return "numbered";
    case ViewChoice::Kind::direct: return "direct";
    case ViewChoice::Kind::march: return "march";
    default: return "window";
    }
}

// What is different among them, once.
std::vector<std::string> once(std::vector<std::string> names) {
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
}

bool same_values(const std::vector<Array>& a, const std::vector<Array>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Array& x, const Array& y) { return x.bytes == y.bytes; });
}

void refuse_too_few_bits(const Setup& setup, const std::vector<FusedProgram>& programs, const FusedView& view,
                         const Simulation& simulation) {
    for (const auto& program : programs) {
        const auto packing = packing_of(setup, program.step, simulation.reader());
        if (packing.bits == 0) throw Error(Failure::usage, packing.reason);
        if (packing.bits > view.bits) throw Error(Failure::usage, fmt::format("the values need {} bits", packing.bits));
    }
}

DeviceInfo infos_together(const std::vector<Device*>& devices) {
    std::vector<DeviceInfo> infos;
    for (const auto* device : devices) infos.push_back(device->info());
    return together(infos);
}

class Measurement {
public:
    Measurement(const Workbench& with, const Setup& setup, const Row& blank) : with_(with), setup_(setup), blank_(blank) {}

    std::vector<Row> run() {
        single_steps();
        for (const auto& views : single_views(with_.views, setup_, cuda_))
            if (!with_.views.chosen || views != chosen_) single(views);
        auto views = candidates_;
        for (const auto& view : with_.views.fused)
            if (std::find(views.begin(), views.end(), view) == views.end()) views.push_back(view);
        for (const auto& view : views) fused(view);
        return std::move(rows_);
    }

private:
    // Single steps by the chosen views, which all others are compared with, and the kernels by hand.
    void single_steps() {
        Simulation simulation(setup_, with_.devices, with_.compiler, with_.pool);
        chosen_ = simulation.views();
        if (has_kernels_by_hand()) take_states_by_hand(simulation);
        make_steps(simulation, checked_steps - simulation.step());
        const auto hash = simulation.hash();
        hash_ = with_.hashes.emplace(blank_.size, hash).first->second;
        if (has_kernels_by_hand())
            for (const auto& source : sources_by_hand()) with_.reference->agents ? program_by_hand(source, simulation) : by_hand(source);
        if (with_.views.chosen) {
            auto row = row_of(chosen_);
            row.view += ", chosen";
            if (exact_) row.state = hash == hash_ ? "same" : "differs";
            if (row.state != "differs") take_samples(row, steps_of(simulation), false);
            keep(std::move(row));
        } else if (with_.views.candidates || !with_.views.fused.empty()) {
            (void)Sampler(steps_of(simulation)); // what estimates are made of
        }
        single_step_seconds_ = simulation.step_seconds();
        if (with_.views.candidates) candidates_ = candidates(simulation);
    }

    [[nodiscard]] std::vector<FusedView> candidates(const Simulation& simulation) const {
        const auto sequences = fusible_sequences(setup_);
        if (sequences.empty()) return {};
        const auto& sequence = sequences.front();
        const int bits = cuda_ && sequences.size() == 1 ? packing_of(setup_, sequence, simulation.reader()).bits : 0;
        return packed_and_plain_candidates(setup_, sequence, device_, simulation.step_seconds(), bits, quick_candidates);
    }

    [[nodiscard]] std::vector<Array> members_by_hand(const Simulation& simulation) const {
        const auto collection = *setup_.find_collection(*with_.reference->collection);
        const auto& row = setup_.row_of(setup_.collections[collection]);
        std::vector<Array> members;
        for (const auto& name : with_.reference->members)
            members.push_back(simulation.read(setup_.column_of(collection, *row.find(*name))));
        return members;
    }

    [[nodiscard]] const std::vector<ReferenceSource>& sources_by_hand() const {
        return cuda_ ? with_.reference->cuda : with_.reference->cpu;
    }

    // Before and after as many steps as kernels by hand make to be checked.
    void take_states_by_hand(Simulation& simulation) {
        if (with_.reference->agents) {
            first_agents_ = agent_state(*with_.reference, setup_, simulation.reader());
            return;
        }
        states_by_hand_[0]; // which they start from
        for (const auto& source : sources_by_hand()) states_by_hand_[steps_to_check(source)];
        for (auto& [steps, members] : states_by_hand_) {
            make_steps(simulation, steps - simulation.step());
            members = members_by_hand(simulation);
        }
    }

    static std::uint64_t steps_to_check(const ReferenceSource& source) { return checked_steps / source.steps * source.steps; }

    void by_hand(const ReferenceSource& source) {
        const bool fused = source.steps > 1;
        auto row = blank_;
        row.kind = fused ? "by hand, fused" : "by hand";
        row.view = "by hand, " + source.file.filename().string() + (fused ? fmt::format(", {} steps", source.steps) : "");
        attempt(row, [&] {
            const auto checked = steps_to_check(source);
            auto kernel = std::make_unique<ReferenceKernel>(*with_.reference, source, setup_, states_by_hand_.at(0), *with_.devices.front(),
                                                            with_.compiler);
            kernel->advance(checked);
            row.state = same_values(kernel->state(), states_by_hand_.at(checked)) ? "same" : "differs";
            if (row.state == "differs") return;
            Sampler sampler(steps_of(*kernel));
            auto& first = fused ? fused_by_hand_ : single_by_hand_;
            take_samples(row, sampler, first ? &*first : nullptr);
            if (first) return;
            row.ratio = 1;
            first.emplace(Yardstick{std::move(kernel), std::move(sampler)});
        });
    }

    // `simulation` is where it has to come to.
    void program_by_hand(const ReferenceSource& source, const Simulation& simulation) {
        auto row = blank_;
        row.kind = "by hand";
        row.view = "by hand, " + source.file.filename().string();
        attempt(row, [&] {
            auto program =
                std::make_unique<ReferenceProgram>(*with_.reference, source, setup_, first_agents_, *with_.devices.front(), with_.compiler);
            program->advance(checked_steps);
            const bool same = program->state() == agent_state(*with_.reference, setup_, simulation.reader());
            row.state = same ? "same" : "differs";
            if (!same) return;
            take_samples(row, steps_of(*program), false);
            if (program_by_hand_) return;
            row.ratio = 1;
            program_by_hand_ = std::move(program);
        });
    }

    // The kernel by hand that a row is compared with.
    struct Yardstick {
        std::unique_ptr<ReferenceKernel> kernel;
        Sampler times;
    };
    [[nodiscard]] Yardstick* yardstick(bool fused) {
        auto& first = fused && fused_by_hand_ ? fused_by_hand_ : single_by_hand_;
        return first ? &*first : nullptr;
    }

    void single(const std::vector<ViewChoice>& views) {
        auto row = row_of(views);
        attempt(row, [&] {
            if (cuda_ && row.kind == "rows") throw Error(Failure::usage, "rows are a view for a CPU");
            Simulation simulation(setup_, with_.devices, with_.compiler, with_.pool, views);
            compare_and_sample(row, simulation, false);
        });
    }

    void fused(const FusedView& view) {
        auto row = blank_;
        row.kind = view.of->kind(view);
        row.view = tessera::to_string(view);
        attempt(row, [&] {
            if (cuda_ && view.of->is_for_cpu()) throw Error(Failure::usage, "this is a view for a CPU");
            const auto sequences = fusible_sequences(setup_);
            const auto programs = programs_for(setup_, sequences, view);
            if (programs.empty())
                throw Error(Failure::usage,
                            sequences.empty() ? "no steps can be fused" : tessera::obstacle(setup_, sequences.front(), view));
            Simulation simulation(setup_, with_.devices, with_.compiler, with_.pool);
            if (view.bits > 0) refuse_too_few_bits(setup_, programs, view, simulation);
            simulation.fuse(programs, with_.compiler);
            const double estimate = predicted_seconds(setup_, programs.front().step, device_, single_step_seconds_, view);
            if (cuda_ && sequences.size() == 1 && std::isfinite(estimate)) row.estimate = estimate;
            compare_and_sample(row, simulation, true);
        });
    }

    [[nodiscard]] bool has_kernels_by_hand() const { return with_.reference && with_.devices.size() == 1; }

    [[nodiscard]] Row row_of(const std::vector<ViewChoice>& views) const {
        auto row = blank_;
        std::vector<std::string> kinds, texts;
        for (const auto& view : views) kinds.emplace_back(kind_of(view)), texts.push_back(tessera::to_string(view));
        row.kind = once(kinds).size() == 1 ? kinds.front() : "mixed";
        row.view = fmt::format("{}", fmt::join(once(texts), "; "));
        return row;
    }

    void compare_and_sample(Row& row, Simulation& simulation, bool fused) {
        make_steps(simulation, checked_steps);
        if (exact_) row.state = simulation.hash() == hash_ ? "same" : "differs";
        if (row.state == "differs") return;
        take_samples(row, steps_of(simulation), fused);
    }

    // Of what has made checked_steps. Agents are born, die and gather, so a program starts anew to be where the other is.
    void take_samples(Row& row, const Advance& advance, bool fused) {
        if (program_by_hand_) {
            program_by_hand_->restart();
            program_by_hand_->advance(checked_steps);
            take_medians(row, samples_in_step(advance, steps_of(*program_by_hand_), with_.samples));
            return;
        }
        Sampler sampler(advance);
        take_samples(row, sampler, yardstick(fused));
    }

    void take_samples(Row& row, Sampler& sampler, Yardstick* beside) {
        if (beside == nullptr) {
            row.step_seconds = quartiles(samples_of(sampler, with_.samples));
            return;
        }
        take_medians(row, alternating_samples_of(sampler, beside->times, with_.samples));
    }

    static void take_medians(Row& row, const Pair& both) {
        row.step_seconds = quartiles(both.first);
        row.ratio = row.step_seconds->median / quartiles(both.second).median;
    }

    // Keeps the row, with the reason if there is nothing to measure.
    template<class Measure> void attempt(Row& row, const Measure& measure) {
        if (with_.interrupt.interrupted()) return;
        try {
            measure();
        } catch (const Error& error) {
            if (error.kind() == Failure::interrupted) return;
            row.step_seconds.reset();
            row.why_not = error.what();
        }
        keep(row);
    }

    void keep(Row row) {
        log_info("{}{}, {}: {}", bench::to_string(row.size), row.devices > 1 ? fmt::format(" on {} devices", row.devices) : "", row.view,
                 row.step_seconds ? fmt::format("{:.3f} us a step", row.step_seconds->median * 1e6) : row.why_not + row.state);
        rows_.push_back(std::move(row));
    }

    const Workbench& with_;
    const Setup& setup_;
    const Row& blank_;
    const DeviceInfo device_ = infos_together(with_.devices);
    const bool cuda_ = device_.kind == DeviceKind::cuda;
    const bool exact_ = !setup_.modes().is_fast(); // else states may differ
    std::vector<Row> rows_;
    double single_step_seconds_ = 0;
    std::uint64_t hash_ = 0; // of the state after some single steps, on one device
    std::vector<ViewChoice> chosen_;
    std::vector<FusedView> candidates_;
    std::map<std::uint64_t, std::vector<Array>> states_by_hand_; // by step: the members of kernels by hand
    std::optional<Yardstick> single_by_hand_, fused_by_hand_;    // the first of one step a launch, and of several
    AgentState first_agents_;                                    // of a model with agents, instead of all these: where programs start
    std::unique_ptr<ReferenceProgram> program_by_hand_;          // and the first of them
};

} // namespace

std::vector<Row> measure(const Workbench& workbench, const Setup& setup, const Row& blank) {
    return Measurement(workbench, setup, blank).run();
}

} // namespace tessera::bench
