// Which part of a list of links each of several partitions has, where they have memory of their own: that of the places that it makes.
#pragma once

#include "host/array.hpp"
#include "host/setup/setup.hpp"

#include <vector>

namespace tessera {

// Values of a column of a list: those of a partition's own places, of which the last of `shared` are the first ones of the next as well.
struct ListSlice {
    PlaceRange values;
    std::int64_t shared = 0;
};

// One a partition, of a column of a list of links that stay; of all other columns none.
[[nodiscard]] std::vector<ListSlice> slices_of_list(const Setup& setup, ColumnId column);

} // namespace tessera
