// What stands in for the CUDA files in a build without cuda.h.
#include "device_runtime/cuda_device.hpp"
#include "device_runtime/error.hpp"

namespace tessera {

struct CudaFunctions {};

CudaDriver::CudaDriver(std::unique_ptr<const CudaFunctions> functions, int version, int devices)
    : functions_(std::move(functions)), version_(version), devices_(devices) {}

CudaDriver::~CudaDriver() = default;

bool built_with_cuda() noexcept { return false; }

std::vector<std::filesystem::path> usual_cuda_libraries() { return {}; }

CudaSearch find_cuda_driver(const std::vector<std::filesystem::path>&) {
    return {nullptr, "this build of Tessera has no CUDA support; build it where the CUDA toolkit 12.0 or later is installed", 0};
}

const CudaSearch& cuda_driver() {
    static const auto& found = *new CudaSearch(find_cuda_driver({}));
    return found;
}

std::vector<DeviceInfo> cuda_devices(const CudaDriver&) { return {}; }

std::unique_ptr<Device> open_cuda_device(std::shared_ptr<const CudaDriver>, int) {
    throw Error(Failure::device, "no GPU can be used", cuda_driver().why_not);
}

} // namespace tessera
