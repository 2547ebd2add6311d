// Who there is before the first step: where the first agents of a collection stand, their ids and their members.
#pragma once

#include "device_runtime/thread_pool.hpp"
#include "host/array.hpp"
#include "host/setup/setup.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace tessera {

// In the order of places, those of one place in that of their ids.
struct FirstAgents {
    struct Agent {
        std::int64_t place = 0;
        std::uint64_t id = 0, number = 0; // in the order in which they were placed, or of the rows of a file
        int slot = 0;
    };
    std::vector<Agent> agents;
    std::vector<std::array<double, 3>> positions; // in space, by their numbers
};

// As [agents.NAME] says. From a file: those of one place in the order of its lines. On random places: agent i of n gets number i of a
// permutation of all slots of the places (or of the box), keyed by the run's seed: a Feistel network, walked until it leads into the range
// (Black and Rogaway, "Ciphers with arbitrary finite domains", CT-RSA 2002).
[[nodiscard]] FirstAgents first_agents(const Setup& setup, CollectionId agents, ThreadPool& pool);

// What a column of theirs holds; nothing where that is what memory is from the start. The setup and the pool must outlive the values.
// Throws what initial values throw.
[[nodiscard]] std::optional<ArraySource> first_values(const Setup& setup, ColumnId column, std::shared_ptr<const FirstAgents> first,
                                                      ThreadPool& pool);

} // namespace tessera
