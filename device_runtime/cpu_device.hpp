// The CPU as a device.
//
// An image is a shared library. A kernel is an exported function
//     extern "C" void name(const void* args, std::int64_t begin, std::int64_t end);
// that serves the items [begin, end) and throws nothing; several threads call it at once, each with a piece of [0, Launch::items).
#pragma once

#include "device_runtime/device.hpp"

#include <memory>

namespace tessera {

// What becomes of a kernel that reads or writes beyond what it was given: where that is other memory, nothing tells. With addresses that
// are nobody's on both sides of what is allocated it is stopped (KernelFault): at once behind the last whole 128 bytes, to which it is
// aligned then, and less than a page before the first.
enum class Overruns { pass, stop };

// `threads`: at least 1; the thread that calls the device is one of them.
[[nodiscard]] std::unique_ptr<Device> open_cpu_device(int threads, Overruns overruns = Overruns::pass);

// What open_cpu_device(threads) would say of itself.
[[nodiscard]] DeviceInfo cpu_info(int threads);

} // namespace tessera
