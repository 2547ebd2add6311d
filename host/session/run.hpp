// A run between two changes of what it is made of: one setup, its simulation, its outputs and its tuner.
#pragma once

#include "host/outputs/output_set.hpp"
#include "host/prepare/prepare.hpp"
#include "host/session/reductions.hpp"
#include "host/session/session.hpp"
#include "host/tune/tuner.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tessera {

class Run {
public:
    // Whether to log what the user should know of the memory that was chosen: not where the run is made again, or goes on otherwise.
    enum class Remarks { logged, known };

    // Spreads a run, as it is bound, over the session's devices, compiles, and makes state 0. `model` is kept for the setup, where it
    // is this one's own; the session must outlive the run. Throws what that throws.
    Run(std::shared_ptr<const model::Model> model, const Bound& bound, Session& session, Remarks remarks = Remarks::logged);
    // The same from the state of another one, which is as it was. What of that could not be taken over is in `left_behind`, a line each.
    // Throws Failure::input where it does not fit at all.
    Run(std::shared_ptr<const model::Model> model, const Bound& bound, Session& session, Run& before, Remarks remarks = Remarks::logged);
    // The same from a state that was kept.
    Run(std::shared_ptr<const model::Model> model, const Bound& bound, Session& session, const Snapshot& from,
        Remarks remarks = Remarks::logged);
    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;

    // Number of the state: steps made.
    [[nodiscard]] std::uint64_t step() const noexcept { return simulation_->step(); }
    // Makes steps until state `until`, or until `proceed(steps queued)` says no (Stepper::advance).
    void advance(std::uint64_t until, const std::function<bool(std::uint64_t)>& proceed);

    // The state as outputs and conditions see it. It lasts until steps are made, something is written, or it is let go.
    [[nodiscard]] const StateView& view();
    void let_go_of_view();
    // Puts values into a column, between two steps. All writes between steps come here: fused programs that hold small values alone are
    // dropped if a value does not fit.
    void write(ColumnId column, const ArraySource& values);
    void write(ColumnId column, int element, const PlaceBox& box, const std::byte* values);

    // The values of parameters now.
    [[nodiscard]] const std::vector<ParameterValue>& parameters() const noexcept { return simulation_->parameters(); }
    // Whether these can be given other values without compiling.
    [[nodiscard]] bool sets_at_once(const run_file::Parameters& given) const;
    // Throws Failure::usage for parameters that there are not, and for values that they do not take.
    void check_parameters(const run_file::Parameters& given) const { (void)with_parameters(given); }
    // Gives them other values between two steps, as if the run file said so; nothing is compiled. Throws as `check_parameters`, and changes
    // nothing then.
    void set_parameters(const run_file::Parameters& given);

    // Counts phases from where that one is, which has the same.
    void count_on_from(const Run& before) { simulation_->count_on_from(*before.simulation_); }

    // Outputs from now on, into a folder; those that `before` has and that are the same go on. Once, before the first step. The outbox must
    // outlive the run.
    void write_to(const ResultFolder& folder, Outbox& outbox, Run* before);

    // Begins to compile the kernels as they are if nothing but the bodies of functions is another by now in the model's source: most
    // changes are of that kind, and are compiled while their description is. None: the source is the same, or there is none.
    [[nodiscard]] std::unique_ptr<jit::CompiledAhead> compile_ahead(jit::Compiler& compiler) const;

    // What was handed over.
    [[nodiscard]] const std::shared_ptr<const model::Model>& model() const noexcept { return model_; }
    [[nodiscard]] const Setup& setup() const noexcept { return setup_; }
    // For those who write it down, or bind it again.
    [[nodiscard]] const run_file::RunFile& run_file() const noexcept { return run_file_; }
    [[nodiscard]] Simulation& simulation() noexcept { return *simulation_; }
    [[nodiscard]] const Simulation& simulation() const noexcept { return *simulation_; }
    [[nodiscard]] OutputSet& outputs() noexcept { return *outputs_; }
    [[nodiscard]] const OutputSet& outputs() const noexcept { return *outputs_; }
    [[nodiscard]] Tuner& tuner() noexcept { return *tuner_; }
    [[nodiscard]] const Tuner& tuner() const noexcept { return *tuner_; }
    [[nodiscard]] const std::vector<std::string>& left_behind() const noexcept { return simulation_->restored(); }

private:
    [[nodiscard]] run_file::RunFile with_parameters(const run_file::Parameters& given) const;
    void begin(const Snapshot* from);
    void fuse_as_asked();
    void open_view();

    std::shared_ptr<const model::Model> model_;
    const Setup setup_;
    run_file::RunFile run_file_; // as it is by now: parameters may have been set
    Session& session_;
    std::optional<Simulation> simulation_;
    std::optional<Reductions> reductions_; // of runs on GPUs: a CPU reads its own memory as fast
    std::optional<StateView> view_;
    bool is_view_of_this_ = false;
    std::optional<OutputSet> outputs_;
    std::optional<Tuner> tuner_;
};

} // namespace tessera
