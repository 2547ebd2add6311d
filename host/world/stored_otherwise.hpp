// Agents of a kept state for a run that stores them in another way, as other devices do, or with another capacity.
#pragma once

#include "host/world/snapshot.hpp"

namespace tessera {

// A snapshot of a run that is set up as `from`, for the same run as `to` sets it up: agents that both store in the same way stay as they
// are, others are put down in the order of their ids.
[[nodiscard]] Snapshot stored_as(const Setup& to, const Setup& from, Snapshot snapshot);

// Reads a snapshot of a run that is set up so. Both must outlive the reader.
[[nodiscard]] StateReader reader_of(const Setup& setup, const Snapshot& snapshot);

} // namespace tessera
