// NVIDIA's driver library, found and loaded at run time, so that Tessera starts on a machine without one.
#pragma once

#include "device_runtime/device.hpp"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace tessera {

struct CudaFunctions; // the driver's functions: cuda_functions.hpp

// The version that Tessera needs, as the driver counts: 1000 * major + 10 * minor.
inline constexpr int oldest_cuda_version = 12000;

// A driver that was loaded, is new enough, was initialised and has a GPU. Thread-safe.
class CudaDriver {
public:
    CudaDriver(std::unique_ptr<const CudaFunctions> functions, int version, int devices);
    ~CudaDriver();
    CudaDriver(const CudaDriver&) = delete;
    CudaDriver& operator=(const CudaDriver&) = delete;

    [[nodiscard]] const CudaFunctions& functions() const noexcept { return *functions_; }
    [[nodiscard]] int version() const noexcept { return version_; }
    [[nodiscard]] int devices() const noexcept { return devices_; }

private:
    std::unique_ptr<const CudaFunctions> functions_;
    int version_;
    int devices_;
};

struct CudaSearch {
    std::shared_ptr<const CudaDriver> driver; // null when there is none that can be used
    std::string why_not;                      // then: the reason, for the user
    int driver_version = 0;                   // 0 when no driver answered
};

// Whether this build of Tessera was made with CUDA support.
[[nodiscard]] bool built_with_cuda() noexcept;

// Where a driver is installed: the system's search path first, then places that it may not cover.
[[nodiscard]] std::vector<std::filesystem::path> usual_cuda_libraries();

// Takes the first of `candidates` that can be loaded. Throws nothing: what is wrong is in `why_not`.
[[nodiscard]] CudaSearch find_cuda_driver(const std::vector<std::filesystem::path>& candidates);

// The search in the usual places, made once.
[[nodiscard]] const CudaSearch& cuda_driver();

} // namespace tessera
