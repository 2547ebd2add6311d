// Code that a library of a model brings with it, compiled beforehand for the runs that it was built for: what compiling would give here.
#pragma once

#include "host/execute/kernel_image.hpp"
#include "host/model/write_library.hpp"
#include "jit/compiler.hpp"

#include <optional>
#include <string>
#include <vector>

namespace tessera {

// The kernels of a setup for a target, as a part of a library. A target of the CPU has an architecture, "x86-64-v3".
[[nodiscard]] model::PartToWrite finished_part(const Setup& setup, const jit::Target& target, jit::Compiler& compiler);
// The same of kernels that go with any run, of a setup for_any_run, for each row and number of dimensions that its functions compile in,
// and for reduces; those of the setup's own collections have to: it throws Failure::compile also where they use a parameter as a constant.
[[nodiscard]] std::vector<model::PartToWrite> any_run_parts(const Setup& any, const jit::Target& target, jit::Compiler& compiler);
// What the run is, for messages.
[[nodiscard]] model::PartToWrite run_part(const Setup& setup);

// The kernels of a setup from its model's library, where that has them: of the same description, geometry, phases, parameters and views,
// made with the SDK that is this program's, and for a processor that runs them. Throws Failure::plugin for a library that is damaged.
[[nodiscard]] std::optional<KernelImages> finished_code(const Setup& setup, const std::vector<ViewChoice>& views,
                                                        const jit::Target& target);
// Likewise kernels for any run, where these are for this one.
[[nodiscard]] std::optional<KernelImages> any_run_code(const Setup& setup, const jit::Target& target);

// Why a run cannot be made of finished code, with what differs. For a model without source.
[[noreturn]] void fail_without_source(const Setup& setup, const jit::Target& target);

// Whether a model's library has code that a GPU of this architecture ("sm_90") runs.
[[nodiscard]] bool has_code_for_gpu(const model::Model& model, const std::string& architecture);
// The architectures of a CPU that are known: "x86-64-v2", "x86-64-v3", the one that asks for most last.
[[nodiscard]] const std::vector<std::string>& cpu_architectures();

} // namespace tessera
