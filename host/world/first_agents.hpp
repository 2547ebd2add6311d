// Who there is before the first step: where the first agents of a collection stand, their ids and their members.
#pragma once

#include "host/array.hpp"
#include "host/setup/setup.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace tessera {

// In the order of places, those of one place in that of their ids.
struct FirstAgents {
    struct Agent {
        std::int64_t place = 0;
        int slot = 0;
        std::uint64_t id = 0;
        std::array<double, 3> position{}; // in space
        std::size_t row = 0;              // in the file that has them
    };
    std::vector<Agent> agents;
};

// As [agents.NAME] says. From a file: those of one place in the order of its lines. On random places: agent i of n gets number i of a
// permutation of all slots of the places (or of the box), keyed by the run's seed: a Feistel network, walked until it leads into the range
// (Black and Rogaway, "Ciphers with arbitrary finite domains", CT-RSA 2002).
[[nodiscard]] FirstAgents first_agents(const Setup& setup, CollectionId agents);

// What a column of theirs holds; nothing where that is what memory is from the start. All but `first` must outlive the values. Throws what
// initial values throw.
[[nodiscard]] std::optional<ArraySource> first_values(const Setup& setup, ColumnId column, const FirstAgents& first);

} // namespace tessera
