#include "host/execute/agent_records.hpp"

#include "kernels/agents/chain_head.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <vector>

namespace tessera {
namespace {

std::size_t recorded_collections(const Setup& setup) { return setup.collections.size() - setup.first_recorded_id().index(); }

// The first is the partition's; parts of a chain have one each (kernels/agents/chain_head.hpp).
constexpr std::size_t fault_records = 1 + std::size_t{most_chain_parts};
constexpr std::size_t bytes_of_faults = fault_records * sizeof(fault_record);
using FaultRecords = std::array<fault_record, fault_records>;

FaultRecords no_fault() {
    FaultRecords none{};
    for (auto& record : none)
        for (auto& id : record.ids) id = ~std::uint64_t{0};
    return none;
}

std::uint64_t least_id(const fault_record& record) { return *std::min_element(std::begin(record.ids), std::end(record.ids)); }

// Of a partition, the record of the first launch that found a fault; what it says is there even where parts of a chain say more.
fault_record first_fault(const Partition& partition) {
    FaultRecords all{};
    partition.queue->read(all.data(), partition.agent_records.address(), sizeof(fault_record));
    if (all.front().launch == 0) return all.front();
    partition.queue->read(all.data(), partition.agent_records.address(), bytes_of_faults);
    fault_record first{};
    for (const auto& record : all)
        if (least_id(record) != ~std::uint64_t{0} && (first.launch == 0 || record.launch < first.launch)) first = record;
    return first;
}

} // namespace

void make_agent_records(Partitions& partitions, const Setup& setup) {
    if (!setup.has_records()) return;
    const auto nothing = no_fault();
    const std::vector<agent_counters> none(recorded_collections(setup));
    for (auto& partition : partitions) {
        partition.agent_records = partition.device->allocate(bytes_of_faults + none.size() * sizeof(agent_counters));
        partition.queue->write(partition.agent_records.address(), nothing.data(), bytes_of_faults);
        partition.queue->write(static_cast<std::byte*>(partition.agent_records.address()) + bytes_of_faults, none.data(),
                               none.size() * sizeof(agent_counters));
    }
}

AgentRecords records_of(const Partition& partition, const Setup& setup, CollectionId agents) {
    auto* const start = static_cast<std::byte*>(partition.agent_records.address());
    const auto number = agents.index() - setup.first_recorded_id().index();
    return {reinterpret_cast<fault_record*>(start), reinterpret_cast<agent_counters*>(start + bytes_of_faults) + number};
}

agent_counters counters_of(const Partitions& partitions, const Setup& setup, CollectionId agents) {
    agent_counters all{};
    for (const auto& partition : partitions) {
        agent_counters own{};
        partition.queue->read(&own, records_of(partition, setup, agents).counters, sizeof(own));
        all.born += own.born;
        all.died += own.died;
        all.moved += own.moved;
        all.refused_moves += own.refused_moves;
        all.refused_births += own.refused_births;
    }
    return all;
}

void set_counters(const Partitions& partitions, const Setup& setup, CollectionId agents, const agent_counters& counters) {
    for (const auto& partition : partitions) {
        const agent_counters own = &partition == &partitions.front() ? counters : agent_counters{};
        partition.queue->write(records_of(partition, setup, agents).counters, &own, sizeof(own));
    }
}

std::optional<AgentFault> find_agent_fault(const Partitions& partitions, const Setup& setup) {
    if (!setup.has_records()) return std::nullopt;
    std::optional<AgentFault> first;
    std::uint64_t least = 0;
    for (const auto& partition : partitions) {
        const auto record = first_fault(partition);
        const auto* const id = std::min_element(std::begin(record.ids), std::end(record.ids));
        if (record.launch == 0 || (first && (record.launch > least || (record.launch == least && *id > first->id)))) continue;
        least = record.launch;
        first = AgentFault{PhaseId((record.launch & 0xffffffff) - 1), record.launch >> 32, *id,
                           static_cast<agent_fault>(id - std::begin(record.ids))};
    }
    return first;
}

} // namespace tessera
