// Whether a checkpoint agrees with itself, whoever wrote it.
#pragma once

#include "host/checkpoint/record.hpp"
#include "host/world/snapshot.hpp"

namespace tessera::checkpoint {

// Compares names, sizes and counts of the record with each other and with the arrays, of which `state` has a piece for each column, in
// their order. Reads a few numbers of these and no more. Throws Failure::input, with the reason as its problem.
void check_contents(const Record& record, const Snapshot& state);

} // namespace tessera::checkpoint
