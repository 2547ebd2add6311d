// What `tessera check` says of a run on several devices: which rows each makes, and what it reads of the others' rows.
#pragma once

#include "host/setup/setup.hpp"

#include <string>
#include <vector>

namespace tessera {

// Some lines of text; empty for one device. The setup is arranged over as many devices as there are names.
[[nodiscard]] std::string explain_stripes(const Setup& setup, const std::vector<std::string>& devices);

} // namespace tessera
