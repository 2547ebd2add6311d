// How long a step should take in a view of fused steps on a GPU: from what memory moves, what is issued, what registers and shared memory
// hold, and how full the device is (overlapped temporal tiles: Meng and Skadron, 2009).
#pragma once

#include "device_runtime/device.hpp"
#include "host/schedule/fusion.hpp"

namespace tessera {

// What one step of a sequence asks for, a place.
struct Demand {
    double bytes_read = 0, bytes_written = 0; // of memory, each column once
    double instructions = 2, loads = 0;       // 32-bit words each
    double kept = 0;                          // 32-bit registers that a stage keeps for each place of a row
    int low = 0, high = 0;                    // reach in y, a step
};
[[nodiscard]] Demand demand_of(const Setup& setup, const CallSequence& sequence);

// Seconds a step; infinite where the view cannot carry the sequence out. `bandwidth`: of the memory, in bytes a second.
[[nodiscard]] double estimated_seconds(const Setup& setup, const CallSequence& sequence, const Demand& demand, const DeviceInfo& device,
                                       double bandwidth, const FusedView& view);

} // namespace tessera
