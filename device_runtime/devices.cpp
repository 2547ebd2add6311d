#include "device_runtime/devices.hpp"

#include "device_runtime/cuda_device.hpp"
#include "device_runtime/error.hpp"
#include "device_runtime/machine.hpp"
#include "device_runtime/thread_pool.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace tessera {
namespace {

// 3 of "cuda:3"; nothing of any other name.
std::optional<int> gpu_index(const std::string& name) {
    const std::string prefix = "cuda:";
    if (name.rfind(prefix, 0) != 0) return std::nullopt;
    int index = -1;
    const auto [end, error] = std::from_chars(name.data() + prefix.size(), name.data() + name.size(), index);
    if (error != std::errc{} || end != name.data() + name.size() || index < 0) return std::nullopt;
    return index;
}

[[noreturn]] void no_such_device(const std::string& name, const CudaStatus& cuda) {
    std::string there = "\"cpu\"";
    for (const auto& device : cuda.devices) there += fmt::format(", \"{}\" ({})", device.name, device.description);
    const bool asks_for_gpu = name.rfind("cuda", 0) == 0;
    throw Error(Failure::device, fmt::format("there is no device \"{}\"", name),
                asks_for_gpu && !cuda.available ? cuda.why_not : "devices are named \"cpu\", \"cuda:0\", \"cuda:1\" and so on",
                fmt::format("this machine has {}", there));
}

} // namespace

CudaStatus cuda_status(const CudaSearch& search) {
    CudaStatus status{false, search.why_not, search.driver_version, {}};
    if (!search.driver) return status;
    try {
        status.devices = cuda_devices(*search.driver);
        status.available = true;
    } catch (const Error& error) {
        status.why_not = error.what();
    }
    return status;
}

CudaStatus cuda_status() { return cuda_status(cuda_driver()); }

std::unique_ptr<Device> open_device(const std::string& name, int cpu_threads, const CudaSearch& search) {
    if (name == "cpu") return open_cpu_device(cpu_threads > 0 ? cpu_threads : usable_threads());
    const auto index = gpu_index(name);
    if (!index || !search.driver || *index >= search.driver->devices()) no_such_device(name, cuda_status(search));
    return open_cuda_device(search.driver, *index);
}

std::unique_ptr<Device> open_device(const std::string& name, int cpu_threads) {
    if (name == "cpu") return open_device(name, cpu_threads, {}); // without waking a GPU
    return open_device(name, cpu_threads, cuda_driver());
}

std::vector<std::unique_ptr<Device>> open_devices(const std::vector<std::string>& names, int cpu_threads, const CudaSearch& search) {
    const auto cpus = static_cast<int>(std::count(names.begin(), names.end(), "cpu"));
    const int threads = cpu_threads > 0 ? cpu_threads : usable_threads();
    std::vector<std::unique_ptr<Device>> devices;
    int cpu = 0;
    for (const auto& name : names) {
        if (name == "cpu") {
            const auto [begin, end] = ThreadPool::piece(threads, cpus, cpu++);
            devices.push_back(open_device(name, std::max(1, static_cast<int>(end - begin)), search));
        } else {
            devices.push_back(open_device(name, 0, search));
        }
    }
    return devices;
}

std::vector<std::unique_ptr<Device>> open_devices(const std::vector<std::string>& names, int cpu_threads) {
    const bool cpus_alone = std::all_of(names.begin(), names.end(), [](const std::string& name) { return name == "cpu"; });
    return open_devices(names, cpu_threads, cpus_alone ? CudaSearch{} : cuda_driver()); // without waking a GPU
}

std::vector<Device*> pointers_to(const std::vector<std::unique_ptr<Device>>& devices) {
    std::vector<Device*> pointers;
    for (const auto& device : devices) pointers.push_back(device.get());
    return pointers;
}

DeviceInfo together(const std::vector<DeviceInfo>& devices) {
    auto all = devices.front();
    for (std::size_t i = 1; i < devices.size(); ++i) {
        all.name += ", " + devices[i].name;
        all.description += " and " + devices[i].description;
        if (devices[i].architecture != all.architecture) all.architecture.clear();
        all.memory_total += devices[i].memory_total;
        all.processors += devices[i].processors;
        all.memory_bandwidth += devices[i].memory_bandwidth;
    }
    return all;
}

} // namespace tessera
