// A box of places.
#pragma once

#include "host/world/state.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tessera {

// Of a grid, the places from `from` up to, and not including, `to`: x, y, z. Values of them are dense: x runs fastest.
struct PlaceBox {
    std::array<std::int64_t, 3> from{}, to{1, 1, 1};

    [[nodiscard]] std::int64_t size(std::size_t axis) const noexcept { return to[axis] - from[axis]; }
    [[nodiscard]] std::int64_t count() const noexcept { return size(0) * size(1) * size(2); }
    friend bool operator==(const PlaceBox&, const PlaceBox&) = default;
};

// The values of an element of the places of a box, which lies in the grid.
[[nodiscard]] std::vector<std::byte> read_box(const State& state, ColumnId column, int element, const PlaceBox& box);

} // namespace tessera
