// manifest.json: what was run, on what, how long it took, and what came out.
#pragma once

#include "host/execute/simulation.hpp"
#include "host/outputs/edit.hpp"
#include "host/outputs/result_folder.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tessera {

struct RunReport {
    std::string status = "finished";         // or "stopped" (the stop condition held), "paused", "interrupted", "failed", "running"
    std::string error;                       // if failed
    std::uint64_t steps = 0;                 // made; while running, asked of the device
    std::optional<std::uint64_t> state_hash; // of the final state; not there if failed or running
    std::vector<DeviceInfo> devices;
    std::string why_devices;                  // these and no others; empty where the run file names them
    std::vector<DeviceTiming> device_timings; // of each; empty before the first sample
    int threads = 0;                          // of the host: for its own work, and for the places on the CPU
    std::string compiler_image;               // "from the cache" or "compiled"
    double compile_seconds = 0, initialise_seconds = 0, step_seconds = 0, output_seconds = 0, total_seconds = 0, first_step_seconds = 0;
    std::vector<PhaseTiming> phases;
    struct Population {
        std::string name;
        std::uint64_t alive = 0, born = 0, died = 0, moved = 0, refused_moves = 0, refused_births = 0; // at the end; since the start
    };
    std::vector<Population> agents; // of each collection of them
    bool is_amid_a_step = false;    // what is on the devices: of the state after `steps`, which is written, nothing more can be told
    struct Fused {
        std::uint64_t steps = 0;   // made several at a time
        std::string view, verdict; // at the end; what the tuner found. Empty if there is none
    } fused;
    struct Hook {
        std::string name, when; // "every 10 steps"
        std::uint64_t calls = 0;
        bool stateful = false;
    };
    std::vector<Hook> hooks; // of the library
    std::string stopped_by;  // the hook that ended the run, and why, as it says; empty: none did
    double hook_seconds = 0;
    std::string run_file; // what it says, with every default, and with paths that hold anywhere
    std::vector<std::string> files;
    std::vector<Edit> edits;       // of a run that may change while it goes on: the first of what it began with
    double checkpoint_seconds = 0; // that the run stood still for them
    double writing_seconds = 0;    // that threads wrote files and checkpoints beside the steps
    double earlier_seconds = 0;    // of the processes before, where the run was resumed
    struct Resumed {
        std::uint64_t step = 0; // of the state from which it went on
        std::string when;       // UTC
        std::vector<std::string> devices;
    };
    std::vector<Resumed> resumed;
    struct Started {
        std::string checkpoint; // its folder
        std::uint64_t step = 0;
        std::uint64_t hash = 0; // XXH3-64 of its checkpoint.json, which has those of all else
    };
    std::optional<Started> started; // with a state that another run kept
    // As a run that was resumed named them when it began; an empty `model`: as they are named now.
    struct Begun {
        std::string model, model_path, out;
        std::vector<std::string> plugin_folders;
    } begun;
};

[[nodiscard]] std::string utc_now(); // "2025-03-01T12:00:00Z"

// Writes the manifest; it appears whole or not at all. That of a run which is running has also the names of the files that it may write
// before the next manifest, as the run file gives them ("writing"). Throws Failure::output.
void write_manifest(const ResultFolder& folder, const Setup& setup, const RunReport& report);

} // namespace tessera
