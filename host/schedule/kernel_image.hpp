// The image of a run: its kernels, compiled for one kind of device.
#pragma once

#include "host/generate/kernel_source.hpp"
#include "host/schedule/fusion.hpp"
#include "jit/compiler.hpp"

#include <atomic>
#include <vector>

namespace tessera {

// The target for a device of this name and architecture, with the run's floating-point mode.
[[nodiscard]] jit::Target target_for(const Setup& setup, bool cuda, const std::string& architecture);

// What compile_kernels has compiled.
[[nodiscard]] jit::Job kernels_job(const Setup& setup, const std::vector<ViewChoice>& views, const jit::Target& target);

// `views` has one for each of Setup::kernels. Throws Failure::compile with the author's file and line.
[[nodiscard]] jit::Image compile_kernels(const Setup& setup, const std::vector<ViewChoice>& views, const jit::Target& target,
                                         jit::Compiler& compiler);

// The same for programs of fused steps: an image besides that of the kernels. `cancel` as in jit::Job.
[[nodiscard]] jit::Image compile_programs(const Setup& setup, const std::vector<FusedProgram>& programs, const jit::Target& target,
                                          jit::Compiler& compiler, const std::atomic<bool>* cancel = nullptr);

} // namespace tessera
