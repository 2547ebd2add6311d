// The agents of a state as rows: id, x, y, z as far as the grid has them, and their members, in the order of ids.
#pragma once

#include "host/outputs/file_place.hpp"
#include "host/outputs/state_view.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace tessera {

struct AgentRows {
    struct Field {
        std::string name; // of an array member's elements: "way[0]"
        Scalar type = Scalar::u8;
        const std::byte* values = nullptr; // of all agents
    };
    const AgentTable* table = nullptr;
    const CollectionSetup* collection = nullptr;
    // Coordinates of the place that an agent stands on: 1 to 3, or none in space; of a place without a shape its number.
    std::vector<std::string> place_axes;
    bool has_shape = true;     // of the places
    std::vector<Field> fields; // in space the coordinates of positions; and members
};

// They last as long as the view.
[[nodiscard]] AgentRows agent_rows(const Setup& setup, CollectionId agents, const StateView& state);

// A heading and a line an agent, numbers as CsvTable writes them; bools as 0 and 1. Both appear whole or not at all and throw
// Failure::output.
void write_agents_csv(const FilePlace& place, const AgentRows& rows);

// An array of records of one dimension (NumPy's format 1.0): id as u8, coordinates of places as i8, positions and members as what they are,
// with no gaps.
void write_agents_npy(const FilePlace& place, const AgentRows& rows);

} // namespace tessera
