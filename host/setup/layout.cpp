#include "host/setup/layout.hpp"

#include <utility>

namespace tessera {
namespace {

std::int64_t whole_lines(std::int64_t bytes) { return (bytes + Layout::line - 1) / Layout::line * Layout::line; }

} // namespace

std::vector<RowRange> cut(const RowRange& rows, const std::vector<std::int64_t>& cuts) {
    std::vector<RowRange> pieces;
    std::int64_t first = rows.first;
    for (const auto at : cuts)
        if (first < at && at < rows.end) pieces.push_back({std::exchange(first, at), at});
    pieces.push_back({first, rows.end});
    return pieces;
}

Layout make_layout(Scalar type, int elements, const Extents& size, const std::array<int, 3>& ghost) {
    const auto bytes = static_cast<std::int64_t>(size_of(type));
    Layout layout{type, elements, size, ghost};
    layout.row = whole_lines((size[0] + 2 * ghost[0]) * bytes) / bytes;
    layout.plane = layout.row * (size[1] + 2 * ghost[1]);
    layout.element = layout.plane * (size[2] + 2 * ghost[2]);
    layout.origin = whole_lines(ghost[0] * bytes) / bytes + ghost[1] * layout.row + ghost[2] * layout.plane;
    // Behind the last row: its right ghosts, and what a vector load of the last places reads beyond them.
    layout.bytes = whole_lines(ghost[0] * bytes) + layout.element * elements * bytes + Layout::line;
    return layout;
}

} // namespace tessera
