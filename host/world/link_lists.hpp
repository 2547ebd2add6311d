// Links as they come to stand on a device: which there are, and the lists in which functions go along them.
#pragma once

#include "host/setup/setup.hpp"
#include "host/world/initial_state.hpp"
#include "host/world/world.hpp"

#include <optional>

namespace tessera {

// Where links come from and lead to, and what a file has of their members; nothing of any other column.
[[nodiscard]] std::optional<ArraySource> link_values(const Setup& setup, ColumnId column);

// How many links of a collection there are.
[[nodiscard]] std::int64_t links_there(const Setup& setup, CollectionId links, const StateReader& read);

// Makes the lists of all links from what stands in their collections.
void write_link_lists(World& world, const Setup& setup);

} // namespace tessera
