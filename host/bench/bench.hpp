// `tessera bench`: a model over sizes, views and devices, beside kernels written by hand.
#pragma once

#include "host/bench/report.hpp"
#include "host/prepare/prepare.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace tessera::bench {

struct BenchOptions {
    RunRequest request;
    std::string sizes; // as typed; empty: those that are usual
    std::string views = "single,fused";
    std::string scaling = "strong,weak";            // of several devices
    std::string counts;                             // how many of them, as typed; empty: each number from one to all
    std::optional<std::filesystem::path> reference; // a folder of kernels written by hand
    std::optional<std::filesystem::path> out;       // the result folder; else results/bench-<name>, or -2, -3 ... of it
    bool overwrite = false;
    int samples = 9;     // of each row
    std::string command; // as typed
};

struct BenchResult {
    std::filesystem::path folder;
    Report report;
};

// Measures, on the first device, on the first two and so on up to all, or on as many as `counts` says; and writes bench.csv, bench.svg,
// scaling.svg of several devices, and manifest.json into the result folder. A view that does not compile, does not fit or comes to another
// state is a row that says so. Throws Error for what is wrong with all of them: the command line, the run file, the model, the device.
[[nodiscard]] BenchResult bench(const BenchOptions& options, jit::Compiler& compiler);

} // namespace tessera::bench
