// Loads programs of fused steps on the devices of a model.
#pragma once

#include "host/execute/loaded_model.hpp"
#include "host/execute/loaded_programs.hpp"
#include "host/views/fused_program.hpp"
#include "jit/compiler.hpp"

#include <vector>

namespace tessera {

// Throws Failure::device, Failure::plugin, and Failure::memory if there is no memory for words.
[[nodiscard]] LoadedPrograms load_programs(LoadedModel& model, const std::vector<FusedProgram>& programs, jit::Image image);

} // namespace tessera
