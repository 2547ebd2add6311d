// What `tessera devices` says of copies: within each device's memory, and from one device to another.
#pragma once

#include "device_runtime/cuda_driver.hpp"

#include <string>
#include <vector>

namespace tessera {

// A table, measured now: a few milliseconds a device or pair, once they are open. One that cannot be opened or measured has the reason in
// its line.
[[nodiscard]] std::string links_text(const std::vector<std::string>& devices, const CudaSearch& search);

} // namespace tessera
