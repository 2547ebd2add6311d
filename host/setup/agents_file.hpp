// The first agents of a collection as a file has them: place = { file = "ants.csv" }.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tessera {

// In the order of its lines.
struct AgentsFile {
    struct Column {
        std::size_t member = 0;        // in Row::members
        std::vector<std::byte> values; // of agent after agent, all elements of each
    };
    std::vector<std::int64_t> places;             // the numbers of the places on which the agents stand
    std::vector<std::array<double, 3>> positions; // of agents in space, else none
    std::vector<Column> columns;

    [[nodiscard]] std::size_t size() const noexcept { return places.size(); }
    [[nodiscard]] const Column* find(std::size_t member) const noexcept {
        for (const auto& column : columns)
            if (column.member == member) return &column;
        return nullptr;
    }
};

} // namespace tessera
