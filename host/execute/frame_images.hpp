// The kernels of frames for GPUs, compiled beside a run that goes on meanwhile.
#pragma once

#include "host/execute/loaded_model.hpp"
#include "jit/compiler.hpp"

#include <atomic>
#include <future>
#include <map>
#include <string>

namespace tessera {

class FrameImages {
public:
    // Begins to compile for each kind of GPU that the model is on; on CPUs there is nothing to do. The compiler must outlive it.
    FrameImages(const LoadedModel& model, jit::Compiler& compiler);
    ~FrameImages(); // gives up what is under way
    FrameImages(const FrameImages&) = delete;
    FrameImages& operator=(const FrameImages&) = delete;

    [[nodiscard]] bool are_ready() const;
    // For this kind of GPU. Waits until it is there; throws what compiling threw.
    [[nodiscard]] const jit::Image& image(const std::string& architecture) const;

private:
    std::atomic<bool> given_up_ = false;
    std::map<std::string, std::shared_future<jit::Image>> images_; // by architecture
};

} // namespace tessera
