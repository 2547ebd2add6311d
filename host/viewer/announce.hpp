// How somebody learns where a run can be looked at.
#pragma once

#include <filesystem>
#include <string>

namespace tessera::viewer {

// Says the address on a terminal. Elsewhere, where others might read along, it is written into `viewer.url` in the result folder, which the
// user alone can read.
void announce(const std::string& address, const std::filesystem::path& results);

} // namespace tessera::viewer
