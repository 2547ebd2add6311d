// manifest.json: what was run, on what, how long it took, and what came out.
#pragma once

#include "host/execute/simulation.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tessera {

struct RunReport {
    std::string status = "finished"; // "finished", "stopped" (the stop condition held), "interrupted", "failed"
    std::string error;               // if failed
    std::uint64_t steps = 0;         // made
    std::uint64_t state_hash = 0;    // of the final state; not there if failed
    std::vector<DeviceInfo> devices;
    int threads = 0;            // of the host: for its own work, and for the places on the CPU
    std::string compiler_image; // "from the cache" or "compiled"
    double compile_seconds = 0, initialise_seconds = 0, step_seconds = 0, output_seconds = 0, total_seconds = 0, first_step_seconds = 0;
    std::vector<PhaseTiming> phases;
    struct Fused {
        std::uint64_t steps = 0;   // made several at a time
        std::string view, verdict; // at the end; what the tuner found. Empty if there is none
    } fused;
    std::vector<std::string> files;
};

[[nodiscard]] std::string utc_now(); // "2025-03-01T12:00:00Z"

// Writes the manifest; it appears whole or not at all. Throws Failure::output.
void write_manifest(const std::filesystem::path& folder, const Setup& setup, const RunReport& report);

} // namespace tessera
