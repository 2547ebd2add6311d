// A table of links: file = "contacts.csv".
#pragma once

#include "host/bind/read_network_file.hpp"

#include <string>

namespace tessera {

// `.csv`: a line of names, `from`, `to` and members, and a line a link. `.txt`: the two numbers of a link in each line. `.mtx`, `.graph`
// and
// `.npy`: read_network_file.hpp. Throws Failure::input with the line for numbers of places that are not there, values that a member does
// not hold, and what is no such table.
[[nodiscard]] LinksFile read_links_file(const std::string& path, const LinksToRead& to_read);

} // namespace tessera
