// Keys that had other names before. Both are read; the old one with a remark that has the new one. Internal to host/run_file.
#pragma once

#include "host/run_file/document.hpp"

#include <string>
#include <vector>

namespace tessera::run_file {

// Gives the keys in `node` their names of today. `at` is where the node stands: {} for a document, {"agents", "ant"} for that table. Adds a
// remark for each key. Fails where a table has a key by both names.
void rename_old_keys(Node& node, const std::vector<std::string>& at, std::vector<std::string>& remarks);

// Likewise for the path of one value, as an override has it.
void rename_old_keys(std::vector<std::string>& path, const Where& where, std::vector<std::string>& remarks);

} // namespace tessera::run_file
