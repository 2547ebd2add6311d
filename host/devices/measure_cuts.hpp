// Cuts by what the devices take for the first steps.
#pragma once

#include "device_runtime/device.hpp"
#include "device_runtime/thread_pool.hpp"
#include "host/setup/setup.hpp"
#include "jit/compiler.hpp"

#include <vector>

namespace tessera {

// Where the run file says `cuts = "measured"` and there are several devices: makes some steps from the initial values, forgets them, and
// moves the cuts so that each device takes as long as the others, if its rows go on taking what they took. The setup is divided, and its
// memory chosen. What goes wrong with the model in these steps is left to the run to find; else throws what Simulation throws.
void measure_cuts(Setup& setup, const std::vector<Device*>& devices, jit::Compiler& compiler, ThreadPool& pool);

} // namespace tessera
