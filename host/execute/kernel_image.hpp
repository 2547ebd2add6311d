// The image of a run: its kernels, compiled for one kind of device.
#pragma once

#include "host/generate/kernel_source.hpp"
#include "host/views/fused_program.hpp"
#include "jit/compiler.hpp"

#include <atomic>
#include <optional>
#include <string>
#include <vector>

namespace tessera {

// The target for a device of this name and architecture, with the run's floating-point mode.
[[nodiscard]] jit::Target target_for(const Setup& setup, bool cuda, const std::string& architecture);

// The jobs of compile_kernels, and those for code of a library for any run, of a setup for_any_run.
[[nodiscard]] jit::Job kernels_job(const Setup& setup, const std::vector<ViewChoice>& views, const jit::Target& target);
// Of these kernels alone, in one part: `chosen` has one for each of Setup::kernels. `share` is their name in messages.
[[nodiscard]] jit::Job some_kernels_job(const Setup& setup, const KernelTexts& texts, const std::vector<bool>& chosen,
                                        const std::string& share, const jit::Target& target);
[[nodiscard]] jit::Job any_run_job(const Setup& any, const std::string& epilogue, const jit::Target& target);
[[nodiscard]] jit::Job any_reduce_job(const jit::Target& target);
// Kernels that make pictures of any run's state (kernels/launch/frame.hpp).
// `types`: of which types values are shown, a bit for each scalar_code.
[[nodiscard]] jit::Job frame_job(const jit::Target& target, std::uint32_t types);

// A run's kernels as an image; or, of kernels for any run, an image for each collection (host/generate/any_run_source.hpp).
struct KernelImages {
    std::vector<jit::Image> images;
    std::string origin; // "compiled", "from the cache", "finished code for x86-64-v3"
    bool are_for_any_run = false;
    std::optional<jit::Image> reduces{}; // of a run with reduces that uses code for any run

    // Of Setup::kernels: those that a second image has, and are not taken from the first. Empty where there is no such image.
    std::vector<bool> edited{};

    [[nodiscard]] double milliseconds() const; // spent on getting the images
};

// Programs of fused steps: an image besides that of the kernels. `cancel` as in jit::Job. Throws Failure::compile with the author's file
// and line.
[[nodiscard]] jit::Image compile_programs(const Setup& setup, const std::vector<FusedProgram>& programs, const jit::Target& target,
                                          jit::Compiler& compiler, const std::atomic<bool>* cancel = nullptr);

} // namespace tessera
