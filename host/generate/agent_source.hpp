// The generated text for agents: what kernels are told of each collection of them, and their entry points.
#pragma once

#include "host/generate/kernel_source.hpp"

#include <string>

namespace tessera {

// The headers that it needs, the geometry of their columns, and an Agents type a collection (kernels/agents/collection.hpp); nothing where
// there are no agents. Behind the grids of places.
[[nodiscard]] std::string agents_source(const Setup& setup);

// A Call type and an entry point, for a kernel among agents: a function, or a part of manageAll.
[[nodiscard]] std::string agent_call_source(const Setup& setup, const KernelSetup& kernel);

} // namespace tessera
