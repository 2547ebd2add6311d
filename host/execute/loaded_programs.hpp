// Programs of fused steps on a device, ready to be launched.
#pragma once

#include "device_runtime/device.hpp"
#include "host/generate/kernel_source.hpp"
#include "host/schedule/schedule.hpp"
#include "host/world/world.hpp"
#include "jit/compiler.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace tessera {

// A program on one partition.
struct LoadedKernels {
    const Kernel* kernel = nullptr;
    const Kernel *pack = nullptr, *unpack = nullptr; // of a program of words: to fill them from the columns, and back
};
struct LoadedProgram {
    ProgramSteps steps;
    Tiling tiling, convert{};      // of the program, and of the kernels that fill its words
    std::vector<LoadedKernels> on; // by partition
};

// Programs of one depth, with the objects that must live as long as they do.
struct LoadedPrograms {
    std::vector<LoadedProgram> programs; // empty: steps are made one at a time
    jit::Image image;
    std::vector<std::unique_ptr<Program>> loaded; // by partition
    std::optional<HeldBuffers> words;

    [[nodiscard]] bool empty() const noexcept { return programs.empty(); }
    [[nodiscard]] const FusedView& view() const { return programs.front().steps.program.view; }
    [[nodiscard]] std::uint64_t depth() const { return empty() ? 1 : static_cast<std::uint64_t>(view().depth); } // steps
};

} // namespace tessera
