// What a run would stumble over before its first step, beyond its run file and model: devices, memory, the result folder.
#pragma once

#include "host/devices/choose_devices.hpp"
#include "host/setup/setup.hpp"

#include <string>
#include <vector>

namespace tessera {

// Throws what a run on these devices would throw: cuts and weights that do not fit them (Failure::input), more memory than the
// devices have free (Failure::memory). Returns, in words, what may end a run, what it may still refuse and what could not be looked at
// here: a device that this machine does not have, a result folder that is in use. Allocates nothing on the device, and writes nothing.
[[nodiscard]] std::vector<std::string> check_run(const Setup& setup, const ChosenDevices& chosen);

} // namespace tessera
