// How somebody learns where a run can be looked at.
#pragma once

#include "host/viewer/open_browser.hpp"

#include <filesystem>
#include <string>

namespace tessera::viewer {

// Says the addresses on a terminal: the one by which a page steers the run, and the one of pages that look alone. Elsewhere, where others
// might read along, they are written into `viewer.url` in the result folder, which the user alone can read, a line each.
void announce(const std::string& address, const std::string& look_address, const std::filesystem::path& results);

// Opens it in a browser, or says why not. What is given back has to live for as long as the run is looked at.
[[nodiscard]] LeadingPage open_page(const std::string& address, const std::filesystem::path& results);

// "http://127.0.0.1:40123/#…" -> "40123".
[[nodiscard]] std::string port_of(const std::string& address);

} // namespace tessera::viewer
