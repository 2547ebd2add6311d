// Where rows of a column, or of its words, stand in a buffer.
#pragma once

#include "host/setup/layout.hpp"

#include <cstddef>
#include <cstdint>

namespace tessera {

// Bytes of a buffer, from its first on.
struct ByteRange {
    std::size_t offset = 0, size = 0;
};

// Of element `element` of the rows [first, end) of the last axis (y, or z of three), together with the ghosts on the sides of these rows,
// their corners too. Rows may be ghosts themselves. Different rows have no bytes in common. Of two dimensions or three.
[[nodiscard]] inline ByteRange bytes_of_rows(const Layout& layout, int dimensions, const RowRange& rows, int element) {
    const bool planes = dimensions == 3;
    const std::int64_t stride = planes ? layout.plane : layout.row, before = layout.ghost[0] + (planes ? layout.ghost[1] * layout.row : 0);
    const std::int64_t first = layout.origin + element * layout.element + rows.first * stride - before;
    const auto scalar = size_of(layout.type);
    return {static_cast<std::size_t>(first) * scalar, static_cast<std::size_t>(rows.rows() * stride) * scalar};
}

// Rows of one size, one after the other, for each of some elements. Bytes from the buffer's first on.
struct RowPlaces {
    std::size_t row_0 = 0, row = 0, element = 0;
    int elements = 1;

    [[nodiscard]] ByteRange of(const RowRange& rows, int e) const noexcept {
        return {static_cast<std::size_t>(static_cast<std::int64_t>(row_0 + static_cast<std::size_t>(e) * element) +
                                         rows.first * static_cast<std::int64_t>(row)),
                static_cast<std::size_t>(rows.rows()) * row};
    }
};

[[nodiscard]] inline RowPlaces row_places(const Layout& layout, int dimensions) {
    const auto first = bytes_of_rows(layout, dimensions, {0, 1}, 0);
    return {first.offset, first.size, static_cast<std::size_t>(layout.element) * size_of(layout.type), layout.elements};
}

} // namespace tessera
