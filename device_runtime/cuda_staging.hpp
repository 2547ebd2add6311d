// Copies between pageable host memory and a GPU at the speed of the bus, through two pinned buffers in turn. Needs cuda.h.
#pragma once

#include "device_runtime/cuda_context.hpp"
#include "device_runtime/thread_pool.hpp"

#include <array>
#include <memory>
#include <optional>

namespace tessera {

// Both ways in order with the stream, and complete when they return. For one thread at a time.
class CudaStaging {
public:
    CudaStaging(std::shared_ptr<const CudaContext> context, CUstream stream);
    ~CudaStaging();
    CudaStaging(const CudaStaging&) = delete;
    CudaStaging& operator=(const CudaStaging&) = delete;

    void write(CUdeviceptr device, const std::byte* host, std::size_t bytes);
    void read(std::byte* host, CUdeviceptr device, std::size_t bytes);

private:
    struct Buffer {
        std::byte* bytes = nullptr;
        CUevent copied = nullptr; // the GPU's last copy from or to it
    };

    void prepare(); // at the first large copy: many a queue never needs it
    void copy(std::byte* to, const std::byte* from, std::size_t bytes);
    void write_staged(const CudaFunctions& cuda, CUdeviceptr device, const std::byte* host, std::size_t bytes);
    void read_staged(const CudaFunctions& cuda, std::byte* host, CUdeviceptr device, std::size_t bytes);

    std::shared_ptr<const CudaContext> context_;
    CUstream stream_;
    std::array<Buffer, 2> buffers_;
    std::optional<ThreadPool> copiers_; // one thread alone copies slower than the bus
};

} // namespace tessera
