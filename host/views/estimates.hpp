// How long a step should take in a view of fused steps on a GPU: from what memory moves, what is issued, what registers and shared memory
// hold, and how full the device is (overlapped temporal tiles: Meng and Skadron, 2009). The classes of views have a formula each; what they
// share stands here.
#pragma once

#include "device_runtime/device.hpp"
#include "host/setup/call_sequence.hpp"

#include <limits>
#include <vector>

namespace tessera {

// What one step of a sequence asks for, a place.
struct Demand {
    double bytes_read = 0, bytes_written = 0; // of memory, each column once
    double instructions = 2, loads = 0;       // 32-bit words each; what a function computes is not known
    double kept = 0;                          // 32-bit registers that a stage keeps for each place of a row
    int low = 0, high = 0;                    // reach in y, a step
};
[[nodiscard]] Demand demand_of(const Setup& setup, const CallSequence& sequence);

// What a step takes one at a time, and what it takes it for.
struct StepCosts {
    Demand demand;
    double seconds = 0;
    double bandwidth = 0; // bytes a second, as if memory were all that it waited for
    double computing = 0; // seconds that its bytes do not explain: fusing does not save them; 0 where the memory's speed is not known
};
[[nodiscard]] StepCosts costs_of(const Setup& setup, const CallSequence& sequence, const DeviceInfo& device, double step_seconds);

// The numbers of steps that are tried at a time, ascending; on a CPU also by what they promise.
[[nodiscard]] const std::vector<int>& depths_tried(bool cuda);
[[nodiscard]] const std::vector<int>& depths_by_promise_on_cpu();

// An estimate, or what computing takes that is done `redundant` times over, with the least that is left of the rest in `depth` steps at a
// time; infinite where that gains nothing.
[[nodiscard]] double with_computing(double seconds, const StepCosts& single, double redundant, int depth);

// How much longer it takes because the last of `tiles` leave most of what works at once idle.
[[nodiscard]] double unevenness(double at_once, double tiles);

inline constexpr double clock_rate = 1.7e9;    // of a GPU, within some tenths
inline constexpr double lanes_a_cycle = 128;   // of one multiprocessor: instructions of one lane each
inline constexpr double registers = 65536;     // of one multiprocessor
inline constexpr double stage_cycles = 60;     // from one stage's row to the next stage's: a shuffle and some dependent instructions
inline constexpr double kernel_start = 3e-6;   // seconds
inline constexpr double worth_a_change = 0.97; // of the time of single steps: what takes longer is not used
inline constexpr double never = std::numeric_limits<double>::infinity();

} // namespace tessera
