// A model on a device: its kernels compiled and loaded, its columns allocated. What steps are made with; it makes none itself.
#pragma once

#include "device_runtime/device.hpp"
#include "device_runtime/queue.hpp"
#include "device_runtime/thread_pool.hpp"
#include "host/execute/binder.hpp"
#include "host/execute/loaded_programs.hpp"
#include "host/generate/kernel_source.hpp"
#include "host/schedule/schedule.hpp"
#include "host/world/world.hpp"
#include "jit/compiler.hpp"

#include <memory>
#include <vector>

namespace tessera {

class LoadedModel {
public:
    // Compiles the kernels and allocates the columns, zero-filled. Everything handed over must outlive the model. `views` has one for each
    // of Setup::kernels; empty: those that choose_view gives. Throws Failure::compile, Failure::memory, Failure::device.
    LoadedModel(const Setup& setup, Device& device, jit::Compiler& compiler, ThreadPool& pool, std::vector<ViewChoice> views);
    ~LoadedModel(); // waits for what is queued, which uses the columns
    LoadedModel(const LoadedModel&) = delete;
    LoadedModel& operator=(const LoadedModel&) = delete;

    [[nodiscard]] const Setup& setup() const noexcept { return setup_; }
    [[nodiscard]] Device& device() const noexcept { return device_; }
    [[nodiscard]] Queue& queue() const noexcept { return *queue_; }
    [[nodiscard]] ThreadPool& pool() const noexcept { return pool_; }
    [[nodiscard]] World& world() noexcept { return world_; }
    [[nodiscard]] const World& world() const noexcept { return world_; }
    [[nodiscard]] const Schedule& schedule() const noexcept { return schedule_; }
    [[nodiscard]] const Binder& binder() const noexcept { return binder_; }
    [[nodiscard]] const std::vector<ViewChoice>& views() const noexcept { return kernels_.views; }
    [[nodiscard]] const jit::Image& image() const noexcept { return image_; }
    [[nodiscard]] jit::Target target() const;

    // Loads another image of the model, and sets its parameters where they are not constants.
    [[nodiscard]] std::unique_ptr<Program> load(const jit::Image& image) const;

private:
    void set_parameters(Program& program) const;

    const Setup& setup_;
    Device& device_;
    std::unique_ptr<Queue> queue_;
    ThreadPool& pool_;
    World world_;
    jit::Image image_;
    std::unique_ptr<Program> program_;
    Kernels kernels_;
    Schedule schedule_;
    Binder binder_;
};

} // namespace tessera
