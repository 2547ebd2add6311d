#include "host/world/place_box.hpp"

#include "host/setup/setup.hpp"

namespace tessera {

std::vector<std::byte> read_box(const State& state, ColumnId column, int element, const PlaceBox& box) {
    const auto& layout = state.setup()[column].layout;
    const auto bytes = static_cast<std::int64_t>(size_of(layout.type));
    std::vector<std::byte> values(static_cast<std::size_t>(box.count() * bytes));
    const bool whole_rows = box.size(0) == layout.size[0];
    const auto rows = whole_rows ? box.size(1) : 1; // at a time
    auto* into = values.data();
    for (auto z = box.from[2]; z < box.to[2]; ++z)
        for (auto y = box.from[1]; y < box.to[1]; y += rows) {
            const auto first = (z * layout.size[1] + y) * layout.size[0] + box.from[0], count = rows * box.size(0);
            state.read(column, element, {first, first + count}, into);
            into += count * bytes;
        }
    return values;
}

} // namespace tessera
