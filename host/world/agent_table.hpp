// The agents of one state in the order of their ids, whatever slots they are in: how hashes and outputs see them.
#pragma once

#include "host/setup/setup.hpp"
#include "host/world/state_reader.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tessera {

struct AgentTable {
    // Of each agent, in the order of ids.
    std::vector<std::uint64_t> ids;
    std::vector<std::int64_t> places; // numbers of the places that they stand on

    // In the order of slots, and in each of places: where the agent found there stands in the order of ids.
    std::vector<std::size_t> positions;
    std::vector<std::size_t> slots; // where each slot's agents begin among these; one more, their end

    [[nodiscard]] std::size_t size() const noexcept { return ids.size(); }
};

// By so many threads at most.
[[nodiscard]] AgentTable find_agents(const Setup& setup, CollectionId agents, const StateReader& read, int threads = 1);

// The values of an element of a member, or of the codes, of all agents, in their order.
[[nodiscard]] std::vector<std::byte> agent_values(const Setup& setup, ColumnId column, int element, const AgentTable& table,
                                                  const StateReader& read);

// x, y and z of a place of the grid.
[[nodiscard]] Extents place_of(const CollectionSetup& collection, std::int64_t number);

} // namespace tessera
