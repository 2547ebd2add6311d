#include "host/world/layout.hpp"

namespace tessera {
namespace {

constexpr std::int64_t line = 128; // bytes: what a GPU reads at once, and two of a CPU's lines

std::int64_t whole_lines(std::int64_t bytes) { return (bytes + line - 1) / line * line; }

} // namespace

Layout make_layout(Scalar type, int elements, const Extents& size, const std::array<int, 3>& ghost) {
    const auto bytes = static_cast<std::int64_t>(size_of(type));
    Layout layout{type, elements, size, ghost};
    layout.row = whole_lines((size[0] + 2 * ghost[0]) * bytes) / bytes;
    layout.plane = layout.row * (size[1] + 2 * ghost[1]);
    layout.element = layout.plane * (size[2] + 2 * ghost[2]);
    layout.origin = whole_lines(ghost[0] * bytes) / bytes + ghost[1] * layout.row + ghost[2] * layout.plane;
    // Behind the last row: its right ghosts, and what a vector load of the last places reads beyond them.
    layout.bytes = whole_lines(ghost[0] * bytes) + layout.element * elements * bytes + line;
    return layout;
}

} // namespace tessera
