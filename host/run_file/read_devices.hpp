// Devices as a run file names them.
#pragma once

#include "host/run_file/document.hpp"
#include "host/run_file/run_file.hpp"

#include <string>
#include <vector>

namespace tessera::run_file {

enum class Auto { allowed, refused };

// One, or an array of them, each "cpu" or "cuda:N"; or "auto" by itself, where that is allowed. At least one.
[[nodiscard]] std::vector<Located<std::string>> read_devices(const Node& node, Auto automatic);

} // namespace tessera::run_file
