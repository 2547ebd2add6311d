// Whether code that was compiled for a CPU draws the numbers that it has to.
#pragma once

#include "device_runtime/device.hpp"

namespace tessera {

// The draws of several agents at once are written for the vectors of a processor (kernels/agents/draws_beside.hpp), so that they hang on
// compiler, options and processor as nothing else does. Of a program for a CPU with agents: whether those of some agents are those that
// each of them draws alone. Takes microseconds. Throws Failure::plugin if the program has no such code.
[[nodiscard]] bool draws_what_is_known(Program& program);

} // namespace tessera
