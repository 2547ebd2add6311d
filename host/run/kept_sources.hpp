// The files that a run is made of, for those who keep them with its results.
#pragma once

#include "host/checkpoint/sources.hpp"
#include "host/run_file/run_file.hpp"
#include "host/setup/setup.hpp"

#include <vector>

namespace tessera {

// The run file, the model's source and headers, and a library with hooks. Throws Failure::plugin where two of them have one name.
[[nodiscard]] std::vector<checkpoint::SourceFile> source_files(const Setup& setup, const run_file::RunFile& run_file);

} // namespace tessera
