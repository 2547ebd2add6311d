// A run on one device or several: made from initial values or from a snapshot, stepped, read.
#pragma once

#include "host/execute/agent_records.hpp"
#include "host/execute/frame_maker.hpp"
#include "host/execute/pacer.hpp"
#include "host/execute/phase_timer.hpp"
#include "host/execute/state_reducer.hpp"
#include "host/execute/stepper.hpp"
#include "host/execute/trial.hpp"
#include "host/world/snapshot.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tessera {

class ColumnCopies;

class Simulation {
public:
    // Compiles the kernels, allocates the columns and makes state 0, or, from a snapshot, the state that it holds (`restored`).
    // One device a stripe of the setup (divide). Everything handed over but the snapshot must outlive the simulation. `views` has one for
    // each of Setup::kernels; empty: those that choose_view gives. `pacer` is asked for what does not follow from the state. Throws
    // Failure::compile, Failure::memory, Failure::device, and Failure::input for initial values that cannot be had and for a snapshot of
    // other extents.
    Simulation(const Setup& setup, const std::vector<Device*>& devices, jit::Compiler& compiler, ThreadPool& pool,
               const std::vector<ViewChoice>& views = {}, const Snapshot* from = nullptr, const Pacer& pacer = Pacer::of_one_process());
    Simulation(const Setup& setup, Device& device, jit::Compiler& compiler, ThreadPool& pool, const std::vector<ViewChoice>& views = {},
               const Snapshot* from = nullptr)
        : Simulation(setup, std::vector<Device*>{&device}, compiler, pool, views, from) {}

    // Number of the state: steps made.
    [[nodiscard]] std::uint64_t step() const noexcept { return stepper_.step(); }
    // As Stepper::advance.
    void advance(std::uint64_t until, const std::function<bool(std::uint64_t)>& proceed) { stepper_.advance(until, proceed); }
    // As Stepper::stop_at.
    void stop_at(ReductionId question) { stepper_.stop_at(question); }
    // Makes the next steps one at a time, each of them timed (device_timings).
    void sample_steps(std::uint64_t count) { stepper_.sample_steps(count); }
    // Waits for all that was asked of the devices, and throws what that ran into.
    void synchronize() { model_.executor().synchronize(); }

    [[nodiscard]] Array read(ColumnId column) const { return model_.world().read(column); }
    // Puts values into a column between two steps, ghosts and what other devices have of it included (World::write). Programs in use whose
    // words have too few bits for them are used no more.
    void write(ColumnId column, const ArraySource& values);
    void write(ColumnId column, int element, const PlaceBox& box, const std::byte* values);
    // Gives a parameter another value between two steps, without compiling: `bytes` of its type. Throws Failure::input for one that there
    // is not, and for one whose value is a constant of the code.
    void set_parameter(const std::string& name, std::vector<std::byte> bytes);
    // The same of several. Those that are constants of the code have to be what they are.
    void set_parameters(std::vector<ParameterValue> values);
    [[nodiscard]] const std::vector<ParameterValue>& parameters() const noexcept { return model_.parameters(); }

    // The state, as long as no step is made and nothing is written; it must not outlive the simulation.
    [[nodiscard]] State state() const;
    // The same in memory of its own, which is made behind what the device was asked before, so that steps go on: of some columns, on one
    // GPU, where there is room (ColumnCopies::take). Read by one thread at a time, any one.
    [[nodiscard]] std::optional<State> copied(ColumnCopies& copies, const std::vector<ColumnId>& columns) const;
    // Any part of it.
    [[nodiscard]] StateReader reader() const { return model_.world().reader(); }
    // What became of the agents of a collection since the start (agent_records.hpp).
    [[nodiscard]] agent_counters counters(CollectionId agents) const { return counters_of(model_.partitions(), model_.setup(), agents); }
    // How many of them are alive.
    [[nodiscard]] std::uint64_t population(CollectionId agents) const { return past(agents).alive(); }
    [[nodiscard]] std::uint64_t hash() const;
    // Pictures of the state, as long as the simulation is there. For GPUs the first call waits for a compiler.
    [[nodiscard]] FrameMaker& frames(jit::Compiler& compiler);
    // Whether it need not wait; the first call begins to compile.
    [[nodiscard]] bool frames_are_ready(jit::Compiler& compiler);
    // Reductions of the state, likewise.
    [[nodiscard]] StateReducer& reducer(jit::Compiler& compiler);
    // With all that a simulation needs to go on from there, of the same setup or of a changed one.
    [[nodiscard]] Snapshot snapshot() const;
    // What of the snapshot did not fit, a line each.
    [[nodiscard]] const std::vector<std::string>& restored() const noexcept { return restored_; }

