// The result folder of a benchmark.
#pragma once

#include "host/bench/report.hpp"

#include <filesystem>

namespace tessera::bench {

// Writes bench.csv, bench.svg (if anything was measured) and manifest.json, each whole or not at all. Throws Failure::output.
void write_files(const std::filesystem::path& folder, const Report& report);

} // namespace tessera::bench
