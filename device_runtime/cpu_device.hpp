// The CPU as a device.
//
// An image is a shared library. A kernel is an exported function
//     extern "C" void name(const void* args, std::int64_t begin, std::int64_t end);
// that serves the items [begin, end) and throws nothing; several threads call it at once, each with a piece of [0, Launch::items).
#pragma once

#include "device_runtime/device.hpp"

#include <memory>

namespace tessera {

// `threads`: at least 1; the thread that calls the device is one of them.
[[nodiscard]] std::unique_ptr<Device> open_cpu_device(int threads);

// What open_cpu_device(threads) would say of itself.
[[nodiscard]] DeviceInfo cpu_info(int threads);

} // namespace tessera
