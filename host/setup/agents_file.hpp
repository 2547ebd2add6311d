// The first agents of a collection as a file has them: place = { file = "ants.csv" }.
#pragma once

#include "host/model/description.hpp"
#include "host/run_file/run_file.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tessera {

struct CollectionSetup;
struct SpaceSetup;

// In the order of its lines.
struct AgentsFile {
    struct Column {
        std::size_t member = 0;        // in Row::members
        std::vector<std::byte> values; // of agent after agent, all elements of each
    };
    std::vector<std::int64_t> places;             // numbers of those that they stand on
    std::vector<std::array<double, 3>> positions; // of agents in space, else none
    std::vector<Column> columns;

    [[nodiscard]] std::size_t size() const noexcept { return places.size(); }
    [[nodiscard]] const Column* find(std::size_t member) const noexcept;
};

// Reads the file that `agents.file` names, which stand on `ground`, or in `space` if that is not null; `path` is where the file is. Throws
// Failure::input, at the run file's line and with that of the file, for one that cannot be read or is malformed, columns that are not known
// or not there, values that a member's type does not hold, positions that are not on the grid, and more agents on a place than have room.
[[nodiscard]] AgentsFile read_agents_file(const run_file::Agents& agents, const std::string& path, const model::Row& row,
                                          const CollectionSetup& ground, const SpaceSetup* space);

} // namespace tessera
