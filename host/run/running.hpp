// What goes on between two changes of a run: one setup, its simulation, its outputs and its tuner.
#pragma once

#include "host/outputs/output_set.hpp"
#include "host/run/prepare.hpp"
#include "host/tune/tuner.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tessera {

// What it needs of the run, which stays.
struct RunGround {
    const std::vector<Device*>& devices;
    DeviceInfo all_devices; // taken together
    jit::Compiler& compiler;
    ThreadPool& pool;
    Interrupted interrupted;
    bool was_told = false; // what choosing memory has to tell: the run is made again, or goes on otherwise
};

class Running {
public:
    // Spreads the setup, as it is bound, over the devices, compiles, and makes state 0. `model` is kept for the setup, where it is this
    // one's own. Throws what that throws.
    Running(std::shared_ptr<const model::Model> model, const Setup& setup, const RunGround& ground);
    // The same from the state of another one, which is as it was. What of that could not be taken over is in `left_behind`, a line each.
    // Throws Failure::input where it does not fit at all.
    Running(std::shared_ptr<const model::Model> model, const Setup& setup, const RunGround& ground, Running& before);
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;

    // Counts phases from where that one is, which has the same.
    void count_on_from(const Running& before) { simulation_->count_on_from(*before.simulation_); }

    // Outputs from now on, into a folder; those that `before` has and that are the same go on. Once, before the first step.
    void write_to(const ResultFolder& folder, Running* before);

    // Begins to compile the kernels as they are if nothing but the bodies of functions is another by now in the model's source: most
    // changes are of that kind, and are compiled while their description is. None: the source is the same, or there is none.
    [[nodiscard]] std::unique_ptr<jit::CompiledAhead> compile_ahead(jit::Compiler& compiler) const;

    // What was handed over.
    [[nodiscard]] const std::shared_ptr<const model::Model>& model() const noexcept { return model_; }
    [[nodiscard]] const Setup& setup() const noexcept { return setup_; }
    [[nodiscard]] Simulation& simulation() noexcept { return *simulation_; }
    [[nodiscard]] const Simulation& simulation() const noexcept { return *simulation_; }
    [[nodiscard]] OutputSet& outputs() noexcept { return *outputs_; }
    [[nodiscard]] const OutputSet& outputs() const noexcept { return *outputs_; }
    [[nodiscard]] Tuner& tuner() noexcept { return *tuner_; }
    [[nodiscard]] const Tuner& tuner() const noexcept { return *tuner_; }
    [[nodiscard]] const std::vector<std::string>& left_behind() const noexcept { return simulation_->restored(); }

private:
    void begin(const RunGround& ground, const Snapshot* from);
    void fuse_as_asked(jit::Compiler& compiler);

    std::shared_ptr<const model::Model> model_;
    const Setup setup_;
    DeviceInfo all_devices_;
    Interrupted interrupted_;
    std::optional<Simulation> simulation_;
    std::optional<OutputSet> outputs_;
    std::optional<Tuner> tuner_;
};

} // namespace tessera
