// The devices of this machine: which there are, and opening one by name.
#pragma once

#include "device_runtime/cpu_device.hpp" // cpu_info
#include "device_runtime/cuda_driver.hpp"
#include "device_runtime/device.hpp"

#include <memory>
#include <string>
#include <vector>

namespace tessera {

struct CudaStatus {
    bool available = false;          // there is a GPU that can be opened
    std::string why_not;             // else: the reason, in words for the user
    int driver_version = 0;          // 13000 for CUDA 13.0; 0 when there is no driver
    std::vector<DeviceInfo> devices; // device N is "cuda:N"
};

// Throws nothing. The driver is looked for once in a process. Thread-safe.
[[nodiscard]] CudaStatus cuda_status();
[[nodiscard]] CudaStatus cuda_status(const CudaSearch& search); // with a driver found elsewhere

// "cpu" or "cuda:N"; a device of its own each time, also of one name. `cpu_threads` is for the CPU alone: the threads to compute with; 0
// for as many as can run at once. Throws Failure::device, naming the devices that exist, when there is no such one or it cannot be opened.
[[nodiscard]] std::unique_ptr<Device> open_device(const std::string& name, int cpu_threads);
[[nodiscard]] std::unique_ptr<Device> open_device(const std::string& name, int cpu_threads, const CudaSearch& search);

// One device a name, in this order; a name may come several times. `cpu_threads` are divided over the CPUs among them, at least one each.
// Throws as open_device does.
[[nodiscard]] std::vector<std::unique_ptr<Device>> open_devices(const std::vector<std::string>& names, int cpu_threads);
[[nodiscard]] std::vector<std::unique_ptr<Device>> open_devices(const std::vector<std::string>& names, int cpu_threads,
                                                                const CudaSearch& search);

// For those who use them without owning them.
[[nodiscard]] std::vector<Device*> pointers_to(const std::vector<std::unique_ptr<Device>>& devices);

// Devices that share a run as if they were one: their memory, bandwidth and processors together. Of no architecture where theirs differ.
[[nodiscard]] DeviceInfo together(const std::vector<DeviceInfo>& devices);

} // namespace tessera
