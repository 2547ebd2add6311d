// How the state is read by those that know nothing of devices: hashes, outputs, snapshots.
#pragma once

#include "host/array.hpp"
#include "host/setup/ids.hpp"

#include <functional>

namespace tessera {

// Puts the values of places of one element of a column where it is told (World::read).
using StateReader = std::function<void(ColumnId column, int element, const PlaceRange& places, std::byte* into)>;

} // namespace tessera
