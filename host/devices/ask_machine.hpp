// A machine's numbers (Machine), asked of its devices.
#pragma once

#include "device_runtime/device.hpp"
#include "host/distribution/machine.hpp"
#include "host/setup/setup.hpp"

#include <vector>

namespace tessera {

// Of devices of this process, a partition each. Whether two of them share memory is tried, not asked alone. What an exchange of rows takes
// is measured where distributing the run needs it: with small copies between the first two devices, by the way that rows go, and with a
// large one on the first. Throws what the devices throw.
[[nodiscard]] Machine ask_machine(const Setup& setup, const std::vector<Device*>& devices);

// That measurement alone; `by_host` says which way rows go.
[[nodiscard]] ExchangeCosts measure_exchange(const std::vector<Device*>& devices, bool by_host);

} // namespace tessera
