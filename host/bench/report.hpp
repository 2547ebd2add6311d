// What a benchmark finds: a row for each size and view.
#pragma once

#include "device_runtime/device.hpp"
#include "host/bench/plan.hpp"
#include "host/bench/samples.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tessera::bench {

struct Row {
    Size size;               // all extents, x first
    int devices = 1;         // that share the grid: so many of the report's, from the first on
    std::int64_t places = 0; // of all collections
    std::string kind;        // "by hand", "by hand, fused", "rows", "direct", "window", "march", "pipeline", "pipeline of bits",
                             // "pipeline of words", "patch", "tile", "blocks"
    std::string view;        // "window, 4 x 8 places a thread"; "by hand, vector.cu"
    std::optional<Quartiles> step_seconds; // absent: not measured
    std::optional<double> estimate;        // of the time of a step, in seconds, by which such views are ranked (host/views/estimates.hpp)
    std::optional<double> ratio; // of the time to that of a kernel by hand, in samples taken by turns: the first of its kind, of one or of
                                 // several steps a launch
    std::string state;           // "same" or "differs": the state after some steps beside that of single steps; empty: not looked at
    std::string why_not;         // why it was not measured
    bool fastest = false;        // of the views of this size, on as many devices

    [[nodiscard]] bool by_hand() const { return kind == "by hand" || kind == "by hand, fused"; }
    // By the engine, one step at a time.
    [[nodiscard]] bool single() const {
        return kind == "rows" || kind == "direct" || kind == "window" || kind == "march" || kind == "mixed";
    }
    [[nodiscard]] double places_a_second() const { return static_cast<double>(places) / step_seconds->median; }
};

struct Report {
    std::string command; // as it was typed
    std::string model, model_path;
    std::vector<DeviceInfo> devices; // one at least
    std::string driver, compiler;    // driver: empty on a CPU
    int threads = 1;
    double copy_bandwidth = 0;       // of the first device: bytes a second, read and written
    double bytes_a_place = 0;        // that a step has to move
    std::string reference;           // the file that lists kernels by hand, or why there is none
    int samples = 0;                 // of each row
    double injected_latency = 0;     // seconds that rows of other devices come later, for an experiment
    std::vector<Row> rows;           // sizes one after the other
    std::string status = "finished"; // "interrupted"; "failed": a state differs

    [[nodiscard]] const DeviceInfo& device() const { return devices.front(); }
    // The share of the copy's bandwidth, on each of its devices, that the bytes of a row's steps come to.
    [[nodiscard]] double share_of_copy(const Row& row) const {
        return row.places_a_second() * bytes_a_place / (copy_bandwidth * row.devices);
    }
};

// Marks the fastest view of each size and number of devices: of those that were measured and have the right state, kernels by hand left
// out.
void mark_fastest(std::vector<Row>& rows);

} // namespace tessera::bench
