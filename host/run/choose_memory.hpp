// Which memory the devices of a run work in: one range of addresses, or each its own.
#pragma once

#include "device_runtime/device.hpp"
#include "host/setup/setup.hpp"

#include <string>
#include <vector>

namespace tessera {

// Whether devices of these names will have memory of their own, and not share one range of addresses, as far as can be told without them.
[[nodiscard]] bool wants_own_memory(const Setup& setup, const std::vector<std::string>& devices);
// Has it so (give_own_memory), also where nothing is said and the devices do not reach each other's memory; and which of them do
// (Setup::islands). Throws Failure::input, with file and line, for a halo or a transport of devices that share.
void choose_memory(Setup& setup, const std::vector<Device*>& devices);

} // namespace tessera
