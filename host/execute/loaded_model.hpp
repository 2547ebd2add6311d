// A model on the devices of a run: its kernels compiled and loaded, its columns allocated. What steps are made with; it makes none itself.
#pragma once

#include "device_runtime/device.hpp"
#include "device_runtime/thread_pool.hpp"
#include "host/execute/answers.hpp"
#include "host/execute/binder.hpp"
#include "host/execute/executor.hpp"
#include "host/execute/partition.hpp"
#include "host/schedule/schedule.hpp"
#include "host/world/world.hpp"
#include "jit/compiler.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace tessera {

class LoadedModel {
public:
    // Compiles the kernels and allocates the columns, zero-filled. One device a partition, as many as the setup is divided into (divide).
    // Everything handed over must outlive the model. `views` has one for each of Setup::kernels; empty: those that choose_view gives.
    // Throws Failure::compile, Failure::memory, Failure::device.
    LoadedModel(const Setup& setup, const std::vector<Device*>& devices, jit::Compiler& compiler, ThreadPool& pool,
                const std::vector<ViewChoice>& views);
    ~LoadedModel(); // waits for what is queued, which uses the columns
    LoadedModel(const LoadedModel&) = delete;
    LoadedModel& operator=(const LoadedModel&) = delete;

    [[nodiscard]] const Setup& setup() const noexcept { return setup_; }
    [[nodiscard]] const Partitions& partitions() const noexcept { return partitions_; }
    [[nodiscard]] Executor& executor() noexcept { return executor_; }
    [[nodiscard]] Answers& answers() noexcept { return answers_; }
    [[nodiscard]] ThreadPool& pool() const noexcept { return pool_; }
    [[nodiscard]] World& world() noexcept { return world_; }
    [[nodiscard]] const World& world() const noexcept { return world_; }
    [[nodiscard]] const Schedule& schedule() const noexcept { return schedule_; }
    [[nodiscard]] const Binder& binder() const noexcept { return binder_; }
    // Of the first partition.
    [[nodiscard]] const std::vector<ViewChoice>& views() const noexcept { return partitions_.front().kernels.views; }
    [[nodiscard]] const KernelImages& code() const noexcept { return partitions_.front().code; }
    [[nodiscard]] jit::Target target() const { return target_of(*partitions_.front().device); }

    void set_step(std::uint64_t step); // of each partition's counter

    // Values of parameters from now on, as many as the description has, of those types: of the kernels, and of what is loaded later. Those
    // that are constants of the code (is_baked) have to be what they were.
    void set_parameters(std::vector<ParameterValue> values);
    // The same of an image that was loaded before.
    void set_parameters(Program& program, Queue& queue) const;
    [[nodiscard]] const std::vector<ParameterValue>& parameters() const noexcept { return parameters_; }

    // What loading it would compile with another source of its model, of which the setup is the same.
    [[nodiscard]] std::vector<jit::Job> jobs_with(const Setup& changed, jit::Compiler& compiler) const;

    // Loads another image of the model on a partition, and sets its parameters where they are not constants.
    [[nodiscard]] std::unique_ptr<Program> load(const jit::Image& image, const Partition& partition) const;

private:
    [[nodiscard]] jit::Target target_of(const Device& device) const;
    [[nodiscard]] std::unique_ptr<Program> load_image(Device& device, const jit::Image& image) const;
    void load_kernels(Partition& partition, jit::Compiler& compiler, const std::vector<ViewChoice>& views);
    // Compiles and loads its images. Of agents on a CPU it looks whether they draw the numbers that they have to; if not, they are compiled
    // with less optimisation, and refused if that does not help.
    void load_images(Partition& partition, jit::Compiler& compiler);
    [[nodiscard]] bool draws_what_it_should(const Partition& partition) const;
    [[noreturn]] void refuse_draws(const std::string& made_by) const;
    void tell_what_is_run(Partition& partition) const;
    void tell_reduces(Partition& partition) const;
    [[nodiscard]] bool passes_parameters() const noexcept { return !setup_.modes().bake && !parameters_.empty(); }

    const Setup& setup_;
    ThreadPool& pool_;
    std::vector<ParameterValue> parameters_; // their values now
    Partitions partitions_;                  // their number stays
    bool is_careful_ = false;                // code for CPUs is compiled with less optimisation, since other code drew wrongly
    Answers answers_;
    World world_;
    Schedule schedule_;
    Binder binder_;
    Executor executor_;
};

} // namespace tessera
