// The kernels of frames that were compiled with this program, for CPUs.
#pragma once

#include "device_runtime/queue.hpp"

namespace tessera {

// What a frame is made with (kernels/launch/frame.hpp).
struct FrameKernels {
    const Kernel *places = nullptr, *ends = nullptr, *slots = nullptr, *list = nullptr, *volume = nullptr, *pack = nullptr;
};

[[nodiscard]] const FrameKernels& frame_kernels_of_cpus();

} // namespace tessera
