// Reads the first agents of a collection from a file.
#pragma once

#include "host/model/description.hpp"
#include "host/run_file/run_file.hpp"
#include "host/setup/agents_file.hpp"
#include "host/setup/setup.hpp"

#include <string>

namespace tessera {

// Reads the file that `agents.file` names. Its agents stand on `ground`, or in `space` if that is not null; `path` is where the file is.
// Throws Failure::input, at the line of the run file and with the line of the file: for a file that cannot be read or is malformed, columns
// that are unknown or missing, values that a member's type does not hold, positions that are not on the grid, and more agents on a place
// than its capacity.
[[nodiscard]] AgentsFile read_agents_file(const run_file::Agents& agents, const std::string& path, const model::Row& row,
                                          const CollectionSetup& ground, const SpaceSetup* space);

} // namespace tessera
