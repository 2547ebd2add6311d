// What kernels of agents tell of themselves (kernels/launch/arguments.hpp): faults that end a run, and counts of what became
// of agents.
#pragma once

#include "host/execute/partition.hpp"
#include "host/setup/setup.hpp"
#include "kernels/launch/arguments.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace tessera {

// Where they are on a partition's device.
struct AgentRecords {
    fault_record* faults = nullptr;
    agent_counters* counters = nullptr; // of one collection
};

// Memory for them on the device of each partition, with nothing to tell; none where the run has no agents. Throws Failure::memory.
void make_agent_records(Partitions& partitions, const Setup& setup);
[[nodiscard]] AgentRecords records_of(const Partition& partition, const Setup& setup, CollectionId agents);

// What became of the agents of a collection since the start. Waits for what is queued.
[[nodiscard]] agent_counters counters_of(const Partitions& partitions, const Setup& setup, CollectionId agents);

// The same in place of what they are, of a state that has a past.
void set_counters(const Partitions& partitions, const Setup& setup, CollectionId agents, const agent_counters& counters);

// What an agent did that ends the run: of all that did, in the first launch in which one did, the least id. Waits for what is queued.
struct AgentFault {
    PhaseId phase;
    std::uint64_t step = 0, id = 0;
    agent_fault what{};
};
[[nodiscard]] std::optional<AgentFault> find_agent_fault(const Partitions& partitions, const Setup& setup);

} // namespace tessera
