// What `tessera check` says of a run that is no mistake, and may be none that was meant.
#pragma once

#include "host/setup/setup.hpp"

#include <string>
#include <vector>

namespace tessera {

// Of a setup that was bound with all functions of its model; a line each.
[[nodiscard]] std::vector<std::string> notes_on(const Setup& setup);

} // namespace tessera
