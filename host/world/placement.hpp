// Where the columns stand at the moment, by number and without addresses: what a schedule reads and changes.
#pragma once

#include "host/setup/ids.hpp"

#include <cstddef>
#include <vector>

namespace tessera {

// World's buffers of each column: the one that holds its values, and a spare where there is one.
struct Placement {
    static constexpr int none = -1;
    std::vector<int> current, spare; // by ColumnId

    [[nodiscard]] int& current_of(ColumnId column) { return current[column.index()]; }
    [[nodiscard]] int current_of(ColumnId column) const { return current[column.index()]; }
    [[nodiscard]] int& spare_of(ColumnId column) { return spare[column.index()]; }
    [[nodiscard]] int spare_of(ColumnId column) const { return spare[column.index()]; }

    friend bool operator==(const Placement&, const Placement&) = default;
    friend bool operator<(const Placement& a, const Placement& b) {
        return a.current != b.current ? a.current < b.current : a.spare < b.spare;
    }
};

} // namespace tessera
