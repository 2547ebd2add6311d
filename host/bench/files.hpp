// The result folder of a benchmark.
#pragma once

#include "host/bench/report.hpp"
#include "host/outputs/result_folder.hpp"

namespace tessera::bench {

// Writes a manifest.json that says "running", so that the folder of one that was killed is known for what it is. Throws Failure::output.
void write_running(const ResultFolder& folder, const Report& report);

// Writes bench.csv, bench.svg (if anything was measured), scaling.svg (if several devices were) and manifest.json, each whole or not at
// all. Throws Failure::output.
void write_files(const ResultFolder& folder, const Report& report);

} // namespace tessera::bench
