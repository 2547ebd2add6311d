// Cuts by what the devices take for the first steps.
#pragma once

#include "device_runtime/device.hpp"
#include "device_runtime/thread_pool.hpp"
#include "host/setup/setup.hpp"
#include "jit/compiler.hpp"

#include <vector>

namespace tessera {

// Whether the run file says `cuts = "measured"` of a collection that is cut, and there are several devices.
[[nodiscard]] bool has_cuts_to_measure(const Setup& setup);

// Rows a second that each device makes of the first such collection, a partition each: makes some steps from the initial values and forgets
// them. Nothing where these are too few to tell. The setup is arranged over the devices. What goes wrong with the model in these steps is
// left to the run to find; else throws what Simulation throws.
[[nodiscard]] std::vector<double> measure_speeds(const Setup& setup, const std::vector<Device*>& devices, jit::Compiler& compiler,
                                                 ThreadPool& pool);

} // namespace tessera