    // Programs of fused steps: loading them, trying them (trial.hpp), making steps by them from now on (Stepper::use).
    [[nodiscard]] LoadedPrograms load_programs(const std::vector<FusedProgram>& programs, jit::Image image);
    [[nodiscard]] std::optional<Trial> try_programs(const LoadedPrograms& programs, std::uint64_t until, Timed timed = Timed::yes);
    [[nodiscard]] std::optional<Trial> try_programs_in_use(std::uint64_t until) { return try_programs(stepper_.programs(), until); }
    void use(LoadedPrograms programs) { stepper_.use(std::move(programs)); }
    // Compiles, loads and uses.
    void fuse(const std::vector<FusedProgram>& programs, jit::Compiler& compiler);
    // The programs in use; empty if steps are made one at a time.
    [[nodiscard]] const std::vector<LoadedProgram>& fused() const noexcept { return stepper_.programs().programs; }
    // How steps are fused: "pipeline, 8 steps, ..."; empty if they are not.
    [[nodiscard]] std::string fused_view() const;
    // How many of the steps were made several at a time.
    [[nodiscard]] std::uint64_t fused_steps() const noexcept { return stepper_.fused_steps(); }

    // What a step took lately, in seconds; 0 before the first were made.
    [[nodiscard]] double step_seconds() const noexcept { return stepper_.step_seconds(); }
    [[nodiscard]] const std::vector<PhaseTiming>& timings() const noexcept { return timer_.timings(); }
    [[nodiscard]] const std::vector<DeviceTiming>& device_timings() const noexcept { return timer_.device_timings(); }
    // Adds what `before`, of the same phases and devices, has made.
    void count_on_from(const Simulation& before) {
        timer_.count_on_from(before.timer_);
        stepper_.count_on_from(before.stepper_);
    }
    // The same of what was kept of a run of the same phases.
    void count_on_from(const std::vector<PhaseTiming>& phases, std::uint64_t fused_steps) {
        timer_.count_on_from(phases);
        stepper_.count_on_from(fused_steps);
    }
    [[nodiscard]] const std::vector<ViewChoice>& views() const noexcept { return model_.views(); }
    [[nodiscard]] jit::Target target() const { return model_.target(); } // of the first device
    [[nodiscard]] const Pacer& pacer() const noexcept { return pacer_; }
    [[nodiscard]] const KernelImages& code() const noexcept { return model_.code(); }
    [[nodiscard]] double initialise_seconds() const noexcept { return initialise_seconds_; }
    // As LoadedModel::jobs_with.
    [[nodiscard]] std::vector<jit::Job> jobs_with(const Setup& changed, jit::Compiler& compiler) const {
        return model_.jobs_with(changed, compiler);
    }

private:
    [[nodiscard]] bool is_fused(CollectionId collection) const;
    [[nodiscard]] AgentsPast past(CollectionId agents) const;
    void take_up_pasts(const Snapshot* from);

    const Pacer& pacer_;
    LoadedModel model_;
    PhaseTimer timer_;
    Stepper stepper_;
    std::vector<std::string> restored_;
    std::vector<std::uint64_t> first_counts_; // of each collection, 0 for places
    double initialise_seconds_ = 0;
    std::optional<FrameMaker> frames_;
    std::optional<StateReducer> reducer_;
};

} // namespace tessera
