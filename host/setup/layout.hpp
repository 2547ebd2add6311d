// How a column of a grid stands in memory: rows of x with a frame of ghost cells, each row on whole 128-byte lines.
#pragma once

#include "device_runtime/scalar.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace tessera {

using Extents = std::array<std::int64_t, 3>; // x, y, z; 1 on the axes that a grid does not have

// Rows [first, end) of a grid's last axis: y, or z where there is one. A grid of one dimension is one row.
struct RowRange {
    std::int64_t first = 0, end = 0;

    [[nodiscard]] std::int64_t rows() const noexcept { return end - first; }
    friend bool operator==(const RowRange&, const RowRange&) = default;
};

// The pieces of rows that begin and end at `cuts`, which rise; cuts elsewhere than within the rows cut nothing.
[[nodiscard]] std::vector<RowRange> cut(const RowRange& rows, const std::vector<std::int64_t>& cuts);

// Strides in elements. Element e of the place (x, y, z) is number origin + x + y * row + z * plane + e * element of the buffer; ghost cells
// stand ghost[axis] wide on both sides of each axis. The ghosts to the right of a row and those to the left of the next share a gap.
struct Layout {
    static constexpr std::int64_t line =
        128; // bytes: what a GPU reads at once, and two of a CPU's lines; no load reaches further beyond a row
    Scalar type = Scalar::u8;
    int elements = 1;
    Extents size{1, 1, 1};
    std::array<int, 3> ghost{};
    std::int64_t row = 0, plane = 0, element = 0, origin = 0;
    std::int64_t bytes = 0; // of one buffer

    [[nodiscard]] std::int64_t index(std::int64_t x, std::int64_t y, std::int64_t z, int e) const noexcept {
        return origin + x + y * row + z * plane + e * element;
    }
};

[[nodiscard]] Layout make_layout(Scalar type, int elements, const Extents& size, const std::array<int, 3>& ghost);

} // namespace tessera
