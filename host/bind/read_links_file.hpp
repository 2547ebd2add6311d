// A table of links: file = "contacts.csv".
#pragma once

#include "host/model/description.hpp"
#include "host/run_file/where.hpp"
#include "host/setup/link_table.hpp"
#include "host/setup/setup.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace tessera {

// In the order of its lines.
struct LinksFile {
    LinkTable links;
    std::vector<std::int64_t> lines;
};

// `.csv`: a line of names, `from`, `to` and members, and a line a link. `.txt`: the two numbers of a link in each line. Throws
// Failure::input with the line for numbers of places that are not there, values that a member does not hold, and what is no such table.
[[nodiscard]] LinksFile read_links_file(const std::string& path, const model::Row& row, const CollectionSetup& from,
                                        const CollectionSetup& to);

} // namespace tessera
