// What a kernel that a device gave up is called in the author's words.
#pragma once

#include "device_runtime/kernel_fault.hpp"
#include "host/execute/agent_records.hpp"
#include "host/execute/partition.hpp"
#include "host/setup/setup.hpp"
#include "host/world/state_reader.hpp"

#include <cstdint>

namespace tessera {

// Throws Failure::model, naming the function and the step in which it ran, and of a checked run what it found wrong.
[[noreturn]] void tell_fault(const Setup& setup, const Partitions& partitions, const KernelFault& fault, std::uint64_t step);

// Throws Failure::model for an agent that asked for what cannot be: which, where it stands, in which phase and step; OutgrownRoom where
// there are too many.
[[noreturn]] void tell_fault(const Setup& setup, const AgentFault& fault, const StateReader& read);

} // namespace tessera
