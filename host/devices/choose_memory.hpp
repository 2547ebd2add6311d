// Which memory the devices of a run work in: one range of addresses, or each its own.
#pragma once

#include "device_runtime/device.hpp"
#include "host/setup/setup.hpp"

#include <string>
#include <vector>

namespace tessera {

// Whether devices of these names will have memory of their own, and not share one range of addresses, as far as can be told without them.
[[nodiscard]] bool wants_own_memory(const Setup& setup, const std::vector<std::string>& devices);
// Has it so (give_own_memory), also where nothing is said and the devices cannot share memory: that is tried, not asked alone. And says
// which of them can (Setup::islands). Cuts of GPUs that share settle on pages (settle_on_pages). Throws Failure::input, with file and line,
// for a halo or a transport of devices that share, and Failure::device for those that are to and cannot. What the user should know of it is
// logged, unless it was before.
void choose_memory(Setup& setup, const std::vector<Device*>& devices, bool was_told = false);
void settle_seams(Setup& setup, const std::vector<Device*>& devices); // that alone, where they share

} // namespace tessera
