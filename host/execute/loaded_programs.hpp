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

class LoadedModel;

// A program on one partition.
struct LoadedKernels {
    const Kernel* kernel = nullptr;
    const Kernel *pack = nullptr, *unpack = nullptr; // of a program of words: what fills them from the columns, and back
};
struct LoadedProgram {
    ProgramSteps steps;
    Tiling tiling, convert{};      // of the program, and of what fills its words
    std::vector<LoadedKernels> on; // by partition
};

// All of one depth, with what must live as long as they do.
struct LoadedPrograms {
    std::vector<LoadedProgram> programs; // empty: steps are made one at a time
    jit::Image image;
    std::vector<std::unique_ptr<Program>> loaded; // by partition
    std::optional<HeldBuffers> words;

    [[nodiscard]] bool empty() const noexcept { return programs.empty(); }
    [[nodiscard]] const FusedView& view() const { return programs.front().steps.program.view; }
    [[nodiscard]] std::uint64_t depth() const { return empty() ? 1 : static_cast<std::uint64_t>(view().depth); } // steps
};

// Throws Failure::device, Failure::plugin, and Failure::memory where there is no room for words.
[[nodiscard]] LoadedPrograms load_programs(LoadedModel& model, const std::vector<FusedProgram>& programs, jit::Image image);

} // namespace tessera
