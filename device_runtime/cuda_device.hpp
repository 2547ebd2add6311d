// A CUDA GPU as a device: the primary context, queues as streams, marks as events, memory from the virtual-memory allocator, recordings as
// graphs.
//
// An image is a CUBIN (or PTX) file. A kernel takes its arguments as one struct by value.
#pragma once

#include "device_runtime/cuda_driver.hpp"
#include "device_runtime/device.hpp"

#include <memory>
#include <vector>

namespace tessera {

// The GPUs of a driver; index N is "cuda:N". Creates no context. Throws Failure::device.
[[nodiscard]] std::vector<DeviceInfo> cuda_devices(const CudaDriver& driver);

// `index`: below driver->devices().
[[nodiscard]] std::unique_ptr<Device> open_cuda_device(std::shared_ptr<const CudaDriver> driver, int index);

} // namespace tessera
