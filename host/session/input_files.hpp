// The files that a run reads.
#pragma once

#include "host/run_file/run_file.hpp"

#include <string>
#include <vector>

namespace tessera {

// What its first values, its first agents and its links are read from, and the record of the checkpoint that it begins with: absolute
// paths.
[[nodiscard]] std::vector<std::string> input_files(const run_file::RunFile& run_file);

} // namespace tessera
