// Device memory from CUDA's virtual-memory allocator: an address range, and physical memory of the GPU mapped into it. Needs cuda.h.
#pragma once

#include "device_runtime/cuda_context.hpp"
#include "device_runtime/device.hpp"

#include <memory>

namespace tessera {

class CudaBlock final : public Memory::Block {
public:
    // Rounded up to the GPU's granularity (2 MiB). Not yet filled. Throws Failure::memory.
    CudaBlock(std::shared_ptr<const CudaContext> context, std::size_t bytes);
    ~CudaBlock() override;

    [[nodiscard]] CUdeviceptr start() const noexcept { return start_; }
    [[nodiscard]] std::size_t mapped() const noexcept { return mapped_; } // bytes

private:
    void map(const CUmemAllocationProp& kind);
    [[nodiscard]] CUresult map_physical(const CudaFunctions& cuda, const CUmemAllocationProp& kind) const;

    std::shared_ptr<const CudaContext> context_;
    CUdeviceptr start_ = 0;
    std::size_t mapped_ = 0;
};

} // namespace tessera
