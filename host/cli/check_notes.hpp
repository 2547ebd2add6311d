// What `tessera check` says of a run that is no mistake, and may be none that was meant.
#pragma once

#include "host/run_file/run_file.hpp"
#include "host/setup/setup.hpp"

#include <string>
#include <vector>

namespace tessera {

// Of a setup that was bound with all functions of its model; a line each.
[[nodiscard]] std::vector<std::string> notes_on(const Setup& setup, const run_file::RunFile& run_file);

// Those of them that a run says too: what is there for nothing. Of a setup that was bound with any functions.
[[nodiscard]] std::vector<std::string> notes_on_run(const Setup& setup, const run_file::RunFile& run_file);

} // namespace tessera
