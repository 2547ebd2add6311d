// How somebody learns where a run can be looked at.
#pragma once

#include "host/viewer/open_browser.hpp"

#include <filesystem>
#include <string>

namespace tessera::viewer {

// Says the address on a terminal. Elsewhere, where others might read along, it is written into `viewer.url` in the result folder, which the
// user alone can read.
void announce(const std::string& address, const std::filesystem::path& results);

// Opens it in a browser, or says why not. What is given back has to live for as long as the run is looked at.
[[nodiscard]] LeadingPage open_page(const std::string& address, const std::filesystem::path& results);

// "http://127.0.0.1:40123/#…" -> "40123".
[[nodiscard]] std::string port_of(const std::string& address);

} // namespace tessera::viewer
